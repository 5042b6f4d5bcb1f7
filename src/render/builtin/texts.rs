//! Finds the text node of each letter of an inline layout.
//!
//! The engine lays out the text of a block as one string and stores the element of each letter, not its text node.
//! Apart from white space, this string is the concatenation of the text nodes. So letters are counted. If the counts
//! differ (a transform that turns one letter into two, a list marker), the element of the letter is used.

use super::tree::Origins;
use crate::capture::NodeId;
use crate::text::count_letters;
use blitz_dom::node::NodeData;
use blitz_dom::{BaseDocument, Node, NodeId as EngineId};
use style::values::specified::box_::{DisplayInside, DisplayOutside};

/// A text node of an inline layout, in its order.
pub(super) struct InlineText {
    /// Our node; `None` for generated text, such as that of `::before`.
    pub(super) id: Option<NodeId>,
    /// The element that determines the style.
    holder: EngineId,
    /// Number of letters without white space.
    letters: usize,
}

/// The text nodes in the lines of `root`.
pub(super) fn inline_texts(document: &BaseDocument, root: &Node, origins: &Origins) -> Vec<InlineText> {
    let mut texts = Vec::new();
    // Nodes still to be visited, the next one last, each with the element that determines the style of its text.
    let mut pending: Vec<(EngineId, EngineId)> = Vec::new();
    let push_children = |pending: &mut Vec<(EngineId, EngineId)>, node: &Node, holder: EngineId| {
        pending.extend(node.after().map(|id| (id, holder)));
        pending.extend(node.children.iter().rev().map(|&id| (id, holder)));
        pending.extend(node.before().map(|id| (id, holder)));
    };
    push_children(&mut pending, root, root.id);
    while let Some((id, holder)) = pending.pop() {
        let Some(node) = document.get_node(id) else { continue };
        match &node.data {
            NodeData::Text(text) => {
                let letters = count_letters(&text.content);
                texts.push(InlineText { id: origins.our_node(id), holder, letters });
            }
            NodeData::Element(element) | NodeData::AnonymousBlock(element) => {
                let Some(display) = node.primary_styles().map(|values| values.clone_display()) else { continue };
                match (display.outside(), display.inside()) {
                    (DisplayOutside::None, DisplayInside::Contents) => push_children(&mut pending, node, holder),
                    (DisplayOutside::Inline, DisplayInside::Flow) if !is_box(&element.name.local) => {
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

/// Elements that the engine places in a line as a box, whatever their style (its `is_inline_box_element`), and line
/// breaks. Their text is not part of the line.
fn is_box(tag: &str) -> bool {
    matches!(tag, "img" | "svg" | "canvas" | "video" | "embed" | "iframe" | "input" | "textarea" | "button" | "br")
}

/// Maps the letters of an inline layout to its text nodes.
pub(super) struct Follower<'a> {
    texts: &'a [InlineText],
    /// Start of each text node in the text of the layout, in bytes; empty if the counts differ.
    starts: Vec<usize>,
    /// The text node of the last letter.
    at: usize,
}

impl<'a> Follower<'a> {
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
        Self { texts, starts, at: 0 }
    }

    /// Index of the text node of the letter at `byte`, which is in element `holder`.
    pub(super) fn text_at(&mut self, byte: usize, holder: EngineId) -> Option<usize> {
        if !self.starts.is_empty() {
            return self.starts.partition_point(|&start| start <= byte).checked_sub(1);
        }
        if self.texts.get(self.at).is_some_and(|text| text.holder == holder && text.letters > 0) {
            return Some(self.at);
        }
        let found =
            self.texts.iter().enumerate().skip(self.at).find(|(_, text)| text.holder == holder && text.letters > 0);
        self.at = found?.0;
        Some(self.at)
    }

    /// Our node of a text node.
    pub(super) fn node(&self, text: usize) -> Option<NodeId> {
        self.texts[text].id
    }
}
