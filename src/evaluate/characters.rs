//! Precision and recall over characters (Viveros-Jimenez et al. 2018), one of the [`metrics`](super::metrics).

use crate::gold::Counts;
use crate::gold::lcs;
use crate::gold::words::{Numbering, prepare};
use crate::text::collapse;

/// Compares two texts character by character, as aligned by their longest common subsequence. Lines that begin with
/// `URL` and the marks of segments are left out, and a run of white space is one space, so that line breaks do not count.
///
/// Texts of hundreds of thousands of characters that differ nearly everywhere are aligned by their longest equal runs
/// instead: a lower bound (see [`lcs::length`]).
pub fn characters(output: &str, gold: &str) -> Counts {
    let (output, gold) = (collapse(&prepare(output)), collapse(&prepare(gold)));
    let mut numbering = Numbering::new();
    let (output, gold) = (numbering.number(output.chars()), numbering.number(gold.chars()));
    Counts::from_totals(lcs::length(&output, &gold), output.len(), gold.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_aligned() {
        let counts = characters("kitten  sat", "<p>sitting\nsat");
        // "itt" + "n" + " sat" = 8 of "kitten sat" (10) and "sitting sat" (11).
        assert_eq!(counts, Counts { true_positive: 8, false_positive: 2, false_negative: 3 });
        assert_eq!(characters("", " ").score().f1, 1.0);
        assert_eq!(characters("", "a").score().f1, 0.0);
        assert_eq!(characters("中文", "中字文").true_positive, 2);
    }
}
