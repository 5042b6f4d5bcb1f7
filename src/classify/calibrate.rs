//! From margins to probabilities (Platt 1999), by the numerically stable fit of Lin, Lin and Weng (2007).
//!
//! Fitted on out-of-fold margins (folds by site): fitted on training rows it would be overconfident.

#[cfg(feature = "experiments")]
mod fit;
#[cfg(feature = "experiments")]
mod reliability;

#[cfg(feature = "experiments")]
pub use self::reliability::{ReliabilityBin, calibration_error, reliability};

use serde::{Deserialize, Serialize};

/// p(content) = 1 / (1 + exp(slope * margin + offset)); a good machine has a negative slope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// Factor of the margin.
    pub slope: f64,
    /// Added to it.
    pub offset: f64,
}

impl Default for Platt {
    fn default() -> Self {
        Self { slope: -2.0, offset: 0.0 }
    }
}

/// 1 / (1 + exp(x)), without overflow for large |x|.
fn probability(x: f64) -> f64 {
    if x >= 0.0 { (-x).exp() / (1.0 + (-x).exp()) } else { 1.0 / (1.0 + x.exp()) }
}

impl Platt {
    /// Probability of content, 0 to 1.
    pub fn probability(self, margin: f32) -> f32 {
        probability(self.slope * f64::from(margin) + self.offset) as f32
    }
}
