//! Facts about every node of the tree, computed in a few passes in document order.
//!
//! The tree is in preorder, so inherited facts need one pass forward, and sums over a subtree are
//! differences of prefix sums. Nothing here recurses or walks up, whatever the depth of the page.

use super::own_address::own_address;
use super::tags::{self, Kinds};
use crate::capture::{Capture, Dom, NodeId};
use crate::hash::Fnv;
use crate::language::character::measure_half_letters;
use crate::target::Target;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Range;

/// Things counted in a range of nodes; each has a prefix sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Elements,
    /// `a` with an address.
    Links,
    ExternalLinks,
    HashLinks,
    /// Links whose address ends like an article's: the last part has three dashes or five digits.
    SlugLinks,
    Images,
    Controls,
    /// `br`.
    Breaks,
    Inlines,
    Items,
    Cells,
    /// Header cells and captions: signs of a data table.
    HeadCells,
    /// Frames, videos and sounds.
    Media,
    /// `pre` and `code`.
    Codes,
    Forms,
    Headings,
    /// `a`, with or without an address.
    Anchors,
    /// Elements with an `href`.
    Addresses,
    Attributes,
    /// Separators of words: `br`, images, and texts that consist of white space.
    Gaps,
}

const COUNTS: usize = Count::Gaps as usize + 1;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NodeFacts {
    /// Kinds of the node itself.
    pub(super) own: Kinds,
    /// Kinds of the node and all its ancestors.
    pub(super) above: Kinds,
    /// Hash of the tag and the first two class words, without digits; 0 for text.
    pub(super) signature: u64,
    /// Nearest list at or above the node; 0 if none.
    pub(super) list: u32,
    /// Nearest list item at or above the node; 0 if none.
    pub(super) item: u32,
    /// Nearest table at or above the node; 0 if none.
    pub(super) table: u32,
    /// Nearest sectioning element at or above the node; 0 if none.
    pub(super) section: u32,
    /// Nearest ancestor that contains more targets than the node.
    pub(super) wider: u32,
    /// Outermost of the node and its ancestors that contain the same targets.
    pub(super) top: u32,
    /// Position among the child elements of its parent, from 0.
    pub(super) place: u32,
    /// Number of child elements.
    pub(super) children: u32,
    /// Number of child list items and terms.
    pub(super) child_items: u32,
}

/// Facts by node, and prefix sums over the nodes, which have one additional entry.
#[derive(Debug)]
pub(super) struct Tree {
    /// Greatest depth of the tree.
    pub(super) max_depth: usize,
    /// Host of the page, if known.
    pub(super) host: Option<String>,
    nodes: Vec<NodeFacts>,
    alike: FxHashMap<(u32, u64), u32>,
    rich: FxHashMap<(u32, u64), u32>,
    counts: Vec<[u32; COUNTS]>,
    /// Half letters of target text: of all of it, and of the part inside links.
    half_letters: Vec<[u32; 2]>,
    targets_before: Vec<u32>,
}

impl Tree {
    pub(super) fn new(capture: &Capture, targets: &[Target]) -> Self {
        let dom = &capture.dom;
        let mut tree = Self::empty(dom.len(), page_host(capture));
        let mut is_target_text = vec![false; dom.len()];
        let mut is_first = vec![false; dom.len()];
        for target in targets {
            is_first[target.first().index()] = true;
            target
                .texts
                .iter()
                .for_each(|text| is_target_text[text.index()] = true);
        }
        let mut classes = FxHashMap::default();
        let mut counts = [0; COUNTS];
        let (mut half_letters, mut link_half_letters, mut targets_before) = (0, 0, 0);
        for id in dom.ids() {
            let address = tree.inherit(dom, id, &mut classes);
            tree.count(dom, id, address, &mut counts);
            tree.counts.push(counts);
            if is_target_text[id.index()] {
                let letters = dom.text(id).map_or(0, measure_half_letters);
                half_letters += letters;
                link_half_letters += if tree.facts(id).above & tags::LINK != 0 {
                    letters
                } else {
                    0
                };
            }
            tree.half_letters.push([half_letters, link_half_letters]);
            targets_before += u32::from(is_first[id.index()]);
            tree.targets_before.push(targets_before);
        }
        tree.find_wider(dom);
        tree
    }

    fn empty(nodes: usize, host: Option<String>) -> Self {
        Self {
            max_depth: 0,
            host,
            nodes: Vec::with_capacity(nodes),
            // Similar siblings are common, and half of the nodes are texts.
            alike: FxHashMap::with_capacity_and_hasher(nodes / 4, FxBuildHasher),
            rich: FxHashMap::default(),
            counts: sums_from_zero(nodes),
            half_letters: sums_from_zero(nodes),
            targets_before: sums_from_zero(nodes),
        }
    }

    pub(super) fn facts(&self, id: NodeId) -> &NodeFacts {
        &self.nodes[id.index()]
    }

    /// Adds the facts about the next node; returns its `href`. `classes` caches the hashes of class
    /// words.
    fn inherit<'d>(
        &mut self,
        dom: &'d Dom,
        id: NodeId,
        classes: &mut FxHashMap<&'d str, u64>,
    ) -> Option<&'d str> {
        let index = id.index() as u32;
        self.max_depth = self.max_depth.max(dom.depth(id));
        let Some(parent) = dom.parent(id) else {
            self.nodes.push(NodeFacts::default());
            return None;
        };
        let above = &mut self.nodes[parent.index()];
        let mut node = NodeFacts {
            own: 0,
            signature: 0,
            place: 0,
            children: 0,
            child_items: 0,
            ..*above
        };
        let mut address = None;
        if let Some(text) = dom.text(id) {
            node.own = tags::text_kinds(text);
        } else if dom.is_element(id) {
            let markup = tags::markup(dom, id, above.above);
            address = markup.href;
            node.own = markup.kinds;
            node.above |= node.own;
            node.signature = signature(dom.tag(id), markup.class.unwrap_or(""), classes);
            node.place = above.children;
            above.children += 1;
            above.child_items += u32::from(node.own & (tags::ITEM | tags::TERM) != 0);
            let nearest = |kind: Kinds, inherited: u32| {
                if node.own & kind == 0 {
                    inherited
                } else {
                    index
                }
            };
            node.list = nearest(tags::LIST, node.list);
            node.item = nearest(tags::ITEM | tags::TERM | tags::DESCRIPTION, node.item);
            node.table = nearest(tags::TABLE, node.table);
            node.section = nearest(tags::SECTIONS, node.section);
            *self
                .alike
                .entry((parent.index() as u32, node.signature))
                .or_insert(0) += 1;
        }
        self.nodes.push(node);
        address
    }

    /// Adds a node to the counts; `address` is its `href`.
    fn count(&self, dom: &Dom, id: NodeId, address: Option<&str>, counts: &mut [u32; COUNTS]) {
        let mut add = |count: Count| counts[count as usize] += 1;
        let own = self.facts(id).own;
        if own & tags::BLANK != 0 {
            add(Count::Gaps);
        } else if dom.is_element(id) {
            add(Count::Elements);
            if dom.tag(id) == "a" {
                add(Count::Anchors);
            }
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
                match link_target(address, self.host.as_deref()) {
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
    }

    fn find_wider(&mut self, dom: &Dom) {
        for id in dom.ids().skip(1) {
            let index = id.index();
            let parent = dom.parent(id).map_or(0, NodeId::index);
            let targets = self.targets_of(dom, id);
            let above = self.nodes[parent];
            let node = &mut self.nodes[index];
            (node.wider, node.top) =
                if targets == targets_of(&self.targets_before, dom, NodeId::new(parent)) {
                    (above.wider, above.top)
                } else {
                    (parent as u32, index as u32)
                };
            if dom.is_element(id) && targets.len() >= 2 {
                *self
                    .rich
                    .entry((parent as u32, node.signature))
                    .or_insert(0) += 1;
            }
        }
    }

    /// Count of one kind of thing among the nodes `range`.
    pub(super) fn count_in(&self, count: Count, range: &Range<usize>) -> f32 {
        (self.counts[range.end][count as usize] - self.counts[range.start][count as usize]) as f32
    }

    /// Letters of target text among the nodes `range`.
    pub(super) fn letters_in(&self, range: &Range<usize>) -> f32 {
        (self.half_letters[range.end][0] - self.half_letters[range.start][0]) as f32 / 2.0
    }

    /// Length of a target text in half letters; 0 for other nodes.
    pub(super) fn half_letters_of(&self, text: NodeId) -> u32 {
        self.half_letters[text.index() + 1][0] - self.half_letters[text.index()][0]
    }

    /// Letters of target text inside links among the nodes `range`.
    fn link_letters_in(&self, range: &Range<usize>) -> f32 {
        (self.half_letters[range.end][1] - self.half_letters[range.start][1]) as f32 / 2.0
    }

    /// Share of the letters among `range` that are in links; 0 if there is no text.
    pub(super) fn link_density(&self, range: &Range<usize>) -> f32 {
        share(self.link_letters_in(range), self.letters_in(range))
    }

    /// The targets whose first text is below `id`, by index.
    pub(super) fn targets_of(&self, dom: &Dom, id: NodeId) -> Range<usize> {
        targets_of(&self.targets_before, dom, id)
    }

    /// Number of siblings with the node's tag and class, including the node itself.
    pub(super) fn alike(&self, dom: &Dom, id: NodeId) -> u32 {
        let parent = dom.parent(id).map_or(0, NodeId::index) as u32;
        self.alike
            .get(&(parent, self.facts(id).signature))
            .copied()
            .unwrap_or(1)
    }

    /// Number of cards in the node's row: siblings with the same tag and class that hold two or
    /// more targets each. 0 if the node holds fewer than two.
    pub(super) fn cards(&self, dom: &Dom, id: NodeId) -> u32 {
        if self.targets_of(dom, id).len() < 2 {
            return 0;
        }
        // A card may be wrapped in elements that hold nothing else.
        let card = NodeId::new(self.facts(id).top as usize);
        let parent = dom.parent(card).map_or(0, NodeId::index) as u32;
        self.rich
            .get(&(parent, self.facts(card).signature))
            .copied()
            .unwrap_or(0)
    }
}

/// An empty list of prefix sums over the nodes, which begins with zero.
fn sums_from_zero<T: Default>(nodes: usize) -> Vec<T> {
    let mut sums = Vec::with_capacity(nodes + 1);
    sums.push(T::default());
    sums
}

/// The targets whose first text is below `id`, from the number of targets before each node.
fn targets_of(targets_before: &[u32], dom: &Dom, id: NodeId) -> Range<usize> {
    targets_before[id.index()] as usize..targets_before[dom.end(id)] as usize
}

/// `part / whole`; 0 if `whole` is 0.
pub(super) fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Hash of the tag and the first two class words without digits, since many sites number their
/// elements. `known` caches the hashes of class words.
fn signature<'d>(tag: &str, class: &'d str, known: &mut FxHashMap<&'d str, u64>) -> u64 {
    let mut hash = Fnv::new();
    tag.bytes().for_each(|byte| hash.add(byte));
    let of_class = if class.is_empty() {
        class_hash(class)
    } else {
        *known.entry(class).or_insert_with(|| class_hash(class))
    };
    hash.add_whole(of_class);
    hash.finish()
}

fn class_hash(class: &str) -> u64 {
    let mut hash = Fnv::new();
    for word in class.split_ascii_whitespace().take(2) {
        hash.add(b'.');
        word.bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

/// Destination of a link.
pub(super) enum LinkTarget {
    /// Another part of the page.
    SamePage,
    /// Another page of the same site.
    SameSite,
    OtherSite,
}

/// For each node, the depth of the deepest element that holds both it and `other`.
pub(super) fn shared_depths(dom: &Dom, other: NodeId) -> Vec<u32> {
    let mut on_path = vec![false; dom.len()];
    for id in std::iter::once(other).chain(dom.ancestors(other)) {
        on_path[id.index()] = true;
    }
    let mut shared = vec![0; dom.len()];
    for id in dom.ids().skip(1) {
        let parent = dom.parent(id).map_or(0, NodeId::index);
        shared[id.index()] = if on_path[id.index()] {
            dom.depth(id) as u32
        } else {
            shared[parent]
        };
    }
    shared
}

/// Destination of a link to `address` on a page of `host`.
pub(super) fn link_target(address: &str, host: Option<&str>) -> LinkTarget {
    if address.starts_with('#') {
        return LinkTarget::SamePage;
    }
    match (host_of(address), host) {
        (None, _) => LinkTarget::SameSite,
        (Some(other), Some(own)) if is_same_site(other, own) => LinkTarget::SameSite,
        (Some(_), _) => LinkTarget::OtherSite,
    }
}

/// Host of an absolute or protocol-relative address.
fn host_of(address: &str) -> Option<&str> {
    let starts = |start: &str| {
        address
            .get(..start.len())
            .filter(|own| own.eq_ignore_ascii_case(start))
    };
    let start = starts("//")
        .or_else(|| starts("https://"))
        .or_else(|| starts("http://"))?;
    let rest = &address[start.len()..];
    let end = memchr::memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or("");
    let host = host.split(':').next().unwrap_or("");
    (!host.is_empty()).then_some(host)
}

/// True if one host equals the other or is its subdomain, ignoring `www.` and case.
fn is_same_site(one: &str, other: &str) -> bool {
    let (one, other) = (without_www(one), without_www(other));
    is_within(one, other) || is_within(other, one)
}

fn without_www(mut host: &str) -> &str {
    while let Some((start, rest)) = host.split_at_checked(4)
        && start.eq_ignore_ascii_case("www.")
    {
        host = rest;
    }
    host
}

/// True if `inner` equals `outer` or is its subdomain.
fn is_within(inner: &str, outer: &str) -> bool {
    let (inner, outer) = (inner.as_bytes(), outer.as_bytes());
    let Some((start, end)) = inner
        .len()
        .checked_sub(outer.len())
        .map(|at| inner.split_at(at))
    else {
        return false;
    };
    end.eq_ignore_ascii_case(outer) && (start.is_empty() || start.ends_with(b"."))
}

/// True if the last part of the address is typical of an article: a title in words, or a number.
pub(super) fn is_slug(address: &str) -> bool {
    let bytes = address.as_bytes();
    let path = &bytes[..memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len())];
    let path = &path[..path
        .iter()
        .rposition(|&byte| byte != b'/')
        .map_or(0, |last| last + 1)];
    let last = &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..];
    let count = |is: fn(&u8) -> bool| last.iter().filter(|byte| is(byte)).count();
    count(|byte| matches!(byte, b'-' | b'_')) >= 3 || count(u8::is_ascii_digit) >= 5
}

/// Host of the page: from its address, or else from its `base`, canonical link or `og:url`.
fn page_host(capture: &Capture) -> Option<String> {
    if let Some(host) = capture.address().and_then(host_of) {
        return Some(host.to_owned());
    }
    let dom = &capture.dom;
    dom.ids().find_map(|id| {
        let address = match dom.tag(id) {
            "base" => dom.attribute(id, "href"),
            _ => own_address(dom, id),
        };
        address
            .and_then(|address| host_of(address.trim()))
            .map(str::to_owned)
    })
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
        let capture = Capture::parsed(
            builder.finish(),
            Record::parsed("test", Some("https://www.example.org/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let tree = Tree::new(&capture, &targets);
        let wider_and_top = |node: usize| (tree.nodes[node].wider, tree.nodes[node].top);
        assert_eq!([wider_and_top(4), wider_and_top(7)], [(1, 2), (6, 7)]);
        assert_eq!(tree.nodes[11].list, 6);
        assert_eq!(tree.alike(&capture.dom, NodeId::new(7)), 2);
        assert_eq!(tree.targets_of(&capture.dom, NodeId::new(6)), 1..3);
        let list = 6..capture.dom.end(NodeId::new(6));
        assert_eq!(tree.count_in(Count::ExternalLinks, &list), 1.0);
        assert_eq!(tree.link_density(&list), 5.0 / 9.0);
    }

    #[test]
    fn addresses_have_hosts() {
        assert_eq!(
            host_of("https://user@a.example.org:80/x"),
            Some("a.example.org")
        );
        assert_eq!(host_of("//b.org"), Some("b.org"));
        assert_eq!(host_of("HTTP://c.org?x"), Some("c.org"));
        assert!(
            ["/x//y", "ftp://d.org", "http:///x", "é//e.org"]
                .iter()
                .all(|address| host_of(address).is_none())
        );
        assert!(is_same_site("www.Example.org", "news.example.org"));
        assert!(
            !is_same_site("myexample.org", "example.org")
                && !is_same_site("example.org", "xexample.org")
        );
        assert!(
            is_same_site("WWW.www.example.org", "example.ORG") && is_same_site("a.b.org", "b.org")
        );
        assert!(is_slug("/2024/a-long-way-home/"));
        assert!(is_slug("a_b-c-d#e") && is_slug("/12345?x") && !is_slug("///") && !is_slug(""));
        assert!(!is_slug("/about-us") && !is_slug("/a-b-c-d/e?a-b-c-d"));
    }
}
