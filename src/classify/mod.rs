//! Decides, target by target, from the feature table.
//!
//! A [`Model`] is a row of stages ([`stage`]). Each stage scales its columns ([`scaler`]) and computes a margin for
//! every target by a support vector machine ([`svm`]), decision trees ([`trees`]), a logistic regression
//! ([`logistic`]) or a network that reads the whole page ([`sequence`]); later stages also read the margins around each
//! target ([`smooth`]). The margin of the last stage becomes a probability ([`calibrate`]). An optional part tells
//! comments from other boilerplate ([`comments`]).
//!
//! Deciding is always compiled. Fitting is in modules of its own, which the feature `experiments` adds.

pub mod calibrate;
#[cfg(feature = "experiments")]
mod cholesky;
pub mod comments;
pub mod curve;
mod decision;
mod engine;
mod exponential;
mod file;
mod file_format;
pub mod inputs;
mod kernel;
pub mod logistic;
pub mod mlp;
pub mod model;
pub mod page_kind;
#[cfg(feature = "experiments")]
mod reduce;
pub mod scaler;
pub mod sequence;
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
pub use decision::{Decision, Label, PageDecision, Reason};
pub use kernel::Kernel;
pub use mlp::Mlp;
#[cfg(feature = "experiments")]
pub use mlp::{CurvePoint, MlpOptions, TrainedMlp};
pub use model::{Model, Provenance, SetUse};
pub use page_kind::{LikelyKind, PageKind, PageKinds};
pub use scaler::Scaler;
pub use sequence::Sequence;
#[cfg(feature = "experiments")]
pub use sequence::{SequenceOptions, SequencePage};
pub use smooth::PageShape;
pub use svm::Svm;
#[cfg(feature = "experiments")]
pub use svm::{Solver, SvmOptions};
