//! What a learner of a published method is told, and what it gives.

use super::gold_page::GoldPage;
use crate::error::ModelError;

/// What a learner is told.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// Seed of what is drawn.
    pub seed: u64,
    /// The command and the sets, for the file.
    pub provenance: String,
}

/// What a learner gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The model file.
    pub bytes: Vec<u8>,
    /// What was found on the way, for the user: figures, curves, rules; ends with a line break.
    pub report: String,
}

/// Learns from pages; says what it is doing, a line at a time.
pub type Learn = fn(&[GoldPage], &LearnOptions, &(dyn Fn(&str) + Sync)) -> Result<Learned, ModelError>;
