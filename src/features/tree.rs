//! Facts about every node of the tree, computed in a few passes in document order.
//!
//! The tree is in preorder, so what is inherited needs one pass forward and what is summed below a node is a
//! difference of prefix sums. Nothing here recurses or walks up, whatever the depth of the page.

use super::address::{LinkTarget, is_slug, link_target, page_host};
use super::tags::{self, Kinds};
use crate::capture::{Capture, Dom, NodeId};
use crate::hash::Fnv;
use crate::language::character::measure_half_letters;
use crate::target::Target;
use crate::text::is_blank;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What is counted of nodes; each has a prefix sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Elements.
    Elements,
    /// `a` with an address.
    Links,
    /// Links to another host.
    ExternalLinks,
    /// Links within the page.
    HashLinks,
    /// Links whose address ends like an article's: a last part with three dashes or five digits.
    SlugLinks,
    /// Images.
    Images,
    /// Form controls.
    Controls,
    /// `br`.
    Breaks,
    /// Inline markup.
    Inlines,
    /// List items.
    Items,
    /// Table cells.
    Cells,
    /// Head cells and captions: signs of a data table.
    HeadCells,
    /// Frames, videos and sounds.
    Media,
    /// `pre` and `code`.
    Codes,
    /// Forms.
    Forms,
    /// Headings.
    Headings,
    /// `a`, with an address or without.
    Anchors,
    /// Elements with an `href`.
    Addresses,
    /// Attributes.
    Attributes,
    /// What separates words: `br`, images and text of white space only.
    Gaps,
}

const COUNTS: usize = Count::Gaps as usize + 1;

/// Facts by node; all vectors are indexed by `NodeId::index`, prefix sums by it up to `len`.
#[derive(Debug)]
pub(super) struct Tree {
    /// Kinds of the node itself.
    pub own: Vec<Kinds>,
    /// Kinds of the node and all its ancestors.
    pub above: Vec<Kinds>,
    /// Hash of tag and the first two class words, digits dropped; 0 for text.
    pub signature: Vec<u64>,
    /// Nearest list at or above the node, 0 if none.
    pub list: Vec<u32>,
    /// Nearest list item at or above the node, 0 if none.
    pub item: Vec<u32>,
    /// Nearest table at or above the node, 0 if none.
    pub table: Vec<u32>,
    /// Nearest sectioning element at or above the node, 0 if none.
    pub section: Vec<u32>,
    /// Nearest ancestor with more targets below it than the node has.
    pub wider: Vec<u32>,
    /// Outermost of the node and its ancestors with the same targets below.
    pub top: Vec<u32>,
    /// Position among the elements of its parent, from 0.
    pub place: Vec<u32>,
    /// Number of child elements.
    pub children: Vec<u32>,
    /// Number of child list items (and terms).
    pub child_items: Vec<u32>,
    /// Greatest depth of the tree.
    pub max_depth: usize,
    /// Host of the page, if it is known.
    pub host: Option<String>,
    alike: FxHashMap<(u32, u64), u32>,
    rich: FxHashMap<(u32, u64), u32>,
    counts: Vec<[u32; COUNTS]>,
    half_letters: Vec<u32>,
    link_half_letters: Vec<u32>,
    targets_before: Vec<u32>,
}

impl Tree {
    pub(super) fn new(capture: &Capture, targets: &[Target]) -> Self {
        let dom = &capture.dom;
        let mut tree = Self::empty(dom.len());
        let mut is_target_text = vec![false; dom.len()];
        let mut is_first = vec![false; dom.len()];
        for target in targets {
            is_first[target.first().index()] = true;
            for text in &target.texts {
                is_target_text[text.index()] = true;
            }
        }
        let host = page_host(capture);
        for id in dom.ids() {
            tree.inherit(dom, id);
            tree.count(dom, id, host.as_deref());
            let index = id.index();
            let letters = match dom.text(id) {
                Some(text) if is_target_text[index] => measure_half_letters(text),
                _ => 0,
            };
            let in_link = tree.above[index] & tags::LINK != 0;
            tree.half_letters.push(tree.half_letters[index] + letters);
            tree.link_half_letters.push(tree.link_half_letters[index] + if in_link { letters } else { 0 });
            tree.targets_before.push(tree.targets_before[index] + u32::from(is_first[index]));
        }
        tree.find_wider(dom);
        tree.host = host;
        tree
    }

    fn empty(nodes: usize) -> Self {
        let ids = || vec![0u32; nodes];
        let sums_from_zero = || {
            let mut sums = Vec::with_capacity(nodes + 1);
            sums.push(0);
            sums
        };
        let mut counts = Vec::with_capacity(nodes + 1);
        counts.push([0; COUNTS]);
        Self {
            own: vec![0; nodes],
            above: vec![0; nodes],
            signature: vec![0; nodes],
            list: ids(),
            item: ids(),
            table: ids(),
            section: ids(),
            wider: ids(),
            top: ids(),
            place: ids(),
            children: ids(),
            child_items: ids(),
            max_depth: 0,
            host: None,
            alike: FxHashMap::default(),
            rich: FxHashMap::default(),
            counts,
            half_letters: sums_from_zero(),
            link_half_letters: sums_from_zero(),
            targets_before: sums_from_zero(),
        }
    }

    fn inherit(&mut self, dom: &Dom, id: NodeId) {
        let index = id.index();
        let parent = dom.parent(id).map_or(0, NodeId::index);
        self.max_depth = self.max_depth.max(dom.depth(id));
        let above = self.above[parent];
        let own = if dom.is_element(id) { tags::kinds(dom, id, above) } else { 0 };
        self.own[index] = own;
        self.above[index] = above | own;
        let nearest = |kind: Kinds, inherited: u32| if own & kind == 0 { inherited } else { index as u32 };
        self.list[index] = nearest(tags::LIST, self.list[parent]);
        self.item[index] = nearest(tags::ITEM | tags::TERM | tags::DESCRIPTION, self.item[parent]);
        self.table[index] = nearest(tags::TABLE, self.table[parent]);
        self.section[index] = nearest(tags::SECTIONS, self.section[parent]);
        if dom.is_element(id) {
            let signature = signature(dom, id);
            self.signature[index] = signature;
            *self.alike.entry((parent as u32, signature)).or_insert(0) += 1;
            self.place[index] = self.children[parent];
            self.children[parent] += 1;
            self.child_items[parent] += u32::from(own & (tags::ITEM | tags::TERM) != 0);
        }
    }

    fn count(&mut self, dom: &Dom, id: NodeId, host: Option<&str>) {
        let mut counts = self.counts[id.index()];
        let mut add = |count: Count| counts[count as usize] += 1;
        let own = self.own[id.index()];
        if let Some(text) = dom.text(id) {
            if is_blank(text) {
                add(Count::Gaps);
            }
        } else if dom.is_element(id) {
            add(Count::Elements);
            if dom.tag(id) == "a" {
                add(Count::Anchors);
            }
            let address = dom.attribute(id, "href");
            if address.is_some() {
                add(Count::Addresses);
            }
            for (kind, count) in [
                (tags::IMAGE, Count::Images),
                (tags::CONTROL, Count::Controls),
                (tags::BREAK, Count::Breaks),
                (tags::INLINE, Count::Inlines),
                (tags::ITEM, Count::Items),
                (tags::CELL, Count::Cells),
                (tags::HEAD_CELL | tags::CAPTION, Count::HeadCells),
                (tags::MEDIA, Count::Media),
                (tags::PREFORMATTED | tags::CODE, Count::Codes),
                (tags::FORM, Count::Forms),
                (tags::HEADING, Count::Headings),
                (tags::BREAK | tags::IMAGE | tags::CELL, Count::Gaps),
            ] {
                if own & kind != 0 {
                    add(count);
                }
            }
            if own & tags::LINK != 0 {
                add(Count::Links);
                let address = address.unwrap_or("").trim();
                match link_target(address, host) {
                    LinkTarget::SamePage => add(Count::HashLinks),
                    LinkTarget::OtherSite => add(Count::ExternalLinks),
                    LinkTarget::SameSite => {}
                }
                if is_slug(address) {
                    add(Count::SlugLinks);
                }
            }
        }
        counts[Count::Attributes as usize] += dom.attributes(id).len() as u32;
        self.counts.push(counts);
    }

    fn find_wider(&mut self, dom: &Dom) {
        for id in dom.ids().skip(1) {
            let index = id.index();
            let parent = dom.parent(id).map_or(0, NodeId::index);
            if self.targets_of(dom, id) == self.targets_of(dom, NodeId::new(parent)) {
                self.wider[index] = self.wider[parent];
                self.top[index] = self.top[parent];
            } else {
                self.wider[index] = parent as u32;
                self.top[index] = index as u32;
            }
            if dom.is_element(id) && self.targets_of(dom, id).len() >= 2 {
                *self.rich.entry((parent as u32, self.signature[index])).or_insert(0) += 1;
            }
        }
    }

    /// Number of things among the nodes `range`.
    pub(super) fn count_in(&self, count: Count, range: &Range<usize>) -> f32 {
        (self.counts[range.end][count as usize] - self.counts[range.start][count as usize]) as f32
    }

    /// Letters of target text among the nodes `range`.
    pub(super) fn letters_in(&self, range: &Range<usize>) -> f32 {
        (self.half_letters[range.end] - self.half_letters[range.start]) as f32 / 2.0
    }

    /// Letters of target text inside links among the nodes `range`.
    pub(super) fn link_letters_in(&self, range: &Range<usize>) -> f32 {
        (self.link_half_letters[range.end] - self.link_half_letters[range.start]) as f32 / 2.0
    }

    /// Share of the letters among `range` that are in links; 0 where there is no text.
    pub(super) fn link_density(&self, range: &Range<usize>) -> f32 {
        share(self.link_letters_in(range), self.letters_in(range))
    }

    /// The targets whose first text is below `id`, by index.
    pub(super) fn targets_of(&self, dom: &Dom, id: NodeId) -> Range<usize> {
        self.targets_before[id.index()] as usize..self.targets_before[dom.end(id)] as usize
    }

    /// Number of children of the node's parent with the node's tag and class, the node included.
    pub(super) fn alike(&self, dom: &Dom, id: NodeId) -> u32 {
        let parent = dom.parent(id).map_or(0, NodeId::index) as u32;
        self.alike.get(&(parent, self.signature[id.index()])).copied().unwrap_or(1)
    }

    /// Length of the row of cards that the node is one of: children of its parent with its tag and class and two
    /// targets or more each. 0 if the node holds fewer than two.
    pub(super) fn cards(&self, dom: &Dom, id: NodeId) -> u32 {
        if self.targets_of(dom, id).len() < 2 {
            return 0;
        }
        // A card may have wrappers around it that hold nothing else.
        let card = NodeId::new(self.top[id.index()] as usize);
        let parent = dom.parent(card).map_or(0, NodeId::index) as u32;
        self.rich.get(&(parent, self.signature[card.index()])).copied().unwrap_or(0)
    }
}

/// `part / whole`, 0 where there is no whole.
pub(super) fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Hash of the tag and the first two class words; digits are dropped, since many sites number their elements.
fn signature(dom: &Dom, id: NodeId) -> u64 {
    let mut hash = Fnv::new();
    dom.tag(id).bytes().for_each(|byte| hash.add(byte));
    for word in dom.attribute(id, "class").unwrap_or("").split_ascii_whitespace().take(2) {
        hash.add(b'.');
        word.bytes().filter(|byte| !byte.is_ascii_digit()).for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{DomBuilder, Record};
    use crate::target::{TargetRule, select};

    #[test]
    fn a_node_knows_what_is_around_it() {
        let mut builder = DomBuilder::new();
        builder.open("body", vec![]);
        builder.open("div", vec![]); // 2
        builder.open("div", vec![]); // 3
        builder.open("p", vec![]); // 4
        builder.text("one two");
        builder.close();
        builder.close();
        builder.close();
        builder.open("ul", vec![]); // 6
        builder.open("li", vec![]); // 7
        builder.open("a", vec![("href".into(), "https://elsewhere.org/".into())]); // 8
        builder.text("three");
        builder.close();
        builder.close();
        builder.open("li", vec![]); // 10
        builder.text("four");
        let capture =
            Capture::parsed(builder.finish(), Record::parsed("test", Some("https://www.example.org/".into())));
        let targets = select(&capture, TargetRule::Blocks);
        let tree = Tree::new(&capture, &targets);
        assert_eq!((tree.wider[4], tree.top[4]), (1, 2));
        assert_eq!((tree.wider[7], tree.top[7]), (6, 7));
        assert_eq!(tree.list[11], 6);
        assert_eq!(tree.alike(&capture.dom, NodeId::new(7)), 2);
        assert_eq!(tree.targets_of(&capture.dom, NodeId::new(6)), 1..3);
        let list = 6..capture.dom.end(NodeId::new(6));
        assert_eq!(tree.count_in(Count::ExternalLinks, &list), 1.0);
        assert_eq!(tree.link_density(&list), 5.0 / 9.0);
    }
}
