//! The threshold at which a page was decided, for rules that decide on several blocks together.

use crate::classify::{Decision, Label};

/// The threshold of the page, estimated from the decisions: it lies above each probability of a
/// target that is not content, and not above that of any content.
pub(super) fn page_threshold(decisions: &[Decision]) -> f32 {
    let (mut above, mut up_to) = (0.0f32, 1.0f32);
    for decision in decisions {
        if decision.label == Label::Content {
            up_to = up_to.min(decision.probability);
        } else {
            above = above.max(decision.probability);
        }
    }
    0.5f32.max(above).min(up_to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_parts_what_was_kept_from_what_was_dropped() {
        let threshold = |decided: &[(f32, Label)]| {
            let decide = |&(probability, label)| Decision {
                margin: 0.0,
                probability,
                label,
                comments: None,
            };
            page_threshold(&decided.iter().map(decide).collect::<Vec<_>>())
        };
        let (content, other) = (Label::Content, Label::Boilerplate);
        assert_eq!(threshold(&[(0.9, content), (0.1, other)]), 0.5);
        assert_eq!(threshold(&[(0.3, content), (0.1, other)]), 0.3);
        assert_eq!(threshold(&[(0.9, content), (0.7, other)]), 0.7);
    }
}
