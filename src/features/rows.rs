//! The rows of a feature table while it is filled: a group writes its own columns and reads those of the groups before it.

use super::column::{Column, ValueRange};
use std::ops::Range;

/// The rows of a table as one group sees them while it is measured.
#[derive(Debug)]
pub struct GroupRows<'t> {
    /// One row after the other, each with a value for each of `columns`; not yet limited to their ranges.
    values: &'t mut [f32],
    /// All columns of the table.
    columns: &'t [&'static Column],
    /// The columns of the group.
    own: Range<usize>,
}

impl<'t> GroupRows<'t> {
    /// The rows whose columns `own` are those of the group; `values` are the rows one after the other.
    pub(super) fn new(values: &'t mut [f32], columns: &'t [&'static Column], own: Range<usize>) -> Self {
        Self { values, columns, own }
    }

    /// The values of the group, one slice for each target, with one value for each of its columns; all are zero before.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let own = self.own.clone();
        self.values.chunks_exact_mut(self.columns.len()).map(move |row| &mut row[own.clone()])
    }

    /// Values of a column of an earlier group, one for each target; `None` if its group was not measured.
    pub fn column(&self, name: &str) -> Option<Vec<f32>> {
        self.index(name)?;
        Some(self.columns([name]).into_iter().map(|[value]| value).collect())
    }

    /// The values of several columns of earlier groups, one array for each target; 0 in the columns of groups that were
    /// not measured.
    pub(super) fn columns<const N: usize>(&self, names: [&str; N]) -> Vec<[f32; N]> {
        let found = names.map(|name| self.index(name).map(|index| (index, self.columns[index].range)));
        let rows = self.values.chunks_exact(self.columns.len());
        rows.map(|row| found.map(|found| found.map_or(0.0, |(index, range)| range.limit(row[index])))).collect()
    }

    /// Position of a column of an earlier group.
    fn index(&self, name: &str) -> Option<usize> {
        self.columns[..self.own.start].iter().position(|column| column.name == name)
    }
}

/// Brings the values of a table, one row after the other, into the ranges of its columns.
pub(super) fn limit(values: &mut [f32], columns: &[&Column]) {
    // In lists of their own, so that the compiler limits several values at once.
    let (low, high): (Vec<f32>, Vec<f32>) = columns.iter().map(|column| (column.range.low, column.range.high)).unzip();
    for row in values.chunks_exact_mut(columns.len()) {
        debug_assert_eq!(columns.iter().zip(&*row).find(|(_, value)| !value.is_finite()), None, "not finite");
        for ((value, &low), &high) in row.iter_mut().zip(&low).zip(&high) {
            *value = ValueRange::new("", low, high).limit(*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::column::FLAG;

    #[test]
    fn a_group_fills_its_columns_and_reads_those_before() {
        const fn column(name: &'static str, range: ValueRange) -> Column {
            Column { name, range, meaning: "", source: "" }
        }
        const RELATIVE: ValueRange = ValueRange::new("relative", -1.0, 1.0);
        let columns =
            [&const { column("a", RELATIVE) }, &const { column("b", FLAG) }, &const { column("c", RELATIVE) }];
        let mut values = [0.5, 0.0, 0.0, 2.0, 0.0, 0.0];
        let mut rows = GroupRows::new(&mut values, &columns, 1..3);
        assert_eq!(rows.column("a"), Some(vec![0.5, 1.0]));
        assert_eq!(rows.column("b"), None);
        assert_eq!(rows.columns(["none", "a"]), [[0.0, 0.5], [0.0, 1.0]]);
        rows.iter_mut().for_each(|row| row.copy_from_slice(&[5.0, -5.0]));
        limit(&mut values, &columns);
        assert_eq!(values, [0.5, 1.0, -1.0, 1.0, 1.0, -1.0]);
    }
}
