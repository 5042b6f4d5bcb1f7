//! Fits the machines of [`classify`](crate::classify) to labelled rows and pages, and the
//! calibration of a model; also the classifiers that papers compared them with, which no model has.
//!
//! Each kind has a function of its own: [`svm::fit`], [`logistic::fit`], [`boosted::fit`],
//! [`sequence::fit`].

pub mod boosted;
pub mod calibrate;
pub mod extra_trees;
mod grow;
pub mod logistic;
mod reduce;
pub mod rivals;
pub mod rows;
pub mod sequence;
pub mod svm;
mod words;

pub use boosted::BoostedOptions;
pub use sequence::{SequenceOptions, SequencePage};
pub use svm::SvmOptions;
pub(crate) use words::{WordRows, fit_words};
