//! Which text node each letter of an inline layout comes from.
//!
//! The engine lays the text of a block out as one string and remembers of each letter its element, not its text node.
//! White space aside, that string is the text nodes one after the other; so letters are counted, and where the counts
//! do not agree (a transform that makes two letters of one, a list marker) the element decides.

use super::tree::Origins;
use crate::capture::NodeId;
use crate::text::count_letters;
use blitz_dom::node::NodeData;
use blitz_dom::{BaseDocument, Node, NodeId as EngineId};
use style::values::specified::box_::{DisplayInside, DisplayOutside};

/// A text node of an inline layout, in its order.
pub(super) struct InlineText {
    /// Our node; none for text that the engine made, such as that of `::before`.
    pub(super) id: Option<NodeId>,
    /// The element whose style it has.
    holder: EngineId,
    /// Letters, white space not counted.
    letters: usize,
}

/// The text nodes that are laid out in the lines of `root`.
pub(super) fn inline_texts(document: &BaseDocument, root: &Node, origins: &Origins) -> Vec<InlineText> {
    let mut texts = Vec::new();
    // Nodes still to be seen, the next one last, each with the element whose style its text has.
    let mut ahead: Vec<(EngineId, EngineId)> = Vec::new();
    let push_children = |ahead: &mut Vec<(EngineId, EngineId)>, node: &Node, holder: EngineId| {
        ahead.extend(node.after().map(|id| (id, holder)));
        ahead.extend(node.children.iter().rev().map(|&id| (id, holder)));
        ahead.extend(node.before().map(|id| (id, holder)));
    };
    push_children(&mut ahead, root, root.id);
    while let Some((id, holder)) = ahead.pop() {
        let Some(node) = document.get_node(id) else { continue };
        match &node.data {
            NodeData::Text(text) => {
                let letters = count_letters(&text.content);
                texts.push(InlineText { id: origins.of(id), holder, letters });
            }
            NodeData::Element(element) | NodeData::AnonymousBlock(element) => {
                let Some(display) = node.primary_styles().map(|values| values.clone_display()) else { continue };
                match (display.outside(), display.inside()) {
                    (DisplayOutside::None, DisplayInside::Contents) => push_children(&mut ahead, node, holder),
                    (DisplayOutside::Inline, DisplayInside::Flow) if !is_box(&element.name.local) => {
                        push_children(&mut ahead, node, id);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    texts
}

/// Elements that the engine places in a line as a box whatever their style says (its `is_inline_box_element`), and line
/// breaks: none of their text is among the line's.
fn is_box(tag: &str) -> bool {
    matches!(tag, "img" | "svg" | "canvas" | "video" | "embed" | "iframe" | "input" | "textarea" | "button" | "br")
}

/// Follows the letters of an inline layout through its text nodes.
pub(super) struct Follower<'a> {
    texts: &'a [InlineText],
    /// Where each text node begins in the layout's text, in bytes; empty where the counts do not agree.
    starts: Vec<usize>,
    /// Where the last letter was.
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
