//! The measure of the article benchmark (scrapinghub): 4-grams of words, one of the [`metrics`](super::metrics).

use super::statistics::mean;
use crate::gold::words::word_runs;
use crate::gold::{Counts, WordScore, in_common};
use serde::{Deserialize, Serialize};

/// One page of the article benchmark (scrapinghub): shares of true and false shingles, which sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Shingles {
    /// Share of shingles in both.
    pub true_positive: f64,
    /// Share of shingles in the output only.
    pub false_positive: f64,
    /// Share of shingles in the gold only.
    pub false_negative: f64,
    /// Whether the token lists are equal.
    pub is_exact: bool,
    /// Numbers of shingles, for pooled scores.
    pub counts: Counts,
}

/// Tokens in a shingle of the article benchmark.
const SHINGLE_TOKENS: usize = 4;

/// Compares two texts by 4-grams of words, case-sensitive; fewer than four words are one shingle.
pub fn shingles(output: &str, gold: &str) -> Shingles {
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

/// The article benchmark's score: mean precision over pages with output, mean recall over pages with gold, F of both.
pub fn shingle_score(pages: &[Shingles]) -> WordScore {
    let share = |wrong: fn(&Shingles) -> f64| {
        let shares = pages.iter().filter(|page| page.true_positive + wrong(page) > 0.0);
        mean(&shares.map(|page| page.true_positive / (page.true_positive + wrong(page))).collect::<Vec<_>>())
    };
    WordScore::new(share(|page| page.false_positive), share(|page| page.false_negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shingles_are_those_of_the_article_benchmark() {
        let page = shingles("a b c d e", "a b c d f");
        assert_eq!((page.true_positive, page.false_positive, page.false_negative), (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0));
        assert!(shingles("one, two", "one two").is_exact);
        let score = shingle_score(&[shingles("", "a b"), shingles("a b", "a b")]);
        assert_eq!((score.precision, score.recall), (1.0, 0.5));
    }
}
