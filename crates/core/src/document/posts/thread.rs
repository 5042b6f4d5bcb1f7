//! The posts of a page as parts of its tree: the element of each, and that of its text. This module
//! uses the marks of known software; `structure` uses the structure alone.

use super::systems::{BEFORE, KNOWN, Origin, System};
use crate::capture::{Dom, NodeId};
use crate::document::content::PostRole;
use crate::text::count_letters;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::document) struct Record {
    pub(in crate::document) element: NodeId,
    /// Its nodes, with those of posts inside it. An element before its own may belong to it.
    pub(in crate::document) nodes: Range<usize>,
    pub(in crate::document) role: PostRole,
    /// The element of its text, if one is marked.
    pub(in crate::document) body: Option<NodeId>,
    /// The post that it is in.
    pub(in crate::document) outer: Option<usize>,
}

/// The posts of a page.
#[derive(Debug)]
pub(in crate::document) struct Thread {
    pub(super) system: &'static System,
    pub(in crate::document) records: Vec<Record>,
    /// The posts directly in each one.
    inner: Vec<Vec<usize>>,
}

impl Thread {
    /// A thread of such posts; `outer` is found here.
    pub(super) fn new(system: &'static System, mut records: Vec<Record>) -> Self {
        records.sort_by_key(|record| (record.nodes.start, std::cmp::Reverse(record.nodes.end)));
        records.dedup_by_key(|record| record.element);
        let mut inner = vec![Vec::new(); records.len()];
        let mut open: Vec<usize> = Vec::new();
        for index in 0..records.len() {
            let start = records[index].element.index();
            while open
                .last()
                .is_some_and(|&last| records[last].nodes.end <= start)
            {
                open.pop();
            }
            records[index].outer = open.last().copied();
            open.last()
                .into_iter()
                .for_each(|&outer| inner[outer].push(index));
            open.push(index);
        }
        Self {
            system,
            records,
            inner,
        }
    }

    /// The comments with these elements, in document order and each once, with the marks of the
    /// software that the page has.
    pub(super) fn from_comments(dom: &Dom, elements: &[NodeId]) -> Self {
        let record = |&element: &NodeId| {
            let nodes = element.index()..dom.end(element);
            Record {
                element,
                nodes,
                role: PostRole::Comment,
                body: None,
                outer: None,
            }
        };
        let system = find_known(dom).map_or(&KNOWN.unknown, |known| known.system);
        let mut thread = Self::new(system, elements.iter().map(record).collect());
        for index in 0..thread.records.len() {
            thread.records[index].body = body(dom, &thread, index);
        }
        thread
    }

    /// Returns true if only threads have such marks.
    pub(in crate::document) fn is_of_forum(&self) -> bool {
        self.system.is_forum
    }

    /// Returns true if the marks belong to the software of a forum, and to nothing else.
    pub(in crate::document) fn is_of_software(&self) -> bool {
        self.system.is_forum && !self.system.is_general
    }

    /// The nodes of a post that are not in another post inside it, in document order.
    pub(super) fn own_nodes(&self, index: usize) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.records[index].nodes.clone();
        let inner = self.inner[index]
            .iter()
            .map(|&inner| self.records[inner].nodes.clone());
        let starts: Vec<usize> = std::iter::once(nodes.start)
            .chain(inner.clone().map(|inner| inner.end))
            .collect();
        let ends = inner
            .map(|inner| inner.start)
            .chain(std::iter::once(nodes.end));
        starts
            .into_iter()
            .zip(ends)
            .flat_map(|(start, end)| (start..end).map(NodeId::new))
    }

    /// For each node the innermost post that it is in.
    pub(in crate::document) fn owners(
        &self,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Vec<Option<usize>> {
        // Each entry: the node from which on this post is the innermost one.
        let mut changes: Vec<(usize, Option<usize>)> = vec![(0, None)];
        let mut open: Vec<usize> = Vec::new();
        let close = |open: &mut Vec<usize>,
                     changes: &mut Vec<(usize, Option<usize>)>,
                     start: usize| {
            while let Some(inner) = open.pop_if(|inner| self.records[*inner].nodes.end <= start) {
                changes.push((self.records[inner].nodes.end, open.last().copied()));
            }
        };
        for (index, record) in self.records.iter().enumerate() {
            close(&mut open, &mut changes, record.nodes.start);
            changes.push((record.nodes.start, Some(index)));
            open.push(index);
        }
        close(&mut open, &mut changes, usize::MAX);
        let innermost = |node: NodeId| {
            changes[changes.partition_point(|(start, _)| *start <= node.index()) - 1].1
        };
        nodes.map(innermost).collect()
    }
}

/// Largest number of elements of posts that are examined; a page has some hundreds.
const MAX_RECORDS: usize = 20_000;

/// The posts that known software marks; `None` if the page uses no such software.
/// [`System::is_forum`] tells whether the page is a thread.
pub(in crate::document) fn find_known(dom: &Dom) -> Option<Thread> {
    let known = &*KNOWN;
    let mut found: Vec<(Origin, NodeId)> = Vec::new();
    for id in dom.ids().filter(|&id| dom.is_element(id)) {
        known
            .index
            .each(dom, id, |mark| found.push((known.origins[mark], id)));
        if found.len() > MAX_RECORDS {
            break;
        }
    }
    if found.is_empty() {
        return None;
    }
    found.sort_unstable();
    found.dedup();
    let threads = found
        .chunk_by(|(one, _), (other, _)| one.system == other.system)
        .map(|of_system| {
            let thread = build_thread(dom, of_system);
            let with_body = thread
                .records
                .iter()
                .filter(|record| record.body.is_some())
                .count();
            (with_body, thread)
        });
    let is_of_page = |system: &System| system.condition.is_none_or(|condition| condition(dom));
    let threads: Vec<(usize, Thread)> = threads
        .filter(|(with_body, thread)| *with_body > 0 && is_of_page(thread.system))
        .collect();
    // The first systems are the most reliable; a general vocabulary often has one element more,
    // around the thread.
    let most = threads.iter().map(|(with_body, _)| *with_body).max()?;
    threads
        .into_iter()
        .find(|(with_body, _)| 5 * with_body >= 3 * most)
        .map(|(_, thread)| thread)
}

/// The thread of the elements with the marks of one software, which are sorted.
fn build_thread(dom: &Dom, found: &[(Origin, NodeId)]) -> Thread {
    let system = &KNOWN.all[found[0].0.system];
    let mut before: Vec<NodeId> = Vec::new();
    let mut records = Vec::new();
    for of_slot in found.chunk_by(|(one, _), (other, _)| one.slot == other.slot) {
        let first = of_slot[0].0;
        // Of several marks for posts the first that is there counts.
        let elements = of_slot
            .iter()
            .take_while(|(origin, _)| origin.rank == first.rank)
            .map(|(_, id)| *id);
        if first.slot == BEFORE {
            before.extend(elements);
            continue;
        }
        let role = system.roles[first.slot];
        records.extend(elements.map(|element| {
            let nodes = element.index()..dom.end(element);
            Record {
                element,
                nodes,
                role,
                body: None,
                outer: None,
            }
        }));
    }
    join_before(dom, &before, &mut records);
    let mut thread = Thread::new(system, records);
    for index in 0..thread.records.len() {
        thread.records[index].body = body(dom, &thread, index);
    }
    thread
}

/// Adds the elements directly before posts that belong to them.
fn join_before(dom: &Dom, before: &[NodeId], records: &mut [Record]) {
    for record in records {
        let at = before.partition_point(|&id| id < record.element);
        let Some(&head) = at.checked_sub(1).and_then(|at| before.get(at)) else {
            continue;
        };
        let between = dom.end(head)..record.element.index();
        let is_beside = dom.parent(head) == dom.parent(record.element) && between.len() <= 3;
        let is_blank = |id: NodeId| dom.text(id).is_some_and(|text| text.trim().is_empty());
        if is_beside && between.map(NodeId::new).all(is_blank) {
            record.nodes.start = head.index();
        }
    }
}

/// The element of the text of a post: the first one with the first mark that has text.
fn body(dom: &Dom, thread: &Thread, index: usize) -> Option<NodeId> {
    let mut best: Option<(usize, NodeId)> = None;
    for id in thread.own_nodes(index).filter(|&id| dom.is_element(id)) {
        let limit = best.map_or(thread.system.bodies.len(), |(rank, _)| rank);
        let rank = thread.system.bodies[..limit]
            .iter()
            .position(|mark| mark.matches(dom, id));
        if let Some(rank) = rank.filter(|_| has_text(dom, id)) {
            best = Some((rank, id));
            if rank == 0 {
                break;
            }
        }
    }
    best.map(|(_, id)| id)
}

/// Nodes among which the first letter or picture of an element must be for it to count as text.
const MAX_BEFORE_TEXT: usize = 200;

fn has_text(dom: &Dom, id: NodeId) -> bool {
    dom.descendants(id)
        .take(MAX_BEFORE_TEXT)
        .any(|id| dom.text(id).is_some_and(|text| count_letters(text) > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn posts_inside_posts_have_their_own_nodes() {
        let dom = parse_html(
            "<ul><li class='thing comment'><div class=usertext-body>one</div><ul><li class='thing comment'><div class=usertext-body>two</div>\
             </li></ul><p>end</p></li><li class='thing comment'><div class=usertext-body>three</div></li></ul>",
        );
        let thread = find_known(&dom).unwrap();
        assert!(thread.system.is_forum);
        let outer: Vec<_> = thread.records.iter().map(|record| record.outer).collect();
        assert_eq!(outer, [None, Some(0), None]);
        let texts = |index| {
            thread
                .own_nodes(index)
                .filter_map(|id| dom.text(id))
                .collect::<String>()
        };
        assert_eq!([texts(0), texts(1), texts(2)], ["oneend", "two", "three"]);
        let owners = thread.owners(dom.ids().filter(|&id| dom.text(id).is_some()));
        assert_eq!(owners, [Some(0), Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn what_stands_before_a_post_may_belong_to_it() {
        let dom = parse_html(
            "<ul><li><div class=bbp-reply-header>3 May</div> <div class='reply type-reply'><div class=bbp-reply-content>x</div></div>",
        );
        let thread = find_known(&dom).unwrap();
        let text: String = thread.own_nodes(0).filter_map(|id| dom.text(id)).collect();
        assert_eq!(text, "3 May x");
    }

    #[test]
    fn an_article_is_no_thread() {
        assert!(
            find_known(&parse_html(
                "<article class=post><h1>Gulls</h1><p>text</p></article>"
            ))
            .is_none()
        );
    }
}
