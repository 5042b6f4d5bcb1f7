//! The tree during parsing: linked nodes, filled by html5ever's tree builder.
//!
//! `guard` owns the tree builder that fills it, and `flatten` converts it to the preorder
//! [`Dom`](crate::capture::Dom). Comments and processing instructions become empty nodes, doctypes
//! are dropped, and adjacent text is merged. Texts and attributes are stored in the form in which
//! the `Dom` keeps them: texts of the page are not copied.

use crate::capture::{Span, Strings, Tag};
use crate::text::may_hold_smuggled;
use html5ever::interface::{ElementFlags, ExpandedName, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// The link of a node that has no such neighbor.
pub(super) const NONE: u32 = u32::MAX;

/// Number of cached names; a real page has a few hundred.
const MAX_NAMES: usize = 4096;

/// The comments between which React streams a part of a page: see `streamed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Start,
    End,
}

impl Mark {
    /// The mark that a comment is; `None` for all other comments.
    pub(super) fn from_comment(comment: &str) -> Option<Self> {
        match comment {
            "$" | "$?" | "$!" | "$~" | "&" => Some(Self::Start),
            "/$" | "/&" => Some(Self::End),
            _ => None,
        }
    }
}

/// The kind of a node.
#[derive(Debug)]
pub(super) enum Kind {
    /// The document, or the contents of a template.
    Fragment,
    Element {
        tag: Tag,
        attributes: Span,
        contents: u32,
    },
    /// Character data, stored as one span of the strings.
    Text(Span),
    /// Character data that was joined from several pieces.
    JoinedText(String),
    /// A comment at the beginning or end of a part that React streams.
    Mark(Mark),
    /// Any other comment or a processing instruction, without its content.
    Dropped,
}

/// A node of the arena, linked to its neighbors.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) kind: Kind,
}

/// The tree as the parser builds it; node 0 is the document.
#[derive(Debug)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
    /// The text of the page, text that was added to it, and all attributes.
    pub(super) strings: Strings,
    /// The page; its substrings share its memory.
    page: StrTendril,
    tags: FxHashMap<LocalName, Tag>,
    names: FxHashMap<LocalName, u32>,
    /// True if any template has been created.
    pub(super) has_templates: bool,
}

impl Arena {
    pub(super) fn new(page: StrTendril) -> Self {
        // Most pages have about as many nodes and additions to the text.
        let mut text = String::with_capacity(page.len() + page.len() / 8);
        text.push_str(&page);
        let mut arena = Self {
            nodes: Vec::with_capacity(page.len() / 64),
            strings: Strings::starting_with(text),
            page,
            tags: FxHashMap::default(),
            names: FxHashMap::default(),
            has_templates: false,
        };
        arena.add(Kind::Fragment);
        arena
    }

    /// The position of a text in the page; `None` if it is not a substring of the page, or so short
    /// that it is a copy.
    fn place_in_page(&self, text: &str) -> Option<Span> {
        let from = (text.as_ptr() as usize).checked_sub(self.page.as_ptr() as usize)?;
        (from + text.len() <= self.page.len()).then(|| Span::new(from, from + text.len()))
    }

    fn store(&mut self, text: &str) -> Span {
        match self.place_in_page(text) {
            _ if text.is_empty() => Span::EMPTY,
            Some(place) if !may_hold_smuggled(text) => place,
            _ => self.strings.store(text),
        }
    }

    fn tag(&mut self, name: LocalName) -> Tag {
        if let Some(&tag) = self.tags.get(&name) {
            return tag;
        }
        let tag = self.strings.tag(&lower_case(&name));
        if self.tags.len() < MAX_NAMES {
            self.tags.insert(name, tag);
        }
        tag
    }

    fn name(&mut self, name: QualName) -> u32 {
        if let Some(prefix) = name.prefix.filter(|prefix| !prefix.is_empty()) {
            return self.strings.name(&format!(
                "{}:{}",
                prefix.to_ascii_lowercase(),
                lower_case(&name.local)
            ));
        }
        if let Some(&number) = self.names.get(&name.local) {
            return number;
        }
        let number = self.strings.name(&lower_case(&name.local));
        if self.names.len() < MAX_NAMES {
            self.names.insert(name.local, number);
        }
        number
    }

    fn push_attribute(&mut self, attribute: Attribute) {
        let (name, value) = (self.name(attribute.name), self.store(&attribute.value));
        self.strings.push_attribute(name, value);
    }

    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn add(&mut self, kind: Kind) -> u32 {
        let id =
            u32::try_from(self.nodes.len()).expect("MAX_NODES stops the parser long before 2^32");
        self.nodes.push(Node {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            kind,
        });
        id
    }

    /// Inserts `id` below `parent` before `next`, or last if `next` is `NONE`.
    pub(super) fn link(&mut self, parent: u32, id: u32, next: u32) {
        let previous = if next == NONE {
            self.node(parent).last
        } else {
            self.node(next).previous
        };
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (parent, previous, next);
        match previous {
            NONE => self.node_mut(parent).first = id,
            _ => self.node_mut(previous).next = id,
        }
        match next {
            NONE => self.node_mut(parent).last = id,
            _ => self.node_mut(next).previous = id,
        }
    }

    pub(super) fn unlink(&mut self, id: u32) {
        let Node {
            parent,
            previous,
            next,
            ..
        } = *self.node(id);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.node_mut(parent).first = next,
            _ => self.node_mut(previous).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = previous,
            _ => self.node_mut(next).previous = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Inserts a node or text below `parent` before `next`; text is appended to a text node
    /// directly before it.
    fn insert(&mut self, parent: u32, child: NodeOrText<u32>, next: u32) {
        match child {
            NodeOrText::AppendNode(id) => {
                self.unlink(id);
                self.link(parent, id, next);
            }
            NodeOrText::AppendText(text) => {
                let previous = if next == NONE {
                    self.node(parent).last
                } else {
                    self.node(next).previous
                };
                if previous == NONE || !self.append_text(previous, &text) {
                    let place = self.store(&text);
                    let id = self.add(Kind::Text(place));
                    self.link(parent, id, next);
                }
            }
        }
    }

    /// Appends text to a node. Returns false if the node is not a text.
    fn append_text(&mut self, id: u32, more: &str) -> bool {
        let place = self.place_in_page(more);
        let joined = match &mut self.nodes[id as usize].kind {
            Kind::JoinedText(text) => {
                text.push_str(more);
                return true;
            }
            Kind::Text(text) => match place {
                Some(place) if text.to == place.from => Kind::Text(Span {
                    from: text.from,
                    to: place.to,
                }),
                _ => Kind::JoinedText([self.strings.get(*text), more].concat()),
            },
            _ => return false,
        };
        self.node_mut(id).kind = joined;
        true
    }
}

fn lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    }
}

/// A node as the tree builder sees it. It holds the name of its element, which the tree builder
/// needs often.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    pub(super) id: u32,
    ns: Namespace,
    local: LocalName,
}

impl Handle {
    fn unnamed(id: u32) -> Self {
        Self {
            id,
            ns: ns!(),
            local: LocalName::default(),
        }
    }

    /// The name of the element, without its namespace.
    pub(super) fn tag(&self) -> &str {
        &self.local
    }
}

/// The sink into which the tree builder writes.
pub(super) struct ArenaSink {
    pub(super) arena: RefCell<Arena>,
    pub(super) elements: Cell<usize>,
}

impl ArenaSink {
    fn insert(&self, parent: u32, child: NodeOrText<Handle>, next: u32) {
        let child = match child {
            NodeOrText::AppendNode(node) => NodeOrText::AppendNode(node.id),
            NodeOrText::AppendText(text) => NodeOrText::AppendText(text),
        };
        self.arena.borrow_mut().insert(parent, child, next);
    }
}

impl TreeSink for ArenaSink {
    type Handle = Handle;
    type Output = Arena;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Arena {
        self.arena.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle::unnamed(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        ExpandedName {
            ns: &target.ns,
            local: &target.local,
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        self.elements.set(self.elements.get() + 1);
        let mut arena = self.arena.borrow_mut();
        let contents = if flags.template {
            arena.add(Kind::Fragment)
        } else {
            NONE
        };
        arena.has_templates |= flags.template;
        let first = arena.strings.attribute_count();
        for attribute in attributes {
            arena.push_attribute(attribute);
        }
        let attributes = arena.strings.attributes_from(first);
        let tag = arena.tag(name.local.clone());
        let id = arena.add(Kind::Element {
            tag,
            attributes,
            contents,
        });
        Handle {
            id,
            ns: name.ns,
            local: name.local,
        }
    }

    fn create_comment(&self, comment: StrTendril) -> Handle {
        let kind = Mark::from_comment(&comment).map_or(Kind::Dropped, Kind::Mark);
        Handle::unnamed(self.arena.borrow_mut().add(kind))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle::unnamed(self.arena.borrow_mut().add(Kind::Dropped))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, child, NONE);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.arena.borrow().node(element.id).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        match self.arena.borrow().node(target.id).kind {
            Kind::Element { contents, .. } if contents != NONE => Handle::unnamed(contents),
            _ => target.clone(),
        }
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(node) = &child {
            self.arena.borrow_mut().unlink(node.id);
        }
        let parent = self.arena.borrow().node(sibling.id).parent;
        if parent != NONE {
            self.insert(parent, child, sibling.id);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        let mut arena = self.arena.borrow_mut();
        let Kind::Element { mut attributes, .. } = arena.node(target.id).kind else {
            return;
        };
        for attribute in more {
            let own = arena.strings.attributes(attributes);
            if own.len() >= MAX_ATTRIBUTES || own.get(&attribute.name.local).is_some() {
                continue;
            }
            let rows = arena.strings.move_attributes_to_end(attributes);
            arena.push_attribute(attribute);
            attributes = arena.strings.attributes_from(rows.from as usize);
        }
        if let Kind::Element {
            attributes: own, ..
        } = &mut arena.node_mut(target.id).kind
        {
            *own = attributes;
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.arena.borrow_mut().unlink(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut arena = self.arena.borrow_mut();
        loop {
            let child = arena.node(node.id).first;
            if child == NONE {
                break;
            }
            arena.unlink(child);
            arena.link(new_parent.id, child, NONE);
        }
    }

    /// Shadow roots are resolved when the tree is flattened.
    fn allow_declarative_shadow_roots(&self, _: &Handle) -> bool {
        false
    }
}

/// Largest number of elements open at once: the limit of Chromium's parser
/// (`kMaximumHTMLParserDOMTreeDepth` in `html_construction_site.cc`).
pub const MAX_OPEN: usize = 512;

/// Largest number of nodes of a tree; the largest real pages have a few hundred thousand.
pub const MAX_NODES: usize = 5_000_000;

/// Largest number of attributes of an element. A start tag with more is closed (the exact number
/// depends on the pieces of the input), and an existing element gets no more, because the search
/// for duplicates takes quadratic time.
pub(super) const MAX_ATTRIBUTES: usize = 512;

/// Largest number of attributes of a start tag that our own reader handles. A tag with more is read
/// by html5ever's tokenizer, up to [`MAX_ATTRIBUTES`]. This does not limit the page: both readers
/// give the same tree. The number is lower because our reader's work is lost for such a tag, and
/// real pages hardly have any.
pub(super) const MAX_ATTRIBUTES_OF_FAST_READER: usize = 64;
