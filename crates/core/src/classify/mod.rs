//! Decides on each target from the feature table.
//!
//! A [`Model`] is a series of stages ([`stage`]). Each stage scales its columns ([`scaler`]) and
//! computes a margin for every target with a support vector machine ([`svm`]), boosted trees
//! ([`boosted`]), a logistic regression ([`stage::Logistic`]) or a network that reads the whole
//! page ([`sequence`]); later stages also read the margins around each target ([`smooth`]). The
//! margin of the last stage becomes a probability ([`calibrate`]). An optional part tells comments
//! from other boilerplate ([`comments`]), and evidence from other pages of the site may change
//! decisions ([`site`]).
//!
//! Nothing is trained here.

pub mod arithmetic;
pub(crate) mod boosted;
pub mod calibrate;
pub mod comments;
mod decision;
mod file;
mod inputs;
pub mod model;
mod page_state;
pub(crate) mod scaler;
pub mod sequence;
pub mod site;
pub mod smooth;
pub(crate) mod stage;
pub mod svm;
pub mod threshold;
pub mod tree;

pub use boosted::Boosted;
pub use calibrate::{Platt, PrecisionCurve};
pub use comments::CommentStage;
pub use decision::{Decision, Label, LikelyKind, PageDecision, PageKind, Reason};
pub use file::FORMAT_VERSION;
pub use model::{Model, Provenance, SetUse};
pub use page_state::{LikelyState, PageState};
pub use scaler::Scaler;
pub use sequence::Sequence;
pub use site::{PageOfSite, SiteMemory, SlotsOfPage};
pub use smooth::PageShape;
pub use stage::Logistic;
pub use svm::Svm;
pub use tree::Tree;
