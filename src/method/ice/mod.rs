//! ICE, the content extraction of ILPS Amsterdam for CLEANEVAL: Hofmann and Weerkamp 2007, "Web Corpus Cleaning using
//! Content and Structure". Six methods, one file or folder each.
//!
//! | method | section | how |
//! |---|---|---|
//! | [`baseline`] | 3.1 | every block is a paragraph, nothing is removed |
//! | [`heuristics`] | 3.2, Figure 1 | long lines are paragraphs, a short line shortly before one is its heading |
//! | [`elaborate`] | 3.2 | pseudo-probabilities of list item, heading and paragraph |
//! | [`tree`] | 3.3, Figure 2 | a decision tree by C4.5 |
//! | [`language_model`] | 3.4 | distance of each block's language model from that of title, headings and keywords |
//! | [`genetic`] | 3.5 | an evolved regular expression |
//!
//! All but [`heuristics`], which reads lines, and [`genetic`], which reads the source, look at the [`blocks`] of the
//! page; [`cues`] counts what two of them decide by.

mod baseline;
mod conjunctions;
pub(crate) mod cues;
mod elaborate;
pub(crate) mod genetic;
mod heuristics;
mod language_model;
mod lines;
pub(crate) mod tree;

pub(super) use baseline::METHOD as BASELINE;
pub(super) use elaborate::METHOD as ELABORATE;
pub(super) use genetic::METHOD as GENETIC;
pub(super) use heuristics::METHOD as HEURISTICS;
pub(super) use language_model::METHOD as LANGUAGE_MODEL;
pub(super) use tree::METHOD as TREE;

use super::block::{BlockRules, TextBlock, split};
use super::passage::Passage;
use crate::capture::Dom;
use crate::clean::SegmentKind;
use crate::elements::{is_ignored, parts_text_blocks};

/// The publication.
const SOURCE_YEAR: u16 = 2007;

/// The block-level elements of section 3.1: "`p`, `div`, `li`, `h1..6`, or plain text", two or more line breaks being a
/// border too. Text that stands in other elements is "plain text" there; the borders of all elements that HTML lays out
/// as blocks part it here, so that two cells of a table are two blocks, as `HTML::TreeBuilder` would give them.
const RULES: BlockRules = BlockRules { parts: parts_text_blocks, ignores: is_ignored, double_break_parts: true };

/// The text blocks of a page, in document order.
pub(crate) fn blocks(dom: &Dom) -> Vec<TextBlock> {
    split(dom, &RULES)
}

/// A list item, as all of them are written here: the paper knows no depth and no number.
const LIST_ITEM: SegmentKind = SegmentKind::ListItem { depth: 0, number: None, continues: false };

/// A heading: of its element's level, or of the second where another element was found to be one.
fn heading(tag: &str) -> SegmentKind {
    let level = tag.strip_prefix('h').and_then(|level| level.parse().ok()).filter(|level| (1..=6).contains(level));
    SegmentKind::Heading { level: level.unwrap_or(2) }
}

/// A block with a verdict.
fn passage(block: TextBlock, kind: SegmentKind, is_content: bool, margin: f64) -> Passage {
    let place = Some(block.target());
    Passage { kind, text: block.text, place, is_content, margin: margin as f32 }
}
