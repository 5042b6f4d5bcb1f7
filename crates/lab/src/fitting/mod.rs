//! Fits the machines of [`classify`](crate::classify) to labelled rows and pages, and the
//! calibration of a model; also the classifiers that papers compared them with, which no model has.
//!
//! Each kind has a function of its own: [`svm::fit`], [`logistic::fit`], [`boosted::fit`],
//! [`sequence::fit`].

pub mod boosted;
pub mod calibrate;
mod grow;
mod kernel;
pub mod logistic;
mod reduce;
pub mod rivals;
pub mod rows;
pub mod sequence;
mod smo;
pub mod svm;
mod sweep;
mod words;

pub use boosted::BoostedOptions;
pub use kernel::Kernel;
pub use kernel::KernelMachine;
pub use sequence::{SequenceOptions, SequencePage};
pub use svm::{Solver, SvmOptions};
pub use sweep::Sweep;
pub(crate) use words::{WordRows, fit_words};
