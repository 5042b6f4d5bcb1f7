//! From margins to probabilities (Platt 1999), by the numerically stable fit of Lin, Lin and Weng (2007).
//!
//! Fitted on margins of pages that the machine has not seen (held-out folds by site): on its own training rows it
//! would be overconfident.

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

/// p = 1 / (1 + exp(x)) and its complement's logarithm need care for large |x|.
fn probability(x: f64) -> f64 {
    if x >= 0.0 { (-x).exp() / (1.0 + (-x).exp()) } else { 1.0 / (1.0 + x.exp()) }
}

impl Platt {
    /// Probability of content, 0 to 1.
    pub fn probability(self, margin: f32) -> f32 {
        probability(self.slope * f64::from(margin) + self.offset) as f32
    }

    /// Fits by Newton's method with backtracking (Lin, Lin and Weng 2007, algorithm 1); the default where there is
    /// only one kind.
    pub fn fit(margins: &[f32], is_content: &[bool]) -> Self {
        let positive = is_content.iter().filter(|content| **content).count() as f64;
        let negative = is_content.len() as f64 - positive;
        if positive == 0.0 || negative == 0.0 {
            return Self::default();
        }
        let (high, low) = ((positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0));
        let points: Vec<(f64, f64)> = margins
            .iter()
            .zip(is_content)
            .map(|(&margin, &content)| (f64::from(margin), if content { high } else { low }))
            .collect();
        let cost = |a: f64, b: f64| -> f64 {
            points
                .iter()
                .map(|&(margin, target)| {
                    let x = margin * a + b;
                    if x >= 0.0 { target * x + (-x).exp().ln_1p() } else { (target - 1.0) * x + x.exp().ln_1p() }
                })
                .sum()
        };
        let (mut a, mut b) = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
        let mut current = cost(a, b);
        for _ in 0..100 {
            let (mut h11, mut h22, mut h21, mut g1, mut g2) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
            for &(margin, target) in &points {
                let p = probability(margin * a + b);
                let curve = p * (1.0 - p);
                h11 += margin * margin * curve;
                h22 += curve;
                h21 += margin * curve;
                g1 += margin * (target - p);
                g2 += target - p;
            }
            if g1.abs() < 1e-5 && g2.abs() < 1e-5 {
                break;
            }
            let determinant = h11 * h22 - h21 * h21;
            let (da, db) = (-(h22 * g1 - h21 * g2) / determinant, -(-h21 * g1 + h11 * g2) / determinant);
            let descent = g1 * da + g2 * db;
            let mut step = 1.0;
            while step >= 1e-10 {
                let next = cost(a + step * da, b + step * db);
                if next < current + 1e-4 * step * descent {
                    (a, b, current) = (a + step * da, b + step * db, next);
                    break;
                }
                step /= 2.0;
            }
            if step < 1e-10 {
                break;
            }
        }
        Self { slope: a, offset: b }
    }
}

/// Blocks whose probabilities lie in one of ten ranges of equal width.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ReliabilityBin {
    /// Least probability of the range; the range ends 0.1 higher.
    pub from: f64,
    /// Blocks in it.
    pub blocks: u64,
    /// Mean probability of content that was given, 0 to 1; 0 for no block.
    pub said: f64,
    /// Share of them that is content, 0 to 1; 0 for no block.
    pub was: f64,
}

/// What was said and what was, in ten bins (reliability diagram; Niculescu-Mizil and Caruana 2005, section 4).
pub fn reliability(probabilities: &[f32], is_content: &[bool]) -> [ReliabilityBin; 10] {
    let mut sums = [(0u64, 0.0f64, 0.0f64); 10];
    for (&probability, &content) in probabilities.iter().zip(is_content) {
        let bin = &mut sums[((probability * 10.0) as usize).min(9)];
        bin.0 += 1;
        bin.1 += f64::from(probability);
        bin.2 += f64::from(u8::from(content));
    }
    std::array::from_fn(|index| {
        let (blocks, said, was) = sums[index];
        let count = blocks.max(1) as f64;
        ReliabilityBin { from: index as f64 / 10.0, blocks, said: said / count, was: was / count }
    })
}

/// Expected calibration error over ten bins of equal width: how far, on average, probabilities are from what happens.
pub fn calibration_error(probabilities: &[f32], is_content: &[bool]) -> f64 {
    let bins = reliability(probabilities, is_content);
    let blocks: u64 = bins.iter().map(|bin| bin.blocks).sum();
    bins.iter().map(|bin| bin.blocks as f64 * (bin.said - bin.was).abs()).sum::<f64>() / blocks.max(1) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_curve_that_made_the_labels() {
        let mut random = fastrand::Rng::with_seed(1);
        let margins: Vec<f32> = (0..20_000).map(|_| random.f32() * 6.0 - 3.0).collect();
        let truth = Platt { slope: -1.7, offset: 0.4 };
        let labels: Vec<bool> = margins.iter().map(|&margin| random.f32() < truth.probability(margin)).collect();
        let found = Platt::fit(&margins, &labels);
        assert!((found.slope - truth.slope).abs() < 0.1 && (found.offset - truth.offset).abs() < 0.1, "{found:?}");
        let probabilities: Vec<f32> = margins.iter().map(|&margin| found.probability(margin)).collect();
        assert!(calibration_error(&probabilities, &labels) < 0.02);
    }

    #[test]
    fn extremes_stay_finite() {
        let found = Platt::fit(&[-1e6, 1e6, 2e6], &[false, true, true]);
        for margin in [-1e9, 0.0, 1e9] {
            assert!((0.0..=1.0).contains(&found.probability(margin)));
        }
        assert_eq!(Platt::fit(&[1.0], &[true]), Platt::default());
        assert!((calibration_error(&[0.95, 0.05], &[false, true]) - 0.95).abs() < 1e-6);
    }

    #[test]
    fn bins_hold_what_was_said_and_what_was() {
        let bins = reliability(&[0.0, 0.05, 0.95, 1.0, 0.75], &[false, true, true, true, false]);
        assert_eq!((bins[0].blocks, bins[0].was, bins[9].blocks, bins[9].was), (2, 0.5, 2, 1.0));
        assert!((bins[0].said - 0.025).abs() < 1e-6 && (bins[7].said - 0.75).abs() < 1e-6 && bins[7].from == 0.7);
        assert_eq!(bins[3], ReliabilityBin { from: 0.3, ..ReliabilityBin::default() });
        let error = (2.0 * 0.475 + 0.75 + 2.0 * 0.025) / 5.0;
        assert!(
            (calibration_error(&[0.0, 0.05, 0.95, 1.0, 0.75], &[false, true, true, true, false]) - error).abs() < 1e-6
        );
        assert_eq!(calibration_error(&[], &[]), 0.0);
    }
}
