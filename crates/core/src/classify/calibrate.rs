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

    /// The margin whose log odds are higher by `log_odds` than those of `margin`.
    pub(crate) fn moved(self, margin: f32, log_odds: f64) -> f32 {
        (f64::from(margin) - log_odds / self.slope) as f32
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
}
