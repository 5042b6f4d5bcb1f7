//! Decides, target by target, from the feature table.
//!
//! A [`Model`] is a row of stages ([`stage`]). Each stage scales its columns ([`scaler`]) and computes a margin for
//! every target by a support vector machine ([`svm`]), decision trees ([`trees`]) or a logistic regression
//! ([`logistic`]); later stages also read the margins around each target ([`smooth`]). The margin of the last stage
//! becomes a probability ([`calibrate`]). An optional part tells comments from other boilerplate ([`comments`]).
//!
//! Deciding is always compiled. Fitting is in modules of its own, which the feature `experiments` adds.

pub mod calibrate;
#[cfg(feature = "experiments")]
mod cholesky;
pub mod comments;
pub mod curve;
mod decision;
mod engine;
mod file;
mod file_format;
pub mod kernel;
pub mod logistic;
pub mod mlp;
pub mod model;
#[cfg(feature = "experiments")]
mod reduce;
pub mod scaler;
#[cfg(feature = "experiments")]
mod smo;
pub mod smooth;
pub mod stage;
mod stage_file;
pub mod svm;
#[cfg(feature = "experiments")]
pub mod sweep;
#[cfg(test)]
#[cfg(feature = "experiments")]
mod tests;
pub mod threshold;
#[cfg(feature = "experiments")]
mod training_rows;
pub mod trees;

pub use calibrate::Platt;
pub use comments::CommentStage;
pub use curve::PrecisionCurve;
pub use decision::{Decision, Label, Reason};
pub use kernel::Kernel;
pub use mlp::Mlp;
#[cfg(feature = "experiments")]
pub use mlp::{CurvePoint, MlpOptions, TrainedMlp};
pub use model::{Model, Provenance, SetUse};
pub use scaler::Scaler;
pub use smooth::PageShape;
pub use svm::Svm;
#[cfg(feature = "experiments")]
pub use svm::{Solver, SvmOptions};
