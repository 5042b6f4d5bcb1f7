//! Fits the calibration to out-of-fold margins.

use super::{Platt, probability};

impl Platt {
    /// Fits by Newton's method with backtracking (Lin, Lin and Weng 2007, algorithm 1); the default where all
    /// labels are the same.
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

#[cfg(test)]
mod tests {
    use super::super::calibration_error;
    use super::*;

    #[test]
    fn finds_the_curve_that_generated_the_labels() {
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
}
