//! Brings features to one range: each column linearly to -1 to 1, as FIASCO did (section 2.3), learned in training.
//!
//! The range of a column is that of its 0.1 and 99.9 percent quantiles, so that one odd page does not squeeze all
//! others; a column that is constant between them (a rare flag) takes its least and largest value instead.
//! Values outside are held at -1.5 and 1.5; a constant column becomes 0.

use ndarray::{Array2, ArrayView2};

/// Scaled values lie between minus this and this.
pub const LIMIT: f32 = 1.5;

/// Share of rows below the low end of a column's range, and above its high end.
const OUTSIDE: f64 = 0.001;

/// A linear map of each column to -1 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scaler {
    /// Value that becomes -1, one a column.
    pub(crate) low: Vec<f32>,
    /// Value that becomes 1; equal to `low` for a constant column.
    pub(crate) high: Vec<f32>,
}

impl Scaler {
    /// Learns the ranges of the columns of `rows`.
    pub fn fit(rows: ArrayView2<'_, f32>) -> Self {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for column in rows.columns() {
            let mut sorted = column.to_vec();
            sorted.sort_by(f32::total_cmp);
            let (least, most) = match (sorted.first(), sorted.last()) {
                (Some(&least), Some(&most)) => (least, most),
                _ => (0.0, 0.0),
            };
            let at = |share: f64| sorted.get((share * (sorted.len().saturating_sub(1)) as f64).round() as usize);
            let inner = (at(OUTSIDE).copied().unwrap_or(0.0), at(1.0 - OUTSIDE).copied().unwrap_or(0.0));
            let (one, other) = if inner.0 < inner.1 { inner } else { (least, most) };
            low.push(one);
            high.push(other);
        }
        Self { low, high }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.low.len()
    }

    /// Whether no column had two values: nothing can be learned from the rows.
    pub fn is_constant(&self) -> bool {
        self.low.iter().zip(&self.high).all(|(low, high)| low >= high)
    }

    /// Scales rows with the columns the scaler was fitted on.
    ///
    /// # Panics
    /// If the number of columns differs.
    pub fn apply(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        assert_eq!(rows.ncols(), self.columns(), "the scaler was fitted on other columns");
        let mut scaled = rows.as_standard_layout().into_owned();
        for mut row in scaled.rows_mut() {
            for ((value, &low), &high) in row.iter_mut().zip(&self.low).zip(&self.high) {
                *value =
                    if high > low { (2.0 * (*value - low) / (high - low) - 1.0).clamp(-LIMIT, LIMIT) } else { 0.0 };
            }
        }
        scaled
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn columns_go_to_one_range_and_odd_values_are_held() {
        let scaler = Scaler::fit(array![[0.0, 7.0], [10.0, 7.0], [5.0, 7.0]].view());
        let scaled = scaler.apply(array![[0.0, 7.0], [10.0, 9.0], [2.5, 7.0], [1e9, 7.0], [-1e9, 0.0]].view());
        assert_eq!(scaled, array![[-1.0, 0.0], [1.0, 0.0], [-0.5, 0.0], [1.5, 0.0], [-1.5, 0.0]]);
    }

    #[test]
    fn one_outlier_in_many_rows_does_not_squeeze_and_a_rare_flag_stays() {
        let mut rows =
            Array2::from_shape_fn((5000, 2), |(row, column)| if column == 0 { (row % 100) as f32 } else { 0.0 });
        rows[[17, 0]] = 1e6;
        rows[[4, 1]] = 1.0;
        let scaler = Scaler::fit(rows.view());
        assert!(scaler.high[0] < 100.0);
        assert_eq!((scaler.low[1], scaler.high[1]), (0.0, 1.0));
    }
}
