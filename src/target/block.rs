//! A text block of a page and its text.

use super::display::tag_display;
use crate::capture::{Display, Dom, NodeId};
use crate::text::{Collapse, is_blank};

/// One text block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The element that holds the block: the nearest block container, or FIASCO's target node. Two targets may share
    /// it, where block children part the runs of a container.
    pub container: NodeId,
    /// The visible text nodes of the block that hold more than white space, in document order; never empty, and no
    /// text node is in two targets.
    pub texts: Vec<NodeId>,
}

impl Target {
    /// The first text node: targets are ordered by it.
    pub fn first(&self) -> NodeId {
        self.texts[0]
    }

    /// The text of the block on one line: white space collapsed as in a browser, a line break or the border of a block
    /// element for a space, soft hyphens and zero-width spaces left out.
    pub fn text(&self, dom: &Dom) -> String {
        let mut out = String::new();
        let mut collapse = Collapse::default();
        for piece in self.pieces(dom) {
            match piece {
                Piece::Text(id) | Piece::Space(id) => collapse.text(dom.text(id).unwrap_or(""), |c| out.push(c)),
                Piece::Break | Piece::Border => collapse.space(),
            }
        }
        out
    }

    /// The block's texts and what parts them, in document order. Only nodes between the first and the last text are
    /// visited.
    pub(crate) fn pieces(&self, dom: &Dom) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.texts.len());
        let is_border = |id: NodeId| !tag_display(dom, id, Display::Inline).is_inline();
        // Ends of the block elements now open within the block, innermost last.
        let mut ends: Vec<usize> = dom
            .ancestors(self.first())
            .take_while(|&up| up > self.container)
            .filter(|&up| is_border(up))
            .map(|up| dom.end(up))
            .collect();
        ends.reverse();
        let mut texts = self.texts.iter().peekable();
        for index in self.first().index()..=self.texts[self.texts.len() - 1].index() {
            let id = NodeId::new(index);
            while ends.last().is_some_and(|&end| end <= index) {
                ends.pop();
                pieces.push(Piece::Border);
            }
            if texts.peek() == Some(&&id) {
                texts.next();
                pieces.push(Piece::Text(id));
            } else if let Some(text) = dom.text(id) {
                if is_blank(text) {
                    pieces.push(Piece::Space(id));
                }
            } else if dom.tag(id) == "br" {
                pieces.push(Piece::Break);
            } else if is_border(id) {
                pieces.push(Piece::Border);
                ends.push(dom.end(id));
            }
        }
        pieces
    }
}

/// A part of a block, or what parts two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A text of the block.
    Text(NodeId),
    /// A text node of white space only.
    Space(NodeId),
    /// A `br`.
    Break,
    /// Where a block element begins or ends.
    Border,
}

/// Joins text nodes on one line, for measures and excerpts: a run of Unicode white space becomes one space, there is none at
/// either end, and two nodes in succession are parted by a space where `is_apart` holds.
///
/// [`Target::text`] is the text that is written and differs: it follows CSS, so that soft hyphens and zero-width spaces are
/// left out, control characters count as white space, a line break between two wide East Asian characters is no space, and
/// line breaks and borders of block elements part the nodes.
pub(crate) fn plain_text(
    dom: &Dom,
    texts: &[NodeId],
    is_apart: impl Fn(NodeId, NodeId) -> bool,
) -> impl Iterator<Item = char> {
    let mut before = None;
    let parted = texts.iter().flat_map(move |&id| {
        let is_parted = before.replace(id).is_some_and(|before| is_apart(before, id));
        is_parted.then_some(' ').into_iter().chain(dom.text(id).unwrap_or("").chars())
    });
    let (mut has_begun, mut has_space) = (false, false);
    parted
        .flat_map(move |c| {
            if c.is_whitespace() {
                has_space = has_begun;
                return [None, None];
            }
            has_begun = true;
            [std::mem::take(&mut has_space).then_some(' '), Some(c)]
        })
        .flatten()
}
