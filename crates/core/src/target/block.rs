//! A text block of a page and its text.

use super::visible::{is_visible, tag_display};
use crate::capture::{Display, Dom, NodeId, Visibility};
use crate::elements::Element;
use crate::text::{Collapse, OneLine, is_blank};
use std::ops::Range;

const BR: Element = Element::known("br");

/// One text block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The element that holds the block: the nearest block container, or FIASCO's target node. Two
    /// targets may share it if block children separate the runs of a container.
    pub container: NodeId,
    /// The text nodes of the block that hold more than white space, in document order; never empty.
    /// No text node belongs to two targets.
    pub texts: Vec<NodeId>,
    /// Visibility of the first text to readers; visible and hidden texts are never in the same
    /// target.
    pub visibility: Visibility,
}

impl Target {
    /// The first text node, which determines the order of targets.
    pub fn first(&self) -> NodeId {
        self.texts[0]
    }

    /// True if a reader sees the block, as far as is known.
    pub fn is_visible(&self) -> bool {
        is_visible(self.visibility)
    }

    /// The text of the block on one line: white space is collapsed as in a browser, line breaks and
    /// borders of block elements become spaces, and soft hyphens and zero-width spaces are left
    /// out.
    pub fn text(&self, dom: &Dom) -> String {
        let mut out = String::new();
        let mut collapse = Collapse::default();
        for piece in self.pieces(dom) {
            match piece {
                Piece::Text(id) | Piece::Space(id) => {
                    collapse.append(dom.text(id).unwrap_or(""), &mut out);
                }
                Piece::Break | Piece::Border | Piece::Replaced(_) => collapse.space(),
            }
        }
        out
    }

    /// The block's texts and their separators, in document order. Only nodes from the first to the
    /// last text are processed.
    pub(crate) fn pieces(&self, dom: &Dom) -> Vec<Piece> {
        let nodes = self.first().index()..self.texts[self.texts.len() - 1].index() + 1;
        self.pieces_in(dom, nodes, |_| None)
    }

    /// The texts of a range of nodes and their separators. The range may begin before the first
    /// text and end after the last one. If `replaced` returns an end for a node, the nodes up to
    /// there count as one piece.
    pub(crate) fn pieces_in(
        &self,
        dom: &Dom,
        nodes: Range<usize>,
        replaced: impl Fn(NodeId) -> Option<usize>,
    ) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.texts.len());
        let is_border = |id: NodeId| !tag_display(dom, id, Display::Inline).is_inline();
        // Ends of the open block elements within the block, innermost last.
        let mut ends: Vec<usize> = dom
            .ancestors(NodeId::new(nodes.start))
            .take_while(|&up| up > self.container)
            .filter(|&up| is_border(up))
            .map(|up| dom.end(up))
            .collect();
        ends.reverse();
        let mut texts = self.texts.iter().peekable();
        let mut next = nodes.start;
        for index in nodes {
            let id = NodeId::new(index);
            if index < next {
                texts.next_if(|&&text| text == id);
                continue;
            }
            while ends.last().is_some_and(|&end| end <= index) {
                ends.pop();
                pieces.push(Piece::Border);
            }
            if let Some(end) = replaced(id) {
                pieces.push(Piece::Replaced(id));
                texts.next_if(|&&text| text == id);
                next = end;
            } else if texts.peek() == Some(&&id) {
                texts.next();
                pieces.push(Piece::Text(id));
            } else if let Some(text) = dom.text(id) {
                if is_blank(text) {
                    pieces.push(Piece::Space(id));
                }
            } else if dom.element(id) == BR {
                pieces.push(Piece::Break);
            } else if is_border(id) {
                pieces.push(Piece::Border);
                ends.push(dom.end(id));
            }
        }
        pieces
    }
}

/// A text of a block, or a separator of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A text of the block.
    Text(NodeId),
    /// A text node with only white space.
    Space(NodeId),
    /// A `br` element.
    Break,
    /// The start or end of a block element.
    Border,
    /// A range of nodes, identified by the first one, that is replaced in the output.
    Replaced(NodeId),
}

/// Writes text nodes on one line into `out`, for features and excerpts: a run of Unicode white
/// space becomes one space, white space at both ends is removed, and two successive nodes are
/// separated by a space if `is_apart` is true.
///
/// [`Target::text`] differs: it is the text of the output and follows CSS, so soft hyphens and
/// zero-width spaces are left out, control characters count as white space, a line break between
/// two wide East Asian characters is dropped, and line breaks and borders of block elements
/// separate the nodes.
pub fn write_plain_text(
    dom: &Dom,
    texts: &[NodeId],
    is_apart: impl Fn(NodeId, NodeId) -> bool,
    out: &mut String,
) {
    let mut line = OneLine::new(out);
    for (index, &id) in texts.iter().enumerate() {
        if index > 0 && is_apart(texts[index - 1], id) {
            line.space();
        }
        line.text(dom.text(id).unwrap_or(""));
    }
}
