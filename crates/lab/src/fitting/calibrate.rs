//! Fits the calibration of a model to out-of-fold margins (folds by site), by the numerically
//! stable fit of Lin, Lin and Weng (2007), and measures its precision. On training rows it would be
//! overconfident.

use vclean_core::classify::calibrate::{Platt, PrecisionCurve, probability};

/// Fits by Newton's method with backtracking (Lin, Lin and Weng 2007, algorithm 1); the default
/// where all labels are the same.
pub(crate) fn fit_platt(margins: &[f32], is_content: &[bool]) -> Platt {
    let positive = is_content.iter().filter(|content| **content).count() as f64;
    let negative = is_content.len() as f64 - positive;
    if positive == 0.0 || negative == 0.0 {
        return Platt::default();
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
                if x >= 0.0 {
                    target * x + (-x).exp().ln_1p()
                } else {
                    (target - 1.0) * x + x.exp().ln_1p()
                }
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
        let (da, db) = (
            -(h22 * g1 - h21 * g2) / determinant,
            -(-h21 * g1 + h11 * g2) / determinant,
        );
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
    Platt {
        slope: a,
        offset: b,
    }
}

/// The precision and recall of blocks with these calibrated probabilities, labels and text lengths.
///
/// # Panics
/// If the slices differ in length.
pub(crate) fn precision_curve(
    probabilities: &[f32],
    is_content: &[bool],
    lengths: &[u32],
) -> PrecisionCurve {
    assert!(probabilities.len() == is_content.len() && is_content.len() == lengths.len());
    // Rounded down, so that the model reaches every precision that is written.
    let share =
        |part: u64, all: u64| (part * 10_000).checked_div(all).unwrap_or(0) as f32 / 10_000.0;
    let mut curve = PrecisionCurve::default();
    let blocks = || {
        probabilities
            .iter()
            .zip(is_content)
            .zip(lengths)
            .map(|((p, c), l)| (*p, *c, u64::from(*l)))
    };
    let (content, text) = blocks()
        .filter(|block| block.1)
        .fold((0, 0), |(count, sum), block| (count + 1, sum + block.2));
    for at in PrecisionCurve::thresholds() {
        let (mut kept, mut right, mut kept_text, mut right_text) = (0, 0, 0, 0);
        for (probability, is_content, length) in blocks() {
            if probability >= at {
                (kept, kept_text) = (kept + 1, kept_text + length);
                if is_content {
                    (right, right_text) = (right + 1, right_text + length);
                }
            }
        }
        curve.precision.push(share(right, kept));
        curve.recall.push(share(right, content));
        curve.text_precision.push(share(right_text, kept_text));
        curve.text_recall.push(share(right_text, text));
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::reliability::calibration_error;

    #[test]
    fn finds_the_curve_that_generated_the_labels() {
        let mut random = fastrand::Rng::with_seed(1);
        let margins: Vec<f32> = (0..20_000).map(|_| random.f32() * 6.0 - 3.0).collect();
        let truth = Platt {
            slope: -1.7,
            offset: 0.4,
        };
        let labels: Vec<bool> = margins
            .iter()
            .map(|&margin| random.f32() < truth.probability(margin))
            .collect();
        let found = fit_platt(&margins, &labels);
        assert!(
            (found.slope - truth.slope).abs() < 0.1 && (found.offset - truth.offset).abs() < 0.1,
            "{found:?}"
        );
        let probabilities: Vec<f32> = margins
            .iter()
            .map(|&margin| found.probability(margin))
            .collect();
        assert!(calibration_error(&probabilities, &labels) < 0.02);
    }

    #[test]
    fn extremes_stay_finite() {
        let found = fit_platt(&[-1e6, 1e6, 2e6], &[false, true, true]);
        for margin in [-1e9, 0.0, 1e9] {
            assert!((0.0..=1.0).contains(&found.probability(margin)));
        }
        assert_eq!(fit_platt(&[1.0], &[true]), Platt::default());
        assert!((calibration_error(&[0.95, 0.05], &[false, true]) - 0.95).abs() < 1e-6);
    }

    #[test]
    fn the_lowest_threshold_that_is_precise_enough_is_found() {
        let probabilities = [0.995, 0.9, 0.7, 0.5, 0.3, 0.1];
        let labels = [true, true, false, true, false, false];
        let curve = precision_curve(&probabilities, &labels, &[10, 10, 5, 15, 5, 5]);
        assert_eq!((curve.precision.len(), curve.recall.len()), (99, 99));
        assert_eq!((curve.precision[0], curve.recall[0]), (0.5, 1.0));
        assert_eq!((curve.text_precision[0], curve.text_recall[0]), (0.7, 1.0));
        // At 0.5: four kept, three right.
        assert_eq!(
            (curve.precision[49], curve.text_precision[49]),
            (0.75, 0.875)
        );
        // At 0.8: two kept, both right, two of three found, 20 of 35 characters.
        assert_eq!(
            (curve.precision[79], curve.recall[79], curve.text_recall[79]),
            (1.0, 0.6666, 0.5714)
        );
        assert_eq!(curve.threshold_for(0.5), Some(0.01));
        assert_eq!(curve.threshold_for(0.75), Some(0.31));
        assert_eq!(curve.threshold_for(0.9), Some(0.71));
        assert_eq!((curve.threshold_for(1.01), curve.best()), (None, 1.0));
    }

    #[test]
    fn where_nothing_is_kept_nothing_is_precise() {
        let curve = precision_curve(&[0.4], &[true], &[0]);
        assert_eq!((curve.precision[98], curve.text_recall[0]), (0.0, 0.0));
        assert_eq!(precision_curve(&[], &[], &[]).threshold_for(0.1), None);
        assert_eq!(PrecisionCurve::default().threshold_for(0.1), None);
    }
}
