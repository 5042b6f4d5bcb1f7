//! Input and output of the training of a published method.

use super::gold_page::GoldPage;
use vclean_core::error::ModelError;

/// Options for training.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// Seed of all random draws.
    pub seed: u64,
    /// The command and the sets, stored in the model file.
    pub provenance: String,
}

/// The result of training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The model file.
    pub bytes: Vec<u8>,
    /// A report for the user: figures, curves, rules; ends with a line break.
    pub report: String,
}

/// Trains on pages; reports its steps, one line each.
pub type Learn = fn(&[GoldPage], &LearnOptions, &(dyn Fn(&str) + Sync)) -> Result<Learned, ModelError>;
