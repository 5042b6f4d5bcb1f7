//! The loss of a page: cross-entropy of its targets, weighed by the logarithm of their length; 1
//! less its soft F; and cross-entropy of its kind.
//!
//! Soft F is the F1 of a page by length with probabilities instead of decisions, so that it has a
//! gradient: an approximation of the expected F that Ye, Chai, Lee and Chieu (2012) maximize.

use super::options::SequenceOptions;
use vclean_core::classify::PageKind;
use vclean_core::classify::arithmetic::exp_neg;
use vclean_core::classify::sequence::network::{Output, Window};

/// Consecutive targets of a page with their labels.
pub(super) struct Excerpt<'a> {
    pub(super) window: Window<'a>,
    pub(super) lengths: &'a [u32],
    pub(super) labels: &'a [Option<bool>],
    pub(super) is_whole: bool,
    pub(super) kind: Option<PageKind>,
}

/// Keeps soft F defined if nothing is content.
const LEAST_TEXT: f32 = 1e-6;

/// The loss of a window and its slopes.
pub(super) struct Loss {
    pub(super) value: f32,
    /// By the margin of each target.
    pub(super) margins: Vec<f32>,
    /// By the logit of each kind.
    pub(super) kinds: Vec<f32>,
}

fn sigmoid(x: f32) -> f32 {
    let power = exp_neg(x.abs());
    if x >= 0.0 {
        1.0 / (1.0 + power)
    } else {
        power / (1.0 + power)
    }
}

/// Sums for soft F over the labelled targets, by their shares of the text.
#[derive(Default)]
struct TextSums {
    /// Share of kept content.
    hit: f32,
    /// Share of all kept text.
    kept: f32,
    /// Share of all content.
    content: f32,
}

/// The loss of the network's output for an excerpt.
pub(super) fn loss(output: &Output, excerpt: &Excerpt<'_>, options: &SequenceOptions) -> Loss {
    let mut value = 0.0;
    let mut margins = vec![0.0; output.margins.len()];
    let labelled = || {
        excerpt
            .labels
            .iter()
            .enumerate()
            .filter_map(|(at, label)| label.map(|label| (at, label)))
    };
    let truth = |label: bool| if label { 1.0f32 } else { 0.0 };
    let weight = |at: usize| (excerpt.lengths[at] as f32 + 2.0).ln();
    let total: f32 = labelled().map(|(at, _)| weight(at)).sum();
    let mut sums = TextSums::default();
    for (at, label) in labelled() {
        let (probability, share) = (sigmoid(output.margins[at]), excerpt.window.shares[at]);
        sums.hit += probability * share * truth(label);
        sums.kept += probability * share;
        sums.content += share * truth(label);
    }
    let soft_f = if excerpt.is_whole && total > 0.0 {
        options.soft_f as f32
    } else {
        0.0
    };
    let text = sums.kept + sums.content + LEAST_TEXT;
    let f = 2.0 * sums.hit / text;
    value += soft_f * (1.0 - f);
    for (at, label) in labelled() {
        let margin = output.margins[at];
        let (probability, weight) = (sigmoid(margin), weight(at) / total);
        value +=
            weight * (margin.max(0.0) - margin * truth(label) + (1.0 + exp_neg(margin.abs())).ln());
        let slope_of_f = excerpt.window.shares[at] * (2.0 * truth(label) - f) / text;
        margins[at] = weight * (probability - truth(label))
            - soft_f * slope_of_f * probability * (1.0 - probability);
    }
    let (of_kind, kinds) = kind_loss(&output.kinds, excerpt.kind, options.kind_weight as f32);
    Loss {
        value: value + of_kind,
        margins,
        kinds,
    }
}

fn kind_loss(logits: &[f32], kind: Option<PageKind>, weight: f32) -> (f32, Vec<f32>) {
    let Some(kind) = kind else {
        return (0.0, vec![0.0; logits.len()]);
    };
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| exp_neg(most - logit)).collect();
    let sum: f32 = powers.iter().sum();
    let mut slopes: Vec<f32> = powers.iter().map(|power| weight * power / sum).collect();
    slopes[kind.index()] -= weight;
    (weight * (sum.ln() + most - logits[kind.index()]), slopes)
}
