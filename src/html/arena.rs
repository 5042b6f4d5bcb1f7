//! The tree during parsing: linked nodes, built by html5ever's tree builder.
//!
//! `guard` owns the tree builder that fills it, `flatten` converts it to the preorder [`Dom`](crate::capture::Dom).
//! Comments and processing instructions become empty nodes, doctypes are dropped; adjacent text is merged.

use super::limits::MAX_ATTRIBUTES;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// The kind of a node.
#[derive(Debug)]
pub(super) enum Kind {
    /// The document, and the contents of a template.
    Fragment,
    /// An element.
    Element { name: QualName, attributes: Vec<Attribute>, contents: u32 },
    /// Character data.
    Text(StrTendril),
    /// A comment or processing instruction, without its content.
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
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
}

impl Arena {
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn add(&mut self, kind: Kind) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("MAX_NODES stops the parser long before 2^32");
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, kind });
        id
    }

    /// Inserts `id` below `parent` before `next`, or last if `next` is `NONE`.
    fn link(&mut self, parent: u32, id: u32, next: u32) {
        let previous = if next == NONE { self.node(parent).last } else { self.node(next).previous };
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

    fn unlink(&mut self, id: u32) {
        let Node { parent, previous, next, .. } = *self.node(id);
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

    /// Inserts a node or text below `parent` before `next`; text is appended to a text node directly before it.
    fn insert(&mut self, parent: u32, child: NodeOrText<u32>, next: u32) {
        match child {
            NodeOrText::AppendNode(id) => {
                self.unlink(id);
                self.link(parent, id, next);
            }
            NodeOrText::AppendText(text) => {
                let previous = if next == NONE { self.node(parent).last } else { self.node(next).previous };
                if previous != NONE
                    && let Kind::Text(before) = &mut self.node_mut(previous).kind
                {
                    before.push_tendril(&text);
                    return;
                }
                let id = self.add(Kind::Text(text));
                self.link(parent, id, next);
            }
        }
    }
}

/// An element's name; cheap to copy, as nearly all names are static atoms.
#[derive(Debug)]
pub(super) struct Name {
    ns: Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

/// The sink of the tree builder.
pub(super) struct ArenaSink {
    pub(super) arena: RefCell<Arena>,
    pub(super) elements: Cell<usize>,
}

impl TreeSink for ArenaSink {
    type Handle = u32;
    type Output = Arena;
    type ElemName<'a> = Name;

    fn finish(self) -> Arena {
        self.arena.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        match &self.arena.borrow().node(*target).kind {
            Kind::Element { name, .. } => Name { ns: name.ns.clone(), local: name.local.clone() },
            _ => Name { ns: ns!(), local: LocalName::default() },
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        self.elements.set(self.elements.get() + 1);
        let mut arena = self.arena.borrow_mut();
        let contents = if flags.template { arena.add(Kind::Fragment) } else { NONE };
        arena.add(Kind::Element { name, attributes, contents })
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.arena.borrow_mut().add(Kind::Dropped)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.arena.borrow_mut().add(Kind::Dropped)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.arena.borrow_mut().insert(*parent, child, NONE);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.arena.borrow().node(*element).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        match self.arena.borrow().node(*target).kind {
            Kind::Element { contents, .. } if contents != NONE => contents,
            _ => *target,
        }
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut arena = self.arena.borrow_mut();
        if let NodeOrText::AppendNode(id) = child {
            arena.unlink(id);
        }
        let parent = arena.node(*sibling).parent;
        if parent != NONE {
            arena.insert(parent, child, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, more: Vec<Attribute>) {
        if let Kind::Element { attributes, .. } = &mut self.arena.borrow_mut().node_mut(*target).kind {
            for attribute in more {
                if attributes.len() < MAX_ATTRIBUTES && attributes.iter().all(|own| own.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.arena.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut arena = self.arena.borrow_mut();
        loop {
            let child = arena.node(*node).first;
            if child == NONE {
                break;
            }
            arena.unlink(child);
            arena.link(*new_parent, child, NONE);
        }
    }

    /// Shadow roots are resolved when the tree is flattened.
    fn allow_declarative_shadow_roots(&self, _: &u32) -> bool {
        false
    }
}
