//! How well two annotators agree: on the text of a page, and on the labels of its targets.
//!
//! Gold text is compared by minimum edit distance on words (FIASCO section 5), labels by accuracy
//! and Cohen's kappa.

use super::BlockScore;
use crate::gold::words::{Numbering, TokenUnit, is_cjk, prepare, tokens};
use serde::Serialize;

/// Agreement of FIASCO's two annotators, mean over 158 pages (section 5).
pub(crate) const FIASCO_AGREEMENT: f64 = 0.9175;

/// The minimum edit distance of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct EditDistance {
    /// Insertions, deletions and substitutions that turn one text into the other, each costing 1.
    pub distance: usize,
    /// Tokens of the longer text.
    pub longest: usize,
}

impl EditDistance {
    /// Counts the edits between two texts, prepared as for the difflib score (without marks and
    /// `URL` lines).
    pub(crate) fn compare(one: &str, other: &str, unit: TokenUnit) -> Self {
        let (one, other) = (prepare(one), prepare(other));
        let mut numbering = Numbering::new();
        let one = numbering.number(tokens(&one, unit));
        let other = numbering.number(tokens(&other, unit));
        let longest = one.len().max(other.len());
        Self {
            distance: rapidfuzz::distance::levenshtein::distance(one, other),
            longest,
        }
    }

    /// Share of the longer text that both have, `1 - distance / longest`, 0 to 1; 1 if both are
    /// empty. FIASCO computes agreement from the distance but does not give the formula; this is
    /// the usual one, and never below 0.
    pub(crate) fn agreement(self) -> f64 {
        if self.longest == 0 {
            1.0
        } else {
            1.0 - self.distance as f64 / self.longest as f64
        }
    }
}

/// The unit that fits a text of unknown language: characters if most of its letters are Chinese or
/// Japanese.
pub(crate) fn unit_of_text(text: &str) -> TokenUnit {
    let (mut letters, mut of_cjk) = (0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        of_cjk += usize::from(is_cjk(c));
    }
    if of_cjk * 2 > letters {
        TokenUnit::Characters
    } else {
        TokenUnit::Words
    }
}

/// Cohen's kappa of two labellings (Cohen 1960): agreement beyond chance, -1 to 1. The verdicts of
/// `score` are the first annotator, its gold the second. 1 if both used only one label and the same
/// one; 0 for no target.
pub(crate) fn kappa(score: BlockScore) -> f64 {
    let all = score.blocks() as f64;
    if all == 0.0 {
        return 0.0;
    }
    let one = (score.true_positive + score.false_positive) as f64 / all;
    let other = (score.true_positive + score.false_negative) as f64 / all;
    let chance = one * other + (1.0 - one) * (1.0 - other);
    if chance >= 1.0 {
        1.0
    } else {
        (score.accuracy() - chance) / (1.0 - chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_word_of_four_differs() {
        let found = EditDistance::compare(
            "URL: http://x\n<p>one two three four",
            "one two 3 four",
            TokenUnit::Words,
        );
        assert_eq!(
            found,
            EditDistance {
                distance: 1,
                longest: 4
            }
        );
        assert_eq!(found.agreement(), 0.75);
        assert_eq!(
            EditDistance::compare("a b", "", TokenUnit::Words).agreement(),
            0.0
        );
        assert_eq!(
            EditDistance::compare(" ", "", TokenUnit::Words).agreement(),
            1.0
        );
        assert_eq!(
            EditDistance::compare("中文字", "中 字", TokenUnit::Characters).distance,
            1
        );
    }

    #[test]
    fn the_unit_follows_the_script() {
        assert_eq!(unit_of_text("一个有意思的警告 C++"), TokenUnit::Characters);
        assert_eq!(unit_of_text("これは日本語です"), TokenUnit::Characters);
        assert_eq!(
            unit_of_text("Das Wort 中文 heißt Chinesisch"),
            TokenUnit::Words
        );
        assert_eq!(unit_of_text("한국어 문장"), TokenUnit::Words);
        assert_eq!(unit_of_text(""), TokenUnit::Words);
    }

    #[test]
    fn kappa_equals_the_textbook_example() {
        // Cohen's example of two readers: 20 yes both, 5 and 10 apart, 15 no both: kappa 0.4.
        let score = BlockScore {
            true_positive: 20,
            false_positive: 5,
            false_negative: 10,
            true_negative: 15,
        };
        assert!((kappa(score) - 0.4).abs() < 1e-12);
        assert_eq!(kappa(BlockScore::default()), 0.0);
        assert_eq!(
            kappa(BlockScore {
                true_positive: 3,
                ..BlockScore::default()
            }),
            1.0
        );
        assert!(
            kappa(BlockScore {
                false_positive: 3,
                false_negative: 3,
                ..BlockScore::default()
            }) < 0.0
        );
    }

    /// The textbook algorithm with a full table.
    fn slow(one: &[&str], other: &[&str]) -> usize {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, a) in one.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, b) in other.iter().enumerate() {
                let next = (corner + usize::from(a != b))
                    .min(row[j] + 1)
                    .min(row[j + 1] + 1);
                corner = std::mem::replace(&mut row[j + 1], next);
            }
        }
        row[other.len()]
    }

    proptest! {
        #[test]
        fn the_distance_equals_that_of_the_slow_method(one in "([abc] ){0,90}", other in "([abc] ){0,90}") {
            let (a, b): (Vec<&str>, Vec<&str>) = (one.split_whitespace().collect(), other.split_whitespace().collect());
            let found = EditDistance::compare(&one, &other, TokenUnit::Words);
            prop_assert_eq!(found.distance, slow(&a, &b));
            prop_assert!((0.0..=1.0).contains(&found.agreement()));
        }
    }
}
