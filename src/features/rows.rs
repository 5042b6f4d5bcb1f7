//! The rows of a feature table while it is filled: a group writes its own columns and reads those of the groups before it.

use super::column::Column;
use std::ops::Range;

/// The rows of a table as one group sees them while it is measured.
#[derive(Debug)]
pub struct GroupRows<'t> {
    /// One row after the other, each with a value for every name of `columns`.
    values: &'t mut [f32],
    /// The names of all columns of the table.
    columns: &'t [&'static str],
    /// The columns of the group.
    own: Range<usize>,
}

impl<'t> GroupRows<'t> {
    /// The rows whose columns `own` are those of the group; `values` are the rows one after the other.
    pub(super) fn new(values: &'t mut [f32], columns: &'t [&'static str], own: Range<usize>) -> Self {
        Self { values, columns, own }
    }

    /// The values of the group, one slice for each target, with one value for each of its columns; all are zero before.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let own = self.own.clone();
        self.values.chunks_exact_mut(self.columns.len()).map(move |row| &mut row[own.clone()])
    }

    /// Values of a column of an earlier group, one for each target; `None` if its group was not measured.
    pub fn column(&self, name: &str) -> Option<Vec<f32>> {
        let index = self.index(name)?;
        Some(self.values.chunks_exact(self.columns.len()).map(|row| row[index]).collect())
    }

    /// The values of several columns of earlier groups, one array for each target; 0 in the columns of groups that were
    /// not measured.
    pub(super) fn columns<const N: usize>(&self, names: [&str; N]) -> Vec<[f32; N]> {
        let indices = names.map(|name| self.index(name));
        let rows = self.values.chunks_exact(self.columns.len());
        rows.map(|row| indices.map(|index| index.map_or(0.0, |index| row[index]))).collect()
    }

    /// Position of a column of an earlier group.
    fn index(&self, name: &str) -> Option<usize> {
        self.columns[..self.own.start].iter().position(|column| *column == name)
    }

    /// Brings the values of the group into the ranges of its columns; what is not finite becomes 0 before.
    pub(super) fn limit(&mut self, columns: &[Column]) {
        // In lists of their own, so that the compiler limits several values at once.
        let (low, high): (Vec<f32>, Vec<f32>) =
            columns.iter().map(|column| (column.range.low, column.range.high)).unzip();
        for row in self.iter_mut() {
            debug_assert!(row.iter().all(|value| value.is_finite()), "{:?} from {}", row, columns[0].name);
            for ((value, &low), &high) in row.iter_mut().zip(&low).zip(&high) {
                // Adding zero turns -0, the sum of nothing, into 0.
                let finite = if value.is_finite() { *value + 0.0 } else { 0.0 };
                let raised = if finite < low { low } else { finite };
                *value = if raised > high { high } else { raised };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::column::{FLAG, ValueRange};

    #[test]
    fn a_group_fills_its_columns_and_reads_those_before() {
        let mut values = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        let mut rows = GroupRows::new(&mut values, &["a", "b", "c"], 1..3);
        assert_eq!(rows.column("a"), Some(vec![1.0, 2.0]));
        assert_eq!(rows.column("b"), None);
        assert_eq!(rows.columns(["none", "a"]), [[0.0, 1.0], [0.0, 2.0]]);
        rows.iter_mut().for_each(|row| row.copy_from_slice(&[5.0, -5.0]));
        let column = |range| Column { name: "x", range, meaning: "", source: "" };
        rows.limit(&[column(FLAG), column(ValueRange::new("relative", -1.0, 1.0))]);
        assert_eq!(values, [1.0, 1.0, -1.0, 2.0, 1.0, -1.0]);
    }
}
