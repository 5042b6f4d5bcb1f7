//! What Boilerpipe keeps of an article, less what stands elsewhere in the tree: paragraphs are grouped by an ancestor, and
//! the group with the most text wins (Viveros-Jiménez et al. 2018, section 4).

use super::pipeline::{ARTICLE_FILTERS, decide, document};
use crate::capture::{Dom, NodeId};
use crate::error::Error;
use crate::method::Input;
use crate::method::definition::{CleanPage, CleanedPage};
use std::collections::BTreeMap;

pub(super) struct Tree {
    /// How far above a paragraph the ancestor is that it is grouped by, 1 for the parent.
    pub(super) ancestor: usize,
}

impl CleanPage for Tree {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let (blocks, mut kept) = decide(input, ARTICLE_FILTERS);
        let paragraphs = Paragraphs::of(dom);
        let group = |container| paragraphs.ancestor(dom, container, self.ancestor);
        let mut chars: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (block, _) in blocks.iter().zip(&kept).filter(|(_, is_kept)| **is_kept) {
            *chars.entry(group(block.container)).or_default() += block.text.chars().count();
        }
        // The first of equals in document order: `max_by_key` gives the last, so it looks from the end.
        let largest = chars.into_iter().rev().max_by_key(|(_, chars)| *chars).map(|(ancestor, _)| ancestor);
        for (block, is_kept) in blocks.iter().zip(&mut kept) {
            *is_kept &= Some(group(block.container)) == largest;
        }
        Ok(document(input, blocks, &kept))
    }
}

/// Tags of the elements that are paragraphs (section 4, step 1; a list of the method).
fn is_paragraph(tag: &str) -> bool {
    matches!(
        tag,
        "div"
            | "table"
            | "ul"
            | "ol"
            | "p"
            | "section"
            | "article"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "body"
    )
}

/// Per node, the innermost element with a tag of a paragraph that it is in or is, and whether that one holds others.
struct Paragraphs {
    innermost: Vec<NodeId>,
    holds_others: Vec<bool>,
}

impl Paragraphs {
    fn of(dom: &Dom) -> Self {
        let mut paragraphs = Self { innermost: Vec::with_capacity(dom.len()), holds_others: vec![false; dom.len()] };
        for id in dom.ids() {
            let around = dom.parent(id).map_or(Dom::ROOT, |up| paragraphs.innermost[up.index()]);
            let is_one = is_paragraph(dom.tag(id));
            paragraphs.holds_others[around.index()] |= is_one;
            paragraphs.innermost.push(if is_one { id } else { around });
        }
        paragraphs
    }

    /// The n-th ancestor of the paragraph that text in `container` belongs to; the root where there are fewer.
    ///
    /// A paragraph holds no other, so that text which stands loose between the paragraphs of an element is a paragraph of its
    /// own, a child of that element; the paper leaves it open, and so it stays with its neighbors.
    fn ancestor(&self, dom: &Dom, container: NodeId, n: usize) -> NodeId {
        let around = self.innermost[container.index()];
        let up = |id| dom.parent(id).unwrap_or(Dom::ROOT);
        let steps = if self.holds_others[around.index()] { n - 1 } else { n };
        (0..steps).fold(around, |id, _| up(id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn loose_text_goes_with_the_paragraphs_around_it() {
        let dom = parse_html("<article><div>loose<p>one<div><ul><li>two</ul></div></div></article>");
        let paragraphs = Paragraphs::of(&dom);
        let place = |text: &str| dom.ids().find(|id| dom.text(*id) == Some(text)).and_then(|id| dom.parent(id));
        let tags = |text: &str| -> Vec<&str> {
            (1..=5).map(|n| dom.tag(paragraphs.ancestor(&dom, place(text).unwrap_or(Dom::ROOT), n))).collect()
        };
        assert_eq!(tags("loose"), ["div", "article", "body", "html", ""]);
        assert_eq!(tags("one"), tags("loose"));
        assert_eq!(tags("two"), ["div", "div", "article", "body", "html"]);
    }

    #[test]
    fn the_group_with_the_most_text_wins() {
        let words = |word: &str, count: usize| vec![word; count].join(" ");
        let html = format!(
            "<div id=page><div id=story><div><p>{}<p>{}</div><div><p>{}</div></div><div id=more><p>{}</div></div>",
            words("first", 40),
            words("second", 40),
            words("third", 40),
            words("related", 40)
        );
        let kept = |n: u32| {
            let text = clean_with("boilerpipe-tree", &[&format!("ancestor={n}")], &html);
            ["first", "second", "third", "related"].map(|word| text.contains(word))
        };
        assert_eq!(kept(1), [true, true, false, false], "the parent");
        assert_eq!(kept(2), [true, true, true, false], "the grandparent");
        // The third ancestor of the last paragraph is the body, that of the others `page`.
        assert_eq!(kept(3), [true, true, true, false]);
        assert_eq!(kept(5), [true, true, true, false]);
    }
}
