//! A column of the feature table: its name, range, meaning and source, and the formula that fills
//! it.
//!
//! The table of a group is a list of [`Feature`]s, one entry per column.

use std::fmt;
use std::sync::LazyLock;

/// A feature: a permanent dotted name and its definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Permanent dotted name, `group.measure`.
    pub name: &'static str,
    /// Unit and bounds; values are clamped to the bounds.
    pub range: ValueRange,
    /// Definition, formula, and the value for an empty region.
    pub meaning: &'static str,
    /// Author, year and section of the source, or `ours`.
    pub source: &'static str,
}

/// Unit and bounds of a column's values; printed as `ratio, 0 to 1`, flags as `flag, 0 or 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRange {
    /// Unit or kind of number, such as `ratio` or `ln(1 + count)`.
    pub unit: &'static str,
    /// Lower bound; smaller results are raised to it.
    pub low: f32,
    /// Upper bound; larger results are lowered to it.
    pub high: f32,
}

impl ValueRange {
    /// A range from `low` to `high`, both included.
    pub const fn new(unit: &'static str, low: f32, high: f32) -> Self {
        Self { unit, low, high }
    }

    /// True if a value is within the bounds.
    pub fn contains(self, value: f32) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Clamps a value to the bounds; values that are not finite count as 0.
    #[inline]
    pub(super) fn limit(self, value: f32) -> f32 {
        // Adding zero turns -0, the sum of nothing, into 0.
        let finite = if value.is_finite() { value + 0.0 } else { 0.0 };
        let raised = if finite < self.low { self.low } else { finite };
        if raised > self.high {
            self.high
        } else {
            raised
        }
    }

    /// Clamps a value to the bounds; NaN remains NaN.
    pub(super) fn clamp(self, value: f32) -> f32 {
        value.clamp(self.low, self.high)
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = if self.unit == FLAG.unit { "or" } else { "to" };
        write!(out, "{}, {} {joined} {}", self.unit, self.low, self.high)
    }
}

/// Range of a flag.
pub(super) const FLAG: ValueRange = ValueRange::new("flag", 0.0, 1.0);
/// Range of a share.
pub(super) const SHARE: ValueRange = ValueRange::new("share", 0.0, 1.0);
/// Range of a ratio that is at most 1.
pub(super) const RATIO: ValueRange = ValueRange::new("ratio", 0.0, 1.0);
/// Range of a visual flag.
pub(super) const YES_OR_NO: ValueRange = ValueRange::new("0 or 1", 0.0, 1.0);
/// Range of a logarithm of a count or length.
pub(super) const LOG: ValueRange = ValueRange::new("ln(1 + x)", 0.0, 12.0);
/// Source of features that we have not found in a publication.
pub(super) const OURS: &str = "ours";

/// A column and the formula that computes it from its group's measurements of a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feature<F> {
    pub(super) column: Column,
    pub(super) formula: F,
}

impl<F> Feature<F> {
    pub(super) const fn new(
        name: &'static str,
        range: ValueRange,
        meaning: &'static str,
        source: &'static str,
        formula: F,
    ) -> Self {
        Self {
            column: Column {
                name,
                range,
                meaning,
                source,
            },
            formula,
        }
    }
}

/// The columns of a list of features, in order; `N` is the length of the list.
pub(super) const fn columns_of<F: Copy, const N: usize>(features: &[Feature<F>]) -> [Column; N] {
    columns_of_parts(&[features])
}

/// The columns of several lists of features, concatenated; `N` is the sum of their lengths.
pub(super) const fn columns_of_parts<F: Copy, const N: usize>(
    parts: &[&[Feature<F>]],
) -> [Column; N] {
    let mut columns = [NO_COLUMN; N];
    let (mut part, mut index, mut filled) = (0, 0, 0);
    while filled < N {
        if index < parts[part].len() {
            columns[filled] = parts[part][index].column;
            filled += 1;
            index += 1;
        } else {
            part += 1;
            index = 0;
        }
    }
    columns
}

/// The columns of two lists, concatenated; `N` is the sum of their lengths.
pub(super) const fn join_columns<const N: usize>(
    first: &[Column],
    second: &[Column],
) -> [Column; N] {
    let mut columns = [NO_COLUMN; N];
    let mut index = 0;
    while index < N {
        columns[index] = if index < first.len() {
            first[index]
        } else {
            second[index - first.len()]
        };
        index += 1;
    }
    columns
}

/// Placeholder in an array of columns until they are copied into it.
const NO_COLUMN: Column = Column {
    name: "",
    range: FLAG,
    meaning: "",
    source: "",
};

/// 1 for yes, 0 for no.
pub(super) fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// The logarithms of small whole numbers, since most values are counts.
static LOGS: LazyLock<[f32; 512]> =
    LazyLock::new(|| std::array::from_fn(|count| (count as f32).ln_1p()));

/// `ln(1 + x)`.
pub(super) fn log(x: f32) -> f32 {
    let count = x as u16;
    match LOGS.get(usize::from(count)) {
        Some(&known) if f32::from(count) == x => known,
        _ => x.max(0.0).ln_1p(),
    }
}

/// Source of FIASCO's linguistic features.
pub(super) const FIASCO_LINGUISTIC: &str = "Bauer et al. 2007 (FIASCO), 3.1";
/// Source of FIASCO's structural features.
pub(super) const FIASCO_STRUCTURAL: &str = "Bauer et al. 2007 (FIASCO), 3.2";
/// Source of counts over the text of a paragraph.
pub(super) const TEXREX: &str = "Schäfer 2013 (texrex), 2";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_printed_with_their_unit_and_bounds() {
        assert_eq!(FLAG.to_string(), "flag, 0 or 1");
        assert_eq!(LOG.to_string(), "ln(1 + x), 0 to 12");
        assert_eq!(
            ValueRange::new("relative", -1.0, 0.5).to_string(),
            "relative, -1 to 0.5"
        );
    }

    #[test]
    fn logarithms_of_counts_are_those_of_all_numbers() {
        for x in [0.0, -0.0, 0.5, 1.0, 2.0, 511.0, 511.5, 512.0, 65_536.0, 1e9] {
            assert_eq!(log(x), x.ln_1p(), "{x}");
        }
        assert_eq!([log(-3.0), log(f32::NAN)], [0.0, 0.0]);
    }

    #[test]
    fn values_are_clamped_to_the_bounds() {
        let range = ValueRange::new("relative", -1.0, 1.0);
        assert_eq!(
            [-2.0, 0.5, 7.0].map(|value| range.clamp(value)),
            [-1.0, 0.5, 1.0]
        );
        assert_eq!(
            [-2.0, 0.5, 7.0, f32::NAN].map(|value| range.limit(value)),
            [-1.0, 0.5, 1.0, 0.0]
        );
        assert!(range.limit(-0.0).is_sign_positive());
        assert!(range.contains(1.0) && !range.contains(1.5) && !range.contains(f32::NAN));
    }

    #[test]
    fn columns_of_several_lists_keep_their_order() {
        let column = |name| Column { name, ..NO_COLUMN };
        let joined: [Column; 3] = join_columns(&[column("a"), column("b")], &[column("c")]);
        assert_eq!(joined.map(|column| column.name), ["a", "b", "c"]);
    }
}
