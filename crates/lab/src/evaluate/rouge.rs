//! ROUGE-LSum as in the comparison of main-content extractors (Bevendorff et al. 2023, "WCEB"), one
//! of the [`metrics`](super::metrics).
//!
//! Counted as `rouge_score` (Google) does, without stemmer, on tokens separated by white space: for
//! each gold sentence the union of its longest common subsequences with all output sentences, where
//! a token counts at most as often as both sides have it. The paper's sentences come from NLTK's
//! trained splitter; ours from Unicode's rules (UAX 29), which changes the third decimal of the
//! score.

use crate::gold::lcs::{self, Longest};
use crate::gold::words::{Numbering, TokenUnit, tokens};
use crate::gold::{Counts, WordScore};
use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use serde::{Deserialize, Serialize};
use vclean_core::text::collapse;

/// Tokens of the union that were found, tokens only in the output, and tokens only in the gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rouge(pub Counts);

impl Rouge {
    /// Precision, recall and F. Gold without a token has recall 1, and all is 1 if the output is
    /// empty too, as in WCEB.
    pub fn score(self) -> WordScore {
        let Counts {
            true_positive,
            false_positive,
            false_negative,
        } = self.0;
        if true_positive + false_negative == 0 {
            let precision = if false_positive == 0 { 1.0 } else { 0.0 };
            return WordScore {
                precision,
                recall: 1.0,
                f1: precision,
            };
        }
        self.0.score()
    }
}

/// Up to this many pairs of tokens and sentences (about a second), sentences are compared; above,
/// each text counts as one sentence (ROUGE-L), which gives nearly the same score if the order of
/// the page is kept.
const WORK_LIMIT: usize = 30_000_000;

/// ROUGE-LSum of two texts.
pub(crate) fn rouge_lsum(output: &str, gold: &str, unit: TokenUnit) -> Rouge {
    let (output, gold) = (collapse(output), collapse(gold));
    let mut numbering = Numbering::new();
    let output = number_sentences(&output, unit, &mut numbering);
    let gold = number_sentences(&gold, unit, &mut numbering);
    score_sentences(&output, &gold, WORK_LIMIT)
}

fn number_sentences<'a>(
    text: &'a str,
    unit: TokenUnit,
    numbering: &mut Numbering<&'a str>,
) -> Vec<Vec<u32>> {
    let numbered = cut_sentences(text)
        .into_iter()
        .map(|sentence| numbering.number(tokens(sentence, unit)));
    numbered.filter(|sentence| !sentence.is_empty()).collect()
}

/// Sentences of a text on one line.
fn cut_sentences(text: &str) -> Vec<&str> {
    let ends: Vec<usize> = SentenceSegmenter::new(SentenceBreakInvariantOptions::default())
        .segment_str(text)
        .collect();
    ends.windows(2).map(|two| &text[two[0]..two[1]]).collect()
}

fn score_sentences(output: &[Vec<u32>], gold: &[Vec<u32>], work_limit: usize) -> Rouge {
    let size = |sentences: &[Vec<u32>]| sentences.iter().map(Vec::len).sum::<usize>();
    let (output_len, gold_len) = (size(output), size(gold));
    let rows: usize = gold
        .iter()
        .map(|sentence| sentence.len().div_ceil(64))
        .sum();
    let hits = if rows.saturating_mul(output_len) > work_limit {
        lcs::length(&output.concat(), &gold.concat())
    } else {
        union_hits(output, gold)
    };
    Rouge(Counts::from_totals(hits, output_len, gold_len))
}

fn union_hits(output: &[Vec<u32>], gold: &[Vec<u32>]) -> usize {
    let kinds = output
        .iter()
        .chain(gold)
        .flatten()
        .max()
        .map_or(0, |&largest| largest as usize + 1);
    // How often each token may still be counted: at most as often as both sides have it.
    let counts = |sentences: &[Vec<u32>]| {
        let mut counts = vec![0u32; kinds];
        sentences
            .iter()
            .flatten()
            .for_each(|&token| counts[token as usize] += 1);
        counts
    };
    let mut left: Vec<u32> = counts(output)
        .into_iter()
        .zip(counts(gold))
        .map(|(one, other)| one.min(other))
        .collect();
    let mut hits = 0;
    for sentence in gold {
        let mut longest = Longest::new(sentence);
        let mut is_found = vec![false; sentence.len()];
        for other in output {
            longest.trace(other, |at, _| is_found[at] = true);
        }
        for (&token, _) in sentence.iter().zip(&is_found).filter(|(_, found)| **found) {
            let left = &mut left[token as usize];
            if *left > 0 {
                *left -= 1;
                hits += 1;
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Precision and recall in thousandths.
    fn thousandths(rouge: Rouge) -> (i64, i64, i64) {
        let score = rouge.score();
        let round = |value: f64| (value * 1000.0).round() as i64;
        (round(score.precision), round(score.recall), round(score.f1))
    }

    #[test]
    fn unions_equal_the_example_of_the_paper() {
        // Lin 2004, section 3.2: reference w1..w5, candidates "w1 w2 w6 w7 w8" and "w1 w3 w8 w9
        // w5": union w1 w2 w3 w5.
        let score = score_sentences(
            &[vec![1, 2, 6, 7, 8], vec![1, 3, 8, 9, 5]],
            &[vec![1, 2, 3, 4, 5]],
            WORK_LIMIT,
        );
        assert_eq!(thousandths(score), (400, 800, 533));
    }

    #[test]
    fn hits_equal_those_of_rouge_score() {
        // rouge_score 0.1.2, rougeLsum, no stemmer, tokens separated by white space, one sentence
        // per line; the sequences are those of the tests of `matching`, cut into sentences of the
        // given lengths.
        let sequence = |seed: u64, length: usize, kinds: u64, sentence: usize| -> Vec<Vec<u32>> {
            let mut x = seed;
            let tokens: Vec<u32> = (0..length)
                .map(|_| {
                    x = (x * 1_103_515_245 + 12_345) % (1 << 31);
                    ((x >> 16) % kinds) as u32
                })
                .collect();
            tokens.chunks(sentence).map(<[u32]>::to_vec).collect()
        };
        for (gold, output, hits) in [
            (sequence(1, 300, 20, 17), sequence(2, 260, 20, 13), 232),
            (sequence(3, 900, 150, 70), sequence(4, 700, 150, 90), 534),
            (sequence(5, 400, 60, 9), sequence(6, 500, 60, 150), 346),
        ] {
            assert_eq!(union_hits(&output, &gold), hits);
        }
    }

    #[test]
    fn an_empty_output_is_right_for_empty_gold() {
        assert_eq!(
            rouge_lsum("", " ", TokenUnit::Words).score(),
            WordScore::new(1.0, 1.0)
        );
        assert_eq!(
            rouge_lsum("a", "", TokenUnit::Words).score(),
            WordScore {
                precision: 0.0,
                recall: 1.0,
                f1: 0.0
            }
        );
        assert_eq!(
            rouge_lsum("", "a", TokenUnit::Words).score(),
            WordScore::default()
        );
    }

    #[test]
    fn too_much_work_is_one_sentence() {
        let one = |tokens: &[u32]| vec![tokens.to_vec()];
        let score = score_sentences(&[one(&[1, 2]), one(&[3])].concat(), &one(&[1, 2, 4]), 0);
        assert_eq!(thousandths(score), (667, 667, 667));
    }

    #[test]
    fn sentences_end_at_full_stops_not_at_line_breaks() {
        assert_eq!(
            cut_sentences("One. Two! Three"),
            ["One. ", "Two! ", "Three"]
        );
        assert_eq!(cut_sentences("一。二。").len(), 2);
        assert!(cut_sentences("").is_empty());
    }
}
