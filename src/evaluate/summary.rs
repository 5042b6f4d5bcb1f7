//! Every headline score, and how it is summed up over pages.
//!
//! [`SCORES`] is the table that the printed report, the JSON, the HTML report and the floors go through: to add a score,
//! add it to [`PageScore`] and add a line here.

use super::cleaneval::{Cleaneval, Overlap};
use super::metrics::{
    Counts, PageScore, Shingles, SnippetCounts, WordScore, bootstrap, bootstrap_of, mean, median, shingle_score,
};
use serde::Serialize;

/// Number of resamples for an interval, as in the article benchmark.
const RESAMPLES: usize = 1000;

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
        Self { precision: None, recall: None, value }
    }

    /// Mean of each field; zero for no figure.
    pub fn mean(figures: &[Self]) -> Self {
        let part = |part: fn(&Self) -> Option<f64>| {
            let all: Vec<f64> = figures.iter().filter_map(part).collect();
            (!all.is_empty()).then(|| mean(&all))
        };
        let value = part(|figure| Some(figure.value)).unwrap_or_default();
        Self { precision: part(|figure| figure.precision), recall: part(|figure| figure.recall), value }
    }
}

impl From<WordScore> for Figure {
    fn from(score: WordScore) -> Self {
        Self { precision: Some(score.precision), recall: Some(score.recall), value: score.f1 }
    }
}

/// A headline score.
pub struct Score {
    /// Its name in reports and floors.
    pub name: &'static str,
    /// Its column name in tables by group; `None` leaves it out there.
    pub column: Option<&'static str>,
    /// Its origin and what it counts.
    pub about: &'static str,
    /// The score of one page, if its gold allows one.
    pub of_page: fn(&PageScore) -> Option<Figure>,
    /// How its benchmark sums up pages; `None` for the mean.
    over: Option<fn(&[&PageScore]) -> Figure>,
    /// The score of all pages pooled.
    pooled: Option<fn(&[&PageScore]) -> Figure>,
}

/// Sums up the counts of all pages.
fn pool(pages: &[&PageScore], counts: fn(&PageScore) -> Option<Counts>) -> Figure {
    Counts::pooled(pages.iter().filter_map(|page| counts(page))).into()
}

fn shingles(pages: &[&PageScore]) -> Figure {
    shingle_score(&pages.iter().filter_map(|page| page.shingles).collect::<Vec<_>>()).into()
}

fn snippets(pages: &[&PageScore]) -> SnippetCounts {
    SnippetCounts::sum(pages.iter().filter_map(|page| page.snippets))
}

fn overlap(pages: &[&PageScore], of: fn(&PageScore) -> Option<Overlap>) -> Overlap {
    pages.iter().filter_map(|page| of(page)).fold(Overlap::default(), Overlap::plus)
}

fn of_shingles(page: &Shingles) -> Figure {
    page.counts.score().into()
}

/// All headline scores, in the order of reports.
pub const SCORES: &[Score] = &[
    Score {
        name: "words",
        column: Some("words"),
        about: "words by alignment (Evert 2007), without autojunk; mean over pages",
        of_page: |page| page.words.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.words)),
    },
    Score {
        name: "words, autojunk",
        column: None,
        about: "the same with Python's autojunk, as published figures were made",
        of_page: |page| page.words_autojunk.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.words_autojunk)),
    },
    Score {
        name: "bag of words",
        column: Some("bag"),
        about: "bags of lower-case words (WCXB); mean over pages",
        of_page: |page| page.bag.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.bag)),
    },
    Score {
        name: "shingles",
        column: Some("shingle"),
        about: "4-grams of words (article benchmark); F of mean precision and mean recall",
        of_page: |page| page.shingles.as_ref().map(of_shingles),
        over: Some(shingles),
        pooled: Some(|pages| pool(pages, |page| page.shingles.map(|shingles| shingles.counts))),
    },
    Score {
        name: "exact",
        column: None,
        about: "share of pages whose words are exactly the gold's (article benchmark, accuracy)",
        of_page: |page| page.shingles.map(|shingles| Figure::share(f64::from(u8::from(shingles.is_exact)))),
        over: None,
        pooled: None,
    },
    Score {
        name: "characters",
        column: Some("chars"),
        about: "characters by alignment (Viveros-Jimenez 2018); mean over pages",
        of_page: |page| page.characters.map(|counts| counts.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.characters)),
    },
    Score {
        name: "ROUGE-LSum",
        column: Some("ROUGE"),
        about: "union of common subsequences of sentences (WCEB); mean over pages",
        of_page: |page| page.rouge_lsum.map(|rouge| rouge.score().into()),
        over: None,
        pooled: Some(|pages| pool(pages, |page| page.rouge_lsum.map(|rouge| rouge.0))),
    },
    Score {
        name: "Levenshtein ratio",
        column: Some("Leven"),
        about: "2 LCS / (n + m) of tokens (WCEB); mean over pages",
        of_page: |page| page.levenshtein.map(|overlap| Figure::share(overlap.ratio())),
        over: None,
        pooled: Some(|pages| Figure::share(overlap(pages, |page| page.levenshtein).ratio())),
    },
    Score {
        name: "CLEANEVAL text",
        column: Some("CLEANEVAL"),
        about: "official score, text only; mean over pages",
        of_page: |page| page.cleaneval.map(|score| Figure::share(score.text_only())),
        over: None,
        pooled: Some(|pages| {
            Figure::share(overlap(pages, |page| page.cleaneval.map(|score| score.text)).alignment_share())
        }),
    },
    Score {
        name: "CLEANEVAL marks",
        column: None,
        about: "official score, text with the marks of segments and their validity; mean over pages",
        of_page: |page| page.cleaneval.as_ref().and_then(Cleaneval::text_and_marks).map(Figure::share),
        over: None,
        pooled: None,
    },
    Score {
        name: "CLEANEVAL combined",
        column: None,
        about: "official score, mean of both; mean over pages",
        of_page: |page| page.cleaneval.as_ref().and_then(Cleaneval::combined).map(Figure::share),
        over: None,
        pooled: None,
    },
    Score {
        name: "snippets",
        column: Some("snippets"),
        about: "snippets that must and must not appear (trafilatura); pooled",
        of_page: |page| page.snippets.map(|counts| counts.score().into()),
        over: Some(|pages| snippets(pages).score().into()),
        pooled: Some(|pages| snippets(pages).score().into()),
    },
    Score {
        name: "snippets, accuracy",
        column: None,
        about: "share of snippets found or absent as they should be; pooled",
        of_page: |page| page.snippets.map(|counts| Figure::share(counts.accuracy())),
        over: Some(|pages| Figure::share(snippets(pages).accuracy())),
        pooled: Some(|pages| Figure::share(snippets(pages).accuracy())),
    },
    Score {
        name: "with, found",
        column: None,
        about: "share of `with` snippets found (WCXB); pooled",
        of_page: |page| page.snippets.filter(|counts| counts.has_with()).map(|it| Figure::share(it.with_share())),
        over: Some(|pages| Figure::share(snippets(pages).with_share())),
        pooled: Some(|pages| Figure::share(snippets(pages).with_share())),
    },
    Score {
        name: "without, absent",
        column: None,
        about: "share of `without` snippets absent (WCXB); pooled",
        of_page: |page| page.snippets.filter(|counts| counts.has_without()).map(|it| Figure::share(it.without_share())),
        over: Some(|pages| Figure::share(snippets(pages).without_share())),
        pooled: Some(|pages| Figure::share(snippets(pages).without_share())),
    },
];

/// One headline score over a number of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreSummary {
    /// Name in [`SCORES`].
    pub score: &'static str,
    /// Pages that have one.
    pub pages: usize,
    /// As the benchmark sums up pages.
    pub figure: Figure,
    /// 95 % of bootstrap samples of pages have a value of `figure` between these.
    pub interval: (f64, f64),
    /// Mean over pages.
    pub mean: Figure,
    /// Median over pages.
    pub median: f64,
    /// Pooled over all pages, if the score allows it.
    pub pooled: Option<Figure>,
}

/// Scores over a number of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Which pages, such as `all` or `page type forum`.
    pub pages: String,
    /// Number of pages.
    pub count: usize,
    /// Number of pages without output.
    pub failed: usize,
    /// Mean complexity, if pages have full gold.
    pub complexity: Option<f64>,
    /// The scores of [`SCORES`] that at least one page has.
    pub scores: Vec<ScoreSummary>,
}

impl Summary {
    /// Sums up `scores`; `pages` names them. The same seed gives the same intervals.
    pub fn of(pages: &str, scores: &[&PageScore], seed: u64) -> Self {
        let complexity: Vec<f64> = scores.iter().filter_map(|page| page.complexity).collect();
        Self {
            pages: pages.to_owned(),
            count: scores.len(),
            failed: scores.iter().filter(|page| !page.has_output).count(),
            complexity: (!complexity.is_empty()).then(|| mean(&complexity)),
            scores: SCORES.iter().filter_map(|score| score.sum_up(scores, seed)).collect(),
        }
    }

    /// The score of that name.
    pub fn score(&self, name: &str) -> Option<&ScoreSummary> {
        self.scores.iter().find(|score| score.score == name)
    }
}

impl Score {
    fn sum_up(&self, pages: &[&PageScore], seed: u64) -> Option<ScoreSummary> {
        let (scored, figures): (Vec<&PageScore>, Vec<Figure>) =
            pages.iter().filter_map(|page| Some((*page, (self.of_page)(page)?))).unzip();
        if scored.is_empty() {
            return None;
        }
        let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
        let mean = Figure::mean(&figures);
        let (figure, interval) = match self.over {
            None => (mean, bootstrap(&values, RESAMPLES, seed)),
            Some(over) => {
                let of = |sample: &[usize]| over(&sample.iter().map(|&index| scored[index]).collect::<Vec<_>>()).value;
                (over(&scored), bootstrap_of(scored.len(), RESAMPLES, seed, of))
            }
        };
        Some(ScoreSummary {
            score: self.name,
            pages: scored.len(),
            figure,
            interval,
            mean,
            median: median(&values),
            pooled: self.pooled.map(|pooled| pooled(&scored)),
        })
    }
}

/// One score over several data sets: the mean of their figures (WCEB's macro mean).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MacroScore {
    /// Name in [`SCORES`].
    pub score: &'static str,
    /// Sets that have it.
    pub sets: usize,
    /// Mean over them.
    pub figure: Figure,
}

/// The macro means of every score that any set has; `sets` are summaries of all pages of a set.
pub fn macro_scores(sets: &[&Summary]) -> Vec<MacroScore> {
    let of = |score: &Score| {
        let figures: Vec<Figure> =
            sets.iter().filter_map(|set| set.score(score.name)).map(|found| found.figure).collect();
        let figure = Figure::mean(&figures);
        (!figures.is_empty()).then_some(MacroScore { score: score.name, sets: figures.len(), figure })
    };
    SCORES.iter().filter_map(of).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluate::metrics::{Output, score_page};
    use crate::evaluate::page::samples::row;
    use crate::gold::dataset::{Gold, Snippets};

    fn page(id: &str, text: Option<&str>, gold: &str) -> PageScore {
        let snippets = Some(Snippets { with: vec!["a".into()], without: vec!["x".into()] });
        let gold = Gold { text: Some(gold.into()), snippets, marked: Some(format!("<p>{gold}")), comments: None };
        let output = text.map(|text| Output { text, marked: Some(text), everything: Some("a b c d e f g h") });
        score_page(&row(id), output, &gold)
    }

    #[test]
    fn every_score_is_summed_up() {
        let pages = [page("1", Some("a b c d"), "a b c d"), page("2", Some("a x"), "a b"), page("3", None, "a b")];
        let summary = Summary::of("all", &pages.iter().collect::<Vec<_>>(), 1);
        assert_eq!((summary.count, summary.failed), (3, 1));
        assert_eq!(summary.scores.len(), SCORES.len());
        // 1 - 4 / 8, 1 - 2 / 8; the failed page could not be read.
        assert_eq!(summary.complexity, Some(0.625));
        let words = summary.score("words").unwrap();
        // F 1, .5, 0; pooled: 5 of 6 and 5 of 8.
        assert_eq!((words.figure.value, words.median), (0.5, 0.5));
        assert!((words.pooled.unwrap().value - 2.0 * 5.0 / 14.0).abs() < 1e-12);
        assert!(words.interval.0 == 0.0 && words.interval.1 == 1.0, "{:?}", words.interval);
        let snippets = summary.score("snippets").unwrap();
        // Found 2 of 3, one of them invented: P 2/3, R 2/3.
        assert!((snippets.figure.value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(snippets.pooled, Some(snippets.figure));
        assert!((summary.score("without, absent").unwrap().figure.value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(summary.score("CLEANEVAL marks").unwrap().pooled, None);
        for score in &summary.scores {
            let (low, high) = score.interval;
            assert!(low <= score.figure.value && score.figure.value <= high, "{score:?}");
        }
    }

    #[test]
    fn names_are_unique_and_explained() {
        let names: std::collections::BTreeSet<&str> = SCORES.iter().map(|score| score.name).collect();
        assert_eq!(names.len(), SCORES.len());
        assert!(SCORES.iter().all(|score| !score.about.is_empty()));
    }

    #[test]
    fn sets_have_equal_weight_in_a_macro_mean() {
        let many: Vec<PageScore> = (0..9).map(|id| page(&id.to_string(), Some("a b"), "a b")).collect();
        let one = [page("1", None, "a b")];
        let (many, one) = (Summary::of("all", &many.iter().collect::<Vec<_>>(), 1), Summary::of("all", &[&one[0]], 1));
        let found = macro_scores(&[&many, &one]);
        assert_eq!((found[0].score, found[0].sets, found[0].figure.value), ("words", 2, 0.5));
    }
}
