//! Scales each feature column linearly to -1 to 1, as FIASCO did (section 2.3), with ranges from
//! training.
//!
//! The range of a column extends from its 0.1 to its 99.9 percent quantile, so that one outlier
//! does not compress all other values; a column that is constant between them (a rare flag) uses
//! its smallest and largest value instead. Values outside are clamped to -1.5 and 1.5; a constant
//! column becomes 0.

use ndarray::{Array2, ArrayView2};

/// Scaled values lie in -`LIMIT` to `LIMIT`.
pub(crate) const LIMIT: f32 = 1.5;

/// A linear map of each column to -1 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scaler {
    /// Value that becomes -1, for each column.
    pub low: Vec<f32>,
    /// Value that becomes 1; equal to `low` for a constant column.
    pub high: Vec<f32>,
}

impl Scaler {
    /// Number of columns the scaler was fitted on.
    pub fn columns(&self) -> usize {
        self.low.len()
    }

    /// True if all columns are constant, so that nothing can be learned from the rows.
    pub fn is_constant(&self) -> bool {
        self.low
            .iter()
            .zip(&self.high)
            .all(|(low, high)| low >= high)
    }

    /// Scales rows of the columns that the scaler was fitted on.
    ///
    /// # Panics
    /// If the number of columns differs.
    pub fn apply(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        self.apply_owned(rows.as_standard_layout().into_owned())
    }

    /// Scales rows in place if they are in row order.
    ///
    /// # Panics
    /// If the number of columns differs.
    pub fn apply_owned(&self, mut scaled: Array2<f32>) -> Array2<f32> {
        assert_eq!(
            scaled.ncols(),
            self.columns(),
            "the scaler was fitted on other columns"
        );
        if !scaled.is_standard_layout() {
            scaled = scaled.as_standard_layout().into_owned();
        }
        if let Some(values) = scaled.as_slice_mut().filter(|values| !values.is_empty()) {
            // With rows as slices, the compiler scales several values at once.
            values
                .chunks_exact_mut(self.columns().max(1))
                .for_each(|row| self.scale(row));
        }
        scaled
    }

    fn scale(&self, row: &mut [f32]) {
        for ((value, &low), &high) in row.iter_mut().zip(&self.low).zip(&self.high) {
            *value = scaled(*value, low, high);
        }
    }

    /// Scales values of one column.
    ///
    /// # Panics
    /// If the column does not exist.
    #[inline]
    pub fn scale_column(&self, column: usize, values: &mut [f32]) {
        let (low, high) = (self.low[column], self.high[column]);
        for value in values {
            *value = scaled(*value, low, high);
        }
    }
}

#[inline]
fn scaled(value: f32, low: f32, high: f32) -> f32 {
    let scaled = (2.0 * (value - low) / (high - low) - 1.0).clamp(-LIMIT, LIMIT);
    if high > low { scaled } else { 0.0 }
}
