//! Converts margins to probabilities (Platt 1999), and stores the out-of-fold precision at each
//! threshold, which gives the threshold for a required precision.

use serde::{Deserialize, Serialize};

/// p(content) = 1 / (1 + exp(slope * margin + offset)); a useful model has a negative slope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// Factor of the margin in the exponent.
    pub slope: f64,
    /// Constant term of the exponent.
    pub offset: f64,
}

impl Default for Platt {
    fn default() -> Self {
        Self {
            slope: -2.0,
            offset: 0.0,
        }
    }
}

/// 1 / (1 + exp(x)), without overflow for large |x|.
pub fn probability(x: f64) -> f64 {
    if x >= 0.0 {
        (-x).exp() / (1.0 + (-x).exp())
    } else {
        1.0 / (1.0 + x.exp())
    }
}

impl Platt {
    /// Probability of content, 0 to 1.
    pub fn probability(self, margin: f32) -> f32 {
        probability(self.slope * f64::from(margin) + self.offset) as f32
    }

    fn log_odds(self, margin: f32) -> f64 {
        -(self.slope * f64::from(margin) + self.offset)
    }

    /// The margin whose log odds are higher by `log_odds` than those of `margin`.
    pub(crate) fn moved(self, margin: f32, log_odds: f64) -> f32 {
        (f64::from(margin) - log_odds / self.slope) as f32
    }

    /// Interpolates between the log odds of `margin` and of a margin on another scale, and returns
    /// the result as a margin on this scale; `share`, 0 to 1, is the weight of the other.
    pub(super) fn between(self, margin: f32, (other, of_other): (Self, f32), share: f64) -> f32 {
        let log_odds = (1.0 - share) * self.log_odds(margin) + share * other.log_odds(of_other);
        (-(log_odds + self.offset) / self.slope) as f32
    }
}

/// Precision and recall of content at the thresholds 0.01, 0.02 to 0.99, from 0 to 1, rounded down
/// to 4 decimals.
///
/// If no block is kept, both are 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PrecisionCurve {
    /// Share of content among the kept blocks.
    pub precision: Vec<f32>,
    /// Share of kept blocks among the blocks of content.
    pub recall: Vec<f32>,
    /// [`precision`](Self::precision) with each block weighted by its text length.
    pub text_precision: Vec<f32>,
    /// [`recall`](Self::recall) with each block weighted by its text length.
    pub text_recall: Vec<f32>,
}

const STEPS: u8 = 99;

impl PrecisionCurve {
    /// The thresholds of the curves in ascending order, 0.01 to 0.99.
    pub fn thresholds() -> impl Iterator<Item = f32> {
        (0..STEPS).map(|step| (f32::from(step) + 1.0) / (f32::from(STEPS) + 1.0))
    }

    /// The lowest threshold at which at least `precision` of the kept blocks were content; `None`
    /// if no threshold reaches it.
    pub fn threshold_for(&self, precision: f32) -> Option<f32> {
        let mut reached = Self::thresholds().zip(&self.precision);
        reached
            .find(|(_, reached)| **reached >= precision)
            .map(|(threshold, _)| threshold)
    }

    /// The best block precision at any threshold.
    pub fn best(&self) -> f32 {
        self.precision.iter().copied().fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_threshold_that_is_precise_enough_is_found() {
        let curve = PrecisionCurve {
            precision: vec![0.5, 0.75, 0.9, 0.8],
            ..PrecisionCurve::default()
        };
        assert_eq!(
            (curve.threshold_for(0.5), curve.threshold_for(0.8)),
            (Some(0.01), Some(0.03))
        );
        assert_eq!((curve.threshold_for(0.95), curve.best()), (None, 0.9));
        assert_eq!(PrecisionCurve::default().threshold_for(0.1), None);
        assert_eq!(
            (
                PrecisionCurve::thresholds().count(),
                PrecisionCurve::thresholds().last()
            ),
            (99, Some(0.99))
        );
    }

    #[test]
    fn a_margin_between_two_has_the_mean_of_their_log_odds() {
        let (one, other) = (
            Platt {
                slope: -2.0,
                offset: 0.5,
            },
            Platt {
                slope: -1.0,
                offset: 0.0,
            },
        );
        let log_odds = |probability: f32| (probability / (1.0 - probability)).ln();
        for (margin, of_other) in [(0.3, -1.2), (-1.0, -2.0), (2.0, 0.1)] {
            let [low, high] = [one.probability(margin), other.probability(of_other)].map(log_odds);
            for share in [0.0, 0.25, 1.0] {
                let between = one.probability(one.between(margin, (other, of_other), share));
                assert!(
                    (log_odds(between) - (low + share as f32 * (high - low))).abs() < 1e-3,
                    "{share}"
                );
            }
        }
    }
}
