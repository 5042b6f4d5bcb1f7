//! The feature table: one row a target, one named column a feature.

use super::group::is_in_group;
use ndarray::{Array2, ArrayView1};

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
