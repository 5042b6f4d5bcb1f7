//! Inserts made elements into the tree of a page.

use super::element::Element;
use crate::capture::{Dom, DomBuilder, NodeId, NodeKind};

/// Where in a tree something is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The parent of what is inserted.
    pub(super) parent: NodeId,
    /// The position in document order: that of a child of the parent, or the parent's end.
    pub(super) position: usize,
}

impl Place {
    /// At the end of `parent`.
    pub(super) fn at_end(dom: &Dom, parent: NodeId) -> Self {
        Self { parent, position: dom.end(parent) }
    }

    /// After `node`; `None` for the root.
    pub(super) fn after(dom: &Dom, node: NodeId) -> Option<Self> {
        Some(Self { parent: dom.parent(node)?, position: dom.end(node) })
    }
}

/// A copy of the tree with `elements` at `place`.
pub(super) fn insert(dom: &Dom, place: Place, elements: &[Element]) -> Dom {
    let mut builder = DomBuilder::new();
    let mut open: Vec<NodeId> = Vec::new();
    let build = |builder: &mut DomBuilder| elements.iter().for_each(|element| element.build(builder));
    for index in 1..=dom.len() {
        while let Some(last) = open.pop_if(|last| dom.end(*last) <= index) {
            if last == place.parent && place.position == dom.end(last) {
                build(&mut builder);
            }
            builder.close();
        }
        if place.position == index && open.last() == Some(&place.parent) {
            build(&mut builder);
        }
        if index == dom.len() {
            break;
        }
        let id = NodeId::new(index);
        match dom.kind(id) {
            NodeKind::Text(text) => {
                builder.text(text);
                continue;
            }
            NodeKind::Document => builder.open_document(),
            NodeKind::Element { tag, attributes } => builder.open_with(tag, attributes),
        };
        open.push(id);
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;
    use proptest::prelude::*;

    fn find(dom: &Dom, tag: &str) -> NodeId {
        dom.ids().find(|&id| dom.tag(id) == tag).unwrap_or(Dom::ROOT)
    }

    #[test]
    fn it_goes_to_the_end_or_after() {
        let dom = parse_html("<div><p>one<p>two</div><i>three</i>");
        let added = [Element::new("b").saying("new")];
        let body = |place: Place| {
            let html = insert(&dom, place, &added).to_html();
            html.replace("<html><head></head><body>", "").replace("</body></html>", "")
        };
        let (div, p) = (find(&dom, "div"), find(&dom, "p"));
        assert_eq!(body(Place::at_end(&dom, div)), "<div><p>one</p><p>two</p><b>new</b></div><i>three</i>");
        assert_eq!(
            body(Place { parent: div, position: dom.end(p) }),
            "<div><p>one</p><b>new</b><p>two</p></div><i>three</i>"
        );
        let after = Place::after(&dom, div);
        assert_eq!(after.map(body).as_deref(), Some("<div><p>one</p><p>two</p></div><b>new</b><i>three</i>"));
        let last = Place::after(&dom, find(&dom, "i"));
        assert_eq!(last, Some(Place::at_end(&dom, find(&dom, "body"))));
        assert_eq!(Place::after(&dom, Dom::ROOT), None);
    }

    proptest! {
        #[test]
        fn nothing_else_changes(html in "(<(/?(p|b|div|table|tr|td|ul|li|form))>|[a-z ]{0,4}){0,40}", at in 0usize..40) {
            let dom = parse_html(&html);
            let parents: Vec<NodeId> = dom.ids().filter(|&id| dom.is_element(id)).collect();
            let place = Place::at_end(&dom, parents[at % parents.len()]);
            prop_assert_eq!(&insert(&dom, place, &[]), &dom);
            let grown = insert(&dom, place, &[Element::new("hr")]);
            prop_assert!(grown.len() == dom.len() + 1 && grown.ids().any(|id| grown.tag(id) == "hr"));
        }
    }
}
