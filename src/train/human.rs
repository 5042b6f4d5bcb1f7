//! A human's labels of text nodes, laid on targets: what an alignment is measured against.
//!
//! KrdWrd CANOLA has such labels beside its gold text. The human saw another parse of the page than we do, so the words
//! of both are aligned; each word carries its node's label, and the words of a target vote.

use super::align::{Labelling, Pieces};
use crate::classify::Label;
use crate::evaluate::matching::matching_blocks;
use crate::evaluate::words::Numbering;
use crate::evaluate::{BlockScore, DataError, DataSet, Row};

/// Share of a target's words that must be found among the human's, and of those found that one label must have.
const MAJORITY: f64 = 0.5;

/// The human's labels of targets with these texts, `None` where the human was uncertain or said nothing.
///
/// `nodes` are the text nodes in document order, with 1 (bad), 2 (uncertain), 3 (good) or 0 (none).
pub fn human_labels(texts: &[String], nodes: &[(String, u8)]) -> Vec<Option<Label>> {
    let mut numbering = Numbering::new();
    let page = Pieces::new(texts.iter().map(String::as_str), &mut numbering);
    let labelled = Pieces::new(nodes.iter().map(|(text, _)| text.as_str()), &mut numbering);
    let mut label_of_word = Vec::with_capacity(labelled.words.len());
    for (range, (_, label)) in labelled.ranges.iter().zip(nodes) {
        label_of_word.resize(range.end, *label);
    }
    let mut label_at: Vec<Option<u8>> = vec![None; page.words.len()];
    for block in matching_blocks(&page.words, &labelled.words, false) {
        for by in 0..block.size {
            label_at[block.a + by] = Some(label_of_word[block.b + by]);
        }
    }
    let of_target = |range: &std::ops::Range<usize>| {
        let votes: Vec<u8> = label_at[range.clone()].iter().filter_map(|label| *label).collect();
        let count = |label: u8| votes.iter().filter(|vote| **vote == label).count() as f64;
        let has = |label: u8| count(label) > MAJORITY * votes.len() as f64;
        match () {
            () if votes.is_empty() || (votes.len() as f64) < MAJORITY * range.len() as f64 => None,
            () if has(3) => Some(Label::Content),
            () if has(1) => Some(Label::Boilerplate),
            () => None,
        }
    };
    page.ranges.iter().map(of_target).collect()
}

/// Counts the labels of an alignment (as verdicts) against those of the human (as gold), where both have one.
pub fn against_human(labelling: &Labelling, human: &[Option<Label>]) -> BlockScore {
    BlockScore::count(labelling.labels.iter().zip(human).filter_map(|(found, human)| (*found).zip(*human)))
}

/// The human's labels of a page's targets; `None` where the set has none for this page.
///
/// # Errors
/// If the file of labels is damaged.
pub fn read_human_labels(set: &DataSet, row: &Row, texts: &[String]) -> Result<Option<Vec<Option<Label>>>, DataError> {
    Ok(set.node_labels(row)?.map(|nodes| human_labels(texts, &nodes)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_target_vote() {
        let texts: Vec<String> =
            ["Home", "A text with a link in it", "never seen", "maybe so", "mixed half and good", ""]
                .map(str::to_owned)
                .to_vec();
        let nodes: Vec<(String, u8)> = [
            ("Home", 1),
            ("A text with", 3),
            ("a link", 1),
            ("in it", 3),
            ("maybe so", 2),
            ("mixed half", 1),
            ("and good", 3),
        ]
        .map(|(text, label)| (text.to_owned(), label))
        .to_vec();
        let (bad, good) = (Some(Label::Boilerplate), Some(Label::Content));
        assert_eq!(human_labels(&texts, &nodes), [bad, good, None, None, None, None]);
        assert_eq!(human_labels(&texts, &[]), [None; 6]);
        assert!(human_labels(&[], &nodes).is_empty());
    }
}
