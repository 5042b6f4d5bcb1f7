//! Tests over all classifiers.
#![allow(clippy::unwrap_used)]

use super::logistic::Logistic;
use super::trees::{Bagged, BaggedOptions, Boosted, BoostedOptions, Tree, TreeOptions};
use super::{Svm, SvmOptions};
use crate::error::ModelError;
use ndarray::Array2;

#[test]
fn every_classifier_refuses_rows_it_cannot_be_fitted_to() {
    let rows = Array2::from_shape_fn((10, 2), |(row, column)| (row * (column + 1)) as f32);
    let labels: Vec<bool> = (0..10).map(|row| row > 4).collect();
    let all = |rows: &Array2<f32>, labels: &[bool]| -> Vec<Option<String>> {
        let cause = |result: Result<(), ModelError>| result.err().map(|error| error.to_string());
        let rows = rows.view();
        vec![
            cause(Svm::fit(rows, labels, None, &SvmOptions::default()).map(drop)),
            cause(Logistic::fit(rows, labels, 1e-3).map(drop)),
            cause(Tree::fit(rows, labels, None, &TreeOptions::default()).map(drop)),
            cause(Bagged::fit(rows, labels, None, &BaggedOptions::default()).map(drop)),
            cause(Boosted::fit(rows, labels, None, &BoostedOptions::default()).map(drop)),
        ]
    };
    assert_eq!(all(&rows, &labels), vec![None; 5]);
    for cause in all(&rows, &[true; 10]) {
        assert_eq!(cause.unwrap(), "10 of 10 rows are content; both kinds are needed, add pages with gold");
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
        let error = Boosted::fit(rows.view(), &labels, Some(&weights), &options).unwrap_err().to_string();
        assert!(error.starts_with("the weight of row 3 is"), "{error}");
    }
}
