//! The errors of training on data sets.

use vclean_core::error::{DataError, ModelError};

/// A model cannot be trained on data sets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The pages do not make a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is no page to train on.
    #[error("no page of {sets} can be learned from: {cause}")]
    NoExample {
        /// The set, or a name for several.
        sets: String,
        /// The reason, with the remedy.
        cause: String,
    },
    /// Some pages have columns that others lack.
    #[error("{page} has other columns than {first}; render either all pages or none")]
    OtherColumns {
        /// Name of the page with other columns.
        page: String,
        /// The page that comes first.
        first: String,
    },
    /// A feature group was named that no column is in.
    #[error("no column is in group {group}; see vclean lab features `describe`")]
    UnknownGroup {
        /// Name of the group, as given.
        group: String,
    },
}
