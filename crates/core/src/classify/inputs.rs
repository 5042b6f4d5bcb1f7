//! The inputs of a stage for a page: columns of the rows and of earlier stages' margins, side by
//! side.
//!
//! Machines that need one table get a copy; trees read column by column and need none.

use ndarray::{Array2, ArrayView2, CowArray, Ix2};

/// The unscaled inputs of a stage for some targets of a page.
#[derive(Debug)]
pub(super) struct Inputs<'r, 'c> {
    /// One row per target of the page.
    rows: ArrayView2<'r, f32>,
    /// The columns of `rows` that are read; `None` for all.
    columns: Option<&'c [usize]>,
    /// Tables with one row per target of the page, whose columns follow.
    more: Vec<Array2<f32>>,
    /// The targets; `None` for all.
    targets: Option<&'c [usize]>,
}

impl<'r, 'c> Inputs<'r, 'c> {
    /// All rows and columns of a table.
    pub(super) fn all(rows: ArrayView2<'r, f32>) -> Self {
        Self {
            rows,
            columns: None,
            more: Vec::new(),
            targets: None,
        }
    }

    /// Joins `columns` of `rows` and all columns of `more`, for all targets or for some.
    pub(super) fn joined(
        columns: &'c [usize],
        rows: ArrayView2<'r, f32>,
        more: Vec<Array2<f32>>,
        targets: Option<&'c [usize]>,
    ) -> Self {
        let is_all = columns.iter().copied().eq(0..rows.ncols());
        Self {
            rows,
            columns: (!is_all).then_some(columns),
            more,
            targets,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.targets.map_or(self.rows.nrows(), <[usize]>::len)
    }

    fn width(&self) -> usize {
        self.own_width() + self.more.iter().map(Array2::ncols).sum::<usize>()
    }

    fn own_width(&self) -> usize {
        self.columns.map_or(self.rows.ncols(), <[usize]>::len)
    }

    /// Copies the values of a column for the targets starting at `first`.
    ///
    /// # Panics
    /// If the column does not exist, or there are fewer targets.
    pub(super) fn copy_column(&self, column: usize, first: usize, into: &mut [f32]) {
        let (mut table, mut column) = (self.rows.view(), column);
        if column < self.own_width() {
            column = self.columns.map_or(column, |columns| columns[column]);
        } else {
            column -= self.own_width();
            let mut more = self.more.iter();
            table = more.next().expect("a column of the inputs").view();
            while column >= table.ncols() {
                column -= table.ncols();
                table = more.next().expect("a column of the inputs").view();
            }
        }
        let width = table.ncols();
        match (self.targets, table.as_slice()) {
            (Some(targets), Some(values)) => {
                let values = &values[column..];
                into.iter_mut()
                    .zip(&targets[first..])
                    .for_each(|(into, &target)| *into = values[target * width]);
            }
            (None, Some(values)) => {
                let values = values[first * width + column..].iter().step_by(width);
                into.iter_mut()
                    .zip(values)
                    .for_each(|(into, value)| *into = *value);
            }
            (targets, None) => {
                let target = |at: usize| targets.map_or(at, |targets| targets[at]);
                into.iter_mut()
                    .enumerate()
                    .for_each(|(at, into)| *into = table[[target(first + at), column]]);
            }
        }
    }

    /// One table with a row for each target, without a copy if it consists of the rows alone.
    pub(super) fn table(&self) -> CowArray<'r, f32, Ix2> {
        if self.columns.is_none() && self.more.is_empty() && self.targets.is_none() {
            return self.rows.into();
        }
        let mut table = Vec::with_capacity(self.len() * self.width());
        // Rows in standard layout are contiguous and are copied as slices.
        let rows = self.rows.as_standard_layout();
        let mut add = |target: usize| {
            let row = rows.row(target);
            match (self.columns, row.as_slice()) {
                (None, Some(row)) => table.extend_from_slice(row),
                (None, None) => table.extend(row),
                (Some(columns), _) => table.extend(columns.iter().map(|&column| row[column])),
            }
            for more in &self.more {
                table.extend(more.row(target));
            }
        };
        match self.targets {
            Some(targets) => targets.iter().copied().for_each(&mut add),
            None => (0..self.rows.nrows()).for_each(&mut add),
        }
        Array2::from_shape_vec((self.len(), self.width()), table)
            .expect("each row has all columns")
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn columns_and_rows_are_those_of_the_table() {
        let rows = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        let more = || {
            vec![
                array![[10.0], [11.0], [12.0]],
                array![[0.5, 0.6], [0.7, 0.8], [0.9, 1.0]],
            ]
        };
        let inputs = Inputs::joined(&[2, 0], rows.view(), more(), Some(&[2, 1]));
        assert_eq!(
            inputs.table(),
            array![[9.0, 7.0, 12.0, 0.9, 1.0], [6.0, 4.0, 11.0, 0.7, 0.8]]
        );
        let whole = Inputs::joined(&[0, 1, 2], rows.view(), more(), None);
        assert_eq!(whole.table().row(1), array![4.0, 5.0, 6.0, 11.0, 0.7, 0.8]);
        assert!(
            Inputs::joined(&[0, 1, 2], rows.view(), vec![], None)
                .table()
                .is_view()
        );
        for inputs in [inputs, whole, Inputs::all(rows.view())] {
            let table = inputs.table();
            for column in 0..table.ncols() {
                let mut values = vec![0.0; inputs.len() - 1];
                inputs.copy_column(column, 1, &mut values);
                assert_eq!(
                    values,
                    table
                        .column(column)
                        .iter()
                        .skip(1)
                        .copied()
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}
