//! What is measured of each target: the feature table.
//!
//! Takes a [`Capture`] and its [`Target`]s, gives a [`FeatureTable`]: one row a target, named columns in groups.
//! A group that needs a rendered page is absent from the table of bare HTML, never zero. Every value is finite, and
//! within its column's range where that names two bounds.
//!
//! To add a feature, add one entry, its [`Column`] and its formula, to the table of its group; to add a group, add a
//! file and a line in [`GROUPS`], or in [`LANGUAGE_BOUND`] if it knows words of a language. Groups are measured in the order of [`GROUPS`]; each finds the columns of those
//! before it in [`PageView::measured`].

mod context;
#[cfg(test)]
mod fixture;
mod hint;
pub mod linguistic;
mod page;
mod page_kind;
mod pattern;
mod profile;
mod score;
mod structural;
mod tags;
mod text;
mod tree;
pub mod visual;

pub use linguistic::Measuring;
pub use page::{MAX_TARGETS, Measured, PageView};

use crate::capture::Capture;
use crate::error::Error;
use crate::target::Target;
use ndarray::{Array2, ArrayView1};
use std::sync::LazyLock;

/// A feature: a permanent dotted name and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Dotted name, `group.measure`.
    pub name: &'static str,
    /// Unit and range, such as `ratio, 0 to 1`. Where it ends with `A to B` or `A or B`, values are clamped to that.
    pub range: &'static str,
    /// What it measures, its formula, its value where there is nothing to measure.
    pub meaning: &'static str,
    /// Author, year and section of the source, or `ours`.
    pub source: &'static str,
}

impl Column {
    /// The bounds that [`Self::range`] names, if it names two.
    pub fn bounds(&self) -> Option<(f32, f32)> {
        let last = self.range.rsplit(", ").next()?;
        let (low, high) = last.split_once(" to ").or_else(|| last.split_once(" or "))?;
        let (low, high): (f32, f32) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        (low < high).then_some((low, high))
    }
}

/// A set of features that are measured together and switched on and off together.
#[derive(Debug, Clone, Copy)]
pub struct FeatureGroup {
    /// First part of its columns' names; may itself be dotted.
    pub name: &'static str,
    /// Whether it can be measured only on rendered pages.
    pub needs_layout: bool,
    /// Its features, in order.
    pub columns: &'static [Column],
    /// Fills one row a target, in order; `rows[i]` has `columns.len()` values, zero before.
    pub measure: fn(&PageView<'_>, &mut [Vec<f32>]),
}

/// All groups, in the order of their columns in a table. A group that looks around comes after those it looks at.
pub const GROUPS: &[FeatureGroup] = &[
    visual::BLOB,
    visual::LAYOUT,
    text::GROUP,
    linguistic::own::GROUP,
    structural::GROUP,
    hint::GROUP,
    page_kind::GROUP,
    context::GROUP,
    context::LAYOUT_GROUP,
];

/// The groups that are bound to languages or need keywords, in the order of their columns after those of [`GROUPS`]; only
/// [`measure_with`] measures them.
pub const LANGUAGE_BOUND: &[FeatureGroup] = &[linguistic::pos::GROUP, linguistic::keyword::GROUP];

/// A column and how to compute it from what its group knows of a target; the entries of a group's table.
#[derive(Debug, Clone, Copy)]
struct Feature<F> {
    column: Column,
    of: F,
}

impl<F> Feature<F> {
    const fn new(name: &'static str, range: &'static str, meaning: &'static str, source: &'static str, of: F) -> Self {
        Self { column: Column { name, range, meaning, source }, of }
    }
}

/// Range of a flag.
const FLAG: &str = "flag, 0 or 1";
/// Range of a share.
const SHARE: &str = "share, 0 to 1";
/// Range of a logarithm of a count or length.
const LOG: &str = "ln(1 + x), 0 to 12";
/// Source of features that we know of from nobody.
const OURS: &str = "ours";

const fn columns_of<F: Copy, const N: usize>(features: &[Feature<F>]) -> [Column; N] {
    columns_of_parts(&[features])
}

const fn columns_of_parts<F: Copy, const N: usize>(parts: &[&[Feature<F>]]) -> [Column; N] {
    let mut columns = [Column { name: "", range: "", meaning: "", source: "" }; N];
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

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// `ln(1 + x)`.
fn log(x: f32) -> f32 {
    x.max(0.0).ln_1p()
}

/// Whether `column` belongs to `group` or a group below it: `visual.blob.width` is in `visual` and in `visual.blob`; a
/// column's own name is a group of it alone.
pub fn is_in_group(column: &str, group: &str) -> bool {
    column.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Every column of every group, also of those that need a rendered page, in the order of a table.
pub fn describe() -> impl Iterator<Item = (&'static FeatureGroup, &'static Column)> {
    GROUPS.iter().flat_map(|group| group.columns.iter().map(move |column| (group, column)))
}

/// Every column of the language-bound groups.
pub fn describe_language_bound() -> impl Iterator<Item = (&'static FeatureGroup, &'static Column)> {
    LANGUAGE_BOUND.iter().flat_map(|group| group.columns.iter().map(move |column| (group, column)))
}

/// One row a target, one column a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    /// Column names in order.
    pub columns: Vec<&'static str>,
    /// Values, targets x columns, all finite.
    pub rows: Array2<f32>,
}

impl FeatureTable {
    /// A table of so many rows without a column.
    pub fn without_columns(rows: usize) -> Self {
        Self { columns: Vec::new(), rows: Array2::zeros((rows, 0)) }
    }

    /// Position of a column.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column == name)
    }

    /// Values of a column, one a target.
    pub fn column(&self, name: &str) -> Option<ArrayView1<'_, f32>> {
        self.column_index(name).map(|index| self.rows.column(index))
    }

    /// The table with the named columns only, in the order named; the error is the first name it does not have.
    pub fn select<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, String> {
        let mut indices = Vec::with_capacity(names.len());
        for name in names {
            indices.push(self.column_index(name.as_ref()).ok_or_else(|| name.as_ref().to_owned())?);
        }
        Ok(self.at(&indices))
    }

    /// The table without the groups named, and those below them: `visual` drops `visual.blob` and `visual.layout`.
    #[must_use]
    pub fn without_groups<S: AsRef<str>>(&self, groups: &[S]) -> Self {
        self.filter(|column| !groups.iter().any(|group| is_in_group(column, group.as_ref())))
    }

    /// The table with the groups named, and those below them, only.
    #[must_use]
    pub fn only_groups<S: AsRef<str>>(&self, groups: &[S]) -> Self {
        self.filter(|column| groups.iter().any(|group| is_in_group(column, group.as_ref())))
    }

    fn filter(&self, keep: impl Fn(&str) -> bool) -> Self {
        let indices: Vec<usize> = (0..self.columns.len()).filter(|&index| keep(self.columns[index])).collect();
        self.at(&indices)
    }

    fn at(&self, indices: &[usize]) -> Self {
        Self {
            columns: indices.iter().map(|&index| self.columns[index]).collect(),
            rows: self.rows.select(ndarray::Axis(1), indices),
        }
    }
}

/// Measures every feature that the capture allows and that is independent of language.
///
/// More than [`MAX_TARGETS`] targets are [`Error::Limit`].
pub fn measure(capture: &Capture, targets: &[Target]) -> Result<FeatureTable, Error> {
    measure_with(capture, targets, &Measuring::default())
}

/// The same, and after it the language-bound groups that `measuring` asks for: parts of speech, and keywords where it
/// brings them.
pub fn measure_with(capture: &Capture, targets: &[Target], measuring: &Measuring<'_>) -> Result<FeatureTable, Error> {
    let mut view = PageView::new(capture, targets)?;
    if measuring.language_bound {
        view.bound = Some(linguistic::LanguageBound::new(&view, measuring.keywords));
    }
    let is_asked = |group: &FeatureGroup| {
        measuring.language_bound && (group.name != linguistic::keyword::GROUP.name || measuring.keywords.is_some())
    };
    let asked = all_groups().enumerate().filter(|&(place, group)| place < GROUPS.len() || is_asked(group));
    let mut rows = vec![Vec::new(); targets.len()];
    for (place, group) in asked {
        if group.needs_layout && capture.layout.is_none() {
            continue;
        }
        for row in &mut rows {
            row.clear();
            row.resize(group.columns.len(), 0.0);
        }
        (group.measure)(&view, &mut rows);
        for (index, (column, bounds)) in group.columns.iter().zip(&BOUNDS[place]).enumerate() {
            let hold = |row: &Vec<f32>| {
                let value = row[index];
                debug_assert!(value.is_finite(), "{} is {value}", column.name);
                // Adding zero turns -0, the sum of nothing, into 0.
                let value = if value.is_finite() { value + 0.0 } else { 0.0 };
                bounds.map_or(value, |(low, high)| value.clamp(low, high))
            };
            view.measured.push(column.name, rows.iter().map(hold).collect());
        }
    }
    let measured = view.measured.into_columns();
    let mut rows = Array2::zeros((targets.len(), measured.len()));
    for (mut cells, (_, values)) in rows.columns_mut().into_iter().zip(&measured) {
        cells.iter_mut().zip(values).for_each(|(cell, value)| *cell = *value);
    }
    Ok(FeatureTable { columns: measured.iter().map(|(name, _)| *name).collect(), rows })
}

fn all_groups() -> impl Iterator<Item = &'static FeatureGroup> {
    GROUPS.iter().chain(LANGUAGE_BOUND)
}

/// The bounds of a group's columns.
type Bounds = Vec<Option<(f32, f32)>>;

/// Those of all groups, read once.
static BOUNDS: LazyLock<Vec<Bounds>> =
    LazyLock::new(|| all_groups().map(|group| group.columns.iter().map(Column::bounds).collect()).collect());

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::{Dom, DomBuilder, Record};
    use crate::target::{TargetRule, select};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn table(capture: &Capture) -> FeatureTable {
        measure(capture, &select(capture, TargetRule::Blocks)).unwrap()
    }

    fn assert_in_range(table: &FeatureTable) {
        for (_, column) in describe() {
            let Some(values) = table.column(column.name) else { continue };
            for &value in values {
                assert!(value.is_finite());
                if let Some((low, high)) = column.bounds() {
                    assert!((low..=high).contains(&value), "{} is {value}", column.name);
                }
            }
        }
    }

    #[test]
    fn columns_are_named_once_after_their_group_and_documented() {
        let mut seen = BTreeSet::new();
        for (group, column) in describe().chain(describe_language_bound()) {
            assert!(is_in_group(column.name, group.name), "{} is not in {}", column.name, group.name);
            assert!(seen.insert(column.name), "{} is there twice", column.name);
            assert!(column.meaning.len() > 15, "{} says too little", column.name);
            assert!(!column.range.is_empty() && !column.source.is_empty(), "{}", column.name);
            assert!(
                column.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_')),
                "{}",
                column.name
            );
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn ranges_are_read() {
        let column = |range| Column { name: "", range, meaning: "", source: "" };
        assert_eq!(column("flag, 0 or 1").bounds(), Some((0.0, 1.0)));
        assert_eq!(column("relative, -1 to 1").bounds(), Some((-1.0, 1.0)));
        assert_eq!(column("ln(1 + x), 0 to 12").bounds(), Some((0.0, 12.0)));
        assert_eq!(column("px, any").bounds(), None);
    }

    #[test]
    fn tables_are_cut_by_name_and_group() {
        let table = table(&fixture::page("<p>one two</p><ul><li><a href=x>three</a></ul>"));
        assert_eq!(table.rows.nrows(), 2);
        let picked = table.select(&["text.characters_log", "structural.link_density"]).unwrap();
        assert_eq!(picked.rows.column(1).to_vec(), [0.0, 1.0]);
        assert_eq!(table.select(&["text.none"]).unwrap_err(), "text.none");
        let without = table.without_groups(&["text", "context"]);
        assert!(without.column_index("text.characters_log").is_none());
        assert!(without.column_index("structural.link_density").is_some());
        assert_eq!(table.only_groups(&["hint"]).columns.len(), hint::GROUP.columns.len());
        assert!(!table.columns.iter().any(|column| column.starts_with("context.layout.")), "there is no layout");
    }

    #[test]
    fn too_many_targets_are_refused_with_their_number() {
        let capture = fixture::page("<p>one");
        let targets = vec![select(&capture, TargetRule::Blocks)[0].clone(); MAX_TARGETS + 1];
        assert!(measure(&capture, &targets).unwrap_err().to_string().contains("50001"));
    }

    #[test]
    fn deep_and_wide_pages_are_measured_in_time() {
        let mut builder = DomBuilder::new();
        for level in 0..100_000 {
            builder.open(["div", "span", "ul", "li", "table"][level % 5], vec![]);
            if level % 4 == 0 {
                builder.text("A deep text, with a comma, and a full stop at its end. It is long enough for two.");
            }
        }
        let deep = Capture::parsed(builder.finish(), Record::parsed("deep", None));
        let started = std::time::Instant::now();
        assert_in_range(&table(&deep));
        let mut builder = DomBuilder::new();
        for _ in 0..MAX_TARGETS {
            builder.open("p", vec![]);
            builder.text("short text");
            builder.close();
        }
        let wide = Capture::parsed(builder.finish(), Record::parsed("wide", None));
        assert_in_range(&table(&wide));
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    /// Trees of arbitrary shape: a list of steps, each opening, closing or writing.
    fn any_dom() -> impl Strategy<Value = Dom> {
        let tags = prop::sample::select(vec![
            "p", "div", "a", "li", "ul", "table", "tr", "td", "h1", "nav", "br", "img", "pre", "code", "form", "span",
            "b",
        ]);
        let texts = prop_oneof![Just("one, two. ".to_owned()), "\\PC{0,40}", Just(" ".to_owned())];
        let step = prop_oneof![
            tags.prop_map(|tag| (0, tag.to_owned())),
            texts.prop_map(|text| (1, text)),
            Just((2, String::new()))
        ];
        prop::collection::vec(step, 0..60).prop_map(|steps| {
            let mut builder = DomBuilder::new();
            for (kind, word) in steps {
                match kind {
                    0 => {
                        builder.open(&word, vec![("href".into(), "/x".into()), ("class".into(), "nav-item".into())]);
                    }
                    1 => {
                        builder.text(&word);
                    }
                    _ => builder.close(),
                }
            }
            builder.finish()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn values_are_finite_and_in_range_whatever_the_page(dom in any_dom()) {
            let capture = Capture::parsed(dom, Record::parsed("any", None));
            for rule in [TargetRule::Blocks, TargetRule::Fiasco] {
                let targets = select(&capture, rule);
                let table = measure(&capture, &targets).unwrap();
                prop_assert_eq!(table.rows.nrows(), targets.len());
                assert_in_range(&table);
            }
        }
    }
}
