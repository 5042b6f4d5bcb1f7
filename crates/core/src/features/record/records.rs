//! Finds the records of a page: similar siblings that contain a time and a name each, such as
//! comments, posts and teasers.
//!
//! Signs of a record are times, names, and actions such as a link to reply; they do not depend on
//! words of a language.

use crate::capture::{Dom, NodeId};
use crate::features::block::BlockFacts;
use crate::features::page::PageView;
use crate::features::profile::{TextProfile, find_numbers};
use crate::features::tags;
use crate::features::tree::{Count, LinkTarget, link_target};
use crate::hash::{Fnv, text_key};
use crate::language::character::{ALPHABETIC, Facts, NUMERIC};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Maximum length of a text node that is searched for a date; dates with weekday and time have up
/// to 45.
const DATE_CHARS: usize = 60;
/// Maximum length of the text of an action such as "Reply".
const ACTION_CHARS: usize = 25;
/// Maximum length of a name with the words around it, such as "Anna B. wrote".
const NAME_CHARS: usize = 40;
/// Maximum number of nodes in a short link, which may have a few inline elements.
const LINK_NODES: usize = 12;
/// Maximum length of a text that gives an age, such as "3 weeks ago".
const AGO_CHARS: usize = 24;
/// Number of words besides the number in such a text.
const AGO_WORDS: Range<usize> = 1..5;

/// A sign of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A `time` element, a `datetime`, or a short text with a date or a time of day.
    Time,
    /// A short text with one small number, such as "2 days ago" (or "3 likes").
    Ago,
    /// A short line or link that may be a name.
    Name,
    /// A short link or button that occurs more than once and does not lead to another page.
    Action,
    /// A link to a part of this page.
    Part,
}

const MARKS: usize = Mark::Part as usize + 1;

/// Prefix sums over the nodes of each [`Mark`].
pub(super) struct Marks {
    sums: Vec<[u32; MARKS]>,
}

impl Marks {
    pub(super) fn new(view: &PageView<'_>) -> Self {
        let dom = &view.capture.dom;
        let mut of_node = vec![[0u32; MARKS]; dom.len()];
        for (target, block) in view.targets.iter().zip(&view.blocks) {
            let mark = match role_of(block, view.copies(block)) {
                Role::Time => Mark::Time,
                Role::Name => Mark::Name,
                Role::Other => continue,
            };
            of_node[target.first().index()][mark as usize] += 1;
        }
        for (id, marks) in dom.ids().zip(&mut of_node) {
            let own = view.tree.facts(id).own;
            if own & tags::NUMBERED != 0 {
                let text = dom.text(id).unwrap_or("").trim();
                marks[Mark::Time as usize] += u32::from(has_date(text));
                marks[Mark::Ago as usize] += u32::from(tells_age(text));
            } else if own & (tags::TIME | tags::DATETIME) != 0 {
                marks[Mark::Time as usize] += 1;
            }
        }
        mark_links(view, &mut of_node);
        let mut sums = Vec::with_capacity(dom.len() + 1);
        let mut sum = [0; MARKS];
        sums.push(sum);
        for marks in of_node {
            sum.iter_mut()
                .zip(marks)
                .for_each(|(sum, mark)| *sum += mark);
            sums.push(sum);
        }
        Self { sums }
    }

    /// True if this sign occurs among the nodes `range`.
    pub(super) fn has(&self, mark: Mark, range: &Range<usize>) -> bool {
        self.sums[range.end][mark as usize] > self.sums[range.start][mark as usize]
    }
}

struct ShortLink {
    node: usize,
    /// Hash of the text.
    key: u64,
    characters: usize,
    /// True if it may be an action: as far as its address shows, it does not lead to another page.
    stays: bool,
}

/// Marks short links and buttons as names or actions, and links to parts of the page.
fn mark_links(view: &PageView<'_>, of_node: &mut [[u32; MARKS]]) {
    let dom = &view.capture.dom;
    let host = view.tree.host.as_deref();
    let own = view.capture.address().map(without_fragment);
    let (mut links, mut text) = (Vec::new(), String::new());
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for id in dom
        .ids()
        .filter(|&id| view.tree.facts(id).own & (tags::LINK | tags::CONTROL) != 0)
    {
        let is_control = view.tree.facts(id).own & tags::CONTROL != 0;
        let address = dom.attribute(id, "href").unwrap_or("").trim();
        let is_part = is_part_of_page(address, own);
        of_node[id.index()][Mark::Part as usize] += u32::from(is_part);
        if view.subtree(id).len() > LINK_NODES {
            continue;
        }
        write_short_text(dom, id, &mut text);
        let characters = text.chars().count();
        if (1..=NAME_CHARS).contains(&characters) {
            let stays = is_control
                || is_part
                || matches!(address, "" | "#")
                || address
                    .get(..11)
                    .is_some_and(|start| start.eq_ignore_ascii_case("javascript:"))
                || (address.contains('?')
                    && !matches!(link_target(address, host), LinkTarget::OtherSite));
            let key = text_key(&text);
            *counts.entry(key).or_insert(0) += 1;
            links.push(ShortLink {
                node: id.index(),
                key,
                characters,
                stays,
            });
        }
    }
    for link in links {
        let mark = match (
            counts[&link.key] > 1,
            link.stays && link.characters <= ACTION_CHARS,
        ) {
            (true, true) => Mark::Action,
            (false, false) => Mark::Name,
            _ => continue,
        };
        of_node[link.node][mark as usize] += 1;
    }
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or(address)
}

/// True if an address leads to a part of the page whose address without fragment is `own`.
fn is_part_of_page(address: &str, own: Option<&str>) -> bool {
    match address.split_once('#') {
        Some((before, part)) => !part.is_empty() && (before.is_empty() || own == Some(before)),
        None => false,
    }
}

/// Writes the text below a small element with collapsed white space, cut off soon after the maximum
/// length of a name.
fn write_short_text(dom: &Dom, id: NodeId, text: &mut String) {
    text.clear();
    for part in dom.descendants(id).filter_map(|node| dom.text(node)) {
        for word in part.split_whitespace() {
            if text.len() > 4 * NAME_CHARS {
                return;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
    }
}

/// True if the digits of a short text look like a date or a time of day.
fn has_date(text: &str) -> bool {
    if text.len() > 4 * DATE_CHARS {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits < 3 || text.chars().count() > DATE_CHARS {
        return false;
    }
    let mut profile = TextProfile {
        digits: digits as u32,
        ..TextProfile::default()
    };
    find_numbers(text, &mut profile);
    profile.has_date || profile.has_time
}

/// True if a text may give an age: one number of one or two digits and a few words or, in scripts
/// without spaces, a few characters.
fn tells_age(text: &str) -> bool {
    let is_numeric = |c| Facts::from_char(c).has(NUMERIC);
    if text.len() > 4 * AGO_CHARS
        || !text.chars().any(is_numeric)
        || text.chars().count() > AGO_CHARS
    {
        return false;
    }
    let mut groups = text
        .split(|c| !is_numeric(c))
        .filter(|group| !group.is_empty());
    let is_small = groups
        .next()
        .is_some_and(|number| number.chars().count() <= 2)
        && groups.next().is_none();
    let words = text
        .split(|c| !Facts::from_char(c).has(ALPHABETIC))
        .filter(|word| !word.is_empty())
        .count();
    is_small && AGO_WORDS.contains(&words)
}

/// Maximum length of a line with a time, in letters: "Anna B. wrote on Sunday, 11 June 2006 at
/// 18:41".
const TIME_LETTERS: f32 = 100.0;
/// Maximum length of a line that may be a name, in letters.
const NAME_LETTERS: f32 = 40.0;
/// Maximum number of words in a name with the words around it.
const NAME_TOKENS: u32 = 5;

/// Role that a target may have in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A line with a date or a time of day.
    Time,
    /// A short line that may name the author.
    Name,
    Other,
}

/// The role of a target whose text occurs `copies` times on the page. A text that occurs in all
/// records is a label, not a name.
pub(super) fn role_of(block: &BlockFacts, copies: u32) -> Role {
    let profile = &block.profile;
    if block.length <= TIME_LETTERS
        && (profile.has_date || profile.has_time || block.time_length > 0.0)
    {
        Role::Time
    } else if block.length <= NAME_LETTERS
        && (1..=NAME_TOKENS).contains(&profile.tokens)
        && profile.digits == 0
        && !profile.ends_sentence
        && copies <= 2
        && block.control_length == 0.0
    {
        Role::Name
    } else {
        Role::Other
    }
}

/// Minimum number of targets in a record: a line about it, and its text.
const MIN_TARGETS: usize = 2;
/// Elements whose siblings are similar regardless of their class: items are often marked as even or
/// odd.
const ITEM_TAGS: &[&str] = &["li", "article", "dd", "tr", "blockquote"];

#[derive(Debug, Clone)]
pub(super) struct Record {
    /// Index of its kind in [`Records::kinds`].
    pub(super) kind: usize,
    /// Index among the records of its kind, from 0.
    pub(super) number: u32,
    /// Nesting depth: number of records that contain it, including itself.
    pub(super) depth: u32,
    /// Letters outside the records inside it.
    pub(super) own_letters: f32,
}

/// A group of similar records.
#[derive(Debug, Clone, Default)]
pub(super) struct Kind {
    pub(super) count: f32,
    /// Sum of the records' own letters.
    pub(super) letters: f32,
    /// Sum of the squares of the records' own letters.
    pub(super) squares: f64,
    /// First target in the first record.
    pub(super) first_target: usize,
    /// Number of records with an action.
    pub(super) with_action: f32,
    /// Number of records with a link to a part of the page.
    pub(super) with_part: f32,
    /// Number of records with a heading.
    pub(super) with_heading: f32,
    /// Number of records with a picture.
    pub(super) with_picture: f32,
    /// Number of links to addresses typical of articles.
    pub(super) slug_links: f32,
}

pub(super) struct Records {
    pub(super) kinds: Vec<Kind>,
    /// Sorted in document order.
    pub(super) all: Vec<Record>,
    /// For each node, the innermost record that contains it.
    pub(super) of_node: Vec<Option<u32>>,
}

/// Hash that similar siblings share: tag and first class word without digits; for items only the
/// tag.
fn likeness(dom: &Dom, id: NodeId) -> u64 {
    let mut hash = Fnv::new();
    let tag = dom.tag(id);
    tag.bytes().for_each(|byte| hash.add(byte));
    if !ITEM_TAGS.contains(&tag) {
        let class = dom
            .attribute(id, "class")
            .unwrap_or("")
            .split_ascii_whitespace()
            .next()
            .unwrap_or("");
        hash.add(b'.');
        class
            .bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

/// True if an element contains the signs of a record.
fn is_candidate(view: &PageView<'_>, marks: &Marks, id: NodeId) -> bool {
    let own = view.tree.facts(id).own;
    if own & (tags::INLINE | tags::LINK | tags::BODY | tags::MAIN) != 0
        || view.targets_of(id).len() < MIN_TARGETS
    {
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
        let mut found = Self {
            kinds: Vec::new(),
            all: Vec::new(),
            of_node: vec![None; dom.len()],
        };
        let mut kind_of: FxHashMap<u64, usize> = FxHashMap::default();
        let mut next = candidates.iter().peekable();
        for id in dom.ids().skip(1) {
            found.of_node[id.index()] = found.of_node[parent_of(id)];
            let Some(&&(_, likeness)) = next.peek().filter(|(candidate, _)| *candidate == id)
            else {
                continue;
            };
            next.next();
            // A single record counts if it is inside a record of the same kind, like the only reply
            // to a comment.
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
            self.kinds.push(Kind {
                first_target: view.targets_of(id).start,
                ..Kind::default()
            });
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
        self.all.push(Record {
            kind,
            number,
            depth,
            own_letters: 0.0,
        });
    }

    /// Adds the letters of each target to the innermost record that contains it, and those of each
    /// record to its kind.
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

    /// The innermost record that contains a node, and its kind.
    pub(super) fn record_at(&self, node: NodeId) -> Option<(&Record, &Kind)> {
        let record = &self.all[self.of_node[node.index()]? as usize];
        Some((record, &self.kinds[record.kind]))
    }

    /// The kind with most letters; the first one if several are equal.
    pub(super) fn largest(&self) -> Option<&Kind> {
        self.kinds.iter().reduce(|most, kind| {
            if kind.letters > most.letters {
                kind
            } else {
                most
            }
        })
    }
}

impl Kind {
    /// Mean number of letters per record.
    pub(super) fn mean(&self) -> f32 {
        self.letters / self.count.max(1.0)
    }

    /// Coefficient of variation of the letters: comments vary more in length than teasers.
    pub(super) fn variation(&self) -> f32 {
        let mean = f64::from(self.mean());
        if mean <= 0.0 {
            return 0.0;
        }
        let variance = (self.squares / f64::from(self.count.max(1.0)) - mean * mean).max(0.0);
        (variance.sqrt() / mean) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_ages_are_told_by_digits() {
        for text in [
            "12.03.2021 18:40",
            "2021-03-12",
            "March 12, 2021 at 6:40 pm",
            "el domingo 11 de junio de 2006",
            "2021年3月12日",
        ] {
            assert!(has_date(text), "{text}");
        }
        for text in [
            "2 days ago",
            "vor 3 Stunden",
            "3天前",
            "il y a 5 min",
            "٣ أيام",
        ] {
            assert!(tells_age(text), "{text}");
        }
        for text in [
            "days ago",
            "200 days",
            "3",
            "2 of 5",
            "the 2 men went there and did not come back",
        ] {
            assert!(!tells_age(text) && !has_date(text), "{text}");
        }
    }

    #[test]
    fn parts_of_the_page_are_told_by_its_address() {
        let own = Some("https://a.org/x");
        assert!(is_part_of_page("#c2", own) && is_part_of_page("https://a.org/x#c2", own));
        assert!(!is_part_of_page("#", own) && !is_part_of_page("https://a.org/y#c2", own));
        assert!(!is_part_of_page("/y", None));
    }
}
