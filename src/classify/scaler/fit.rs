//! Learns the range of each column.

use super::Scaler;
use ndarray::ArrayView2;

/// Share of rows below the low end of a column's range, and above its high end.
const OUTSIDE: f64 = 0.001;

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

    /// Sets the range of the last `count` columns.
    pub(crate) fn set_last(&mut self, count: usize, low: f32, high: f32) {
        let first = self.low.len().saturating_sub(count);
        self.low[first..].fill(low);
        self.high[first..].fill(high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn columns_go_to_one_range_and_outliers_are_clamped() {
        let scaler = Scaler::fit(array![[0.0, 7.0], [10.0, 7.0], [5.0, 7.0]].view());
        let scaled = scaler.apply(array![[0.0, 7.0], [10.0, 9.0], [2.5, 7.0], [1e9, 7.0], [-1e9, 0.0]].view());
        assert_eq!(scaled, array![[-1.0, 0.0], [1.0, 0.0], [-0.5, 0.0], [1.5, 0.0], [-1.5, 0.0]]);
    }

    #[test]
    fn one_outlier_in_many_rows_does_not_widen_the_range_and_a_rare_flag_stays() {
        let mut rows =
            Array2::from_shape_fn((5000, 2), |(row, column)| if column == 0 { (row % 100) as f32 } else { 0.0 });
        rows[[17, 0]] = 1e6;
        rows[[4, 1]] = 1.0;
        let scaler = Scaler::fit(rows.view());
        assert!(scaler.high[0] < 100.0);
        assert_eq!((scaler.low[1], scaler.high[1]), (0.0, 1.0));
    }
}
