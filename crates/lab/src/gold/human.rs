//! A human's labels of text nodes, transferred to targets, for evaluating alignments.
//!
//! KrdWrd CANOLA has such labels in addition to its gold text. The human saw another parse of the
//! page than ours, so the words of both are aligned; each word has the label of its node, and the
//! majority of a target's words decides.

use super::labelling::Labelling;
use super::read::node_labels;
use super::words::Pieces;
use crate::gold::matching::matching_blocks;
use crate::gold::words::Numbering;
use vclean_core::classify::Label;
use vclean_core::error::DataError;
use vclean_run::source::{DataSet, Row};

/// Share of a target's words that must be aligned with labelled words, and the share of these that
/// one label must have.
const MAJORITY: f64 = 0.5;

/// The human's opinion of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// Its text was labelled good, or bad.
    Sure(Label),
    /// Most of its text was labelled uncertain, or not at all, or the labels are mixed.
    Unsure,
    /// Most of its words are not among the labelled ones, so the human did not see it.
    Unaligned,
}

impl Opinion {
    /// The label, if the human was sure.
    pub(crate) fn label(self) -> Option<Label> {
        match self {
            Self::Sure(label) => Some(label),
            Self::Unsure | Self::Unaligned => None,
        }
    }
}

/// The human's opinions of targets with these texts.
///
/// `nodes` are the text nodes in document order, with 1 (bad), 2 (uncertain), 3 (good) or 0 (none).
pub(crate) fn opinions(texts: &[String], nodes: &[(String, u8)]) -> Vec<Opinion> {
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
        let mut votes = [0usize; 4];
        for label in label_at[range.clone()].iter().flatten() {
            votes[usize::from((*label).min(3))] += 1;
        }
        let all: usize = votes.iter().sum();
        let has = |label: usize| votes[label] as f64 > MAJORITY * all as f64;
        match () {
            () if all == 0 || (all as f64) < MAJORITY * range.len() as f64 => Opinion::Unaligned,
            () if has(3) => Opinion::Sure(Label::Content),
            () if has(1) => Opinion::Sure(Label::Boilerplate),
            () => Opinion::Unsure,
        }
    };
    page.ranges.iter().map(of_target).collect()
}

/// Removes the labels of targets on which the human was not sure: such labels are random, and of no
/// use for training and evaluation.
pub(crate) fn leave_unsure(labelling: &mut Labelling, human: &[Opinion]) {
    for (label, _) in labelling
        .labels
        .iter_mut()
        .zip(human)
        .filter(|(_, opinion)| **opinion == Opinion::Unsure)
    {
        *label = None;
    }
}

/// The human's opinions of a page's targets; `None` if the set has no labels for this page.
///
/// # Errors
/// If the file of labels is damaged.
pub(crate) fn read_opinions(
    set: &DataSet,
    row: &Row,
    texts: &[String],
) -> Result<Option<Vec<Opinion>>, DataError> {
    Ok(node_labels(set, row)?.map(|nodes| opinions(texts, &nodes)))
}

#[cfg(test)]
mod tests {
    use super::super::align::words;
    use super::*;
    use crate::gold::TokenUnit;

    #[test]
    fn the_majority_of_words_decides() {
        let texts: Vec<String> = [
            "Home",
            "A text with a link in it",
            "never seen",
            "maybe so",
            "mixed half and good",
            "",
        ]
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
        let (bad, good) = (
            Opinion::Sure(Label::Boilerplate),
            Opinion::Sure(Label::Content),
        );
        let (unsure, unaligned) = (Opinion::Unsure, Opinion::Unaligned);
        let found = opinions(&texts, &nodes);
        assert_eq!(found, [bad, good, unaligned, unsure, unsure, unaligned]);
        assert_eq!(opinions(&texts, &[]), [unaligned; 6]);
        assert!(opinions(&[], &nodes).is_empty());

        let mut labelling = words(
            &texts,
            "A text with a link in it and good",
            TokenUnit::Words,
        );
        let agreed = |(label, opinion): (&Option<Label>, &Opinion)| {
            label.zip(opinion.label()).is_none_or(|(a, b)| a == b)
        };
        assert!(labelling.labels.iter().zip(&found).all(agreed));
        leave_unsure(&mut labelling, &found);
        let is_labelled: Vec<bool> = labelling.labels.iter().map(Option::is_some).collect();
        assert_eq!(is_labelled, [true, true, true, false, false, true]);
    }
}
