//! The cues on which the heuristics and the decision tree of ICE base the decision on a block
//! (Hofmann and Weerkamp 2007, 3.2 and 3.3).
//!
//! The paper writes "the ratio of words to capitalized words", "to punctuation" and "to stop
//! words". Figure 2 splits at `cap_ratio <= 0.218182`, `punct_ratio <= 0.0333333` (one mark in
//! thirty words) and `cap_ratio <= 1.25`. So each ratio is the count of the latter divided by the
//! number of words, and capitals are counted at the start of each run of letters: `Jean-Pierre` is
//! one word with two capitals.

use super::super::block::TextBlock;
use super::super::stop_words::{StopWords, stop_words};
use super::conjunctions::conjunctions;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use vclean_core::capture::Dom;
use vclean_core::language::detect::{page_language, stated_language};

/// Number of characters of a page from which its language is detected. Heuristic: more are hardly
/// better.
const GUESS_CHARS: usize = 20_000;

/// Language assumed if neither the text nor an attribute gives one: that of CLEANEVAL.
const USUAL_LANGUAGE: &str = "en";

/// Counts of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cues<'d> {
    /// Words, separated by white space.
    pub(crate) words: usize,
    /// Runs of letters that begin with a capital.
    pub(crate) capitals: usize,
    /// Punctuation marks (Unicode P).
    pub(crate) marks: usize,
    /// Stop words of the page's language.
    pub(crate) stop_words: usize,
    /// Conjunctions of the page's language.
    pub(crate) conjunctions: usize,
    /// The element that contains the text: the innermost block-level one, else `body`.
    pub(crate) parent_tag: &'d str,
    /// True if it is or contains a hyperlink.
    pub(crate) has_link: bool,
    /// True if its first letter is a capital.
    pub(crate) starts_capital: bool,
}

impl Cues<'_> {
    /// A count divided by the number of words; 0 without words.
    pub(crate) fn ratio(&self, count: usize) -> f64 {
        if self.words == 0 {
            0.0
        } else {
            count as f64 / self.words as f64
        }
    }
}

/// The word lists for the language of a page.
pub(super) struct Lists {
    stop_words: Option<&'static StopWords>,
    /// `None` if there is no list for the language.
    pub(super) conjunctions: Option<&'static [&'static str]>,
}

impl Lists {
    /// The lists for the detected language of the page, else for the declared one, else for
    /// English.
    pub(super) fn for_page(dom: &Dom, blocks: &[TextBlock]) -> Self {
        let mut text = String::new();
        for block in blocks {
            if text.len() >= GUESS_CHARS {
                break;
            }
            text.extend(block.text.chars().take(GUESS_CHARS - text.len()));
            text.push(' ');
        }
        let language = page_language(stated_language(dom), &text);
        let language = language.as_deref().unwrap_or(USUAL_LANGUAGE);
        Self {
            stop_words: stop_words(language),
            conjunctions: conjunctions(language),
        }
    }
}

/// Measures the blocks of a page.
pub(crate) fn measure<'d>(dom: &'d Dom, blocks: &[TextBlock]) -> Vec<Cues<'d>> {
    let lists = Lists::for_page(dom, blocks);
    blocks
        .iter()
        .map(|block| measure_block(dom, block, &lists))
        .collect()
}

pub(super) fn measure_block<'d>(dom: &'d Dom, block: &TextBlock, lists: &Lists) -> Cues<'d> {
    let tag = dom.tag(block.container);
    let mut cues = Cues {
        words: 0,
        capitals: 0,
        marks: 0,
        stop_words: 0,
        conjunctions: 0,
        parent_tag: if tag.is_empty() { "body" } else { tag },
        has_link: block.linked_chars > 0,
        starts_capital: block
            .text
            .chars()
            .find(|c| c.is_alphabetic())
            .is_some_and(char::is_uppercase),
    };
    for word in block.words() {
        cues.words += 1;
        let mut before = ' ';
        for c in word.chars() {
            cues.capitals += usize::from(c.is_uppercase() && !before.is_alphabetic());
            cues.marks +=
                usize::from(c.general_category_group() == GeneralCategoryGroup::Punctuation);
            before = c;
        }
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        cues.stop_words += usize::from(lists.stop_words.is_some_and(|list| list.contains(bare)));
        if let Some(list) = lists.conjunctions {
            let lower = bare.to_lowercase();
            cues.conjunctions += usize::from(list.contains(&lower.as_str()));
        }
    }
    cues
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn a_block_is_counted() {
        let dom =
            parse_html("<p>Jean-Pierre and the gulls, McNeil said.</p>plain<li><a href=x>more");
        let blocks = blocks(&dom);
        let cues = measure(&dom, &blocks);
        let expected = Cues {
            words: 6,
            capitals: 3,
            marks: 3,
            stop_words: 3,
            conjunctions: 1,
            parent_tag: "p",
            has_link: false,
            starts_capital: true,
        };
        // "said" is in the list of stop words, as are "and" and "the".
        assert_eq!(cues[0], expected);
        assert_eq!(cues[0].ratio(cues[0].capitals), 0.5);
        assert_eq!(
            (cues[1].parent_tag, cues[1].starts_capital),
            ("body", false)
        );
        assert_eq!((cues[2].parent_tag, cues[2].has_link), ("li", true));
    }
}
