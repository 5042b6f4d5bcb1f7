//! Elements that are made here, before they are inserted into the tree of a page.

use crate::capture::DomBuilder;

/// A piece of made markup.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Element(Element),
    Text(String),
}

/// An element with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Vec<Piece>,
}

impl Element {
    pub(super) fn new(tag: &'static str) -> Self {
        Self { tag, attributes: Vec::new(), content: Vec::new() }
    }

    /// Sets the class, or the id if `name` begins with `#`; an empty name sets nothing.
    pub(super) fn named(self, name: &str) -> Self {
        match name.strip_prefix('#') {
            _ if name.is_empty() => self,
            Some(id) => self.with("id", id),
            None => self.with("class", name),
        }
    }

    /// Sets an attribute.
    pub(super) fn with(mut self, attribute: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((attribute, value.into()));
        self
    }

    /// Adds an element at the end.
    pub(super) fn add(&mut self, element: Self) {
        self.content.push(Piece::Element(element));
    }

    /// Adds text at the end; texts that meet become one, as in a parsed tree.
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.content.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.content.push(Piece::Text(text.to_owned()));
        }
    }

    /// The same with an element at the end.
    pub(super) fn holding(mut self, element: Self) -> Self {
        self.add(element);
        self
    }

    /// The same with text at the end.
    pub(super) fn saying(mut self, text: &str) -> Self {
        self.add_text(text);
        self
    }

    /// Whether it has no content.
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Its text, in document order.
    pub(super) fn text(&self) -> String {
        let one = |piece: &Piece| match piece {
            Piece::Element(element) => element.text(),
            Piece::Text(text) => text.clone(),
        };
        self.content.iter().map(one).collect()
    }

    /// Writes it below the node that is open.
    pub(super) fn build(&self, builder: &mut DomBuilder) {
        let attributes = self.attributes.iter().map(|(name, value)| ((*name).into(), value.as_str().into())).collect();
        builder.open(self.tag, attributes);
        for piece in &self.content {
            match piece {
                Piece::Element(element) => element.build(builder),
                Piece::Text(text) => {
                    builder.text(text);
                }
            }
        }
        builder.close();
    }
}
