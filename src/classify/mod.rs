//! Decides, target by target, from the feature table.
//!
//! A [`Model`] scales the columns it was trained on ([`scaler`]), takes the margin of each target from a support vector
//! machine ([`svm`], fitted by linfa or by our own `smo` solver), from decision trees ([`trees`]) or from a line
//! ([`logistic`]), lets a second stage see the margins around each target ([`smooth`]), and turns the last margin into a
//! probability ([`calibrate`]).

pub mod calibrate;
pub mod curve;
mod engine;
mod file;
pub mod kernel;
pub mod logistic;
pub mod mlp;
pub mod model;
mod reduce;
pub mod scaler;
mod smo;
pub mod smooth;
mod stage_file;
pub mod svm;
pub mod sweep;
pub mod threshold;
pub mod trees;

pub use calibrate::Platt;
pub use curve::PrecisionCurve;
pub use kernel::Kernel;
pub use mlp::{CurvePoint, Mlp, MlpOptions, TrainedMlp};
pub use model::{Model, Provenance, SetUse};
pub use scaler::Scaler;
pub use smooth::PageShape;
pub use svm::{Solver, Svm, SvmOptions};

use crate::error::ModelError;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Running text, its headings, lists, tables and code.
    Content,
    /// Navigation, advertisement, notice, footer: all that is not the page's text.
    Boilerplate,
}

/// What a classifier says of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Signed distance from the decision boundary; above 0 speaks for content.
    pub margin: f32,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// The verdict at the model's threshold.
    pub label: Label,
}

/// One feature's part in a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Column name.
    pub feature: String,
    /// Its value for this target.
    pub value: f32,
    /// Margin with it less margin with the training mean in its place; above 0 speaks for content.
    pub weight: f32,
}

/// What every classifier asks of the rows it learns from: as many labels (and weights) as rows, both kinds, and numbers
/// only.
fn check_rows(rows: ArrayView2<'_, f32>, is_content: &[bool], weights: Option<&[f32]>) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    let count = rows.nrows();
    if count != is_content.len() {
        return fail(format!("{count} rows have {} labels; each needs one", is_content.len()));
    }
    if let Some(weights) = weights {
        if weights.len() != count {
            return fail(format!("{count} rows have {} weights; each needs one", weights.len()));
        }
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
            return fail(format!("the weight of row {row} is {}, allowed is above 0", weights[row]));
        }
    }
    let content = is_content.iter().filter(|content| **content).count();
    if content == 0 || content == count {
        return fail(format!("{content} of {count} rows are content; both kinds are needed, add pages with gold"));
    }
    match rows.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), value)) => {
            fail(format!("row {row} has {value} in column {column}; measure the features again with this version"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::logistic::Logistic;
    use super::trees::{Bagged, BaggedOptions, Boosted, BoostedOptions, Tree, TreeOptions};
    use super::*;
    use ndarray::Array2;

    #[test]
    fn no_classifier_learns_from_what_it_cannot() {
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
}
