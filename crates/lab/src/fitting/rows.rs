//! The rows that a classifier is fitted to: what they must be, and how their columns are brought to
//! one range.

use ndarray::ArrayView2;
use vclean_core::classify::Scaler;
use vclean_core::error::ModelError;

/// Share of rows below the low end of a column's range, and above its high end.
const OUTSIDE: f64 = 0.001;

/// Checks rows before a classifier is fitted to them: as many labels (and weights) as rows, both
/// labels present, and finite values only.
pub fn check_rows(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    let count = rows.nrows();
    if count != is_content.len() {
        return fail(format!(
            "{count} rows have {} labels; each needs one",
            is_content.len()
        ));
    }
    if let Some(weights) = weights {
        if weights.len() != count {
            return fail(format!(
                "{count} rows have {} weights; each needs one",
                weights.len()
            ));
        }
        if let Some(row) = weights
            .iter()
            .position(|weight| !(weight.is_finite() && *weight > 0.0))
        {
            return fail(format!(
                "the weight of row {row} is {}, allowed is above 0",
                weights[row]
            ));
        }
    }
    let content = is_content.iter().filter(|content| **content).count();
    if content == 0 || content == count {
        return fail(format!(
            "{content} of {count} rows are content; both kinds are needed, add pages with gold"
        ));
    }
    match rows.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), value)) => fail(format!(
            "row {row} has {value} in column {column}; measure the features again with this version"
        )),
        None => Ok(()),
    }
}

/// Learns the ranges of the columns of `rows`.
pub(crate) fn fit_scaler(rows: ArrayView2<'_, f32>) -> Scaler {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for column in rows.columns() {
        let mut sorted = column.to_vec();
        sorted.sort_by(f32::total_cmp);
        let (least, most) = match (sorted.first(), sorted.last()) {
            (Some(&least), Some(&most)) => (least, most),
            _ => (0.0, 0.0),
        };
        let at = |share: f64| {
            sorted.get((share * (sorted.len().saturating_sub(1)) as f64).round() as usize)
        };
        let inner = (
            at(OUTSIDE).copied().unwrap_or(0.0),
            at(1.0 - OUTSIDE).copied().unwrap_or(0.0),
        );
        let (one, other) = if inner.0 < inner.1 {
            inner
        } else {
            (least, most)
        };
        low.push(one);
        high.push(other);
    }
    Scaler { low, high }
}

/// Sets the range of the last `count` columns.
pub(crate) fn set_last(scaler: &mut Scaler, count: usize, low: f32, high: f32) {
    let first = scaler.low.len().saturating_sub(count);
    scaler.low[first..].fill(low);
    scaler.high[first..].fill(high);
}

#[cfg(test)]
mod tests {
    use super::super::rivals::{BaggedOptions, TreeOptions, fit_bagged, fit_tree};
    use super::super::{BoostedOptions, SvmOptions, boosted, logistic, svm};
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn columns_go_to_one_range_and_outliers_are_clamped() {
        let scaler = fit_scaler(array![[0.0, 7.0], [10.0, 7.0], [5.0, 7.0]].view());
        let scaled = scaler
            .apply(array![[0.0, 7.0], [10.0, 9.0], [2.5, 7.0], [1e9, 7.0], [-1e9, 0.0]].view());
        assert_eq!(
            scaled,
            array![
                [-1.0, 0.0],
                [1.0, 0.0],
                [-0.5, 0.0],
                [1.5, 0.0],
                [-1.5, 0.0]
            ]
        );
    }

    #[test]
    fn one_outlier_in_many_rows_does_not_widen_the_range_and_a_rare_flag_stays() {
        let mut rows = Array2::from_shape_fn((5000, 2), |(row, column)| {
            if column == 0 { (row % 100) as f32 } else { 0.0 }
        });
        rows[[17, 0]] = 1e6;
        rows[[4, 1]] = 1.0;
        let scaler = fit_scaler(rows.view());
        assert!(scaler.high[0] < 100.0);
        assert_eq!((scaler.low[1], scaler.high[1]), (0.0, 1.0));
    }

    #[test]
    fn every_classifier_refuses_rows_it_cannot_be_fitted_to() {
        let rows = Array2::from_shape_fn((10, 2), |(row, column)| (row * (column + 1)) as f32);
        let labels: Vec<bool> = (0..10).map(|row| row > 4).collect();
        let all = |rows: &Array2<f32>, labels: &[bool]| -> Vec<Option<String>> {
            let cause =
                |result: Result<(), ModelError>| result.err().map(|error| error.to_string());
            let rows = rows.view();
            vec![
                cause(svm::fit(rows, labels, &SvmOptions::default()).map(drop)),
                cause(logistic::fit(rows, labels, 1e-3).map(drop)),
                cause(fit_tree(rows, labels, None, &TreeOptions::default()).map(drop)),
                cause(fit_bagged(rows, labels, None, &BaggedOptions::default()).map(drop)),
                cause(boosted::fit(rows, labels, None, &BoostedOptions::default()).map(drop)),
            ]
        };
        assert_eq!(all(&rows, &labels), vec![None; 5]);
        for cause in all(&rows, &[true; 10]) {
            assert_eq!(
                cause.unwrap(),
                "10 of 10 rows are content; both kinds are needed, add pages with gold"
            );
        }
        for cause in all(&rows, &labels[..9]) {
            assert_eq!(cause.unwrap(), "10 rows have 9 labels; each needs one");
        }
        let mut holes = rows.clone();
        holes[[7, 1]] = f32::NAN;
        for cause in all(&holes, &labels) {
            assert!(cause.unwrap().starts_with("row 7 has NaN in column 1; "));
        }
        for weight in [0.0, f32::NAN] {
            let mut weights = vec![1.0; 10];
            weights[3] = weight;
            let options = BoostedOptions::default();
            let error = boosted::fit(rows.view(), &labels, Some(&weights), &options)
                .unwrap_err()
                .to_string();
            assert!(error.starts_with("the weight of row 3 is"), "{error}");
        }
    }
}
