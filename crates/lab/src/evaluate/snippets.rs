//! Snippets that must and must not appear (trafilatura's measure).

use crate::gold::{Snippets, WordScore, share};
use serde::{Deserialize, Serialize};
use vclean_core::text::collapse;

/// Snippets found and not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SnippetCounts {
    /// `with` snippets found.
    pub true_positive: u64,
    /// `without` snippets found.
    pub false_positive: u64,
    /// `without` snippets absent.
    pub true_negative: u64,
    /// `with` snippets missing.
    pub false_negative: u64,
}

impl SnippetCounts {
    /// Counts of several pages together.
    #[must_use]
    pub fn sum(pages: impl IntoIterator<Item = Self>) -> Self {
        pages.into_iter().fold(Self::default(), |sum, page| Self {
            true_positive: sum.true_positive + page.true_positive,
            false_positive: sum.false_positive + page.false_positive,
            true_negative: sum.true_negative + page.true_negative,
            false_negative: sum.false_negative + page.false_negative,
        })
    }

    /// Precision, recall and F; 0 if there is nothing to count.
    pub fn score(self) -> WordScore {
        WordScore::new(
            share(self.true_positive, self.true_positive + self.false_positive),
            share(self.true_positive, self.true_positive + self.false_negative),
        )
    }

    /// True if the page has a `with` snippet.
    pub(crate) fn has_with(self) -> bool {
        self.true_positive + self.false_negative > 0
    }

    /// True if the page has a `without` snippet.
    pub(crate) fn has_without(self) -> bool {
        self.true_negative + self.false_positive > 0
    }

    /// Share of `with` snippets found; 1 for none.
    pub(crate) fn with_share(self) -> f64 {
        if self.has_with() {
            share(self.true_positive, self.true_positive + self.false_negative)
        } else {
            1.0
        }
    }

    /// Share of `without` snippets absent; 1 for none.
    pub(crate) fn without_share(self) -> f64 {
        if self.has_without() {
            share(self.true_negative, self.true_negative + self.false_positive)
        } else {
            1.0
        }
    }

    /// Share of snippets found or absent as they should be.
    pub fn accuracy(self) -> f64 {
        let right = self.true_positive + self.true_negative;
        share(right, right + self.false_positive + self.false_negative)
    }
}

/// Looks for snippets in the output, both with their white space normalized; case counts.
pub(crate) fn find_snippets(output: &str, snippets: &Snippets) -> SnippetCounts {
    let output = collapse(output);
    let found = |snippet: &&String| output.contains(&collapse(snippet));
    let with = snippets.with.iter().filter(found).count() as u64;
    let without = snippets.without.iter().filter(found).count() as u64;
    SnippetCounts {
        true_positive: with,
        false_positive: without,
        true_negative: snippets.without.len() as u64 - without,
        false_negative: snippets.with.len() as u64 - with,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_ignore_white_space_only() {
        let snippets = Snippets {
            with: vec!["two  words".into(), "Case".into()],
            without: vec!["menu".into(), "x".into()],
        };
        let counts = find_snippets("here: two\nwords case menu", &snippets);
        assert_eq!(
            counts,
            SnippetCounts {
                true_positive: 1,
                false_positive: 1,
                true_negative: 1,
                false_negative: 1
            }
        );
        assert_eq!(
            (
                counts.accuracy(),
                counts.with_share(),
                counts.without_share()
            ),
            (0.5, 0.5, 0.5)
        );
        let none = SnippetCounts::default();
        assert_eq!((none.with_share(), none.without_share()), (1.0, 1.0));
    }
}
