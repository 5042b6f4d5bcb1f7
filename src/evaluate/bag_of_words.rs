//! Bags of words (the measure of WCXB), one of the [`metrics`](super::metrics).

use crate::gold::words::word_runs;
use crate::gold::{Counts, in_common};

/// Bags of lower-case words (WCXB): how many occurrences of each word are in both.
pub fn bag_of_words(output: &str, gold: &str) -> Counts {
    let (output, gold) = (output.to_lowercase(), gold.to_lowercase());
    let (output, gold) = (word_runs(&output), word_runs(&gold));
    let (output_len, gold_len) = (output.len(), gold.len());
    Counts::from_totals(in_common(output, gold), output_len, gold_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_ignore_order_and_case() {
        let counts = bag_of_words("The THE cat, sat", "cat the dog");
        assert_eq!(counts, Counts { true_positive: 2, false_positive: 2, false_negative: 1 });
    }
}
