//! The elaborate heuristics of ICE: pseudo-probabilities that a block is a list item, a heading or
//! a paragraph (Hofmann and Weerkamp 2007, 3.2).
//!
//! The paper names the cues and gives no formula. Ours is the simplest that uses all of them: each
//! pseudo-probability except the paragraph's is a product, and each cue against it is a factor
//! below 1.
//!
//! | of | cue | factor |
//! |---|---|---|
//! | list item | the parent is `li`, or not | 1, or [`NO_ITEM_TAG`] |
//! | | each word | [`WORD_FACTOR`] |
//! | | begins with a capital, or not | 1, or [`NO_CAPITAL`] |
//! | | likelihood n of the neighbors, by the cues above, mean of both | (1 + n) / 2 |
//! | heading | the parent is `h1` to `h6`, or not | 1, or [`NO_HEADING_TAG`] |
//! | | each word | [`WORD_FACTOR`] |
//! | | the next block has more than ten words, or not | 1, or [`NO_TEXT_AFTER`] |
//! | both | is or contains a hyperlink | 0 |
//! | paragraph | punctuation marks and conjunctions, each per word | mean of both, see below |
//!
//! Both paragraph cues are divided by their usual values ([`USUAL_MARKS`], [`USUAL_CONJUNCTIONS`])
//! and are at most 1.
//!
//! The largest decides the kind of the block. A paragraph is kept above the threshold given in the
//! paper; a list item or a heading is kept if it is more likely than not.

use super::super::passage;
use super::cues::{Cues, Lists, measure_block};
use vclean_core::document::SegmentKind;
use vclean_core::elements::is_heading;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{
    Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees,
};

/// Chosen by mean word F on the train splits of `styled`, `canola`, `scrapinghub` and `wcxb`: .772
/// at 0.3, .771 at 0.4, .779 at 0.5, and on the first three hardly less at 0.7. Below 0.5
/// punctuation alone makes a paragraph; from 0.5 on, conjunctions are needed too.
const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    default: "0.5",
    allowed: Allowed::Number(0.0, 1.0),
    about: "least pseudo-probability of a paragraph that is kept; chosen on train",
};

pub(in crate::method) const METHOD: Method = Method {
    name: "ice-elaborate",
    about: "pseudo-probabilities of list item, heading and paragraph from tag, length, capitals, marks and conjunctions",
    source: "Hofmann and Weerkamp 2007, section 3.2",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[THRESHOLD],
    learns: false,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        Ok(Box::new(Elaborate {
            threshold: settings.number(&THRESHOLD),
        }))
    },
};

/// Factor per word for the probability of a list item or heading: one half after fourteen words.
/// Heuristic.
const WORD_FACTOR: f64 = 0.95;
/// Factor for a list item outside `li`. Heuristic: such an item alone is never more likely than
/// not.
const NO_ITEM_TAG: f64 = 0.5;
/// Factor for a list item that begins with a small letter. Heuristic.
const NO_CAPITAL: f64 = 0.8;
/// Factor for a heading outside `h1` to `h6`. Heuristic: up to six words before a longer text are
/// still a heading.
const NO_HEADING_TAG: f64 = 0.7;
/// Factor for a heading with no text after it. Heuristic: a short `h1` is still a heading, a short
/// `div` is not.
const NO_TEXT_AFTER: f64 = 0.6;
/// "whether or not the next element contains more than 10 words".
const TEXT_WORDS: usize = 10;
/// Punctuation marks per word at which the cue for a paragraph is 1: half the value of running
/// text, which has one mark in eight words.
const USUAL_MARKS: f64 = 0.06;
/// Usual number of conjunctions per word: running text has one in sixteen words.
const USUAL_CONJUNCTIONS: f64 = 0.03;
/// A list item or heading is kept above this: more likely than not.
const LIKELY: f64 = 0.5;

struct Elaborate {
    threshold: f64,
}

/// The three pseudo-probabilities of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Likelihoods {
    list_item: f64,
    heading: f64,
    paragraph: f64,
}

impl CleanPage for Elaborate {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let blocks = super::lines::blocks(dom);
        let lists = Lists::for_page(dom, &blocks);
        let cues: Vec<Cues<'_>> = blocks
            .iter()
            .map(|block| measure_block(dom, block, &lists))
            .collect();
        let likelihoods = weigh(&cues, lists.conjunctions.is_some());
        let passages =
            blocks
                .into_iter()
                .zip(cues)
                .zip(likelihoods)
                .map(|((block, cues), likelihoods)| {
                    let (kind, margin) = self.decide(likelihoods, cues.parent_tag);
                    super::lines::passage(block, kind, margin > 0.0, margin)
                });
        Ok(passage::document(input.capture, passages.collect()))
    }
}

impl Elaborate {
    /// The kind of a block, and how far its likelihood is above the threshold for keeping it.
    fn decide(&self, likelihoods: Likelihoods, tag: &str) -> (SegmentKind, f64) {
        let Likelihoods {
            list_item,
            heading,
            paragraph,
        } = likelihoods;
        if heading > paragraph && heading >= list_item {
            (super::lines::heading(tag), heading - LIKELY)
        } else if list_item > paragraph {
            (super::lines::LIST_ITEM, list_item - LIKELY)
        } else {
            (SegmentKind::Paragraph, paragraph - self.threshold)
        }
    }
}

/// The pseudo-probabilities of all blocks of a page.
fn weigh(cues: &[Cues<'_>], has_conjunctions: bool) -> Vec<Likelihoods> {
    let alone: Vec<f64> = cues.iter().map(list_item_alone).collect();
    let likelihoods = |index: usize| {
        let before = if index > 0 { alone[index - 1] } else { 0.0 };
        let after = alone.get(index + 1).copied().unwrap_or(0.0);
        let has_text_after = cues
            .get(index + 1)
            .is_some_and(|next| next.words > TEXT_WORDS);
        Likelihoods {
            list_item: alone[index] * f64::midpoint(1.0, f64::midpoint(before, after)),
            heading: heading(&cues[index], has_text_after),
            paragraph: paragraph(&cues[index], has_conjunctions),
        }
    };
    (0..cues.len()).map(likelihoods).collect()
}

fn word_factor(words: usize) -> f64 {
    WORD_FACTOR.powi(i32::try_from(words).unwrap_or(i32::MAX))
}

fn list_item_alone(cues: &Cues<'_>) -> f64 {
    if cues.has_link {
        return 0.0;
    }
    let tag = if cues.parent_tag == "li" {
        1.0
    } else {
        NO_ITEM_TAG
    };
    let capital = if cues.starts_capital { 1.0 } else { NO_CAPITAL };
    tag * capital * word_factor(cues.words)
}

fn heading(cues: &Cues<'_>, has_text_after: bool) -> f64 {
    if cues.has_link {
        return 0.0;
    }
    let tag = if is_heading(cues.parent_tag) {
        1.0
    } else {
        NO_HEADING_TAG
    };
    let after = if has_text_after { 1.0 } else { NO_TEXT_AFTER };
    tag * after * word_factor(cues.words)
}

fn paragraph(cues: &Cues<'_>, has_conjunctions: bool) -> f64 {
    let marks = (cues.ratio(cues.marks) / USUAL_MARKS).min(1.0);
    if !has_conjunctions {
        return marks;
    }
    f64::midpoint(
        marks,
        (cues.ratio(cues.conjunctions) / USUAL_CONJUNCTIONS).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;
    use super::*;

    const PLAIN: Cues<'static> = Cues {
        words: 2,
        capitals: 1,
        marks: 0,
        stop_words: 0,
        conjunctions: 0,
        parent_tag: "div",
        has_link: false,
        starts_capital: true,
    };

    #[test]
    fn the_cues_are_weighted_as_in_the_table() {
        let item = Cues {
            parent_tag: "li",
            ..PLAIN
        };
        let text = Cues {
            words: 50,
            marks: 2,
            conjunctions: 1,
            parent_tag: "p",
            ..PLAIN
        };
        let found = weigh(&[item, item, PLAIN, text], true);
        let two = 0.95 * 0.95;
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} {other}");
        near(found[0].list_item, two * (1.0 + two / 2.0) / 2.0);
        near(found[1].list_item, two * (1.0 + two * 0.75) / 2.0);
        near(found[0].heading, 0.7 * 0.6 * two);
        near(found[2].heading, 0.7 * two);
        // 0.04 of 0.06 and 0.02 of 0.03.
        near(found[3].paragraph, 2.0 / 3.0);
        near(weigh(&[text], false)[0].paragraph, 2.0 / 3.0);
        let linked = weigh(
            &[Cues {
                has_link: true,
                ..item
            }],
            true,
        )[0];
        assert_eq!(
            linked,
            Likelihoods {
                list_item: 0.0,
                heading: 0.0,
                paragraph: 0.0
            }
        );
    }

    #[test]
    fn blocks_get_kinds_and_links_are_removed() {
        let text = "The herring gull drops mussels on the rocks, and the shell breaks when it falls from a height.";
        let html = format!(
            "<div><a href=/>Home</a></div><h1>Gulls</h1><p>{text}<ul><li>Herring gull<li>Mew gull</ul>"
        );
        let expected = format!("Gulls\n{text}\nHerring gull\nMew gull\n");
        assert_eq!(clean_with("ice-elaborate", &[], &html), expected);
        assert_eq!(
            clean_with(
                "ice-elaborate",
                &["threshold=1"],
                "<p>A text, of few marks."
            ),
            ""
        );
    }
}
