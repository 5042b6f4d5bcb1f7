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

/// The threshold for one page: that of [`expected_f_cut`], but at most `usual`.
///
/// So a page whose targets are all doubtful keeps the best of them rather than nothing.
///
/// # Panics
/// If the slices differ in length.
pub fn page_threshold(probabilities: &[f32], weights: &[f32], usual: f32) -> f32 {
    expected_f_cut(probabilities, weights).threshold.min(usual)
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
    fn doubtful_targets_are_kept_where_none_is_certain() {
        let weights = [1000.0, 60.0, 60.0, 60.0];
        let threshold = |probabilities: [f32; 4]| page_threshold(&probabilities, &weights, 0.5);
        assert_eq!(threshold([0.97, 0.42, 0.41, 0.4]), 0.5);
        assert_eq!(threshold([0.45, 0.42, 0.41, 0.1]), 0.41);
        assert_eq!(threshold([0.2, 0.3, 0.1, 0.1]), 0.2);
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
