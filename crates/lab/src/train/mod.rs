//! Trains models on pages with gold text: measures and labels their targets, draws a sample, fits a
//! model.
//!
//! [`gathering`] makes examples of the pages of data sets, [`sample`] takes rows so that no page or
//! set dominates, and [`learn`] fits the stages of a [`Model`](vclean_core::classify::Model) and
//! measures them by folds of sites; [`model`] does all of this. [`train_states`] trains the trees
//! that tell pages without text. [`held_out_pages`] measures whole
//! pages of held-out sites.

mod adapt;
pub mod classifier;
mod comment_stage;
mod error;
pub mod examples;
mod fit_stage;
pub mod gathering;
mod held_out;
pub mod held_out_pages;
pub mod keywords;
pub mod learn;
mod markup;
pub mod model;
mod out_of_fold;
pub mod preset;
pub mod sample;
mod stage_options;
mod states;
pub mod tagger;

pub use adapt::{AdaptedModel, MIN_PAGES, adapt_model};
pub use classifier::{CLASSIFIERS, Classifier};
pub use error::TrainError;
pub use examples::{Example, ExampleOptions, Failure};
pub use held_out::crossvalidate;
pub use keywords::add_keywords;
pub use learn::{Trained, train};
pub use model::TrainedModel;
pub use model::{ModelOptions, train_model};
pub use preset::Preset;
pub use sample::SampleOptions;
pub use sample::TrainingPage;
pub use stage_options::StageOptions;
pub use stage_options::TrainOptions;
pub use states::{StateOptions, TrainedStates, train_states};
pub use tagger::{TaggerOptions, train_tagger};
pub use tagger::{Treebank, TreebankError, tagging_table};
