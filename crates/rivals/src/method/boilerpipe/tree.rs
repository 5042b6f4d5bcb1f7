//! The article of Boilerpipe without blocks from other parts of the tree: paragraphs are grouped by
//! an ancestor, and only the group with the most text is kept (Viveros-Jiménez et al. 2018, section
//! 4).

use super::pipeline::{ARTICLE_FILTERS, decide, document};
use std::collections::BTreeMap;
use vclean_core::capture::{Dom, NodeId};
use vclean_core::error::Error;
use vclean_core::pipeline::{CleanPage, CleanedPage, Input};

pub(super) struct Tree {
    /// Distance to the ancestor by which paragraphs are grouped, 1 for the parent.
    pub(super) ancestor: usize,
}

impl CleanPage for Tree {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let (blocks, mut kept) = decide(input, ARTICLE_FILTERS);
        let paragraphs = Paragraphs::new(dom);
        let group = |container| paragraphs.ancestor(dom, container, self.ancestor);
        let mut chars: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (block, _) in blocks.iter().zip(&kept).filter(|(_, is_kept)| **is_kept) {
            *chars.entry(group(block.container)).or_default() += block.text.chars().count();
        }
        // The first of equals in document order: `max_by_key` gives the last, so the order is
        // reversed.
        let largest = chars
            .into_iter()
            .rev()
            .max_by_key(|(_, chars)| *chars)
            .map(|(ancestor, _)| ancestor);
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

/// For each node, the innermost paragraph element that contains it or is it, and whether that
/// element contains others.
struct Paragraphs {
    innermost: Vec<NodeId>,
    holds_others: Vec<bool>,
}

impl Paragraphs {
    fn new(dom: &Dom) -> Self {
        let mut paragraphs = Self {
            innermost: Vec::with_capacity(dom.len()),
            holds_others: vec![false; dom.len()],
        };
        for id in dom.ids() {
            let around = dom
                .parent(id)
                .map_or(Dom::ROOT, |up| paragraphs.innermost[up.index()]);
            let is_one = is_paragraph(dom.tag(id));
            paragraphs.holds_others[around.index()] |= is_one;
            paragraphs.innermost.push(if is_one { id } else { around });
        }
        paragraphs
    }

    /// The n-th ancestor of the paragraph of text in `container`; the root if there are fewer.
    ///
    /// A paragraph contains no other, so text directly between the paragraphs of an element counts
    /// as a separate paragraph and child of that element. The paper does not specify this; here
    /// such text is grouped with its neighbors.
    fn ancestor(&self, dom: &Dom, container: NodeId, n: usize) -> NodeId {
        let around = self.innermost[container.index()];
        let up = |id| dom.parent(id).unwrap_or(Dom::ROOT);
        let steps = if self.holds_others[around.index()] {
            n - 1
        } else {
            n
        };
        (0..steps).fold(around, |id, _| up(id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn text_between_paragraphs_is_grouped_with_them() {
        let dom =
            parse_html("<article><div>loose<p>one<div><ul><li>two</ul></div></div></article>");
        let paragraphs = Paragraphs::new(&dom);
        let place = |text: &str| {
            dom.ids()
                .find(|id| dom.text(*id) == Some(text))
                .and_then(|id| dom.parent(id))
        };
        let tags = |text: &str| -> Vec<&str> {
            (1..=5)
                .map(|n| dom.tag(paragraphs.ancestor(&dom, place(text).unwrap_or(Dom::ROOT), n)))
                .collect()
        };
        assert_eq!(tags("loose"), ["div", "article", "body", "html", ""]);
        assert_eq!(tags("one"), tags("loose"));
        assert_eq!(tags("two"), ["div", "div", "article", "body", "html"]);
    }

    #[test]
    fn the_group_with_the_most_text_is_kept() {
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
