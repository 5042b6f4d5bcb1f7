//! Measures of two texts: bags of words, characters, 4-grams of words; and the mean and median of
//! scores.
//!
//! In all measures a page without output counts with precision and recall 0, unless its gold is
//! empty too.

use crate::gold::words::{Numbering, prepare, word_runs};
use crate::gold::{Counts, WordScore, in_common, lcs};
use serde::{Deserialize, Serialize};
use vclean_core::text::collapse;

// Bags of words (the measure of WCXB).

/// Bags of lower-case words (WCXB): how many occurrences of each word are in both.
pub(crate) fn bag_of_words(output: &str, gold: &str) -> Counts {
    let (output, gold) = (output.to_lowercase(), gold.to_lowercase());
    let (output, gold) = (word_runs(&output), word_runs(&gold));
    let (output_len, gold_len) = (output.len(), gold.len());
    Counts::from_totals(in_common(output, gold), output_len, gold_len)
}

// Precision and recall over characters (Viveros-Jimenez et al. 2018).

/// Compares two texts character by character, as aligned by their longest common subsequence. Lines
/// that begin with `URL` and the marks of segments are left out, and a run of white space is one
/// space, so that line breaks do not count.
///
/// Texts of hundreds of thousands of characters that differ nearly everywhere are aligned by their
/// longest equal runs instead: a lower bound (see [`lcs::length`]).
pub(crate) fn characters(output: &str, gold: &str) -> Counts {
    let (output, gold) = (collapse(&prepare(output)), collapse(&prepare(gold)));
    let mut numbering = Numbering::new();
    let (output, gold) = (
        numbering.number(output.chars()),
        numbering.number(gold.chars()),
    );
    Counts::from_totals(lcs::length(&output, &gold), output.len(), gold.len())
}

// The measure of the article benchmark (scrapinghub): 4-grams of words.

/// One page of the article benchmark (scrapinghub): shares of true and false shingles, which sum to
/// 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Shingles {
    /// Share of shingles in both.
    pub true_positive: f64,
    /// Share of shingles in the output only.
    pub false_positive: f64,
    /// Share of shingles in the gold only.
    pub false_negative: f64,
    /// True if both token lists are equal.
    pub is_exact: bool,
    /// Numbers of shingles, for pooled scores.
    pub counts: Counts,
}

/// Tokens in a shingle of the article benchmark.
const SHINGLE_TOKENS: usize = 4;

/// Compares two texts by 4-grams of words, case-sensitive; fewer than four words are one shingle.
pub(crate) fn shingles(output: &str, gold: &str) -> Shingles {
    fn cut<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
        match words.len() {
            0 => Vec::new(),
            1..=SHINGLE_TOKENS => vec![words.to_vec()],
            _ => words.windows(SHINGLE_TOKENS).map(<[_]>::to_vec).collect(),
        }
    }
    let (output, gold) = (word_runs(output), word_runs(gold));
    let is_exact = output == gold;
    let (output, gold) = (cut(&output), cut(&gold));
    let (output_len, gold_len) = (output.len(), gold.len());
    let common = in_common(output, gold);
    let whole = (output_len + gold_len - common).max(1) as f64;
    Shingles {
        true_positive: common as f64 / whole,
        false_positive: (output_len - common) as f64 / whole,
        false_negative: (gold_len - common) as f64 / whole,
        is_exact,
        counts: Counts::from_totals(common, output_len, gold_len),
    }
}

/// The article benchmark's score: mean precision over pages with output, mean recall over pages
/// with gold, F of both.
pub(crate) fn shingle_score(pages: &[Shingles]) -> WordScore {
    let share = |wrong: fn(&Shingles) -> f64| {
        let shares = pages
            .iter()
            .filter(|page| page.true_positive + wrong(page) > 0.0);
        mean(
            &shares
                .map(|page| page.true_positive / (page.true_positive + wrong(page)))
                .collect::<Vec<_>>(),
        )
    };
    WordScore::new(
        share(|page| page.false_positive),
        share(|page| page.false_negative),
    )
}

// Statistics over the scores of pages: mean and median, for reports.

/// Arithmetic mean; 0 for no value.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

/// Median (mean of the middle two for an even number); 0 for no value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_ignore_order_and_case() {
        let counts = bag_of_words("The THE cat, sat", "cat the dog");
        assert_eq!(
            counts,
            Counts {
                true_positive: 2,
                false_positive: 2,
                false_negative: 1
            }
        );
    }

    #[test]
    fn characters_are_aligned() {
        let counts = characters("kitten  sat", "<p>sitting\nsat");
        // "itt" + "n" + " sat" = 8 of "kitten sat" (10) and "sitting sat" (11).
        assert_eq!(
            counts,
            Counts {
                true_positive: 8,
                false_positive: 2,
                false_negative: 3
            }
        );
        assert_eq!(characters("", " ").score().f1, 1.0);
        assert_eq!(characters("", "a").score().f1, 0.0);
        assert_eq!(characters("中文", "中字文").true_positive, 2);
    }

    #[test]
    fn shingles_are_those_of_the_article_benchmark() {
        let page = shingles("a b c d e", "a b c d f");
        assert_eq!(
            (page.true_positive, page.false_positive, page.false_negative),
            (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)
        );
        assert!(shingles("one, two", "one two").is_exact);
        let score = shingle_score(&[shingles("", "a b"), shingles("a b", "a b")]);
        assert_eq!((score.precision, score.recall), (1.0, 0.5));
    }

    #[test]
    fn no_value_and_even_numbers_have_a_mean_and_a_median() {
        assert_eq!((mean(&[]), median(&[])), (0.0, 0.0));
        assert_eq!(
            (mean(&[1.0, 2.0, 6.0]), median(&[3.0, 1.0, 2.0, 10.0])),
            (3.0, 2.5)
        );
    }
}
