//! Labels the comments among the targets that are not content.

use super::knowledge::CommentKnowledge;
use crate::classify::Label;
use crate::gold::align;
use crate::gold::labelling::Labelling;
use crate::gold::words::TokenUnit;

/// Labels as comments the targets that are not content and have the words of `gold`, the page's comments. Where most of
/// the words are not found, no target is labelled and the comments stay unknown.
pub(in crate::gold) fn by_gold(labelling: &mut Labelling, texts: &[String], gold: &str, unit: TokenUnit) {
    labelling.comments = CommentKnowledge::Gold;
    if gold.trim().is_empty() {
        return;
    }
    let others: Vec<usize> =
        (0..texts.len()).filter(|&target| labelling.labels[target] != Some(Label::Content)).collect();
    let their_texts: Vec<String> = others.iter().map(|&target| texts[target].clone()).collect();
    let aligned = align::words(&their_texts, gold, unit);
    if aligned.quality.is_bad {
        labelling.comments = CommentKnowledge::Unknown;
        return;
    }
    for (&target, label) in others.iter().zip(&aligned.labels) {
        if *label == Some(Label::Content) {
            labelling.labels[target] = Some(Label::Comments);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Boilerplate, Comments, Content};

    const POST: &str = "The ferry leaves the island at noon, and nobody on board seemed to mind the rain.";
    const REMARK: &str = "I took the same ferry last year and it was late by two hours, so bring a book with you.";

    fn texts() -> Vec<String> {
        ["Home", POST, "Anna wrote", REMARK, "Reply"].map(str::to_owned).to_vec()
    }

    #[test]
    fn gold_comments_label_what_is_not_content() {
        let texts = texts();
        let mut labelling = align::words(&texts, POST, TokenUnit::Words);
        assert_eq!(labelling.comments, CommentKnowledge::Unknown);
        by_gold(&mut labelling, &texts, &format!("Anna wrote\n{REMARK}"), TokenUnit::Words);
        let expected = [Boilerplate, Content, Comments, Comments, Boilerplate];
        assert_eq!(labelling.labels, expected.map(Some));
        assert_eq!(labelling.comments, CommentKnowledge::Gold);

        // What is content stays so, even where the comments repeat it.
        let mut labelling = align::words(&texts, &format!("{POST}\n{REMARK}"), TokenUnit::Words);
        by_gold(&mut labelling, &texts, REMARK, TokenUnit::Words);
        assert_eq!(labelling.labels[3], Some(Content));
    }

    #[test]
    fn a_page_without_comments_is_known_and_one_with_other_comments_is_not() {
        let texts = texts();
        let mut labelling = align::words(&texts, POST, TokenUnit::Words);
        by_gold(&mut labelling, &texts, " \n", TokenUnit::Words);
        assert_eq!(labelling.comments, CommentKnowledge::Gold);
        assert!(!labelling.labels.contains(&Some(Comments)));
        by_gold(
            &mut labelling,
            &texts,
            "These words of a reader are nowhere on the page as it was saved",
            TokenUnit::Words,
        );
        assert_eq!(labelling.comments, CommentKnowledge::Unknown);
        assert!(!labelling.labels.contains(&Some(Comments)));
    }
}
