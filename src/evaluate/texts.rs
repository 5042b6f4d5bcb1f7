//! Compares texts with gold texts that are both in memory, without a data folder.

use super::metrics::{Output, PageScore, score_page};
use super::summary::Summary;
use crate::gold::read::Gold;
use crate::source::{GoldKind, Row};
use rayon::prelude::*;
use std::path::PathBuf;

/// A text to compare with its gold text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextAndGold<'a> {
    /// Name of the page.
    pub id: &'a str,
    /// The gold text.
    pub gold: &'a str,
    /// The text; `None` if the page could not be cleaned, which counts as an empty text and as a failure.
    pub text: Option<&'a str>,
    /// Language as a BCP 47 tag: Chinese and Japanese are compared by characters; `""` if unknown.
    pub language: &'a str,
}

/// The scores of each page, in order, and their summary over all pages. Each page counts as a site of its own, so the
/// intervals are those of independent pages; the same seed gives the same intervals.
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
            page: PathBuf::new(),
        };
        let gold = Gold { text: Some(page.gold.to_owned()), ..Gold::default() };
        score_page(&row, page.text.map(|text| Output { text, ..Output::default() }), &gold)
    };
    let scores: Vec<PageScore> = pages.par_iter().map(score).collect();
    let summary = Summary::of("all", &scores.iter().collect::<Vec<_>>(), seed);
    (scores, summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_by_words_and_chinese_by_characters() {
        let page = |gold, text, language| TextAndGold { id: "x", gold, text, language };
        let f = |page| compare_texts(&[page], 1).1.score("words").unwrap().figure;
        let half = f(page("one two three four", Some("one two"), "en"));
        assert_eq!((half.precision, half.recall), (Some(1.0), Some(0.5)));
        assert_eq!(f(page("海鸥贻贝", Some("海鸥"), "zh")).recall, Some(0.5));
        let (scores, summary) = compare_texts(&[page("one", None, "en"), page("one", Some("one"), "en")], 1);
        assert_eq!((summary.count, summary.failed, scores[0].has_output), (2, 1, false));
        assert_eq!(summary.score("words").unwrap().figure.value, 0.5);
    }
}
