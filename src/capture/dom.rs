//! The document tree: an arena in document order.
//!
//! Nodes are stored in preorder, so the descendants of node `i` are exactly the nodes `i + 1 .. end(i)`,
//! every per-subtree sum is a difference of prefix sums, and no walk recurses, however deep the page.
//! Shadow trees are resolved to the flat tree and frames hold their document as a child before a `Dom` exists;
//! later stages know nothing of either.

use super::name::Name;
use serde::{Deserialize, Serialize};

/// A node's position in document order, from 0 (the document) to `Dom::len() - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(u32);

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

/// What a node is. Comments, doctypes and processing instructions are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeKind {
    /// The root, and the document inside a frame.
    Document,
    /// An element with its lower-case tag and its attributes in source order.
    Element {
        /// Lower-case local name.
        tag: Name,
        /// Name (lower case) and value, in source order.
        attributes: Vec<(Name, Box<str>)>,
    },
    /// Character data as in the tree, white space included.
    Text(Box<str>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Node {
    parent: u32,
    end: u32,
    depth: u32,
    kind: NodeKind,
}

/// A document tree in preorder. Node 0 is always a `Document`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dom {
    nodes: Vec<Node>,
}

impl Dom {
    /// The document node.
    pub const ROOT: NodeId = NodeId(0);

    /// Number of nodes, at least 1.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes in document order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// What `id` is.
    pub fn kind(&self, id: NodeId) -> &NodeKind {
        &self.nodes[id.index()].kind
    }

    /// Lower-case tag of an element, or `""` for text and documents.
    pub fn tag(&self, id: NodeId) -> &str {
        match self.kind(id) {
            NodeKind::Element { tag, .. } => tag,
            _ => "",
        }
    }

    /// Character data of a text node.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether `id` is an element.
    pub fn is_element(&self, id: NodeId) -> bool {
        matches!(self.kind(id), NodeKind::Element { .. })
    }

    /// Attributes of an element in source order; empty for other nodes.
    pub fn attributes(&self, id: NodeId) -> &[(Name, Box<str>)] {
        match self.kind(id) {
            NodeKind::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    /// Value of the attribute `name` (lower case).
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|(key, _)| &**key == name).map(|(_, value)| &**value)
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id.0 != 0).then(|| NodeId(self.nodes[id.index()].parent))
    }

    /// The parent, its parent and so on up to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&up| self.parent(up))
    }

    /// Number of ancestors: 0 for the root.
    pub fn depth(&self, id: NodeId) -> usize {
        self.nodes[id.index()].depth as usize
    }

    /// One past the last descendant in document order.
    pub fn end(&self, id: NodeId) -> usize {
        self.nodes[id.index()].end as usize
    }

    /// Descendants of `id` in document order, without `id`.
    pub fn descendants(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0 + 1..self.nodes[id.index()].end).map(NodeId)
    }

    /// Children of `id` in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(id);
        let first = id.index() + 1;
        std::iter::successors((first < end).then(|| NodeId::new(first)), move |&child| {
            let next = self.end(child);
            (next < end).then(|| NodeId::new(next))
        })
    }

    /// Whether `inner` is `outer` or lies below it.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner.index() < self.end(outer)
    }

    /// Whether parents, ends and depths fit together; false only for a tree read from a damaged file.
    pub(crate) fn is_consistent(&self) -> bool {
        let Some(root) = self.nodes.first() else {
            return false;
        };
        let whole = self.nodes.len() as u32;
        let root_holds = root.kind == NodeKind::Document && root.end == whole && root.depth == 0;
        root_holds
            && self.nodes.iter().enumerate().skip(1).all(|(index, node)| {
                let index = index as u32;
                let Some(parent) = self.nodes.get(node.parent as usize) else {
                    return false;
                };
                node.parent < index
                    && node.end > index
                    && node.end <= parent.end
                    && index < parent.end
                    && node.depth == parent.depth + 1
                    && !matches!(parent.kind, NodeKind::Text(_))
            })
    }
}

/// Builds a [`Dom`] in document order: open, text, close.
#[derive(Debug)]
pub struct DomBuilder {
    nodes: Vec<Node>,
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
        let mut builder = Self { nodes: Vec::new(), open: Vec::new() };
        builder.push(NodeKind::Document);
        builder.open.push(0);
        builder
    }

    fn push(&mut self, kind: NodeKind) -> NodeId {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent: self.open.last().copied().unwrap_or(0),
            end: index + 1,
            depth: self.open.len() as u32,
            kind,
        });
        NodeId(index)
    }

    /// Opens an element below the one open now; `tag` and names in lower case.
    pub fn open(&mut self, tag: &str, attributes: Vec<(Name, Box<str>)>) -> NodeId {
        self.open_named(tag.into(), attributes)
    }

    /// The same with a name that others may share.
    pub fn open_named(&mut self, tag: Name, attributes: Vec<(Name, Box<str>)>) -> NodeId {
        let id = self.push(NodeKind::Element { tag, attributes });
        self.open.push(id.0);
        id
    }

    /// Opens the document of a frame below the frame's element.
    pub fn open_document(&mut self) -> NodeId {
        let id = self.push(NodeKind::Document);
        self.open.push(id.0);
        id
    }

    /// Adds a text node below the node open now.
    pub fn text(&mut self, text: &str) -> NodeId {
        self.push(NodeKind::Text(text.into()))
    }

    /// Closes the node opened last. The root stays open until [`Self::finish`].
    pub fn close(&mut self) {
        if self.open.len() > 1 {
            let index = self.open.pop().expect("more than the root is open");
            self.nodes[index as usize].end = self.nodes.len() as u32;
        }
    }

    /// Number of open nodes below the root.
    pub fn open_depth(&self) -> usize {
        self.open.len() - 1
    }

    /// Closes what is open and returns the tree.
    pub fn finish(mut self) -> Dom {
        let whole = self.nodes.len() as u32;
        for index in self.open.drain(..) {
            self.nodes[index as usize].end = whole;
        }
        Dom { nodes: self.nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Dom {
        let mut builder = DomBuilder::new();
        builder.open("body", vec![]);
        builder.open("p", vec![("class".into(), "lead".into())]);
        builder.text("one");
        builder.close();
        builder.open("p", vec![]);
        builder.open("b", vec![]);
        builder.text("two");
        builder.close();
        builder.text("three");
        builder.finish()
    }

    #[test]
    fn preorder_ranges_are_subtrees() {
        let dom = small();
        assert!(dom.is_consistent());
        let body = NodeId::new(1);
        let children: Vec<_> = dom.children(body).map(NodeId::index).collect();
        assert_eq!(children, [2, 4]);
        let below: Vec<_> = dom.descendants(NodeId::new(4)).map(NodeId::index).collect();
        assert_eq!(below, [5, 6, 7]);
        assert_eq!(dom.depth(NodeId::new(6)), 4);
        assert_eq!(dom.attribute(NodeId::new(2), "class"), Some("lead"));
        assert!(dom.contains(body, NodeId::new(7)));
        assert!(!dom.contains(NodeId::new(2), NodeId::new(4)));
        let up: Vec<_> = dom.ancestors(NodeId::new(6)).map(NodeId::index).collect();
        assert_eq!(up, [5, 4, 1, 0]);
    }

    #[test]
    fn a_damaged_tree_is_noticed() {
        let mut dom = small();
        dom.nodes[3].end = 99;
        assert!(!dom.is_consistent());
    }

    #[test]
    fn a_hundred_thousand_levels_do_not_recurse() {
        let mut builder = DomBuilder::new();
        for _ in 0..100_000 {
            builder.open("div", vec![]);
        }
        let dom = builder.finish();
        assert!(dom.is_consistent());
        assert_eq!(dom.depth(NodeId::new(100_000)), 100_000);
    }
}
