//! Precision, recall and F over words, for evaluating alignments and as the basis of all word
//! measures.

use super::matching::matching_blocks;
use super::words::{Numbering, TokenUnit, prepare, tokens};
use serde::{Deserialize, Serialize};

/// Precision, recall and their harmonic mean, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct WordScore {
    /// Share of the output that is gold.
    pub precision: f64,
    /// Share of the gold that is in the output.
    pub recall: f64,
    /// 2PR / (P + R), 0 where both are 0.
    pub f1: f64,
}

impl WordScore {
    /// The score of a precision and a recall.
    pub fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        Self {
            precision,
            recall,
            f1: if sum > 0.0 {
                2.0 * precision * recall / sum
            } else {
                0.0
            },
        }
    }

    /// Means of precision, recall and F over pages (macro mean); zero for no page.
    pub fn mean(scores: &[Self]) -> Self {
        if scores.is_empty() {
            return Self::default();
        }
        let mean =
            |value: fn(&Self) -> f64| scores.iter().map(value).sum::<f64>() / scores.len() as f64;
        Self {
            precision: mean(|score| score.precision),
            recall: mean(|score| score.recall),
            f1: mean(|score| score.f1),
        }
    }
}

/// Tokens found, invented and missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Tokens in output and gold.
    pub true_positive: u64,
    /// Only in the output.
    pub false_positive: u64,
    /// Only in the gold.
    pub false_negative: u64,
}

impl Counts {
    pub(crate) fn from_totals(matched: usize, output: usize, gold: usize) -> Self {
        Self {
            true_positive: matched as u64,
            false_positive: (output - matched) as u64,
            false_negative: (gold - matched) as u64,
        }
    }

    /// Precision, recall and F; all 1 if output and gold are both empty.
    pub fn score(self) -> WordScore {
        let Self {
            true_positive,
            false_positive,
            false_negative,
        } = self;
        if true_positive + false_positive + false_negative == 0 {
            return WordScore::new(1.0, 1.0);
        }
        WordScore::new(
            share(true_positive, true_positive + false_positive),
            share(true_positive, true_positive + false_negative),
        )
    }

    /// The score of all pages taken as one (pooled).
    pub(crate) fn pooled(all: impl IntoIterator<Item = Self>) -> WordScore {
        let sum = all.into_iter().fold(Self::default(), |sum, page| Self {
            true_positive: sum.true_positive + page.true_positive,
            false_positive: sum.false_positive + page.false_positive,
            false_negative: sum.false_negative + page.false_negative,
        });
        sum.score()
    }
}

pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Word-level score by alignment (Evert 2007; FIASCO section 6): tokens in equal stretches of
/// output and gold.
///
/// Published figures have `autojunk` on (Python's default); those of our peers were measured with
/// it off.
pub fn difflib(output: &str, gold: &str, unit: TokenUnit, autojunk: bool) -> Counts {
    let (output, gold) = (prepare(output), prepare(gold));
    let mut numbering = Numbering::new();
    let output = numbering.number(tokens(&output, unit));
    let gold = numbering.number(tokens(&gold, unit));
    let matched = matching_blocks(&output, &gold, autojunk)
        .iter()
        .map(|block| block.size)
        .sum();
    Counts::from_totals(matched, output.len(), gold.len())
}

/// Size of the intersection of two multisets.
pub(crate) fn in_common<T: Ord>(mut one: Vec<T>, mut other: Vec<T>) -> usize {
    one.sort_unstable();
    other.sort_unstable();
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_by_alignment() {
        let counts = difflib("a b x c", "<p> a b c d", TokenUnit::Words, false);
        assert_eq!(
            counts,
            Counts {
                true_positive: 3,
                false_positive: 1,
                false_negative: 1
            }
        );
        let score = counts.score();
        assert_eq!(
            (score.precision, score.recall, score.f1),
            (0.75, 0.75, 0.75)
        );
        assert_eq!(
            difflib("中文", "中 文", TokenUnit::Characters, false)
                .score()
                .f1,
            1.0
        );
    }

    #[test]
    fn empty_output_has_recall_zero_unless_the_gold_is_empty_too() {
        assert_eq!(
            difflib("", "a b", TokenUnit::Words, false).score(),
            WordScore::default()
        );
        assert_eq!(difflib("", " ", TokenUnit::Words, false).score().f1, 1.0);
        assert_eq!(
            difflib("a", "", TokenUnit::Words, false).score(),
            WordScore::default()
        );
    }

    #[test]
    fn pooled_differs_from_the_mean_over_pages() {
        let pages = [
            Counts {
                true_positive: 9,
                false_positive: 1,
                false_negative: 0,
            },
            Counts {
                true_positive: 0,
                false_positive: 0,
                false_negative: 1,
            },
        ];
        let mean = WordScore::mean(&pages.map(Counts::score));
        assert_eq!((mean.precision, mean.recall), (0.45, 0.5));
        let pooled = Counts::pooled(pages);
        assert_eq!((pooled.precision, pooled.recall), (0.9, 0.9));
    }
}
