//! Copies a tree node by node, so that others can be inserted on the way: the documents of frames.

use super::dom::Dom;
use super::dom_builder::DomBuilder;
use super::node::{NodeId, NodeKind};

/// A tree that is being copied.
#[derive(Debug)]
pub(crate) struct TreeCopy {
    /// The next node.
    next: usize,
    /// One past the last descendant of each open element, innermost last.
    open: Vec<usize>,
}

impl TreeCopy {
    /// A copy that begins with the children of the root.
    pub(crate) fn new() -> Self {
        Self { next: 1, open: Vec::new() }
    }

    /// Copies the next node and returns it; `None` at the end, when all elements are closed.
    pub(crate) fn step(&mut self, dom: &Dom, builder: &mut DomBuilder) -> Option<NodeId> {
        while self.open.last().is_some_and(|&end| end <= self.next) {
            builder.close();
            self.open.pop();
        }
        if self.next >= dom.len() {
            return None;
        }
        let id = NodeId::new(self.next);
        self.next += 1;
        match dom.kind(id) {
            NodeKind::Text(text) => {
                builder.text(text);
                return Some(id);
            }
            NodeKind::Document => {
                builder.open_document();
            }
            NodeKind::Element { tag, attributes } => {
                builder.open_with(tag, attributes);
            }
        }
        self.open.push(dom.end(id));
        Some(id)
    }

    /// Leaves out what is below the node that was copied last.
    pub(crate) fn skip_content(&mut self, dom: &Dom) {
        self.next = dom.end(NodeId::new(self.next - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn a_copy_equals_its_tree_and_content_can_be_replaced() {
        let dom = parse_html("<p>one <b>two</b></p><iframe>none</iframe><p>three</p>");
        let mut builder = DomBuilder::new();
        let mut copy = TreeCopy::new();
        while copy.step(&dom, &mut builder).is_some() {}
        assert_eq!(builder.finish(), dom);
        let mut builder = DomBuilder::new();
        let mut copy = TreeCopy::new();
        while let Some(id) = copy.step(&dom, &mut builder) {
            if dom.tag(id) == "b" {
                copy.skip_content(&dom);
                builder.text("2");
            }
        }
        let changed = builder.finish();
        let texts: Vec<&str> = changed.ids().filter_map(|id| changed.text(id)).collect();
        assert!(changed.is_consistent() && texts.starts_with(&["one ", "2"]), "{texts:?}");
    }
}
