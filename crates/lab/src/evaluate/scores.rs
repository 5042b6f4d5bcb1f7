//! The headline scores of a page, and how their benchmarks sum them up over pages.
//!
//! [`SCORES`] is the table that the printed report, the JSON, the HTML report and the regression
//! thresholds iterate: to add a score, add it to [`PageScore`] and add a line here.

use super::cleaneval::{Cleaneval, Overlap};
use super::metrics::{Shingles, mean, shingle_score};
use super::{PageScore, SnippetCounts};
use crate::gold::{Counts, WordScore};
use serde::Serialize;

/// A share, 0 to 1, with the precision and recall that it is computed from, if any.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Figure {
    /// Share of the output that is right.
    pub precision: Option<f64>,
    /// Share of the gold that is found.
    pub recall: Option<f64>,
    /// F, or the share itself.
    pub value: f64,
}

impl Figure {
    fn share(value: f64) -> Self {
        Self {
            precision: None,
            recall: None,
            value,
        }
    }

    /// Mean of each field; zero for no figure.
    pub fn mean(figures: &[Self]) -> Self {
        let part = |part: fn(&Self) -> Option<f64>| {
            let all: Vec<f64> = figures.iter().filter_map(part).collect();
            (!all.is_empty()).then(|| mean(&all))
        };
        let value = part(|figure| Some(figure.value)).unwrap_or_default();
        Self {
            precision: part(|figure| figure.precision),
            recall: part(|figure| figure.recall),
            value,
        }
    }
}

impl From<WordScore> for Figure {
    fn from(score: WordScore) -> Self {
        Self {
            precision: Some(score.precision),
            recall: Some(score.recall),
            value: score.f1,
        }
    }
}

/// A headline score, as an entry of [`SCORES`].
pub struct Score {
    /// Name in reports and regression thresholds.
    pub name: &'static str,
    /// Its column name in tables by group; `None` leaves it out there.
    pub column: Option<&'static str>,
    /// Its origin and what it counts.
    pub about: &'static str,
    /// The score of one page, if its gold allows one.
    pub measure: fn(&PageScore) -> Option<Figure>,
    /// How its benchmark sums up pages; `None` for the mean.
    pub(super) over: Option<fn(&[&PageScore]) -> Figure>,
    /// The score of all pages pooled.
    pub(super) pooled: Option<fn(&[&PageScore]) -> Figure>,
}

/// Sums up the counts of all pages.
fn pool(pages: &[&PageScore], counts: fn(&PageScore) -> Option<Counts>) -> Figure {
    Counts::pooled(pages.iter().filter_map(|page| counts(page))).into()
}

fn shingles(pages: &[&PageScore]) -> Figure {
    shingle_score(
        &pages
            .iter()
            .filter_map(|page| page.shingles)
            .collect::<Vec<_>>(),
    )
    .into()
}

fn snippets(pages: &[&PageScore]) -> SnippetCounts {
    SnippetCounts::sum(pages.iter().filter_map(|page| page.snippets))
}

fn overlap(pages: &[&PageScore], read: fn(&PageScore) -> Option<Overlap>) -> Overlap {
    pages
        .iter()
        .filter_map(|page| read(page))
        .fold(Overlap::default(), Overlap::plus)
}

fn score_shingles(page: &Shingles) -> Figure {
    page.counts.score().into()
}

/// 1 for a page whose F is under `limit`, else 0.
fn is_under(counts: Counts, limit: f64) -> Figure {
    Figure::share(f64::from(u8::from(counts.score().f1 < limit)))
}

/// Name of the share of pages with word F under .5.
pub const UNDER_HALF: &str = "words F < .5";
/// Name of the share of pages with word F under .8.
pub const UNDER_FOUR_FIFTHS: &str = "words F < .8";

/// All headline scores, in the order of reports.
pub const SCORES: &[Score] = &[
    Score {
        name: "words",
        column: Some("words"),
        about: "words by alignment (Evert 2007), without autojunk; mean over pages",
        measure: |page| page.words.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.words)),
    },
    Score {
        name: UNDER_HALF,
        column: None,
        about: "share of pages with word F under .5: pages that went wrong as a whole",
        measure: |page| page.words.map(|counts| is_under(counts, 0.5)),
        over: None,
        pooled: None,
    },
    Score {
        name: UNDER_FOUR_FIFTHS,
        column: None,
        about: "share of pages with word F under .8",
        measure: |page| page.words.map(|counts| is_under(counts, 0.8)),
        over: None,
        pooled: None,
    },
    Score {
        name: "words, autojunk",
        column: None,
        about: "the same with Python's autojunk, as published figures were made",
        measure: |page| page.words_autojunk.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.words_autojunk)),
    },
    Score {
        name: "bag of words",
        column: Some("bag"),
        about: "bags of lower-case words (WCXB); mean over pages",
        measure: |page| page.bag.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.bag)),
    },
    Score {
        name: "shingles",
        column: Some("shingle"),
        about: "4-grams of words (article benchmark); F of mean precision and mean recall",
        measure: |page| page.shingles.as_ref().map(score_shingles),
        over: Some(shingles),
        pooled: Some(|pages| pool(pages, |page| page.shingles.map(|shingles| shingles.counts))),
    },
    Score {
        name: "exact",
        column: None,
        about: "share of pages whose words are exactly the gold's (article benchmark, accuracy)",
        measure: |page| {
            page.shingles
                .map(|shingles| Figure::share(f64::from(u8::from(shingles.is_exact))))
        },
        over: None,
        pooled: None,
    },
    Score {
        name: "characters",
        column: Some("chars"),
        about: "characters by alignment (Viveros-Jimenez 2018); mean over pages",
        measure: |page| page.characters.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.characters)),
    },
    Score {
        name: "ROUGE-LSum",
        column: Some("ROUGE"),
        about: "union of common subsequences of sentences (WCEB); mean over pages",
        measure: |page| page.rouge_lsum.map(|rouge| rouge.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.rouge_lsum.map(|rouge| rouge.0))),
    },
    Score {
        name: "Levenshtein ratio",
        column: Some("Leven"),
        about: "2 LCS / (n + m) of tokens (WCEB); mean over pages",
        measure: |page| {
            page.levenshtein
                .map(|overlap| Figure::share(overlap.ratio()))
        },
        over: None,
        pooled: Some(|pages| Figure::share(overlap(pages, |page| page.levenshtein).ratio())),
    },
    Score {
        name: "CLEANEVAL text",
        column: Some("CLEANEVAL"),
        about: "official score, text only; mean over pages",
        measure: |page| page.cleaneval.map(|score| Figure::share(score.text_only())),
        over: None,
        pooled: Some(|pages| {
            Figure::share(
                overlap(pages, |page| page.cleaneval.map(|score| score.text)).alignment_share(),
            )
        }),
    },
    Score {
        name: "CLEANEVAL marks",
        column: None,
        about: "official score, text with the marks of segments and their validity; mean over pages",
        measure: |page| {
            page.cleaneval
                .as_ref()
                .and_then(Cleaneval::text_and_marks)
                .map(Figure::share)
        },
        over: None,
        pooled: None,
    },
    Score {
        name: "CLEANEVAL combined",
        column: None,
        about: "official score, mean of both; mean over pages",
        measure: |page| {
            page.cleaneval
                .as_ref()
                .and_then(Cleaneval::combined)
                .map(Figure::share)
        },
        over: None,
        pooled: None,
    },
    Score {
        name: "snippets",
        column: Some("snippets"),
        about: "snippets that must and must not appear (trafilatura); pooled",
        measure: |page| page.snippets.map(|counts| counts.score().into()),
        over: Some(|pages| snippets(pages).score().into()),
        pooled: Some(|pages| snippets(pages).score().into()),
    },
    Score {
        name: "snippets, accuracy",
        column: None,
        about: "share of snippets found or absent as they should be; pooled",
        measure: |page| page.snippets.map(|counts| Figure::share(counts.accuracy())),
        over: Some(|pages| Figure::share(snippets(pages).accuracy())),
        pooled: Some(|pages| Figure::share(snippets(pages).accuracy())),
    },
    Score {
        name: "with, found",
        column: None,
        about: "share of `with` snippets found (WCXB); pooled",
        measure: |page| {
            page.snippets
                .filter(|counts| counts.has_with())
                .map(|counts| Figure::share(counts.with_share()))
        },
        over: Some(|pages| Figure::share(snippets(pages).with_share())),
        pooled: Some(|pages| Figure::share(snippets(pages).with_share())),
    },
    Score {
        name: "without, absent",
        column: None,
        about: "share of `without` snippets absent (WCXB); pooled",
        measure: |page| {
            page.snippets
                .filter(|counts| counts.has_without())
                .map(|counts| Figure::share(counts.without_share()))
        },
        over: Some(|pages| Figure::share(snippets(pages).without_share())),
        pooled: Some(|pages| Figure::share(snippets(pages).without_share())),
    },
];

impl Score {
    /// True if lists of single pages show the score: not the shares of pages under a value of F,
    /// which follow from the F.
    pub(crate) fn is_listed(&self) -> bool {
        ![UNDER_HALF, UNDER_FOUR_FIFTHS].contains(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_explained() {
        let names: std::collections::BTreeSet<&str> =
            SCORES.iter().map(|score| score.name).collect();
        assert_eq!(names.len(), SCORES.len());
        assert!(SCORES.iter().all(|score| !score.about.is_empty()));
    }
}
