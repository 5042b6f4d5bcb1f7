//! Builds a [`Dom`] in document order: open, text, close.

use super::dom::Dom;
use super::node::{Name, NodeId, NodeKind, NodeRow, Span, Strings, Tag};

/// Builds a [`Dom`] in document order: open, text, close.
#[derive(Debug)]
pub struct DomBuilder {
    dom: Dom,
    open: Vec<u32>,
}

impl Default for DomBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl DomBuilder {
    /// A builder whose root document is open.
    pub fn new() -> Self {
        Self::with_strings(Strings::default(), 0)
    }

    /// A builder for about `nodes` nodes whose texts and attributes are already in `strings`.
    pub(crate) fn with_strings(strings: Strings, nodes: usize) -> Self {
        let mut builder = Self {
            dom: Dom {
                nodes: Vec::with_capacity(nodes),
                strings,
            },
            open: Vec::new(),
        };
        builder.open_document();
        builder
    }

    /// A builder without a root, for [`add_text`](Self::add_text) and the similar functions.
    pub(super) fn without_root() -> Self {
        Self {
            dom: Dom {
                nodes: Vec::new(),
                strings: Strings::default(),
            },
            open: Vec::new(),
        }
    }

    /// Opens an element inside the currently open one; `tag` and attribute names are in lower case.
    #[allow(clippy::needless_pass_by_value)] // the list is made for this call
    pub fn open(&mut self, tag: &str, attributes: Vec<(Name, Box<str>)>) -> NodeId {
        self.open_with(
            tag,
            attributes.iter().map(|(name, value)| (&**name, &**value)),
        )
    }

    /// Opens an element with attributes from another tree, or some of them.
    pub fn open_with<'a>(
        &mut self,
        tag: &str,
        attributes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> NodeId {
        let (tag, content) = self.element(tag, attributes);
        self.push_open(tag, content)
    }

    /// Opens an element whose attributes are already stored.
    pub(crate) fn open_stored(&mut self, tag: Tag, attributes: Span) {
        self.push_open(tag, attributes);
    }

    /// Opens the document of a frame below the frame's element.
    pub fn open_document(&mut self) -> NodeId {
        self.push_open(Tag::DOCUMENT, Span::EMPTY)
    }

    /// Adds a text node inside the currently open node.
    pub fn text(&mut self, text: &str) -> NodeId {
        let content = self.dom.strings.store(text);
        self.push(Tag::TEXT, content)
    }

    /// Adds an already stored text; it continues the text node directly before it.
    pub(crate) fn text_stored(&mut self, text: Span) {
        let parent = self.open.last().copied();
        match self.dom.nodes.last_mut() {
            Some(before) if before.tag == Tag::TEXT && Some(before.parent) == parent => {
                before.content = self.dom.strings.join(before.content, text);
            }
            _ => {
                self.push(Tag::TEXT, text);
            }
        }
    }

    pub(crate) fn strings(&self) -> &Strings {
        &self.dom.strings
    }

    pub(crate) fn strings_mut(&mut self) -> &mut Strings {
        &mut self.dom.strings
    }

    /// Closes the node opened last. The root stays open until [`Self::finish`].
    pub fn close(&mut self) {
        if self.open.len() > 1 {
            let index = self.open.pop().expect("more than the root is open");
            self.dom.nodes[index as usize].end = self.dom.nodes.len() as u32;
        }
    }

    /// Number of open nodes below the root.
    pub fn open_depth(&self) -> usize {
        self.open.len() - 1
    }

    /// Closes all open nodes and returns the tree.
    pub fn finish(mut self) -> Dom {
        let whole = self.dom.nodes.len() as u32;
        for index in self.open.drain(..) {
            self.dom.nodes[index as usize].end = whole;
        }
        self.dom.strings.finish();
        self.dom
    }

    /// Adds a document. `links` are its parent, end and depth, which are not checked: see
    /// [`Dom::is_consistent`].
    pub(super) fn add_document(&mut self, links: [u32; 3]) {
        self.add(links, Tag::DOCUMENT, Span::EMPTY);
    }

    pub(super) fn add_text(&mut self, links: [u32; 3], text: &str) {
        let content = self.dom.strings.store(text);
        self.add(links, Tag::TEXT, content);
    }

    pub(super) fn add_element<'a>(
        &mut self,
        links: [u32; 3],
        tag: &str,
        attributes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) {
        let (tag, content) = self.element(tag, attributes);
        self.add(links, tag, content);
    }

    fn add(&mut self, [parent, end, depth]: [u32; 3], tag: Tag, content: Span) {
        self.dom.nodes.push(NodeRow {
            parent,
            end,
            depth,
            tag,
            content,
        });
    }

    fn push(&mut self, tag: Tag, content: Span) -> NodeId {
        let index = self.dom.nodes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(0);
        self.add([parent, index + 1, self.open.len() as u32], tag, content);
        NodeId(index)
    }

    fn push_open(&mut self, tag: Tag, content: Span) -> NodeId {
        let id = self.push(tag, content);
        self.open.push(id.0);
        id
    }

    /// Looks up or stores the tag and the attributes.
    fn element<'a>(
        &mut self,
        tag: &str,
        attributes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> (Tag, Span) {
        let strings = &mut self.dom.strings;
        let first = strings.attribute_count();
        for (name, value) in attributes {
            let (name, value) = (strings.name(name), strings.store(value));
            strings.push_attribute(name, value);
        }
        (strings.tag(tag), strings.attributes_from(first))
    }
}

/// A tree that is being copied.
#[derive(Debug)]
pub struct TreeCopy {
    /// Index of the next node to copy.
    next: usize,
    /// One past the last descendant of each open element, innermost last.
    open: Vec<usize>,
}

impl Default for TreeCopy {
    fn default() -> Self {
        Self::new()
    }
}

impl TreeCopy {
    /// A copy that begins with the children of the root.
    pub fn new() -> Self {
        Self {
            next: 1,
            open: Vec::new(),
        }
    }

    /// Copies the next node and returns it; `None` at the end, when all elements are closed.
    pub fn step(&mut self, dom: &Dom, builder: &mut DomBuilder) -> Option<NodeId> {
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
                builder.open_with(tag, attributes.iter());
            }
        }
        self.open.push(dom.end(id));
        Some(id)
    }

    /// Leaves out the descendants of the node that was copied last.
    pub fn skip_content(&mut self, dom: &Dom) {
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
        assert!(
            changed.is_consistent() && texts.starts_with(&["one ", "2"]),
            "{texts:?}"
        );
    }
}
