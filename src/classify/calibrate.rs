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

    /// Logarithm of the odds of content.
    fn log_odds(self, margin: f32) -> f64 {
        -(self.slope * f64::from(margin) + self.offset)
    }

    /// The margin on this scale whose log odds lie between those of `margin` and those of a margin of another scale;
    /// `share`, 0 to 1, is the weight of the other.
    pub(super) fn between(self, margin: f32, (other, of_other): (Self, f32), share: f64) -> f32 {
        let log_odds = (1.0 - share) * self.log_odds(margin) + share * other.log_odds(of_other);
        (-(log_odds + self.offset) / self.slope) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_between_two_has_the_mean_of_their_log_odds() {
        let (one, other) = (Platt { slope: -2.0, offset: 0.5 }, Platt { slope: -1.0, offset: 0.0 });
        let log_odds = |probability: f32| (probability / (1.0 - probability)).ln();
        for (margin, of_other) in [(0.3, -1.2), (-1.0, -2.0), (2.0, 0.1)] {
            let [low, high] = [one.probability(margin), other.probability(of_other)].map(log_odds);
            for share in [0.0, 0.25, 1.0] {
                let between = one.probability(one.between(margin, (other, of_other), share));
                assert!((log_odds(between) - (low + share as f32 * (high - low))).abs() < 1e-3, "{share}");
            }
        }
    }
}
