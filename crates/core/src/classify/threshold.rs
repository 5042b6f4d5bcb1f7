//! The per-page threshold: the one that maximizes the expected F of the page's text.
//!
//! A fixed threshold removes all text of pages without a high probability. The expected F of
//! keeping the targets above a threshold follows from the calibrated probabilities, and the best
//! threshold is half of the maximum F (Ye, Chai, Lee and Chieu 2012, "Optimizing F-measure";
//! Lipton, Elkan and Naryanaswamy 2014, theorem 1).

/// The largest expected F over all thresholds, and the threshold that reaches it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// Targets with at least this probability are kept; above 1 if no target is worth keeping.
    pub threshold: f32,
    /// The expected F, 0 to 1.
    pub expected_f: f32,
}

/// Finds the cut for targets with these calibrated probabilities of content, weighted by length.
///
/// With `hit` the expected weight of content among the kept targets, `kept` their weight and `all`
/// the expected weight of content on the page, F = 2 hit / (kept + all).
///
/// # Panics
/// If the slices differ in length.
pub(crate) fn expected_f_cut(probabilities: &[f32], weights: &[f32]) -> Cut {
    assert_eq!(probabilities.len(), weights.len());
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&one, &other| {
        probabilities[other]
            .total_cmp(&probabilities[one])
            .then(one.cmp(&other))
    });
    let all: f64 = probabilities
        .iter()
        .zip(weights)
        .map(|(&p, &w)| f64::from(p) * f64::from(w))
        .sum();
    let mut best = Cut {
        threshold: 1.1,
        expected_f: 0.0,
    };
    let (mut hit, mut kept) = (0.0, 0.0);
    for index in order {
        hit += f64::from(probabilities[index]) * f64::from(weights[index]);
        kept += f64::from(weights[index]);
        let f = if kept + all > 0.0 {
            (2.0 * hit / (kept + all)) as f32
        } else {
            0.0
        };
        if f > best.expected_f {
            best = Cut {
                threshold: probabilities[index],
                expected_f: f,
            };
        }
    }
    best
}

/// Probability from which a target counts as certain content.
const CERTAIN: f32 = 0.8;
/// Share of the kept text that must be certain for the page to be decided at the usual threshold.
/// Heuristic: the best of 0 (a fixed threshold), 0.1, 0.3, 0.5, 0.7 and 0.9 out of fold on the
/// combined train splits (bare HTML, five sets): .8735 word F on `wcxb` (.8608 with a fixed
/// threshold, .8723 with 0.9), .9551 on `scrapinghub` (.9553, .9451), the others within .002 of
/// their best.
const CERTAIN_SHARE: f32 = 0.3;

/// The threshold for one page: `usual` if enough of the text that it would keep is certain, else
/// the one of [`expected_f_cut`] if that is lower.
///
/// # Panics
/// If the slices differ in length.
pub fn page_threshold(probabilities: &[f32], weights: &[f32], usual: f32) -> f32 {
    let cut = expected_f_cut(probabilities, weights).threshold.min(usual);
    let weight_from = |threshold: f32| -> f32 {
        probabilities
            .iter()
            .zip(weights)
            .filter(|(p, _)| **p >= threshold)
            .map(|(_, &weight)| weight)
            .sum()
    };
    if weight_from(CERTAIN) >= CERTAIN_SHARE * weight_from(cut) {
        usual
    } else {
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_of_certain_targets_is_cut_between_them() {
        let cut = expected_f_cut(&[0.99, 0.02, 0.97, 0.01], &[100.0, 10.0, 50.0, 10.0]);
        assert_eq!(cut.threshold, 0.97);
        assert!(cut.expected_f > 0.97);
    }

    #[test]
    fn a_page_of_low_probabilities_keeps_its_best_target() {
        let cut = expected_f_cut(&[0.3, 0.1, 0.05], &[100.0, 100.0, 100.0]);
        assert_eq!(cut.threshold, 0.3);
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_content() {
        assert!(expected_f_cut(&[0.0, 0.0], &[5.0, 5.0]).threshold > 1.0);
        assert!(expected_f_cut(&[], &[]).threshold > 1.0);
    }

    #[test]
    fn uncertain_targets_are_kept_only_where_nothing_is_certain() {
        let weights = [1000.0, 60.0, 60.0, 60.0];
        assert_eq!(page_threshold(&[0.97, 0.42, 0.41, 0.4], &weights, 0.5), 0.5);
        assert!(page_threshold(&[0.6, 0.42, 0.41, 0.4], &weights, 0.5) < 0.42);
    }

    proptest! {
        #[test]
        fn the_threshold_is_about_half_the_expected_f(
            targets in proptest::collection::vec((0.01f32..1.0, 1.0f32..2.0), 1..200)
        ) {
            let (probabilities, weights): (Vec<_>, Vec<_>) = targets.into_iter().unzip();
            let cut = expected_f_cut(&probabilities, &weights);
            prop_assert!(cut.threshold >= cut.expected_f / 2.0 - 1e-4);
            let next = probabilities.iter().copied().filter(|&p| p < cut.threshold).fold(0.0, f32::max);
            prop_assert!(next <= cut.expected_f / 2.0 + 1e-4);
        }
    }
}
