//! Why an experiment cannot be made.

use crate::error::DataError;
use crate::error::{Error, ModelError};
use crate::train::TrainError;

/// An experiment cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// There are no training pages.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A model cannot be trained or read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A required page cannot be captured or cleaned.
    #[error(transparent)]
    Page(#[from] Error),
    /// No training page is in the training language.
    #[error("no training page is in {language}; name another `train_lang` or more data sets")]
    NoTrainingPage {
        /// The language.
        language: String,
    },
}
