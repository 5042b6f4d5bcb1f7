//! The nodes of a tree: the types that callers see, and the rows in which a [`Dom`](super::Dom)
//! stores them.

use crate::elements::Element;
use crate::text::without_smuggled;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A node's position in document order, from 0 (the document) to `Dom::len() - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The node at `index` in document order.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a Dom holds fewer than 2^32 nodes"))
    }

    /// Position in document order.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Kind and content of a node. Comments, doctypes and processing instructions are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind<'a> {
    /// The root, and the document inside a frame.
    Document,
    /// An element with its lower-case tag and its attributes in source order.
    Element {
        /// Local name without prefix, lower case.
        tag: &'a str,
        /// Name (lower case) and value, in source order.
        attributes: Attributes<'a>,
    },
    /// Character data as in the tree, white space included.
    Text(&'a str),
}

/// The attributes of an element: name (lower case) and value of each, in source order.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    pub(super) rows: &'a [AttributeRow],
    pub(super) names: &'a [Name],
    pub(super) text: &'a str,
}

impl<'a> Attributes<'a> {
    /// Number of attributes, repeated names included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True for elements without attributes, texts and documents.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Iterates over name and value of each.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + Clone + use<'a> {
        let Self { rows, names, text } = *self;
        rows.iter()
            .map(move |row| (&*names[row.name as usize], row.value.slice(text)))
    }

    /// Value of the first one with this name (lower case).
    #[inline]
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let key = key(name);
        let row = self
            .rows
            .iter()
            .find(|row| row.key == key && &*self.names[row.name as usize] == name)?;
        Some(row.value.slice(self.text))
    }
}

impl PartialEq for Attributes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Attributes<'_> {}

/// A range of bytes in the text of a tree, or of rows in its list of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Span {
    pub(crate) const EMPTY: Self = Self { from: 0, to: 0 };

    pub(crate) fn new(from: usize, to: usize) -> Self {
        let number = |at: usize| u32::try_from(at).expect("a tree has less than 4 GB of text");
        Self {
            from: number(from),
            to: number(to),
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }

    pub(super) fn slice(self, text: &str) -> &str {
        &text[self.range()]
    }
}

/// An attribute: the index of its name, and the location of its value in the text of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeRow {
    /// The [`key`] of its name.
    pub(super) key: u32,
    pub(super) name: u32,
    pub(super) value: Span,
}

/// A number that differs for most names, so that a search compares few of them: length, first two
/// bytes and last byte. For a constant name it is computed at compile time.
#[inline]
pub(super) const fn key(name: &str) -> u32 {
    match name.as_bytes() {
        [first, second, .., last] => u32::from_le_bytes([*first, *second, *last, name.len() as u8]),
        [first, second] => u32::from_le_bytes([*first, *second, 0, 2]),
        [first] => u32::from_le_bytes([*first, 0, 0, 1]),
        [] => 0,
    }
}

/// A node. `content` is the location of a text or the attributes of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRow {
    pub(super) parent: u32,
    pub(super) end: u32,
    pub(super) depth: u32,
    pub(super) tag: Tag,
    pub(super) content: Span,
}

/// The tag of an element as a number: below 256 an HTML element, from 256 on an index into the
/// tree's names. The two largest numbers stand for the other kinds of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag(u32);

const FIRST_NAME: u32 = 256;

impl Tag {
    pub(super) const TEXT: Self = Self(u32::MAX);
    pub(super) const DOCUMENT: Self = Self(u32::MAX - 1);

    pub(super) fn from_element(element: Element) -> Self {
        Self(element.number().into())
    }

    fn from_name(name: u32) -> Self {
        Self(FIRST_NAME + name)
    }

    pub(super) fn is_element(self) -> bool {
        self.0 < Self::DOCUMENT.0
    }

    pub(crate) fn element(self) -> Element {
        u8::try_from(self.0).map_or(Element::UNKNOWN, Element::from_number)
    }

    /// Index of the tag's name, for elements that are not HTML.
    pub(super) fn name(self) -> Option<usize> {
        (self.is_element() && self.0 >= FIRST_NAME).then(|| (self.0 - FIRST_NAME) as usize)
    }
}

/// A tag or attribute name in lower case; copying it allocates nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name(Arc<str>);

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, out)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, out)
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Number of names that are looked up for reuse; a real page has a few hundred. Further names are
/// stored repeatedly, so that a page whose names all have the same hash does not take quadratic
/// time.
const MAX_KNOWN_NAMES: usize = 4096;

/// Texts, attributes and names that the nodes of a tree refer to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strings {
    /// Texts and attribute values; for a parsed page also the source between them.
    text: String,
    attributes: Vec<AttributeRow>,
    /// Names of attributes, and of elements that are not HTML.
    names: Vec<Name>,
    /// Index of each name, needed only while a tree is built.
    known: FxHashMap<Name, u32>,
}

impl Strings {
    /// Starts with a text; nodes may refer to parts of it without copying.
    pub(crate) fn starting_with(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Drops the data needed only to add names.
    pub(super) fn finish(&mut self) {
        self.known = FxHashMap::default();
    }

    pub(crate) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    pub(crate) fn get(&self, text: Span) -> &str {
        text.slice(&self.text)
    }

    /// Stores a text, without characters that nobody sees.
    pub(crate) fn store(&mut self, text: &str) -> Span {
        let from = self.text.len();
        self.text.push_str(&without_smuggled(text));
        Span::new(from, self.text.len())
    }

    /// Joins two texts into one. It copies nothing if they are adjacent, and only the second if the
    /// first is at the end.
    pub(crate) fn join(&mut self, first: Span, second: Span) -> Span {
        if first.to == second.from {
            return Span {
                from: first.from,
                to: second.to,
            };
        }
        let mut from = first.from as usize;
        if first.to as usize != self.text.len() {
            from = self.text.len();
            self.text.extend_from_within(first.range());
        }
        self.text.extend_from_within(second.range());
        Span::new(from, self.text.len())
    }

    pub(crate) fn push_attribute(&mut self, name: u32, value: Span) {
        let key = key(&self.names[name as usize]);
        self.attributes.push(AttributeRow { key, name, value });
    }

    /// The range of attributes from `first` to the last.
    pub(crate) fn attributes_from(&self, first: usize) -> Span {
        Span::new(first, self.attributes.len())
    }

    /// Moves attributes to the end of the list by copying, so that more can be added.
    pub(crate) fn move_attributes_to_end(&mut self, rows: Span) -> Span {
        let range = rows.range();
        if range.end == self.attributes.len() {
            return rows;
        }
        let first = self.attributes.len();
        self.attributes.extend_from_within(range);
        self.attributes_from(first)
    }

    pub(crate) fn attributes(&self, rows: Span) -> Attributes<'_> {
        Attributes {
            rows: &self.attributes[rows.range()],
            names: &self.names,
            text: &self.text,
        }
    }

    /// Looks up the lower-case name of a tag.
    pub(crate) fn tag(&mut self, tag: &str) -> Tag {
        match Element::named(tag) {
            Element::UNKNOWN => Tag::from_name(self.name(tag)),
            element => Tag::from_element(element),
        }
    }

    /// Name of a tag; `""` for text and documents.
    pub(super) fn tag_name(&self, tag: Tag) -> &str {
        match tag.name() {
            Some(name) => &self.names[name],
            None => tag.element().name(),
        }
    }

    /// Index of a lower-case name, which is added if it is new.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_as_its_text() {
        let name = Name::from("href");
        assert_eq!(
            (format!("{name:?}"), &*name),
            ("\"href\"".to_owned(), "href")
        );
    }
}
