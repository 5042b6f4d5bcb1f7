//! Shared by the methods of ICE: the blocks of a page, its headings and list items.

use crate::capture::Dom;
use crate::clean::SegmentKind;
use crate::elements::{is_ignored, separates_text_blocks};
use crate::method::block::{BlockRules, TextBlock, split};
use crate::method::passage::Passage;

/// The publication.
pub(super) const SOURCE_YEAR: u16 = 2007;

/// The block-level elements of section 3.1: "`p`, `div`, `li`, `h1..6`, or plain text", where two or more line breaks are a
/// border too. The paper calls text in other elements "plain text". Here the borders of all elements that HTML displays as
/// blocks separate it, so that two cells of a table are two blocks, as with `HTML::TreeBuilder`.
pub(super) const RULES: BlockRules =
    BlockRules { parts: separates_text_blocks, ignores: is_ignored, double_break_parts: true };

/// The text blocks of a page, in document order.
pub(crate) fn blocks(dom: &Dom) -> Vec<TextBlock> {
    split(dom, &RULES)
}

/// A list item; all are written the same way, because the paper has no depth and no number.
pub(super) const LIST_ITEM: SegmentKind =
    SegmentKind::ListItem { depth: 0, number: None, continues: false, checked: None };

/// A heading: with the level of its element, or level 2 for another element.
pub(super) fn heading(tag: &str) -> SegmentKind {
    let level = tag.strip_prefix('h').and_then(|level| level.parse().ok()).filter(|level| (1..=6).contains(level));
    SegmentKind::Heading { level: level.unwrap_or(2) }
}

/// A block with its decision.
pub(super) fn passage(block: TextBlock, kind: SegmentKind, is_content: bool, margin: f64) -> Passage {
    let place = Some(block.target());
    Passage { kind, text: block.text, place, is_content, margin: margin as f32 }
}
