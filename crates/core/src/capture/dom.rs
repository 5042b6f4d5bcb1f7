//! The document tree: an arena in document order.
//!
//! Nodes are stored in preorder, so the descendants of node `i` are exactly the nodes
//! `i + 1 .. end(i)`, every per-subtree sum is a difference of prefix sums, and no walk recurses,
//! however deep the page. When a `Dom` is built, shadow trees are already resolved to the flat tree
//! and each frame holds its document as a child, so later stages need not handle either.
//!
//! All texts and values of a tree are parts of one string, and all attributes are rows of one list
//! (`node`).

use super::node::{Attributes, NodeId, NodeKind, NodeRow, Span, Strings, Tag};
use crate::elements::Element;

/// A document tree in preorder. Node 0 is always a `Document`.
#[derive(Debug, Clone)]
pub struct Dom {
    pub(super) nodes: Vec<NodeRow>,
    pub(super) strings: Strings,
}

impl Dom {
    /// Root document, parent of everything else.
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

    fn node(&self, id: NodeId) -> &NodeRow {
        &self.nodes[id.index()]
    }

    /// Tells elements, texts and documents apart and gives their content.
    pub fn kind(&self, id: NodeId) -> NodeKind<'_> {
        match self.node(id).tag {
            Tag::DOCUMENT => NodeKind::Document,
            Tag::TEXT => NodeKind::Text(self.strings.get(self.node(id).content)),
            _ => NodeKind::Element {
                tag: self.tag(id),
                attributes: self.attributes(id),
            },
        }
    }

    /// Lower-case tag of an element, or `""` for text and documents.
    pub fn tag(&self, id: NodeId) -> &str {
        self.strings.tag_name(self.node(id).tag)
    }

    /// The HTML element that `id` is; [`Element::UNKNOWN`] for other elements, text and documents.
    /// Cheaper than comparing the tag name.
    pub fn element(&self, id: NodeId) -> Element {
        self.node(id).tag.element()
    }

    /// Character data of a text node.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        let node = self.node(id);
        (node.tag == Tag::TEXT).then(|| self.strings.get(node.content))
    }

    /// True for HTML, SVG and all other elements, false for text and documents.
    pub fn is_element(&self, id: NodeId) -> bool {
        self.node(id).tag.is_element()
    }

    /// Attributes of an element in source order; empty for other nodes.
    pub fn attributes(&self, id: NodeId) -> Attributes<'_> {
        let NodeRow { tag, content, .. } = *self.node(id);
        self.strings.attributes(if tag.is_element() {
            content
        } else {
            Span::EMPTY
        })
    }

    /// Value of the attribute `name` (lower case).
    #[inline]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).get(name)
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id.0 != 0).then(|| NodeId(self.node(id).parent))
    }

    /// The parent, its parent and so on up to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&up| self.parent(up))
    }

    /// Number of ancestors: 0 for the root.
    pub fn depth(&self, id: NodeId) -> usize {
        self.node(id).depth as usize
    }

    /// One past the last descendant in document order.
    pub fn end(&self, id: NodeId) -> usize {
        self.node(id).end as usize
    }

    /// Descendants of `id` in document order, without `id`.
    pub fn descendants(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0 + 1..self.node(id).end).map(NodeId)
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

    /// True if `inner` is `outer` or one of its descendants.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner.index() < self.end(outer)
    }

    /// True if parents, ends and depths fit together; false only for a tree read from a damaged
    /// file.
    pub fn is_consistent(&self) -> bool {
        let Some(root) = self.nodes.first() else {
            return false;
        };
        let whole = self.nodes.len() as u32;
        let root_holds = root.tag == Tag::DOCUMENT && root.end == whole && root.depth == 0;
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
                    && parent.tag != Tag::TEXT
            })
    }
}

/// Two trees are equal if their nodes are equal, wherever their texts are stored.
impl PartialEq for Dom {
    fn eq(&self, other: &Self) -> bool {
        let links = |node: &NodeRow| (node.parent, node.end, node.depth);
        self.len() == other.len()
            && self.ids().all(|id| {
                links(self.node(id)) == links(other.node(id)) && self.kind(id) == other.kind(id)
            })
    }
}

impl Eq for Dom {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

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
    fn nodes_are_what_was_built() {
        let mut builder = DomBuilder::new();
        builder.open(
            "x-card",
            vec![("b".into(), "2".into()), ("a".into(), "".into())],
        );
        builder.open("img", vec![("a".into(), "3".into())]);
        builder.text("é");
        builder.open_document();
        let dom = builder.finish();
        let [root, card, image, text, document] = [0, 1, 2, 3, 4].map(NodeId::new);
        assert_eq!(
            [root, card, image, text, document].map(|id| dom.tag(id)),
            ["", "x-card", "img", "", ""]
        );
        assert_eq!(
            [card, text, document].map(|id| dom.element(id)),
            [Element::UNKNOWN; 3]
        );
        assert_eq!(
            (dom.element(image), dom.is_element(card)),
            (Element::named("img"), true)
        );
        assert_eq!(
            (dom.kind(text), dom.kind(document)),
            (NodeKind::Text("é"), NodeKind::Document)
        );
        assert_eq!(
            dom.attributes(card).iter().collect::<Vec<_>>(),
            [("b", "2"), ("a", "")]
        );
        assert_eq!(
            (dom.attribute(image, "a"), dom.attribute(image, "b")),
            (Some("3"), None)
        );
        assert!(
            dom.attributes(text).is_empty() && dom.text(image).is_none() && !dom.is_element(text)
        );
    }

    #[test]
    fn trees_are_compared_by_their_content() {
        let with = |value: &str| {
            let mut builder = DomBuilder::new();
            builder.open("p", vec![("class".into(), value.into())]);
            builder.finish()
        };
        assert_eq!(with("a"), with("a"));
        assert_ne!(with("a"), with("b"));
        assert_ne!(with("a"), small());
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
