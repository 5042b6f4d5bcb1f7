//! All scores of one page, by every one of the [`metrics`](super::metrics).

use super::cleaneval::{Cleaneval, Overlap, cleaneval};
use super::metrics::{Shingles, bag_of_words, characters, shingles};
use super::rouge::{Rouge, rouge_lsum};
use super::snippets::{SnippetCounts, find_snippets};
use crate::gold::words::{Numbering, TokenUnit, tokens};
use crate::gold::{Counts, Gold, difflib};
use serde::{Deserialize, Serialize};
use vclean_run::source::Row;

/// The output of a system for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Output<'a> {
    /// Cleaned text without marks.
    pub text: &'a str,
    /// The text with a mark `<p>`, `<h>` or `<l>` before each segment, for the official score of
    /// CLEANEVAL.
    pub marked: Option<&'a str>,
    /// All text of the page, for its complexity.
    pub everything: Option<&'a str>,
}

/// All scores of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageScore {
    /// The page's name in its set.
    pub id: String,
    /// Host of the page, by which pages are resampled.
    pub host: String,
    /// Language tag from the manifest.
    pub lang: String,
    /// True if the page renders with a layout, by the manifest.
    pub renders_layout: bool,
    /// Kind of page, if the set gives it.
    pub page_type: Option<String>,
    /// False if cleaning failed.
    pub has_output: bool,
    /// By alignment without autojunk, as other tools were measured; missing without full gold, like
    /// the next seven.
    pub words: Option<Counts>,
    /// By alignment with autojunk, as published figures were.
    pub words_autojunk: Option<Counts>,
    /// By bag of words.
    pub bag: Option<Counts>,
    /// By 4-grams of words.
    pub shingles: Option<Shingles>,
    /// By alignment of characters.
    pub characters: Option<Counts>,
    /// By ROUGE-LSum (see [`Rouge`]).
    pub rouge_lsum: Option<Rouge>,
    /// Tokens common in order, of which the Levenshtein ratio is made.
    pub levenshtein: Option<Overlap>,
    /// The official score of CLEANEVAL.
    pub cleaneval: Option<Cleaneval>,
    /// 1 - gold tokens / page tokens, at least 0 (WCEB); missing if the page could not be read.
    pub complexity: Option<f64>,
    /// By snippets, if the set has them.
    pub snippets: Option<SnippetCounts>,
}

impl PageScore {
    /// The score by which pages are ordered from worst to best: F by words, else the share of
    /// correct snippets.
    pub fn rank(&self) -> Option<f64> {
        self.words
            .map(|words| words.score().f1)
            .or_else(|| self.snippets.map(SnippetCounts::accuracy))
            .map(|share| if self.has_output { share } else { 0.0 })
    }

    /// Pages from worst to best, by name among equals; those without a score are left out.
    pub(crate) fn worst_first(pages: &[Self]) -> Vec<&Self> {
        let mut ranked: Vec<(f64, &Self)> = pages
            .iter()
            .filter_map(|page| Some((page.rank()?, page)))
            .collect();
        ranked.sort_by(|one, other| {
            one.0
                .total_cmp(&other.0)
                .then_with(|| one.1.id.cmp(&other.1.id))
        });
        ranked.into_iter().map(|(_, page)| page).collect()
    }
}

/// Scores a page's output against its gold; `None` means that the page could not be cleaned.
pub(crate) fn score_page(row: &Row, output: Option<Output<'_>>, gold: &Gold) -> PageScore {
    let Output {
        text, everything, ..
    } = output.unwrap_or_default();
    let (full, unit) = (gold.text.as_deref(), TokenUnit::from_language(&row.lang));
    PageScore {
        words_autojunk: full.map(|gold| difflib(text, gold, unit, true)),
        characters: full.map(|gold| characters(text, gold)),
        rouge_lsum: full.map(|gold| rouge_lsum(text, gold, unit)),
        levenshtein: full.map(|gold| overlap(text, gold, unit)),
        complexity: full
            .zip(everything)
            .map(|(gold, page)| complexity(gold, page, unit)),
        ..score_page_in_brief(row, output, gold)
    }
}

/// The scores for the comparison of methods: those of [`score_page`] without the slow ones.
pub fn score_page_in_brief(row: &Row, output: Option<Output<'_>>, gold: &Gold) -> PageScore {
    let Output { text, marked, .. } = output.unwrap_or_default();
    let (full, unit) = (gold.text.as_deref(), TokenUnit::from_language(&row.lang));
    // A page without output has no segments either.
    let marked = if output.is_some() { marked } else { Some("") };
    PageScore {
        id: row.id.clone(),
        host: row.host.clone(),
        lang: row.lang.clone(),
        renders_layout: row.renders_layout,
        page_type: row.page_type.clone(),
        has_output: output.is_some(),
        words: full.map(|gold| difflib(text, gold, unit, false)),
        bag: full.map(|gold| bag_of_words(text, gold)),
        shingles: full.map(|gold| shingles(text, gold)),
        cleaneval: full.map(|full| cleaneval(text, full, marked, gold.marked.as_deref(), unit)),
        snippets: gold
            .snippets
            .as_ref()
            .map(|snippets| find_snippets(text, snippets)),
        words_autojunk: None,
        characters: None,
        rouge_lsum: None,
        levenshtein: None,
        complexity: None,
    }
}

/// Tokens common in order to output and gold, of which the Levenshtein ratio is made (WCEB).
pub fn overlap(output: &str, gold: &str, unit: TokenUnit) -> Overlap {
    let mut numbering = Numbering::new();
    let output = numbering.number(tokens(output, unit));
    let gold = numbering.number(tokens(gold, unit));
    Overlap::compare(&output, &gold)
}

/// Share of the page's tokens that are not gold: how hard the page is (WCEB). 0 if the gold has
/// more tokens than the page.
pub(crate) fn complexity(gold: &str, page: &str, unit: TokenUnit) -> f64 {
    let (gold, page) = (tokens(gold, unit).len(), tokens(page, unit).len());
    if page == 0 {
        0.0
    } else {
        (1.0 - gold as f64 / page as f64).max(0.0)
    }
}

#[cfg(test)]
pub(super) mod samples {
    //! A manifest row for tests.

    use vclean_run::source::{GoldKind, Row};

    /// An English page of that name.
    pub(crate) fn row(id: &str) -> Row {
        Row {
            id: id.to_owned(),
            url: None,
            host: id.to_owned(),
            lang: "en".to_owned(),
            split: "dev".to_owned(),
            gold_kind: GoldKind::Full,
            renders_layout: false,
            page_type: None,
            state: None,
            page: "x".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::row;
    use super::*;
    use crate::gold::{Snippets, WordScore};

    #[test]
    fn a_page_has_every_score_its_gold_allows() {
        let gold = Gold {
            text: Some("a b c d".into()),
            snippets: Some(Snippets {
                with: vec!["a b".into()],
                without: vec!["menu".into()],
            }),
            marked: Some("<p>a b c d".into()),
            comments: None,
        };
        let output = Output {
            text: "a b x c",
            marked: Some("<p>a b x c"),
            everything: Some("menu a b x c d e f"),
        };
        let score = score_page(&row("1"), Some(output), &gold);
        assert_eq!(score.words.unwrap().score().f1, 0.75);
        assert_eq!(score.levenshtein.unwrap().ratio(), 0.75);
        assert_eq!(score.rouge_lsum.unwrap().score().f1, 0.75);
        assert_eq!(score.cleaneval.unwrap().text_only(), 0.6);
        assert!(score.cleaneval.unwrap().combined().is_some());
        // "a b c d" and "a b x c" share "a b c" with its blanks and one more: 6 of 7 characters
        // need both "c" and "d".
        assert_eq!(score.characters.unwrap().true_positive, 5);
        assert_eq!(score.complexity, Some(0.5));
        assert_eq!(score.snippets.unwrap().accuracy(), 1.0);
    }

    #[test]
    fn a_page_without_output_has_recall_zero_in_all_scores() {
        let gold = Gold {
            text: Some("a b".into()),
            snippets: None,
            marked: Some("<p>a b".into()),
            comments: None,
        };
        let score = score_page(&row("1"), None, &gold);
        assert_eq!(score.characters.unwrap().score(), WordScore::default());
        assert_eq!(score.rouge_lsum.unwrap().score(), WordScore::default());
        assert_eq!(score.levenshtein.unwrap().ratio(), 0.0);
        // Neither side has <h> or <l>: validity 4 / 6.
        assert!((score.cleaneval.unwrap().combined().unwrap() - 1.0 / 6.0).abs() < 1e-12);
        assert_eq!((score.complexity, score.rank()), (None, Some(0.0)));
    }

    #[test]
    fn worst_pages_come_first() {
        let gold = Gold {
            text: Some("a b".into()),
            ..Gold::default()
        };
        let page = |id: &str, text: &'static str| {
            score_page(
                &row(id),
                Some(Output {
                    text,
                    ..Output::default()
                }),
                &gold,
            )
        };
        let pages = [page("1", "a b"), page("3", "a"), page("2", "a")];
        let order: Vec<&str> = PageScore::worst_first(&pages)
            .iter()
            .map(|page| page.id.as_str())
            .collect();
        assert_eq!(order, ["2", "3", "1"]);
    }
}
