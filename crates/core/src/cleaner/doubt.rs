//! Doubt about the result for a rendered page: when it keeps so little text that the model for bare
//! HTML is asked too.

use crate::classify::{Decision, Label, PageShape};

/// Share of a page's text up to which a result is doubtful. Measured: pages whose rendered result
/// has less than a tenth of the text of the static one are nearly always wrong; more doubt brings
/// no more.
const DOUBTFUL_SHARE: f64 = 0.1;
/// How many times as much text another result must keep to be preferred.
pub(super) const MUCH_MORE: f64 = 10.0;

/// Whether the decisions keep hardly any text of a page.
pub(super) fn is_doubtful(shape: &PageShape, decisions: &[Decision]) -> bool {
    let all: f64 = shape.lengths.iter().map(|&length| f64::from(length)).sum();
    kept(shape, decisions) < DOUBTFUL_SHARE * all
}

/// Whether `other` keeps at least [`MUCH_MORE`] times as much text as `decisions`, and is not
/// doubtful itself.
pub(super) fn is_much_more(shape: &PageShape, other: &[Decision], decisions: &[Decision]) -> bool {
    !is_doubtful(shape, other) && kept(shape, other) >= MUCH_MORE * kept(shape, decisions)
}

/// Characters that are kept, without white space.
fn kept(shape: &PageShape, decisions: &[Decision]) -> f64 {
    let content = shape
        .lengths
        .iter()
        .zip(decisions)
        .filter(|(_, decision)| decision.label == Label::Content);
    content.map(|(&length, _)| f64::from(length)).sum()
}
#[cfg(test)]
mod tests {
    use super::*;

    fn decisions(labels: &[Label]) -> Vec<Decision> {
        let decision = |&label| Decision {
            margin: 0.0,
            probability: 0.5,
            label,
            comments: None,
        };
        labels.iter().map(decision).collect()
    }

    #[test]
    fn only_a_result_with_hardly_any_text_is_doubted_and_only_much_more_text_is_preferred() {
        use Label::{Boilerplate, Content};
        let shape = PageShape {
            lengths: vec![5, 60, 35],
            groups: vec![[0, 0]; 3],
        };
        let few = decisions(&[Content, Boilerplate, Boilerplate]);
        let many = decisions(&[Boilerplate, Content, Boilerplate]);
        let some = decisions(&[Boilerplate, Boilerplate, Content]);
        let none = decisions(&[Boilerplate; 3]);
        assert!(is_doubtful(&shape, &few) && is_doubtful(&shape, &none));
        assert!(!is_doubtful(&shape, &some) && !is_doubtful(&PageShape::default(), &[]));
        assert!(is_much_more(&shape, &many, &few) && !is_much_more(&shape, &some, &few));
        assert!(is_much_more(&shape, &some, &none) && !is_much_more(&shape, &few, &none));
        assert!(!is_much_more(&shape, &none, &none));
    }
}
