//! Footnotes: which links are references to a note of the text, and where the notes begin.
//!
//! A reference is a link with a number, a letter or a sign, raised or in brackets, to an element that follows it and holds
//! kept text. Notes are numbered in the order of their first references.

use crate::capture::{Dom, NodeId};
use crate::elements::Element;
use std::collections::BTreeMap;
use std::ops::Range;

const LINK: Element = Element::known("a");

/// Longest text of a reference without its brackets, in characters. Heuristic.
const MAX_REFERENCE_CHARS: usize = 4;

/// Largest note, in nodes; a larger element is a part of the page. Heuristic.
const MAX_NOTE_NODES: usize = 300;

/// The footnotes of a text.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// For each link that is a reference, the number of its note.
    references: BTreeMap<NodeId, u32>,
    /// The nodes of each note by their start, with its number, as long as no segment has begun it.
    notes: BTreeMap<usize, (Range<usize>, u32)>,
}

impl Notes {
    /// Finds the footnotes of a text; `kept` are its text nodes, in document order.
    pub(super) fn find(dom: &Dom, kept: &[NodeId]) -> Self {
        let links = dom.ids().filter(|&id| dom.element(id) == LINK);
        let links: Vec<(NodeId, &str)> = links.filter_map(|id| Some((id, reference(dom, id)?))).collect();
        if links.is_empty() {
            return Self::default();
        }
        let mut named: BTreeMap<&str, NodeId> = BTreeMap::new();
        for id in dom.ids() {
            let name = dom.attribute(id, "id").or_else(|| dom.attribute(id, "name").filter(|_| dom.tag(id) == "a"));
            if let Some(name) = name {
                named.entry(name).or_insert(id);
            }
        }
        let has_text = |nodes: &Range<usize>| {
            let next = kept.partition_point(|id| id.index() < nodes.start);
            kept.get(next).is_some_and(|id| id.index() < nodes.end)
        };
        let mut found = Self::default();
        for (link, name) in links {
            let Some(nodes) = named.get(name).and_then(|&target| note_nodes(dom, target)) else { continue };
            if nodes.start < dom.end(link) || !has_text(&nodes) || !has_text(&(link.index()..dom.end(link))) {
                continue;
            }
            let next = found.notes.len() as u32 + 1;
            let (_, number) = found.notes.entry(nodes.start).or_insert((nodes, next));
            found.references.insert(link, *number);
        }
        found
    }

    /// The number of the note that a link refers to.
    pub(super) fn reference(&self, link: NodeId) -> Option<u32> {
        self.references.get(&link).copied()
    }

    /// The number of the note that begins with this text; each begins once.
    pub(super) fn begin(&mut self, first: NodeId) -> Option<u32> {
        let (&start, (nodes, number)) = self.notes.range(..=first.index()).next_back()?;
        let number = nodes.contains(&first.index()).then_some(*number)?;
        // The entry stays in the order of starts, and is empty now.
        self.notes.insert(start, (start..start, number));
        Some(number)
    }
}

/// The name that an `a` refers to, if it looks like a reference to a note.
fn reference(dom: &Dom, id: NodeId) -> Option<&str> {
    let name = dom.attribute(id, "href")?.strip_prefix('#')?;
    let text: String = dom.descendants(id).filter_map(|below| dom.text(below)).flat_map(str::chars).take(20).collect();
    let text = text.trim();
    let bare = text.trim_matches(['[', ']', '(', ')']);
    let is_mark = |c: char| c.is_alphanumeric() || matches!(c, '*' | '\u{2020}' | '\u{2021}' | '\u{a7}');
    let is_short = (1..=MAX_REFERENCE_CHARS).contains(&bare.chars().count()) && bare.chars().all(is_mark);
    let is_raised = || dom.ancestors(id).take(3).chain(dom.descendants(id).take(3)).any(|near| dom.tag(near) == "sup");
    let is_named = || dom.attribute(id, "role") == Some("doc-noteref");
    (!name.is_empty() && is_short && (bare != text || is_raised() || is_named())).then_some(name)
}

/// The nodes of the block that a name within a page refers to; `None` if it is no note.
fn note_nodes(dom: &Dom, target: NodeId) -> Option<Range<usize>> {
    let is_block = |id: &NodeId| dom.element(*id).default_display().is_some();
    let block = std::iter::once(target).chain(dom.ancestors(target)).take(4).find(is_block)?;
    let nodes = block.index()..dom.end(block);
    let is_note = nodes.len() <= MAX_NOTE_NODES && !dom.element(block).is_heading() && dom.tag(block) != "body";
    is_note.then_some(nodes)
}

#[cfg(test)]
mod tests {
    use crate::clean::segment::tests::all_kept;

    /// The references and the beginnings of notes, in order: number, whether it is a reference, text.
    fn found(html: &str) -> Vec<(u32, bool, String)> {
        let mut found = Vec::new();
        for segment in all_kept(html) {
            found.extend(segment.note.map(|number| (number, false, segment.text())));
            for span in &segment.spans {
                found.extend(span.note.map(|number| (number, true, span.text.clone())));
            }
        }
        found
    }

    #[test]
    fn references_and_notes_have_the_same_numbers() {
        let html = "<p>One<sup><a href=#b>1</a></sup> and two <a href=#a>[2]</a>, again<sup><a href=#b>1</a></sup>.</p>\
                    <ol><li id=a>Note a<p>and more</p><li id=b>Note b</ol>";
        let expected = [(1, true, "1"), (2, true, " [2]"), (1, true, "1"), (2, false, "Note a"), (1, false, "Note b")];
        assert_eq!(found(html), expected.map(|(number, is_reference, text)| (number, is_reference, text.to_owned())));
    }

    #[test]
    fn a_note_may_be_named_by_an_anchor_at_its_start() {
        let html = "<p>One<a href=#n role=doc-noteref>a</a>.</p><p><a name=n></a>Note.</p><p>Text.</p>";
        assert_eq!(found(html), [(1, true, "a".to_owned()), (1, false, "Note.".to_owned())]);
    }

    #[test]
    fn other_links_within_the_page_are_no_references() {
        for html in [
            "<p>See <a href=#a>1</a></p><p id=a>part</p>",
            "<p id=a>above</p><p>See <sup><a href=#a>1</a></sup></p>",
            "<p>See <a href=#a>[the end]</a></p><p id=a>part</p>",
            "<p>See <a href=#a>[1]</a></p><h2 id=a>part</h2>",
            "<p>See <a href=#b>[1]</a></p><p id=a>part</p>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
    }
}
