//! Reads the lines of an inline layout: the text node and the position of each letter.
//!
//! The engine lays out the text of a block as one string and stores the element of each letter, not
//! its text node. Apart from white space, this string is the concatenation of the text nodes. So
//! letters are counted. If the counts differ (a transform that turns one letter into two, a list
//! marker), the element of the letter is used.

use super::styles::style;
use super::tree::Origins;
use blitz_dom::NodeId as EngineId;
use blitz_dom::node::{NodeData, TextBrush};
use blitz_dom::{BaseDocument, Node};
use parley::{Cluster, GlyphRun};
use std::sync::Arc;
use style::values::specified::box_::{DisplayInside, DisplayOutside};
use vclean_core::capture::{CssRect, LineBox, NodeId, Style};
use vclean_core::rendering::{Letter, LineFragment};
use vclean_core::text::count_letters;

/// Vertical position of the letters of a run.
#[derive(Clone, Copy)]
struct Row {
    pub y: f32,
    height: f32,
    baseline: f32,
    font_px: f32,
}

/// State while reading the lines of one layout.
pub(super) struct LineReader<'a> {
    document: &'a BaseDocument,
    laid_out: &'a str,
    own: &'a Arc<Style>,
    letter_map: LetterMap<'a>,
    /// Number of UTF-16 code units already read, per text node.
    units_before: Vec<u32>,
    /// The elements that contain text, with their styles.
    holders: Vec<(EngineId, Arc<Style>)>,
    /// The fragments in the current line, one text node each.
    pub(super) fragments: Vec<(LineFragment, Held)>,
    /// Number of characters for which no installed font has a glyph.
    pub(super) missing_letters: usize,
}

/// Origin of a fragment.
pub(super) struct Held {
    /// Number of its text node among those of the layout.
    text: usize,
    /// The element that determines its style.
    pub(super) holder: EngineId,
    /// Box of the fragment, and the range of its letters in the text node.
    pub(super) line: LineBox,
}

/// Returns true for a letter for private use (Unicode, section 23.5), such as the signs of icon
/// fonts: only the page's own font has it, so installing a font would not help.
fn is_private(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

impl<'a> LineReader<'a> {
    /// Reads the lines of the element `root` with style `own`.
    pub(super) fn new(
        document: &'a BaseDocument,
        texts: &'a [InlineText],
        laid_out: &'a str,
        root: EngineId,
        own: &'a Arc<Style>,
    ) -> Self {
        Self {
            document,
            laid_out,
            own,
            letter_map: LetterMap::new(texts, laid_out),
            units_before: vec![0; texts.len()],
            holders: vec![(root, Arc::clone(own))],
            fragments: Vec::new(),
            missing_letters: 0,
        }
    }

    /// Reads a run of letters in one font.
    pub(super) fn read_run(&mut self, run: &GlyphRun<'_, TextBrush>, (left, top): (f32, f32)) {
        let shaped = run.run();
        let metrics = shaped.font_metrics();
        let mut x = left + run.offset();
        let baseline = top + run.baseline();
        // Browsers round both, so that all lines of one font have the same height.
        let (ascent, descent) = (metrics.ascent.round(), metrics.descent.round());
        let row = Row {
            y: baseline - ascent,
            height: ascent + descent,
            baseline,
            font_px: shaped.font_size(),
        };
        for cluster in shaped.visual_clusters() {
            self.read_cluster(&cluster, x, row);
            x += cluster.advance();
        }
    }

    fn read_cluster(&mut self, cluster: &Cluster<'_, TextBrush>, from: f32, row: Row) {
        let bytes = cluster.text_range();
        let advance = cluster.advance();
        let Some(letter) = self
            .laid_out
            .get(bytes.clone())
            .and_then(|text| text.chars().next())
        else {
            return;
        };
        let is_blank = letter.is_whitespace();
        let holder = cluster.style().brush.id;
        let text = if is_blank && letter != '\u{a0}' {
            // White space belongs to the preceding text in the line.
            self.fragments.last().map(|(_, held)| held.text)
        } else {
            self.letter_map.text_at(bytes.start, holder)
        };
        let Some(text) = text else { return };
        let units: u32 = self.laid_out[bytes]
            .chars()
            .map(|letter| letter.len_utf16() as u32)
            .sum();
        if self
            .fragments
            .last()
            .is_none_or(|(_, held)| held.text != text)
        {
            self.begin_fragment(text, holder, from, row);
        }
        let (fragment, Held { line, .. }) = self.fragments.last_mut().expect("pushed above");
        self.units_before[text] += units;
        line.length += units;
        if !is_blank {
            // Glyph 0 marks a letter that the font lacks. Some letters are invisible and need no
            // glyph.
            let is_missing = !letter.is_ascii()
                && !is_private(letter)
                && cluster.glyphs().any(|glyph| glyph.id == 0);
            self.missing_letters += usize::from(is_missing && advance > 0.0);
            // Letters that are pushed onto each other take no room.
            if advance > 0.0 {
                let right = line.rect.right().max(from + advance);
                line.rect.x = line.rect.x.min(from);
                line.rect.width = right - line.rect.x;
            }
            fragment.letters.push(Letter {
                x: from,
                advance,
                sign: letter,
            });
        }
    }

    /// Starts a fragment of a text node in the current line.
    fn begin_fragment(&mut self, text: usize, holder: EngineId, x: f32, row: Row) {
        if !self.holders.iter().any(|(known, _)| *known == holder) {
            let style = self
                .document
                .get_node(holder)
                .and_then(|node| Some(Arc::new(style(&*node.primary_styles()?, 0.0))));
            self.holders
                .push((holder, style.unwrap_or_else(|| Arc::clone(self.own))));
        }
        let style = self
            .holders
            .iter()
            .find(|(known, _)| *known == holder)
            .map_or(self.own, |(_, style)| style);
        let rect = CssRect {
            x,
            y: row.y,
            width: 0.0,
            height: row.height,
        };
        let line = LineBox {
            rect,
            start: self.units_before[text],
            length: 0,
        };
        let fragment = LineFragment::new(
            self.letter_map.node(text),
            Arc::clone(style),
            row.baseline,
            row.font_px,
        );
        self.fragments.push((fragment, Held { text, holder, line }));
    }
}

/// A text node of an inline layout, in its order.
pub(super) struct InlineText {
    /// Our node; `None` for generated text, such as that of `::before`.
    pub(super) id: Option<NodeId>,
    /// The element that determines the style.
    holder: EngineId,
    /// Number of letters without white space.
    letters: usize,
}

/// Lists the text nodes in the lines of `root`.
pub(super) fn inline_texts(
    document: &BaseDocument,
    root: &Node,
    origins: &Origins,
) -> Vec<InlineText> {
    let mut texts = Vec::new();
    // Nodes still to be visited, the next one last, each with the element that determines the style
    // of its text.
    let mut pending: Vec<(EngineId, EngineId)> = Vec::new();
    let push_children = |pending: &mut Vec<(EngineId, EngineId)>, node: &Node, holder: EngineId| {
        pending.extend(node.after().map(|id| (id, holder)));
        pending.extend(node.children.iter().rev().map(|&id| (id, holder)));
        pending.extend(node.before().map(|id| (id, holder)));
    };
    push_children(&mut pending, root, root.id);
    while let Some((id, holder)) = pending.pop() {
        let Some(node) = document.get_node(id) else {
            continue;
        };
        match &node.data {
            NodeData::Text(text) => {
                let letters = count_letters(&text.content);
                texts.push(InlineText {
                    id: origins.our_node(id),
                    holder,
                    letters,
                });
            }
            NodeData::Element(element) | NodeData::AnonymousBlock(element) => {
                let Some(display) = node.primary_styles().map(|values| values.clone_display())
                else {
                    continue;
                };
                match (display.outside(), display.inside()) {
                    (DisplayOutside::None, DisplayInside::Contents) => {
                        push_children(&mut pending, node, holder);
                    }
                    (DisplayOutside::Inline, DisplayInside::Flow)
                        if !is_box(&element.name.local) =>
                    {
                        push_children(&mut pending, node, id);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    texts
}

/// Returns true for elements that the engine places in a line as a box, whatever their style (its
/// `is_inline_box_element`), and for line breaks. Their text is not part of the line.
fn is_box(tag: &str) -> bool {
    matches!(
        tag,
        "img"
            | "svg"
            | "canvas"
            | "video"
            | "embed"
            | "iframe"
            | "input"
            | "textarea"
            | "button"
            | "br"
    )
}

/// Maps the letters of an inline layout to its text nodes.
struct LetterMap<'a> {
    texts: &'a [InlineText],
    /// Start of each text node in the text of the layout, in bytes; empty if the counts differ.
    starts: Vec<usize>,
    /// The text node of the last letter.
    at: usize,
}

impl<'a> LetterMap<'a> {
    pub(super) fn new(texts: &'a [InlineText], laid_out: &str) -> Self {
        let mut starts = Vec::with_capacity(texts.len());
        let mut left = 0;
        let mut agrees = true;
        for (byte, letter) in laid_out.char_indices() {
            if letter.is_whitespace() {
                continue;
            }
            while left == 0 {
                let Some(text) = texts.get(starts.len()) else {
                    agrees = false;
                    break;
                };
                starts.push(byte);
                left = text.letters;
            }
            if !agrees {
                break;
            }
            left -= 1;
        }
        agrees &= left == 0 && texts[starts.len()..].iter().all(|text| text.letters == 0);
        if !agrees {
            starts.clear();
        }
        Self {
            texts,
            starts,
            at: 0,
        }
    }

    /// Returns the index of the text node of the letter at `byte`, which is in element `holder`.
    fn text_at(&mut self, byte: usize, holder: EngineId) -> Option<usize> {
        if !self.starts.is_empty() {
            return self
                .starts
                .partition_point(|&start| start <= byte)
                .checked_sub(1);
        }
        if self
            .texts
            .get(self.at)
            .is_some_and(|text| text.holder == holder && text.letters > 0)
        {
            return Some(self.at);
        }
        let found = self
            .texts
            .iter()
            .enumerate()
            .skip(self.at)
            .find(|(_, text)| text.holder == holder && text.letters > 0);
        self.at = found?.0;
        Some(self.at)
    }

    /// Returns our node for a text node.
    pub(super) fn node(&self, text: usize) -> Option<NodeId> {
        self.texts[text].id
    }
}
