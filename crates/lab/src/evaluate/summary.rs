//! Scores summed up over pages, each with an interval by resampled sites.

use super::bootstrap::{Interval, Sites};
use super::metrics::{mean, median};
pub use super::scores::{Figure, SCORES, Score};
pub use super::scores::{UNDER_FOUR_FIFTHS, UNDER_HALF};
use super::{Output, PageScore, score_page};
use crate::gold::Gold;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use vclean_run::source::{GoldKind, Row};

/// One headline score over a number of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreSummary {
    /// Name of the score in [`SCORES`].
    pub score: &'static str,
    /// Pages that have one.
    pub pages: usize,
    /// The pages summed up in the way of the benchmark that the score is from.
    pub figure: Figure,
    /// Interval that contains `figure` for 95 % of the resamples of the sites (see
    /// [`bootstrap`](super::bootstrap)); `None` for too few sites, and if nothing varies.
    pub interval: Option<Interval>,
    /// Mean of the scores of pages.
    pub mean: Figure,
    /// Median of the scores of pages.
    pub median: f64,
    /// Pooled over all pages, if the score allows it.
    pub pooled: Option<Figure>,
}

/// Scores over a number of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Which pages, such as `all` or `page type forum`.
    pub pages: String,
    /// Number of these pages.
    pub count: usize,
    /// Number of sites of these pages.
    pub sites: usize,
    /// Number of pages without output.
    pub failed: usize,
    /// Mean complexity, if pages have full gold.
    pub complexity: Option<f64>,
    /// The scores of [`SCORES`] that at least one page has.
    pub scores: Vec<ScoreSummary>,
}

impl Summary {
    /// Sums up `scores`; `pages` names them. The same seed gives the same intervals.
    pub fn summarize(pages: &str, scores: &[&PageScore], seed: u64) -> Self {
        let complexity: Vec<f64> = scores.iter().filter_map(|page| page.complexity).collect();
        Self {
            pages: pages.to_owned(),
            count: scores.len(),
            sites: Sites::group(scores.iter().map(|page| page.host.as_str())).count(),
            failed: scores.iter().filter(|page| !page.has_output).count(),
            complexity: (!complexity.is_empty()).then(|| mean(&complexity)),
            scores: SCORES
                .iter()
                .filter_map(|score| score.sum_up(scores, seed))
                .collect(),
        }
    }

    /// The score of that name.
    pub fn score(&self, name: &str) -> Option<&ScoreSummary> {
        self.scores.iter().find(|score| score.score == name)
    }
}

impl Score {
    /// True if it is summed up as the mean over pages.
    pub(super) fn is_mean(&self) -> bool {
        self.over.is_none()
    }

    /// The score of `pages`, as its benchmark sums it up; they all have one.
    pub(super) fn figure(&self, pages: &[&PageScore]) -> Figure {
        match self.over {
            None => Figure::mean(
                &pages
                    .iter()
                    .filter_map(|page| (self.measure)(page))
                    .collect::<Vec<_>>(),
            ),
            Some(over) => over(pages),
        }
    }

    fn sum_up(&self, pages: &[&PageScore], seed: u64) -> Option<ScoreSummary> {
        let (scored, figures): (Vec<&PageScore>, Vec<Figure>) = pages
            .iter()
            .filter_map(|page| Some((*page, (self.measure)(page)?)))
            .unzip();
        if scored.is_empty() {
            return None;
        }
        let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
        let sites = Sites::group(scored.iter().map(|page| page.host.as_str()));
        let interval = match self.over {
            None => sites.interval_of_mean(&values, seed),
            Some(over) => sites.interval(seed, |drawn| {
                over(&drawn.iter().map(|&page| scored[page]).collect::<Vec<_>>()).value
            }),
        };
        Some(ScoreSummary {
            score: self.name,
            pages: scored.len(),
            figure: self.figure(&scored),
            interval,
            mean: Figure::mean(&figures),
            median: median(&values),
            pooled: self.pooled.map(|pooled| pooled(&scored)),
        })
    }
}

/// One score over several data sets: the mean of their figures (WCEB's macro mean).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MacroScore {
    /// Name of the score in [`SCORES`].
    pub score: &'static str,
    /// Sets that have it.
    pub sets: usize,
    /// Unweighted mean over these sets.
    pub figure: Figure,
}

/// The macro means of every score that any set has; `sets` are summaries of all pages of a set.
pub(crate) fn macro_scores(sets: &[&Summary]) -> Vec<MacroScore> {
    let macro_score = |score: &Score| {
        let figures: Vec<Figure> = sets
            .iter()
            .filter_map(|set| set.score(score.name))
            .map(|found| found.figure)
            .collect();
        let figure = Figure::mean(&figures);
        (!figures.is_empty()).then_some(MacroScore {
            score: score.name,
            sets: figures.len(),
            figure,
        })
    };
    SCORES.iter().filter_map(macro_score).collect()
}

// Compares texts with gold texts that are both in memory, without a data folder.

/// A text to compare with its gold text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextAndGold<'a> {
    /// Name of the page.
    pub id: &'a str,
    /// Gold text to compare with.
    pub gold: &'a str,
    /// The text; `None` if the page could not be cleaned, which counts as an empty text and as a
    /// failure.
    pub text: Option<&'a str>,
    /// Language as a BCP 47 tag: Chinese and Japanese are compared by characters; `""` if unknown.
    pub language: &'a str,
}

/// The scores of each page, in order, and their summary over all pages. Each page counts as a site
/// of its own, so the intervals are those of independent pages; the same seed gives the same
/// intervals.
pub fn compare_texts(pages: &[TextAndGold<'_>], seed: u64) -> (Vec<PageScore>, Summary) {
    let score = |page: &TextAndGold<'_>| {
        let row = Row {
            id: page.id.to_owned(),
            url: None,
            host: page.id.to_owned(),
            lang: page.language.to_owned(),
            split: String::new(),
            gold_kind: GoldKind::Full,
            renders_layout: false,
            page_type: None,
            state: None,
            page: PathBuf::new(),
        };
        let gold = Gold {
            text: Some(page.gold.to_owned()),
            ..Gold::default()
        };
        score_page(
            &row,
            page.text.map(|text| Output {
                text,
                ..Output::default()
            }),
            &gold,
        )
    };
    let scores: Vec<PageScore> = pages.par_iter().map(score).collect();
    let summary = Summary::summarize("all", &scores.iter().collect::<Vec<_>>(), seed);
    (scores, summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::page::samples::row;
    use crate::evaluate::{Output, score_page};
    use crate::gold::{Gold, Snippets};

    fn page(id: &str, text: Option<&str>, gold: &str) -> PageScore {
        let snippets = Some(Snippets {
            with: vec!["a".into()],
            without: vec!["x".into()],
        });
        let gold = Gold {
            text: Some(gold.into()),
            snippets,
            marked: Some(format!("<p>{gold}")),
            comments: None,
        };
        let output = text.map(|text| Output {
            text,
            marked: Some(text),
            everything: Some("a b c d e f g h"),
        });
        score_page(&row(id), output, &gold)
    }

    #[test]
    fn every_score_is_summed_up() {
        let pages = [
            page("1", Some("a b c d"), "a b c d"),
            page("2", Some("a x"), "a b"),
            page("3", None, "a b"),
        ];
        let summary = Summary::summarize("all", &pages.iter().collect::<Vec<_>>(), 1);
        assert_eq!((summary.count, summary.failed), (3, 1));
        assert_eq!(summary.scores.len(), SCORES.len());
        // 1 - 4 / 8, 1 - 2 / 8; the failed page could not be read.
        assert_eq!(summary.complexity, Some(0.625));
        let words = summary.score("words").unwrap();
        // F 1, .5, 0; pooled: 5 of 6 and 5 of 8.
        assert_eq!((words.figure.value, words.median), (0.5, 0.5));
        assert!((words.pooled.unwrap().value - 2.0 * 5.0 / 14.0).abs() < 1e-12);
        assert_eq!(
            (words.interval, summary.sites),
            (None, 3),
            "three sites are too few"
        );
        let under = |name: &str| summary.score(name).unwrap().figure.value;
        assert_eq!(
            (under(UNDER_HALF), under(UNDER_FOUR_FIFTHS)),
            (1.0 / 3.0, 2.0 / 3.0),
            "F .5 is not under .5"
        );
        let snippets = summary.score("snippets").unwrap();
        // Found 2 of 3, one of them invented: P 2/3, R 2/3.
        assert!((snippets.figure.value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(snippets.pooled, Some(snippets.figure));
        assert!((summary.score("without, absent").unwrap().figure.value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(summary.score("CLEANEVAL marks").unwrap().pooled, None);
    }

    #[test]
    fn every_score_has_an_interval_by_sites() {
        let texts = [
            Some("a b c d"),
            Some("a x"),
            None,
            Some("a b"),
            Some("a b c x"),
        ];
        let pages: Vec<PageScore> = texts
            .into_iter()
            .enumerate()
            .map(|(id, text)| page(&id.to_string(), text, "a b c d"))
            .collect();
        let summary = Summary::summarize("all", &pages.iter().collect::<Vec<_>>(), 1);
        for score in &summary.scores {
            assert!(
                score
                    .interval
                    .is_none_or(|interval| interval.holds(score.figure.value)),
                "{score:?}"
            );
        }
        for name in ["words", UNDER_HALF, "snippets", "shingles"] {
            assert!(summary.score(name).unwrap().interval.is_some(), "{name}");
        }
        let one_site: Vec<PageScore> = pages
            .into_iter()
            .map(|page| PageScore {
                host: "one".into(),
                ..page
            })
            .collect();
        let summary = Summary::summarize("all", &one_site.iter().collect::<Vec<_>>(), 1);
        assert!(summary.scores.iter().all(|score| score.interval.is_none()) && summary.sites == 1);
    }

    #[test]
    fn sets_have_equal_weight_in_a_macro_mean() {
        let many: Vec<PageScore> = (0..9)
            .map(|id| page(&id.to_string(), Some("a b"), "a b"))
            .collect();
        let one = [page("1", None, "a b")];
        let (many, one) = (
            Summary::summarize("all", &many.iter().collect::<Vec<_>>(), 1),
            Summary::summarize("all", &[&one[0]], 1),
        );
        let found = macro_scores(&[&many, &one]);
        assert_eq!(
            (found[0].score, found[0].sets, found[0].figure.value),
            ("words", 2, 0.5)
        );
    }

    #[test]
    fn a_text_is_compared_by_words_and_chinese_by_characters() {
        let page = |gold, text, language| TextAndGold {
            id: "x",
            gold,
            text,
            language,
        };
        let f = |page| compare_texts(&[page], 1).1.score("words").unwrap().figure;
        let half = f(page("one two three four", Some("one two"), "en"));
        assert_eq!((half.precision, half.recall), (Some(1.0), Some(0.5)));
        assert_eq!(f(page("海鸥贻贝", Some("海鸥"), "zh")).recall, Some(0.5));
        let (scores, summary) = compare_texts(
            &[page("one", None, "en"), page("one", Some("one"), "en")],
            1,
        );
        assert_eq!(
            (summary.count, summary.failed, scores[0].has_output),
            (2, 1, false)
        );
        assert_eq!(summary.score("words").unwrap().figure.value, 0.5);
    }
}
