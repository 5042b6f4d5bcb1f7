//! Builds a [`Dom`] in document order: open, text, close.

use super::dom::Dom;
use super::name::Name;
use super::node::{AttributeRow, NodeId, NodeRow, Span, Tag};
use crate::elements::Element;
use rustc_hash::FxHashMap;

/// Number of names that are searched for; a real page has a few hundred. More are stored repeatedly, so that a page
/// whose names all have the same hash does not take quadratic time.
const MAX_KNOWN_NAMES: usize = 4096;

/// Builds a [`Dom`] in document order: open, text, close.
#[derive(Debug)]
pub struct DomBuilder {
    dom: Dom,
    /// The numbers of names.
    known: FxHashMap<Name, u32>,
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
        let mut builder = Self::without_root();
        builder.open_document();
        builder
    }

    /// A builder without any node, for [`add_text`](Self::add_text) and the others like it.
    pub(super) fn without_root() -> Self {
        let dom = Dom { nodes: Vec::new(), attributes: Vec::new(), names: Vec::new(), text: String::new() };
        Self { dom, known: FxHashMap::default(), open: Vec::new() }
    }

    /// Opens an element below the one open now; `tag` and names in lower case.
    pub fn open(&mut self, tag: &str, attributes: Vec<(Name, Box<str>)>) -> NodeId {
        self.open_with(tag, attributes.iter().map(|(name, value)| (&**name, &**value)))
    }

    /// The same with attributes of another tree, or a part of them.
    pub fn open_with<'a>(&mut self, tag: &str, attributes: impl IntoIterator<Item = (&'a str, &'a str)>) -> NodeId {
        let (tag, content) = self.element(tag, attributes);
        self.push_open(tag, content)
    }

    /// Opens the document of a frame below the frame's element.
    pub fn open_document(&mut self) -> NodeId {
        self.push_open(Tag::DOCUMENT, Span::new(0, 0))
    }

    /// Adds a text node below the node open now.
    pub fn text(&mut self, text: &str) -> NodeId {
        let content = self.store(text);
        self.push(Tag::TEXT, content)
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

    /// Closes what is open and returns the tree.
    pub fn finish(mut self) -> Dom {
        let whole = self.dom.nodes.len() as u32;
        for index in self.open.drain(..) {
            self.dom.nodes[index as usize].end = whole;
        }
        self.dom
    }

    /// Adds a document with this parent, end and depth, which are not checked: see [`Dom::is_consistent`].
    pub(super) fn add_document(&mut self, links: [u32; 3]) {
        self.add(links, Tag::DOCUMENT, Span::new(0, 0));
    }

    /// The same for a text.
    pub(super) fn add_text(&mut self, links: [u32; 3], text: &str) {
        let content = self.store(text);
        self.add(links, Tag::TEXT, content);
    }

    /// The same for an element.
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
        self.dom.nodes.push(NodeRow { parent, end, depth, tag, content });
    }

    fn push(&mut self, tag: Tag, content: Span) -> NodeId {
        let index = self.dom.nodes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(0);
        self.dom.nodes.push(NodeRow { parent, end: index + 1, depth: self.open.len() as u32, tag, content });
        NodeId(index)
    }

    fn push_open(&mut self, tag: Tag, content: Span) -> NodeId {
        let id = self.push(tag, content);
        self.open.push(id.0);
        id
    }

    fn store(&mut self, text: &str) -> Span {
        let from = self.dom.text.len();
        self.dom.text.push_str(text);
        Span::new(from, self.dom.text.len())
    }

    /// The number of a tag, and the place of its attributes.
    fn element<'a>(&mut self, tag: &str, attributes: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Tag, Span) {
        let from = self.dom.attributes.len();
        for (name, value) in attributes {
            let row = AttributeRow { name: self.name(name), value: self.store(value) };
            self.dom.attributes.push(row);
        }
        let content = Span::new(from, self.dom.attributes.len());
        let element = Element::named(tag);
        if element == Element::UNKNOWN {
            (Tag(Tag::FIRST_NAME + self.name(tag)), content)
        } else {
            (Tag(element.number().into()), content)
        }
    }

    /// The number of a name.
    fn name(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let number = self.dom.names.len() as u32;
        let name = Name::from(name);
        if self.known.len() < MAX_KNOWN_NAMES {
            self.known.insert(name.clone(), number);
        }
        self.dom.names.push(name);
        number
    }
}
