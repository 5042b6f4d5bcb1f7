//! The texts, attributes and names of a tree: one string, one list of attributes, and one list of names.

use super::name::Name;
use super::node::{AttributeRow, Attributes, Span, Tag, key};
use crate::elements::Element;
use rustc_hash::FxHashMap;

/// Number of names that are searched for; a real page has a few hundred. More are stored repeatedly, so that a page
/// whose names all have the same hash does not take quadratic time.
const MAX_KNOWN_NAMES: usize = 4096;

/// What the nodes of a tree refer to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strings {
    /// Texts and values, and for a parsed page also what is between them.
    text: String,
    attributes: Vec<AttributeRow>,
    /// Names of attributes, and of elements that are not in the table of elements.
    names: Vec<Name>,
    /// The numbers of names while a tree is built.
    known: FxHashMap<Name, u32>,
}

impl Strings {
    /// Begins with a text, parts of which are referred to without copying them.
    pub(crate) fn starting_with(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Drops what is only needed to add names.
    pub(super) fn finish(&mut self) {
        self.known = FxHashMap::default();
    }

    /// Bytes of text.
    pub(crate) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Number of attributes.
    pub(crate) fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// A stored text.
    pub(crate) fn get(&self, text: Span) -> &str {
        text.of(&self.text)
    }

    /// Stores a text.
    pub(crate) fn store(&mut self, text: &str) -> Span {
        let from = self.text.len();
        self.text.push_str(text);
        Span::new(from, self.text.len())
    }

    /// Makes one text of two. If they are neighbors, or the first is the last of all texts, it is not copied.
    pub(crate) fn join(&mut self, first: Span, second: Span) -> Span {
        if first.to == second.from {
            return Span { from: first.from, to: second.to };
        }
        let mut from = first.from as usize;
        if first.to as usize != self.text.len() {
            from = self.text.len();
            self.text.extend_from_within(first.range());
        }
        self.text.extend_from_within(second.range());
        Span::new(from, self.text.len())
    }

    /// Adds an attribute.
    pub(crate) fn push_attribute(&mut self, name: u32, value: Span) {
        let key = key(&self.names[name as usize]);
        self.attributes.push(AttributeRow { key, name, value });
    }

    /// The attributes from one on to the last.
    pub(crate) fn attributes_from(&self, first: usize) -> Span {
        Span::new(first, self.attributes.len())
    }

    /// Copies attributes to the end of the list if they are not there, so that more can be added.
    pub(crate) fn move_attributes_to_end(&mut self, rows: Span) -> Span {
        let range = rows.range();
        if range.end == self.attributes.len() {
            return rows;
        }
        let first = self.attributes.len();
        self.attributes.extend_from_within(range);
        self.attributes_from(first)
    }

    /// The attributes in a part of the list.
    pub(crate) fn attributes(&self, rows: Span) -> Attributes<'_> {
        Attributes { rows: &self.attributes[rows.range()], names: &self.names, text: &self.text }
    }

    /// The number of a tag, in lower case.
    pub(crate) fn tag(&mut self, tag: &str) -> Tag {
        match Element::named(tag) {
            Element::UNKNOWN => Tag::of_name(self.name(tag)),
            element => Tag::of_element(element),
        }
    }

    /// The tag with a number; `""` for text and documents.
    pub(super) fn tag_name(&self, tag: Tag) -> &str {
        match tag.name() {
            Some(name) => &self.names[name],
            None => tag.element().name(),
        }
    }

    /// The number of a name, in lower case.
    pub(crate) fn name(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        let name = Name::from(name);
        if self.known.len() < MAX_KNOWN_NAMES {
            self.known.insert(name.clone(), number);
        }
        self.names.push(name);
        number
    }
}
