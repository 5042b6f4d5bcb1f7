//! How precise a model is at each threshold, out of fold: from this follows the threshold for a least precision.

#[cfg(feature = "experiments")]
mod measure;

use serde::{Deserialize, Serialize};

/// Precision and recall of content at the thresholds 0.01, 0.02 to 0.99, shares from 0 to 1, rounded down to 4 places.
///
/// Where nothing is kept, both are 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PrecisionCurve {
    /// Share of content among the kept blocks.
    pub precision: Vec<f32>,
    /// Share of the kept among the blocks of content.
    pub recall: Vec<f32>,
    /// [`precision`](Self::precision), each block by the length of its text.
    pub text_precision: Vec<f32>,
    /// [`recall`](Self::recall), each block by the length of its text.
    pub text_recall: Vec<f32>,
}

/// Number of thresholds.
const STEPS: u8 = 99;

fn threshold(step: usize) -> f32 {
    (step as f32 + 1.0) / (f32::from(STEPS) + 1.0)
}

impl PrecisionCurve {
    /// The lowest threshold at which at least `precision` of the kept blocks were content; `None` where none is.
    pub fn threshold_for(&self, precision: f32) -> Option<f32> {
        let step = self.precision.iter().take(usize::from(STEPS)).position(|reached| *reached >= precision)?;
        Some(threshold(step))
    }

    /// The best precision of blocks at any threshold.
    pub fn best(&self) -> f32 {
        self.precision.iter().copied().fold(0.0, f32::max)
    }
}
