//! Where the written text comes from: for each node of a span its XPath, the range of characters in it, and its box.
//!
//! Spans only keep their nodes, which costs next to nothing; the rest is found when it is asked for (`locate`).

use crate::capture::{CssRect, NodeId};
use serde::Serialize;

/// Where a part of a span comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextPosition {
    /// The text node, or of a formula its first element, as an XPath that a browser evaluates. Below a frame or in a shadow
    /// tree it names the steps through all trees. Empty for a node that is more than 256 levels deep.
    pub xpath: String,
    /// The first character of the text node that is written, from 0, in Unicode scalar values; `None` for a formula.
    pub start: Option<u32>,
    /// One past the last character that is written; `None` for a formula.
    pub end: Option<u32>,
    /// The box around the node's lines, in CSS px from the top left corner of the page; `None` where it has none, as in HTML
    /// that was not rendered.
    pub rect: Option<CssRect>,
    /// The characters of the range, with white space collapsed; empty for a formula.
    #[serde(skip)]
    pub text: String,
}

/// The positions of the nodes of a document's spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextPositions {
    /// Ascending by node.
    known: Vec<(NodeId, TextPosition)>,
}

impl TextPositions {
    /// These positions, ascending by node.
    pub(super) fn new(known: Vec<(NodeId, TextPosition)>) -> Self {
        Self { known }
    }

    /// The position of a node; `None` for one that no span was made of.
    pub fn get(&self, node: NodeId) -> Option<&TextPosition> {
        let at = self.known.binary_search_by_key(&node, |(known, _)| *known).ok()?;
        self.known.get(at).map(|(_, position)| position)
    }

    /// The positions of some nodes, in their order.
    pub fn all<'a>(&'a self, nodes: &'a [NodeId]) -> impl Iterator<Item = &'a TextPosition> {
        nodes.iter().filter_map(|&node| self.get(node))
    }
}
