//! Learns from pages with gold text: labels their targets, draws a sample, trains a model.
//!
//! [`align`] turns gold text into a label per target, [`sample`] takes rows so that no page or set dominates, and
//! [`learn`] fits the stages of a [`Model`](crate::classify::Model) and measures them by folds of sites. [`coverage`] and
//! [`human`] say how good the labels are, [`subsets`] and [`crossvalidated`] how much each group of features is worth.

pub mod classifier;
pub mod examples;
mod held_out;
pub mod keywords;
pub mod learn;
pub mod methods;
pub mod options;
pub mod recipe;
pub mod sample;
pub mod tagger;

pub use classifier::{CLASSIFIERS, Classifier, KERNELS};
pub use examples::{Example, ExampleOptions, Failure, gather};
pub use held_out::crossvalidate;
pub use keywords::{add_keywords, learn_keywords};
pub use learn::{Trained, train};
pub use options::{StageOptions, TrainOptions};
pub use recipe::Recipe;
pub use sample::{SampleOptions, TrainingPage};
pub use tagger::{TaggerOptions, TaggingScore, read_treebank, test_tagger, train_tagger};
