//! The feature table: one row per target, one named column per feature.

use super::column::{Column, ValueRange};
use super::page::PageView;
use ndarray::{Array2, ArrayView1};
use std::ops::Range;

/// One row per target, one column per feature.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    /// Column names in order.
    pub columns: Vec<&'static str>,
    /// Values, targets x columns; all are finite.
    pub rows: Array2<f32>,
}

impl FeatureTable {
    /// A table with this number of rows and no columns.
    pub fn without_columns(rows: usize) -> Self {
        Self {
            columns: Vec::new(),
            rows: Array2::zeros((rows, 0)),
        }
    }

    /// Position of a column.
    pub(crate) fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column == name)
    }

    /// Values of a column, one per target.
    pub fn column(&self, name: &str) -> Option<ArrayView1<'_, f32>> {
        self.column_index(name).map(|index| self.rows.column(index))
    }

    /// A table of the named columns in the given order; the error is the first name that is
    /// missing.
    pub fn select<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, String> {
        let mut indices = Vec::with_capacity(names.len());
        for name in names {
            indices.push(
                self.column_index(name.as_ref())
                    .ok_or_else(|| name.as_ref().to_owned())?,
            );
        }
        Ok(self.at(&indices))
    }

    fn at(&self, indices: &[usize]) -> Self {
        Self {
            columns: indices.iter().map(|&index| self.columns[index]).collect(),
            rows: self.rows.select(ndarray::Axis(1), indices),
        }
    }
}

/// A set of features that are measured together and switched on and off together.
#[derive(Debug, Clone, Copy)]
pub struct FeatureGroup {
    /// First part of its columns' names; it may contain dots.
    pub name: &'static str,
    /// True if the group can be measured only on rendered pages.
    pub needs_layout: bool,
    /// Earlier groups whose columns it reads.
    pub reads: &'static [&'static str],
    /// Columns in the order of the table.
    pub columns: &'static [Column],
    /// Computes its columns for all targets; one row per target, in order.
    pub measure: fn(&PageView<'_>, &mut GroupRows<'_>),
}

/// True if `column` belongs to `group` or one of its subgroups: `visual.blob.width` is in `visual`
/// and in `visual.blob`. A column's own name counts as a group too.
pub fn is_in_group(column: &str, group: &str) -> bool {
    column
        .strip_prefix(group)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The rows of a table, as a group accesses them while it is measured.
#[derive(Debug)]
pub struct GroupRows<'t> {
    /// All rows, concatenated, with one value for each of `columns`; not yet clamped to the ranges.
    values: &'t mut [f32],
    /// All columns of the table.
    columns: &'t [&'static Column],
    own: Range<usize>,
}

impl<'t> GroupRows<'t> {
    /// Rows for the group with the columns `own`; `values` are all rows, concatenated.
    pub(super) fn new(
        values: &'t mut [f32],
        columns: &'t [&'static Column],
        own: Range<usize>,
    ) -> Self {
        Self {
            values,
            columns,
            own,
        }
    }

    /// The values of the group: one slice per target with a value for each of its columns. All are
    /// zero at first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let own = self.own.clone();
        self.values
            .chunks_exact_mut(self.columns.len())
            .map(move |row| &mut row[own.clone()])
    }

    /// Values of a column of an earlier group, one per target; `None` if the group was not
    /// measured.
    pub fn column(&self, name: &str) -> Option<Vec<f32>> {
        self.index(name)?;
        Some(
            self.columns([name])
                .into_iter()
                .map(|[value]| value)
                .collect(),
        )
    }

    /// The values of several columns of earlier groups, one array per target; 0 for groups that
    /// were not measured.
    pub(super) fn columns<const N: usize>(&self, names: [&str; N]) -> Vec<[f32; N]> {
        let found = names.map(|name| {
            self.index(name)
                .map(|index| (index, self.columns[index].range))
        });
        let rows = self.values.chunks_exact(self.columns.len());
        rows.map(|row| {
            found.map(|found| found.map_or(0.0, |(index, range)| range.limit(row[index])))
        })
        .collect()
    }

    /// Position of a column of an earlier group.
    fn index(&self, name: &str) -> Option<usize> {
        self.columns[..self.own.start]
            .iter()
            .position(|column| column.name == name)
    }
}

/// Clamps the values of a table, given as concatenated rows, to the ranges of its columns.
pub(super) fn limit(values: &mut [f32], columns: &[&Column]) {
    // Separate lists let the compiler clamp several values at once.
    let (low, high): (Vec<f32>, Vec<f32>) = columns
        .iter()
        .map(|column| (column.range.low, column.range.high))
        .unzip();
    for row in values.chunks_exact_mut(columns.len()) {
        debug_assert_eq!(
            columns
                .iter()
                .zip(&*row)
                .find(|(_, value)| !value.is_finite()),
            None,
            "not finite"
        );
        for ((value, &low), &high) in row.iter_mut().zip(&low).zip(&high) {
            *value = ValueRange::new("", low, high).limit(*value);
        }
    }
}

/// Fills a row from constant lists of features, one after the other; the formulas read `$facts`.
///
/// Formulas are called with constant indices instead of in a loop, so that the compiler can inline
/// them: most take less time than a function call.
macro_rules! fill_row {
    ($row:expr, $facts:expr, $($features:expr),+) => {{
        let (row, facts): (&mut [f32], _) = ($row, $facts);
        $(
            let (own, row) = row.split_at_mut($features.len());
            fill_row!(
                @each own, facts, $features;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
                32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
                48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
            );
        )+
        debug_assert!(row.is_empty(), "a row is longer than its features");
    }};
    (@each $own:ident, $facts:ident, $features:expr; $($index:literal)+) => {{
        const { assert!($features.len() <= 64, "a longer list needs more indices above") };
        $(
            if let Some(feature) = $features.get($index) {
                $own[$index] = (feature.formula)($facts);
            }
        )+
    }};
}
pub(super) use fill_row;

#[cfg(test)]
mod tests {
    use super::super::column::FLAG;
    use super::*;

    #[test]
    fn a_group_fills_its_columns_and_reads_those_before() {
        const fn column(name: &'static str, range: ValueRange) -> Column {
            Column {
                name,
                range,
                meaning: "",
                source: "",
            }
        }
        const RELATIVE: ValueRange = ValueRange::new("relative", -1.0, 1.0);
        let columns = [
            &const { column("a", RELATIVE) },
            &const { column("b", FLAG) },
            &const { column("c", RELATIVE) },
        ];
        let mut values = [0.5, 0.0, 0.0, 2.0, 0.0, 0.0];
        let mut rows = GroupRows::new(&mut values, &columns, 1..3);
        assert_eq!(rows.column("a"), Some(vec![0.5, 1.0]));
        assert_eq!(rows.column("b"), None);
        assert_eq!(rows.columns(["none", "a"]), [[0.0, 0.5], [0.0, 1.0]]);
        rows.iter_mut()
            .for_each(|row| row.copy_from_slice(&[5.0, -5.0]));
        limit(&mut values, &columns);
        assert_eq!(values, [0.5, 1.0, -1.0, 1.0, 1.0, -1.0]);
    }
}
