//! CSS selectors with which users name parts of a page. The crate `selectors`, which the built-in
//! engine uses too, parses and matches them; this file adapts our tree to it.

use super::dom::Dom;
use super::node::NodeId;
use cssparser::{ToCss, serialize_identifier};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode,
    SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector_list};
use selectors::parser::{
    NonTSPseudoClass, ParseRelative, PseudoElement, SelectorImpl, SelectorParseErrorKind,
};
use selectors::{Element, OpaqueElement, SelectorList};
use std::borrow::Borrow;
use std::fmt;

/// Longest selector, in bytes. Heuristic: longer than any that a person writes.
const MAX_BYTES: usize = 1000;

/// Selectors, any of which may name an element.
#[derive(Debug, Clone, Default)]
pub struct Selectors(Vec<SelectorList<Page>>);

impl Selectors {
    /// Parses selectors.
    ///
    /// # Errors
    /// A message with the remedy, if one is not a selector, or depends on what a reader does with
    /// the page, like `:hover`.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, String> {
        let lists = texts.iter().map(|text| {
            let text = text.as_ref();
            let refused = || {
                format!(
                    "the selector {text} is not supported; use CSS selectors of tags, .classes, #ids, [attributes] and \
                     positions, such as nav, footer or article > p:not(.note)"
                )
            };
            if text.len() > MAX_BYTES {
                let cause = format!("a selector has more than {MAX_BYTES} bytes; divide it into several");
                return Err(cause);
            }
            let mut input = cssparser::Parser::new(text);
            let read = |input: &mut cssparser::Parser<'_>| SelectorList::parse(&Reader, input, ParseRelative::No);
            input.parse_entirely(read).map_err(|_| refused())
        });
        Ok(Self(lists.collect::<Result<_, _>>()?))
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For each node of a tree, true if it or a node around it matches.
    pub fn inside(&self, dom: &Dom) -> Vec<bool> {
        let tree = Tree::new(dom);
        let mut caches = SelectorCaches::default();
        let mut inside = vec![false; dom.len()];
        for id in dom.ids() {
            inside[id.index()] = dom.parent(id).is_some_and(|parent| inside[parent.index()])
                || dom.is_element(id) && self.name(&tree, id, &mut caches);
        }
        inside
    }

    /// The elements that match, in their order; with `inside`, only those in that element.
    pub fn all(&self, tree: &Tree<'_>, inside: Option<NodeId>) -> Vec<NodeId> {
        let mut caches = SelectorCaches::default();
        let (first, end) =
            inside.map_or((0, tree.dom.len()), |id| (id.index() + 1, tree.dom.end(id)));
        let inside = (first..end).map(NodeId::new);
        inside
            .filter(|id| tree.dom.is_element(*id) && self.name(tree, *id, &mut caches))
            .collect()
    }

    fn name(&self, tree: &Tree<'_>, id: NodeId, caches: &mut SelectorCaches) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        self.0
            .iter()
            .any(|list| matches_selector_list(list, &Node { tree, id }, &mut context))
    }
}

/// A parser for selectors that need nothing but the tree.
struct Reader;

impl selectors::Parser<'_> for Reader {
    type Impl = Page;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn allow_forgiving_selectors(&self) -> bool {
        false
    }
}

/// The types of which our selectors consist.
#[derive(Debug, Clone)]
struct Page;

impl SelectorImpl for Page {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespaceUrl = Name;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = str;
    type BorrowedLocalName = str;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
}

/// A name or value in a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Name(String);

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, to: &mut W) -> fmt::Result {
        serialize_identifier(&self.0, to)
    }
}

impl PrecomputedHash for Name {
    /// Returns a constant: hashes are for filters of ancestors, which one pass over a page does not
    /// need.
    fn precomputed_hash(&self) -> u32 {
        0
    }
}

/// A pseudo class or element that depends on more than the tree. The parser refuses all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Never {}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl PseudoElement for Never {}

/// A tree with the facts that selectors need and the tree does not store.
#[derive(Debug)]
pub struct Tree<'a> {
    /// The tree that the facts are about.
    pub dom: &'a Dom,
    /// For each node, the preceding sibling element.
    previous: Vec<Option<NodeId>>,
}

impl<'a> Tree<'a> {
    /// Finds the facts about a tree.
    pub fn new(dom: &'a Dom) -> Self {
        let mut previous = vec![None; dom.len()];
        let mut last_child: Vec<Option<NodeId>> = vec![None; dom.len()];
        for id in dom.ids().filter(|id| dom.is_element(*id)) {
            if let Some(parent) = dom.parent(id) {
                previous[id.index()] = last_child[parent.index()].replace(id);
            }
        }
        Self { dom, previous }
    }
}

/// An element of a page.
#[derive(Debug, Clone, Copy)]
struct Node<'a> {
    tree: &'a Tree<'a>,
    id: NodeId,
}

impl Node<'_> {
    fn at(&self, id: NodeId) -> Self {
        Self { id, ..*self }
    }
}

impl Element for Node<'_> {
    type Impl = Page;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(&self.tree.previous[self.id.index()])
    }

    fn parent_element(&self) -> Option<Self> {
        let dom = self.tree.dom;
        dom.parent(self.id)
            .filter(|parent| dom.is_element(*parent))
            .map(|parent| self.at(parent))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.tree.previous[self.id.index()].map(|id| self.at(id))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let dom = self.tree.dom;
        let end = dom.end(dom.parent(self.id)?);
        let from = |index: usize| (index < end).then(|| NodeId::new(index));
        let mut after = std::iter::successors(from(dom.end(self.id)), |id| from(dom.end(*id)));
        after.find(|id| dom.is_element(*id)).map(|id| self.at(id))
    }

    fn first_element_child(&self) -> Option<Self> {
        let dom = self.tree.dom;
        dom.children(self.id)
            .find(|id| dom.is_element(*id))
            .map(|id| self.at(id))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        true
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.tree.dom.tag(self.id) == name
    }

    /// The tree has no namespaces.
    fn has_namespace(&self, _: &str) -> bool {
        true
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.tree.dom.tag(self.id) == self.tree.dom.tag(other.id)
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Name>,
        name: &Name,
        operation: &AttrSelectorOperation<&Name>,
    ) -> bool {
        self.tree
            .dom
            .attribute(self.id, &name.0)
            .is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(&self, class: &Never, _: &mut MatchingContext<'_, Page>) -> bool {
        match *class {}
    }

    fn match_pseudo_element(&self, element: &Never, _: &mut MatchingContext<'_, Page>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.tree.dom.tag(self.id), "a" | "area")
            && self.tree.dom.attribute(self.id, "href").is_some()
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Name, case: CaseSensitivity) -> bool {
        let found = self.tree.dom.attribute(self.id, "id");
        found.is_some_and(|found| case.eq(found.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, name: &Name, case: CaseSensitivity) -> bool {
        let classes = self
            .tree
            .dom
            .attribute(self.id, "class")
            .unwrap_or_default();
        classes
            .split_ascii_whitespace()
            .any(|class| case.eq(class.as_bytes(), name.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Name) -> bool {
        false
    }

    fn imported_part(&self, _: &Name) -> Option<Name> {
        None
    }

    fn is_part(&self, _: &Name) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let dom = self.tree.dom;
        dom.children(self.id)
            .all(|id| dom.text(id).is_some_and(str::is_empty))
    }

    fn is_root(&self) -> bool {
        self.parent_element().is_none()
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn parts_of_a_page_are_named_as_in_style_sheets() {
        let dom = parse_html(
            "<div id=a class='x y' role=main><p>one</p> <p lang=en-US>three</p></div><p class=z>two</p><footer></footer>",
        );
        let text = |wanted: &str| dom.ids().find(|&id| dom.text(id) == Some(wanted)).unwrap();
        let inside = |selector: &str, wanted| {
            Selectors::parse(&[selector]).unwrap().inside(&dom)[text(wanted).index()]
        };
        for selector in [
            "div",
            "DIV",
            "#a",
            ".x",
            ".y.x",
            "div#a.y",
            "p",
            "*",
            "nav, div",
            "body > div",
            "html p",
            "[role=main]",
            "div[class*=' y']",
            "p:first-child",
            "div > :nth-child(1)",
            "p:not(.z)",
            ":is(nav, #a)",
            ":root",
        ] {
            assert!(inside(selector, "one"), "{selector}");
        }
        for selector in [
            "div",
            "#a",
            ".x",
            "div.z",
            "#two",
            ".zz",
            ".Z",
            "nav, div",
            "div > p",
            "p:first-child",
            "a",
        ] {
            assert!(!inside(selector, "two"), "{selector}");
        }
        for (selector, wanted) in [
            ("p.z", "two"),
            ("div + p", "two"),
            ("p + p", "three"),
            ("div ~ p", "two"),
            ("[lang|=en]", "three"),
            ("p:last-child", "three"),
            ("p:nth-last-of-type(1)", "three"),
        ] {
            assert!(inside(selector, wanted), "{selector}");
        }
        let none: [&str; 0] = [];
        assert!(
            Selectors::parse(&none).unwrap().is_empty()
                && !Selectors::parse(&["p"]).unwrap().is_empty()
        );
    }

    #[test]
    fn what_is_no_selector_or_asks_for_more_than_the_tree_is_refused() {
        let deep = ":not(".repeat(190);
        for text in [
            "",
            " ",
            ".",
            "#",
            "p.",
            "div >",
            "a:hover",
            "p::before",
            ":has(p)",
            "a,,b",
            "{",
            &deep,
        ] {
            assert!(Selectors::parse(&[text]).is_err(), "{text}");
        }
        let long = Selectors::parse(&["a".repeat(1001)]).unwrap_err();
        assert!(long.contains("more than 1000 bytes"), "{long}");
    }
}
