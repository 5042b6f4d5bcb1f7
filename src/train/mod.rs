//! Learns from pages with gold text: labels their targets, draws a sample, trains a model.
//!
//! [`align`] turns gold text into a label per target, [`sample`] takes rows so that no page or set dominates, and
//! [`learn`] fits the stages of a [`Model`](crate::classify::Model) and measures them by folds of sites. [`coverage`] and
//! [`human`] say how good the labels are, [`subsets`] and [`held_out`] how much each group of features is worth.

pub mod align;
pub mod coverage;
mod dice;
pub mod examples;
pub mod held_out;
pub mod human;
pub mod learn;
pub mod sample;
pub mod subsets;

pub use align::{Alignment, Labelling, Quality};
pub use coverage::{Coverage, best_aligned};
pub use examples::{Example, ExampleOptions, Failure, gather, label};
pub use learn::{Method, StageOptions, TrainOptions, Trained, crossvalidate, train};
pub use sample::{SampleOptions, TrainingPage};
