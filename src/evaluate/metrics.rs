//! The measures of the field, each as its benchmark counts it.
//!
//! In all of them a page without output counts with precision and recall 0, unless its gold is empty too.

pub use super::shingles::{Shingles, shingle_score, shingles};
pub use super::statistics::{bootstrap, mean, median};

use super::dataset::{Gold, Row, Snippets};
use super::matching::matching_blocks;
use super::words::{Numbering, TokenUnit, prepare, tokens, word_runs};
use crate::classify::Label;
use serde::Serialize;

/// Precision, recall and their harmonic mean, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct WordScore {
    /// Share of the output that is gold.
    pub precision: f64,
    /// Share of the gold that is in the output.
    pub recall: f64,
    /// 2PR / (P + R), 0 where both are 0.
    pub f1: f64,
}

impl WordScore {
    /// The score of a precision and a recall.
    pub fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        Self { precision, recall, f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
    }

    /// Means of precision, recall and F over pages (macro mean); zero for no page.
    pub fn mean(scores: &[Self]) -> Self {
        let mean = |value: fn(&Self) -> f64| mean(&scores.iter().map(value).collect::<Vec<_>>());
        Self {
            precision: mean(|score| score.precision),
            recall: mean(|score| score.recall),
            f1: mean(|score| score.f1),
        }
    }
}

/// Tokens found, invented and missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// In both.
    pub true_positive: u64,
    /// In the output only.
    pub false_positive: u64,
    /// In the gold only.
    pub false_negative: u64,
}

impl Counts {
    fn of(matched: usize, output: usize, gold: usize) -> Self {
        Self {
            true_positive: matched as u64,
            false_positive: (output - matched) as u64,
            false_negative: (gold - matched) as u64,
        }
    }

    /// Precision, recall and F; all 1 if output and gold are both empty.
    pub fn score(self) -> WordScore {
        let Self { true_positive, false_positive, false_negative } = self;
        if true_positive + false_positive + false_negative == 0 {
            return WordScore::new(1.0, 1.0);
        }
        WordScore::new(
            share(true_positive, true_positive + false_positive),
            share(true_positive, true_positive + false_negative),
        )
    }

    /// The score of all pages taken as one (pooled).
    pub fn pooled(all: impl IntoIterator<Item = Self>) -> WordScore {
        let sum = all.into_iter().fold(Self::default(), |sum, page| Self {
            true_positive: sum.true_positive + page.true_positive,
            false_positive: sum.false_positive + page.false_positive,
            false_negative: sum.false_negative + page.false_negative,
        });
        sum.score()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Word-level score by alignment (Evert 2007; FIASCO section 6): tokens in equal stretches of output and gold.
///
/// Published figures have `autojunk` on (Python's default); those of our peers were measured with it off.
pub fn difflib(output: &str, gold: &str, unit: TokenUnit, autojunk: bool) -> Counts {
    let (output, gold) = (prepare(output), prepare(gold));
    let mut numbering = Numbering::new();
    let output = numbering.number(tokens(&output, unit));
    let gold = numbering.number(tokens(&gold, unit));
    let matched = matching_blocks(&output, &gold, autojunk).iter().map(|block| block.size).sum();
    Counts::of(matched, output.len(), gold.len())
}

/// Bag of lower-case words (WCXB): how many of each word are in both.
pub fn bag_of_words(output: &str, gold: &str) -> Counts {
    let (output, gold) = (output.to_lowercase(), gold.to_lowercase());
    let (output, gold) = (word_runs(&output), word_runs(&gold));
    let (output_len, gold_len) = (output.len(), gold.len());
    Counts::of(in_common(output, gold), output_len, gold_len)
}

/// Size of the intersection of two multisets.
pub(super) fn in_common<T: Ord>(mut one: Vec<T>, mut other: Vec<T>) -> usize {
    one.sort_unstable();
    other.sort_unstable();
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    common
}

/// Snippets found and not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
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

    /// Precision, recall and F; 0 where there is nothing to count.
    pub fn score(self) -> WordScore {
        WordScore::new(
            share(self.true_positive, self.true_positive + self.false_positive),
            share(self.true_positive, self.true_positive + self.false_negative),
        )
    }

    /// Share of snippets judged rightly.
    pub fn accuracy(self) -> f64 {
        let right = self.true_positive + self.true_negative;
        share(right, right + self.false_positive + self.false_negative)
    }
}

/// Looks for snippets in the output, both with their white space normalized; case counts.
pub fn find_snippets(output: &str, snippets: &Snippets) -> SnippetCounts {
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

/// White space runs as one space, none at the ends.
pub fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Blocks judged rightly and wrongly; content is the positive class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BlockScore {
    /// Content kept.
    pub true_positive: u64,
    /// Boilerplate kept.
    pub false_positive: u64,
    /// Boilerplate dropped.
    pub true_negative: u64,
    /// Content dropped.
    pub false_negative: u64,
}

impl BlockScore {
    /// Counts verdicts against gold labels.
    pub fn count(pairs: impl IntoIterator<Item = (Label, Label)>) -> Self {
        let mut score = Self::default();
        for (verdict, gold) in pairs {
            *match (verdict, gold) {
                (Label::Content, Label::Content) => &mut score.true_positive,
                (Label::Content, Label::Boilerplate) => &mut score.false_positive,
                (Label::Boilerplate, Label::Boilerplate) => &mut score.true_negative,
                (Label::Boilerplate, Label::Content) => &mut score.false_negative,
            } += 1;
        }
        score
    }

    /// Both counts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            true_positive: self.true_positive + other.true_positive,
            false_positive: self.false_positive + other.false_positive,
            true_negative: self.true_negative + other.true_negative,
            false_negative: self.false_negative + other.false_negative,
        }
    }

    /// Number of blocks.
    pub fn blocks(self) -> u64 {
        self.true_positive + self.false_positive + self.true_negative + self.false_negative
    }

    /// Share of blocks judged rightly; 0 for no block.
    pub fn accuracy(self) -> f64 {
        share(self.true_positive + self.true_negative, self.blocks())
    }

    /// Precision, recall and F of content.
    pub fn score(self) -> WordScore {
        WordScore::new(
            share(self.true_positive, self.true_positive + self.false_positive),
            share(self.true_positive, self.true_positive + self.false_negative),
        )
    }
}

/// All scores of one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageScore {
    /// The page's name in its set.
    pub id: String,
    /// Site it is from.
    pub host: String,
    /// Its language.
    pub lang: String,
    /// Whether it renders with a layout.
    pub renders_layout: bool,
    /// Kind of page, where the set says so.
    pub page_type: Option<String>,
    /// Whether there was an output; none means that cleaning failed.
    pub has_output: bool,
    /// By alignment without autojunk, as our peers were measured; absent without full gold, as the next three.
    pub words: Option<Counts>,
    /// By alignment with autojunk, as published figures were.
    pub words_autojunk: Option<Counts>,
    /// By bag of words.
    pub bag: Option<Counts>,
    /// By shingles.
    pub shingles: Option<Shingles>,
    /// By snippets, where the set has them.
    pub snippets: Option<SnippetCounts>,
}

/// Scores a page's output against its gold; `None` stands for a page that could not be cleaned.
pub fn score_page(row: &Row, output: Option<&str>, gold: &Gold) -> PageScore {
    let text = output.unwrap_or("");
    let full = gold.text.as_deref();
    PageScore {
        id: row.id.clone(),
        host: row.host.clone(),
        lang: row.lang.clone(),
        renders_layout: row.renders_layout,
        page_type: row.page_type.clone(),
        has_output: output.is_some(),
        words: full.map(|gold| difflib(text, gold, row.unit(), false)),
        words_autojunk: full.map(|gold| difflib(text, gold, row.unit(), true)),
        bag: full.map(|gold| bag_of_words(text, gold)),
        shingles: full.map(|gold| shingles(text, gold)),
        snippets: gold.snippets.as_ref().map(|snippets| find_snippets(text, snippets)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_by_alignment() {
        let counts = difflib("a b x c", "<p> a b c d", TokenUnit::Words, false);
        assert_eq!(counts, Counts { true_positive: 3, false_positive: 1, false_negative: 1 });
        let score = counts.score();
        assert_eq!((score.precision, score.recall, score.f1), (0.75, 0.75, 0.75));
        assert_eq!(difflib("中文", "中 文", TokenUnit::Characters, false).score().f1, 1.0);
    }

    #[test]
    fn no_output_has_recall_zero_and_nothing_for_nothing_is_right() {
        assert_eq!(difflib("", "a b", TokenUnit::Words, false).score(), WordScore::default());
        assert_eq!(difflib("", " ", TokenUnit::Words, false).score().f1, 1.0);
        assert_eq!(difflib("a", "", TokenUnit::Words, false).score(), WordScore::default());
    }

    #[test]
    fn pooled_differs_from_the_mean_over_pages() {
        let pages = [
            Counts { true_positive: 9, false_positive: 1, false_negative: 0 },
            Counts { true_positive: 0, false_positive: 0, false_negative: 1 },
        ];
        let mean = WordScore::mean(&pages.map(Counts::score));
        assert_eq!((mean.precision, mean.recall), (0.45, 0.5));
        let pooled = Counts::pooled(pages);
        assert_eq!((pooled.precision, pooled.recall), (0.9, 0.9));
    }

    #[test]
    fn bags_ignore_order_and_case() {
        let counts = bag_of_words("The THE cat, sat", "cat the dog");
        assert_eq!(counts, Counts { true_positive: 2, false_positive: 2, false_negative: 1 });
    }

    #[test]
    fn snippets_ignore_white_space_only() {
        let snippets =
            Snippets { with: vec!["two  words".into(), "Case".into()], without: vec!["menu".into(), "x".into()] };
        let counts = find_snippets("here: two\nwords case menu", &snippets);
        assert_eq!(counts, SnippetCounts { true_positive: 1, false_positive: 1, true_negative: 1, false_negative: 1 });
        assert_eq!(counts.accuracy(), 0.5);
    }

    #[test]
    fn blocks_take_content_as_positive() {
        use Label::{Boilerplate, Content};
        let score = BlockScore::count([
            (Content, Content),
            (Content, Boilerplate),
            (Boilerplate, Boilerplate),
            (Boilerplate, Boilerplate),
            (Boilerplate, Content),
        ]);
        assert_eq!(score.accuracy(), 0.6);
        assert_eq!(score.score(), WordScore::new(0.5, 0.5));
    }
}
