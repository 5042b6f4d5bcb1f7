//! Finds the records of a page: siblings alike that hold a time and a name each, such as comments, posts and teasers.

use super::super::page::PageView;
use super::super::tags;
use super::super::tree::Count;
use super::marks::{Mark, Marks};
use crate::capture::{Dom, NodeId};
use crate::hash::Fnv;
use rustc_hash::FxHashMap;

/// A record has at least so many targets: a line about it, and its text.
const MIN_TARGETS: usize = 2;
/// Elements whose siblings are alike whatever their class says: items are often marked as even or odd.
const ITEM_TAGS: &[&str] = &["li", "article", "dd", "tr", "blockquote"];

/// One record.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// Its kind.
    pub kind: usize,
    /// Number among the records of its kind, from 0.
    pub number: u32,
    /// Records that it is in, itself included.
    pub depth: u32,
    /// Letters that are in no record inside it.
    pub own_letters: f32,
}

/// The records that are alike.
#[derive(Debug, Clone, Default)]
pub(super) struct Kind {
    /// Number of records.
    pub count: f32,
    /// Sum of their own letters.
    pub letters: f32,
    /// Sum of the squares of their own letters.
    pub squares: f64,
    /// First target in the first record.
    pub first_target: usize,
    /// Records with an action.
    pub with_action: f32,
    /// Records with a link to a part of the page.
    pub with_part: f32,
    /// Records with a heading.
    pub with_heading: f32,
    /// Records with a picture.
    pub with_picture: f32,
    /// Links to addresses like those of articles.
    pub slug_links: f32,
}

/// The records of a page.
pub(super) struct Records {
    pub kinds: Vec<Kind>,
    /// In document order.
    pub all: Vec<Record>,
    /// By node, the innermost record that it is in.
    pub of_node: Vec<Option<u32>>,
}

/// Hash of what siblings have in common: tag and first class word without digits; of items the tag alone.
fn likeness(dom: &Dom, id: NodeId) -> u64 {
    let mut hash = Fnv::new();
    let tag = dom.tag(id);
    tag.bytes().for_each(|byte| hash.add(byte));
    if !ITEM_TAGS.contains(&tag) {
        let class = dom.attribute(id, "class").unwrap_or("").split_ascii_whitespace().next().unwrap_or("");
        hash.add(b'.');
        class.bytes().filter(|byte| !byte.is_ascii_digit()).for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

/// Whether an element has what a record has.
fn is_candidate(view: &PageView<'_>, marks: &Marks, id: NodeId) -> bool {
    let own = view.tree.of(id).own;
    if own & (tags::INLINE | tags::LINK | tags::BODY | tags::MAIN) != 0 || view.targets_of(id).len() < MIN_TARGETS {
        return false;
    }
    let nodes = view.subtree(id);
    let has = |mark| marks.has(mark, &nodes);
    has(Mark::Name) && (has(Mark::Time) || (has(Mark::Ago) && has(Mark::Action)))
}

impl Records {
    pub(super) fn find(view: &PageView<'_>, marks: &Marks) -> Self {
        let dom = &view.capture.dom;
        let parent_of = |id: NodeId| dom.parent(id).map_or(0, NodeId::index);
        let candidates: Vec<(NodeId, u64)> = dom
            .ids()
            .skip(1)
            .filter(|&id| dom.is_element(id) && is_candidate(view, marks, id))
            .map(|id| (id, likeness(dom, id)))
            .collect();
        let mut siblings: FxHashMap<(usize, u64), u32> = FxHashMap::default();
        for &(id, likeness) in &candidates {
            *siblings.entry((parent_of(id), likeness)).or_insert(0) += 1;
        }
        let mut found = Self { kinds: Vec::new(), all: Vec::new(), of_node: vec![None; dom.len()] };
        let mut kind_of: FxHashMap<u64, usize> = FxHashMap::default();
        let mut next = candidates.iter().peekable();
        for id in dom.ids().skip(1) {
            found.of_node[id.index()] = found.of_node[parent_of(id)];
            let Some(&&(_, likeness)) = next.peek().filter(|(candidate, _)| *candidate == id) else { continue };
            next.next();
            // A lone record counts inside one of its kind: a comment that has a single reply.
            let is_inside_kind = || {
                let outer = found.of_node[id.index()].map(|record| found.all[record as usize].kind);
                outer.is_some() && outer == kind_of.get(&likeness).copied()
            };
            if siblings[&(parent_of(id), likeness)] >= 2 || is_inside_kind() {
                let kinds = found.kinds.len();
                let kind = *kind_of.entry(likeness).or_insert(kinds);
                found.add(view, marks, id, kind);
            }
        }
        found.sum_letters(view);
        found
    }

    fn add(&mut self, view: &PageView<'_>, marks: &Marks, id: NodeId, kind: usize) {
        let nodes = view.subtree(id);
        if kind == self.kinds.len() {
            self.kinds.push(Kind { first_target: view.targets_of(id).start, ..Kind::default() });
        }
        let depth = self.of_node[id.index()].map_or(0, |outer| self.all[outer as usize].depth) + 1;
        let of_kind = &mut self.kinds[kind];
        let flag = |yes: bool| f32::from(u8::from(yes));
        let number = of_kind.count as u32;
        of_kind.count += 1.0;
        of_kind.with_action += flag(marks.has(Mark::Action, &nodes));
        of_kind.with_part += flag(marks.has(Mark::Part, &nodes));
        of_kind.with_heading += flag(view.tree.count_in(Count::Headings, &nodes) > 0.0);
        of_kind.with_picture += flag(view.tree.count_in(Count::Images, &nodes) > 0.0);
        of_kind.slug_links += view.tree.count_in(Count::SlugLinks, &nodes);
        self.of_node[id.index()] = Some(self.all.len() as u32);
        self.all.push(Record { kind, number, depth, own_letters: 0.0 });
    }

    /// Adds the letters of each target to the innermost record that it is in, and of each record to its kind.
    fn sum_letters(&mut self, view: &PageView<'_>) {
        for (target, block) in view.targets.iter().zip(&view.blocks) {
            if let Some(record) = self.of_node[target.first().index()] {
                self.all[record as usize].own_letters += block.length;
            }
        }
        for record in &self.all {
            let kind = &mut self.kinds[record.kind];
            kind.letters += record.own_letters;
            kind.squares += f64::from(record.own_letters).powi(2);
        }
    }

    /// The record that a node is in, and its kind.
    pub(super) fn of(&self, node: NodeId) -> Option<(&Record, &Kind)> {
        let record = &self.all[self.of_node[node.index()]? as usize];
        Some((record, &self.kinds[record.kind]))
    }

    /// The kind with most letters, the first of equals.
    pub(super) fn largest(&self) -> Option<&Kind> {
        self.kinds.iter().reduce(|most, kind| if kind.letters > most.letters { kind } else { most })
    }
}

impl Kind {
    /// Mean letters a record.
    pub(super) fn mean(&self) -> f32 {
        self.letters / self.count.max(1.0)
    }

    /// Standard deviation of the letters by their mean: comments differ in length more than teasers do.
    pub(super) fn variation(&self) -> f32 {
        let mean = f64::from(self.mean());
        if mean <= 0.0 {
            return 0.0;
        }
        let variance = (self.squares / f64::from(self.count.max(1.0)) - mean * mean).max(0.0);
        (variance.sqrt() / mean) as f32
    }
}
