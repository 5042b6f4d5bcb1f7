//! What becomes of readers' comments: the choices, and which targets are kept for each.

use crate::classify::{Decision, Label};
use std::borrow::Cow;

/// What becomes of readers' comments. The posts of a forum thread are no comments but the page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReaderComments {
    /// They stand in the text, in document order.
    Keep,
    /// They are no text of the page.
    #[default]
    Drop,
    /// They are written apart from the text: in a part of their own after it, or under a key of their own.
    Separate,
    /// They are written alone, without the page's text.
    Only,
}

impl ReaderComments {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] =
        &[("keep", Self::Keep), ("drop", Self::Drop), ("separate", Self::Separate), ("only", Self::Only)];
}

/// The decisions with the comments as content.
pub(super) fn with_comments(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    if decisions.iter().all(|decision| decision.label != Label::Comments) {
        return Cow::Borrowed(decisions);
    }
    relabelled(decisions, |label| if label == Label::Comments { Label::Content } else { label }).into()
}

/// The decisions with nothing as content.
pub(super) fn nothing(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    relabelled(decisions, |_| Label::Boilerplate).into()
}

/// The decisions with the comments alone as content.
pub(super) fn comments_alone(decisions: &[Decision]) -> Vec<Decision> {
    relabelled(decisions, |label| if label == Label::Comments { Label::Content } else { Label::Boilerplate })
}

fn relabelled(decisions: &[Decision], relabel: impl Fn(Label) -> Label) -> Vec<Decision> {
    decisions.iter().map(|decision| Decision { label: relabel(decision.label), ..decision.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Boilerplate, Comments, Content};

    #[test]
    fn comments_become_content_where_they_are_written() {
        let decision = |label| Decision { margin: 0.0, probability: 0.5, label, comments: None };
        let decisions = [Content, Comments, Boilerplate].map(decision);
        let labels = |decisions: &[Decision]| decisions.iter().map(|decision| decision.label).collect::<Vec<_>>();
        assert_eq!(labels(&with_comments(&decisions)), [Content, Content, Boilerplate]);
        assert_eq!(labels(&comments_alone(&decisions)), [Boilerplate, Content, Boilerplate]);
        assert!(matches!(with_comments(&decisions[..1]), Cow::Borrowed(_)));
    }
}
