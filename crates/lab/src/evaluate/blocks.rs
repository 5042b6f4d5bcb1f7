//! Text blocks classified correctly and wrongly.

use crate::gold::human::Opinion;
use crate::gold::{Labelling, WordScore, share};
use serde::Serialize;
use vclean_core::classify::Label;

/// Blocks classified correctly and wrongly; content is the positive class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BlockScore {
    /// Number of content blocks kept.
    pub true_positive: u64,
    /// Number of boilerplate blocks kept.
    pub false_positive: u64,
    /// Number of boilerplate blocks dropped.
    pub true_negative: u64,
    /// Number of content blocks dropped.
    pub false_negative: u64,
}

impl BlockScore {
    /// Counts verdicts against gold labels; comments are not content.
    pub fn count(pairs: impl IntoIterator<Item = (Label, Label)>) -> Self {
        let mut score = Self::default();
        for (verdict, gold) in pairs {
            *match (verdict == Label::Content, gold == Label::Content) {
                (true, true) => &mut score.true_positive,
                (true, false) => &mut score.false_positive,
                (false, false) => &mut score.true_negative,
                (false, true) => &mut score.false_negative,
            } += 1;
        }
        score
    }

    /// Counts verdicts against gold labels, with comments as the positive class.
    pub(crate) fn count_comments(pairs: impl IntoIterator<Item = (Label, Label)>) -> Self {
        let positive = |label| {
            if label == Label::Comments {
                Label::Content
            } else {
                Label::Boilerplate
            }
        };
        Self::count(
            pairs
                .into_iter()
                .map(|(verdict, gold)| (positive(verdict), positive(gold))),
        )
    }

    /// Counts the labels of an alignment (as verdicts) against the sure labels of a human (as
    /// gold).
    pub(crate) fn against_human(labelling: &Labelling, human: &[Opinion]) -> Self {
        Self::count(
            labelling
                .labels
                .iter()
                .zip(human)
                .filter_map(|(found, opinion)| (*found).zip(opinion.label())),
        )
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            true_positive: self.true_positive + other.true_positive,
            false_positive: self.false_positive + other.false_positive,
            true_negative: self.true_negative + other.true_negative,
            false_negative: self.false_negative + other.false_negative,
        }
    }

    /// Number of blocks of both labels.
    pub fn blocks(self) -> u64 {
        self.true_positive + self.false_positive + self.true_negative + self.false_negative
    }

    /// Share of blocks classified correctly; 0 for no block.
    pub fn accuracy(self) -> f64 {
        share(self.true_positive + self.true_negative, self.blocks())
    }

    /// Blocks, accuracy, precision, recall and F as cells of a table, with this number of decimals.
    pub fn cells(self, decimals: usize) -> Vec<String> {
        let content = self.score();
        let shares = [
            self.accuracy(),
            content.precision,
            content.recall,
            content.f1,
        ];
        std::iter::once(self.blocks().to_string())
            .chain(shares.map(|share| format!("{share:.decimals$}")))
            .collect()
    }

    /// Column names of [`cells`](Self::cells).
    pub const COLUMNS: [&'static str; 5] = ["blocks", "accuracy", "P", "R", "F"];

    /// Precision, recall and F of content.
    pub fn score(self) -> WordScore {
        WordScore::new(
            share(self.true_positive, self.true_positive + self.false_positive),
            share(self.true_positive, self.true_positive + self.false_negative),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_counted_apart_from_content_and_boilerplate() {
        use Label::{Boilerplate, Comments, Content};
        let pairs = [
            (Comments, Comments),
            (Content, Comments),
            (Comments, Boilerplate),
            (Content, Content),
        ];
        let score = BlockScore::count_comments(pairs);
        assert_eq!(score.score(), WordScore::new(0.5, 0.5));
        assert_eq!(
            (score.true_negative, BlockScore::count(pairs).true_positive),
            (1, 1)
        );
    }

    #[test]
    fn blocks_take_content_as_positive() {
        use Label::{Boilerplate, Content};
        let score = BlockScore::count([
            (Content, Content),
            (Content, Boilerplate),
            (Boilerplate, Boilerplate),
            (Boilerplate, Boilerplate),
            (Boilerplate, Content),
        ]);
        assert_eq!(score.accuracy(), 0.6);
        assert_eq!(score.score(), WordScore::new(0.5, 0.5));
        assert_eq!(score.cells(2), ["5", "0.60", "0.50", "0.50", "0.50"]);
        assert_eq!(score.cells(1).len(), BlockScore::COLUMNS.len());
    }
}
