//! Decides, target by target, from the feature table.
//!
//! A [`Model`] scales the columns it was trained on ([`scaler`]), takes the margin of each target from a support vector
//! machine ([`svm`], fitted by linfa or by our own `smo` solver), lets a second stage see the margins around each
//! target ([`smooth`]), and turns the last margin into a probability ([`calibrate`]).

pub mod calibrate;
mod file;
pub mod logistic;
pub mod model;
pub mod scaler;
mod smo;
pub mod smooth;
pub mod svm;
pub mod threshold;

pub use calibrate::Platt;
pub use model::{Model, Provenance, SetUse};
pub use scaler::Scaler;
pub use smooth::PageShape;
pub use svm::{Solver, Svm, SvmOptions};

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
