//! The footnotes of a page: which links are marks of notes, where each note is, and which links
//! lead from it back.
//!
//! A mark is a short link to a place below it on the same page, in brackets, raised or named as
//! such: `[1]`, a raised `2`, `[note 3]`. The note is the block that the link leads to, or a part
//! of one that holds several notes. Where the page has no links, a raised number in the text
//! belongs to the block below that begins with the same one.

use crate::capture::{Dom, NodeId, is_note_beside_mark, mark_beside_note};
use crate::document::addresses::Addresses;
use crate::document::notes::names::{is_label, names_mark, names_note};
use crate::document::table::Tables;
use crate::elements::Element;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const A: Element = Element::known("a");

/// Longest label of a mark without its brackets, in characters; and of the label of one that the
/// page marks up as a mark. Heuristic.
const MAX_LABEL_CHARS: (usize, usize) = (4, 12);
/// Largest note, in nodes; a larger element is a part of the page. Heuristic.
const MAX_NOTE_NODES: usize = 300;
/// Largest mark, in nodes, with the elements around it, and largest element around the links from a
/// note back to its marks. Heuristic.
const MAX_MARK_NODES: (usize, usize) = (24, 150);

/// A mark in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    /// The link, or the raised number.
    element: NodeId,
    /// Its text without brackets.
    label: String,
    /// Index of its note.
    note: usize,
}

/// The marks and notes of a page, whether they are kept or not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::document) struct NoteLinks {
    /// Sorted in document order.
    marks: Vec<Mark>,
    /// The nodes of each note, in document order and disjoint.
    notes: Vec<Range<usize>>,
    /// Links from notes back to their marks, with the signs around them.
    ways_back: Vec<Range<usize>>,
    /// Notes within the text that a style moves beside it.
    sidenotes: Vec<Range<usize>>,
    /// Passages within the text that are not read with it.
    asides: Vec<Range<usize>>,
    /// Links back to their marks that are the labels of their notes, in document order.
    labels: Vec<NodeId>,
}

impl NoteLinks {
    /// Finds the notes of a page.
    pub(in crate::document) fn find(dom: &Dom, addresses: &Addresses) -> Self {
        Self {
            sidenotes: sidenotes(dom),
            asides: asides(dom),
            ..Self::find_marked(dom, addresses)
        }
    }

    /// Finds the notes that have marks.
    fn find_marked(dom: &Dom, addresses: &Addresses) -> Self {
        let links = dom.ids().filter(|&id| dom.element(id) == A);
        let marks: Vec<(NodeId, String, Cow<'_, str>)> = links
            .filter_map(|id| {
                let href = dom.attribute(id, "href").filter(|href| href.contains('#'));
                let scripted = || aim_without_address(dom, id);
                let text =
                    || shown(dom, id).filter(|text| text.chars().count() <= MAX_LABEL_CHARS.1 + 2);
                let (name, text) = match href {
                    Some(href) if href != "#" => {
                        (text().and(addresses.name_on_page(href))?, text()?)
                    }
                    _ => (scripted()?, text()?),
                };
                Some((id, label(dom, id, &text, &name)?, name))
            })
            .collect();
        if marks.is_empty() {
            return unlinked(dom);
        }
        let named = names(dom);
        let mut anchors: BTreeMap<NodeId, Option<String>> = BTreeMap::new();
        let mut aims: Vec<(NodeId, String, NodeId)> = Vec::new();
        for (link, label, name) in marks {
            let Some(&anchor) = named
                .get(&*name)
                .filter(|anchor| anchor.index() >= dom.end(link))
            else {
                continue;
            };
            // Marks with different labels do not refer to one note: it is a section.
            let known = anchors.entry(anchor).or_insert_with(|| Some(label.clone()));
            if known.as_ref().is_some_and(|known| *known != label) {
                *known = None;
            }
            aims.push((link, label, anchor));
        }
        anchors.retain(|_, label| label.is_some());
        let anchors: Vec<NodeId> = anchors.into_keys().collect();
        let mut found = Self::from_aims(dom, &anchors, aims);
        found.find_ways_back(dom, addresses, &named);
        found
    }

    /// Builds the notes that begin at these anchors, which are in document order, and their marks:
    /// element, label and anchor.
    fn from_aims(dom: &Dom, anchors: &[NodeId], aims: Vec<(NodeId, String, NodeId)>) -> Self {
        let mut found = Self::default();
        let mut index_of: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (anchor, nodes) in note_ranges(dom, anchors) {
            index_of.insert(anchor, found.notes.len());
            found.notes.push(nodes);
        }
        for (element, label, anchor) in aims {
            if let Some(&note) = index_of
                .get(&anchor)
                .filter(|&&note| found.notes[note].start >= dom.end(element))
            {
                found.marks.push(Mark {
                    element,
                    label,
                    note,
                });
            }
        }
        found
    }

    /// Finds the links from the notes back to their marks. A link that shows the label of its note
    /// is kept.
    fn find_ways_back(&mut self, dom: &Dom, addresses: &Addresses, named: &BTreeMap<&str, NodeId>) {
        let mut labels = vec![""; self.notes.len()];
        self.marks
            .iter()
            .rev()
            .for_each(|mark| labels[mark.note] = &mark.label);
        for (nodes, own) in self.notes.iter().zip(labels) {
            let links = nodes
                .clone()
                .map(NodeId::new)
                .filter(|&id| dom.element(id) == A);
            let back: Vec<NodeId> = links
                .filter(|&id| {
                    let name = dom
                        .attribute(id, "href")
                        .and_then(|href| addresses.name_on_page(href));
                    let aim = name.and_then(|name| named.get(&*name).copied());
                    is_named_way_back(dom, id) || aim.is_some_and(|aim| self.is_at_mark(dom, aim))
                })
                .collect();
            // The label of the note may be the link back.
            let is_label = |link: NodeId| shown(dom, link).is_some_and(|text| bare(&text) == own);
            if back.len() == 1 && is_label(back[0]) {
                self.labels.push(back[0]);
                continue;
            }
            for &link in &back {
                if self
                    .ways_back
                    .last()
                    .is_some_and(|last| last.contains(&link.index()))
                {
                    continue;
                }
                let whole = with_signs(dom, link, MAX_MARK_NODES.1, |id| {
                    let after = back.partition_point(|&link| link <= id);
                    after > 0 && dom.contains(back[after - 1], id)
                });
                if self
                    .ways_back
                    .last()
                    .is_none_or(|last| last.end <= whole.start)
                {
                    self.ways_back.push(whole);
                }
            }
        }
    }

    /// Returns true if an element is a mark, directly around one or beside one.
    fn is_at_mark(&self, dom: &Dom, aim: NodeId) -> bool {
        let next = self.marks.partition_point(|mark| mark.element < aim);
        let near = self.marks[next.saturating_sub(1)..].iter().take(2);
        near.map(|mark| mark.element).any(|mark| {
            let distance = mark.index().abs_diff(aim.index());
            distance <= MAX_LEVELS || dom.contains(mark, aim)
        })
    }

    /// The link back to its mark that is the label of a note, if a note of these nodes has one.
    pub(in crate::document) fn label_of(&self, nodes: &Range<usize>) -> Option<NodeId> {
        let next = self
            .labels
            .partition_point(|label| label.index() < nodes.start);
        self.labels
            .get(next)
            .copied()
            .filter(|label| label.index() < nodes.end)
    }

    /// The nodes of the notes whose marks are kept, in document order; `is_kept` is true for a
    /// range of nodes with kept text. A mark in a kept note is kept.
    pub(in crate::document) fn kept_notes(
        &self,
        dom: &Dom,
        is_kept: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<Range<usize>> {
        let mut keeps = vec![false; self.notes.len()];
        for mark in &self.marks {
            let element = mark.element.index()..dom.end(mark.element);
            let around = self
                .notes
                .partition_point(|note| note.start <= element.start)
                .checked_sub(1);
            let is_in_kept =
                around.is_some_and(|note| keeps[note] && self.notes[note].contains(&element.start));
            keeps[mark.note] |= is_in_kept || is_kept(&element);
        }
        self.notes
            .iter()
            .zip(keeps)
            .filter(|(_, keeps)| *keeps)
            .map(|(nodes, _)| nodes.clone())
            .collect()
    }
}

/// The anchor of a mark whose link only calls a script: the script or an attribute names it, or the
/// mark is named after it, as `footnoteref-1` after `footnote-1` in Wikidot.
fn aim_without_address(dom: &Dom, link: NodeId) -> Option<Cow<'_, str>> {
    let attribute = |name: &str| dom.attribute(link, name);
    if let Some(aim) = attribute("onclick").and_then(aim_of_script) {
        return Some(Cow::Borrowed(aim));
    }
    let quoted = |script: &str| -> Option<String> {
        let mut parts = script.split(['\'', '"']).skip(1).step_by(2);
        let name = parts.find(|name| names_note(name.trim_start_matches('#')))?;
        Some(name.trim_start_matches('#').to_owned())
    };
    let in_attribute = || {
        [
            "aria-controls",
            "aria-describedby",
            "data-target",
            "data-footnote-id",
        ]
        .iter()
        .filter_map(|name| attribute(name))
        .map(|value| value.trim_start_matches('#'))
        .find(|value| names_note(value))
        .map(str::to_owned)
    };
    let of_name = || {
        let name = attribute("id")?;
        let (start, end) = name.split_once("ref").or_else(|| name.split_once("Ref"))?;
        let other = format!("{}{end}", start.trim_end_matches(['-', '_']));
        names_note(&other).then_some(other)
    };
    let script = || attribute("href").filter(|href| href.starts_with("javascript:"));
    attribute("onclick")
        .or_else(script)
        .and_then(quoted)
        .or_else(in_attribute)
        .or_else(of_name)
        .map(Cow::Owned)
}

/// The anchor to which a script of the WordPress plugin Footnotes scrolls:
/// `footnote_moveToReference_1('NAME')`.
fn aim_of_script(script: &str) -> Option<&str> {
    let call = script.strip_prefix("footnote_moveToReference_")?;
    call.split('\'').nth(1)
}

/// The notes of a page without links: blocks that begin with raised numbers from 1 on, each of
/// which also occurs in the text above them, in the same order.
fn unlinked(dom: &Dom) -> NoteLinks {
    let mut marks: Vec<(NodeId, u32)> = Vec::new();
    let mut starts: Vec<(NodeId, u32)> = Vec::new();
    // Lines that begin with a number that is not raised.
    let mut plain: Vec<(NodeId, u32)> = Vec::new();
    // True if the line has no text yet, if a digit came last, and if a number is raised after a
    // digit (an exponent).
    let (mut begins_line, mut is_after_digit, mut has_exponent) = (true, false, false);
    for id in dom.ids() {
        if let Some(text) = dom.text(id) {
            match numbered_line(text).filter(|_| begins_line) {
                Some(1) => plain = vec![(id, 1)],
                Some(number) if plain.last().is_some_and(|last| last.1 + 1 == number) => {
                    plain.push((id, number));
                }
                _ => {}
            }
            begins_line &= crate::text::is_blank(text);
            is_after_digit = text.ends_with(|c: char| c.is_ascii_digit());
        } else if matches!(dom.tag(id), "br" | "hr") || dom.element(id).default_display().is_some()
        {
            begins_line = true;
        } else if dom.tag(id) == "sup" {
            let number = shown(dom, id)
                .filter(|text| text.len() <= 3)
                .and_then(|text| text.parse::<u32>().ok());
            match number {
                Some(1) if begins_line => starts = vec![(id, 1)],
                Some(number)
                    if begins_line && starts.last().is_some_and(|last| last.1 + 1 == number) =>
                {
                    starts.push((id, number));
                }
                Some(number) if !begins_line => {
                    has_exponent |= is_after_digit;
                    marks.push((id, number));
                }
                _ => {}
            }
        }
    }
    if starts.is_empty() && !has_exponent && is_counted_alike(&marks, &plain) {
        starts = plain;
    }
    let Some(&(first, _)) = starts.first() else {
        return NoteLinks::default();
    };
    let mut above = marks.into_iter().take_while(|(mark, _)| *mark < first);
    let mut aims = Vec::new();
    for &(start, number) in &starts {
        let Some((mark, _)) = above.find(|(_, other)| *other == number) else {
            break;
        };
        aims.push((mark, number.to_string(), start));
    }
    let anchors: Vec<NodeId> = aims.iter().map(|(.., start)| *start).collect();
    NoteLinks::from_aims(dom, &anchors, aims)
}

/// The number that a line begins with, as in `1. So it is`.
fn numbered_line(text: &str) -> Option<u32> {
    let text = text.trim_start().trim_start_matches(['[', '(']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_end = text[digits..].starts_with(['.', ')', ']']);
    text[..digits]
        .parse()
        .ok()
        .filter(|_| is_end && digits <= 3)
}

/// Returns true if raised numbers count from 1 on, at least to 2, and lines below all of them count
/// in the same way.
fn is_counted_alike(marks: &[(NodeId, u32)], lines: &[(NodeId, u32)]) -> bool {
    let is_below = || {
        marks
            .last()
            .zip(lines.first())
            .is_some_and(|(mark, line)| mark.0 < line.0)
    };
    marks.len() > 1
        && marks.len() == lines.len()
        && marks.iter().zip(lines).all(|(mark, line)| mark.1 == line.1)
        && is_below()
}

/// The notes beside the text: inline elements with one of the names that Tufte CSS, LaTeXML and
/// others give them.
fn sidenotes(dom: &Dom) -> Vec<Range<usize>> {
    let on_request = notes_beside_marks(dom).map(|id| id.index()..dom.end(id));
    let named = named_spans(
        dom,
        &[
            "sidenote",
            "marginnote",
            "side-note",
            "margin-note",
            "ltx_note_content",
        ],
    );
    disjoint(named, on_request)
}

/// The notes within the text that the page shows on request.
fn notes_beside_marks(dom: &Dom) -> impl Iterator<Item = NodeId> {
    dom.ids().filter(|&id| is_note_beside_mark(dom, id))
}

/// Two sets of ranges in order, without those that begin in another one.
fn disjoint(
    mut all: Vec<Range<usize>>,
    more: impl Iterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    all.extend(more);
    all.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut last_end = 0;
    all.retain(|range| {
        let is_apart = range.start >= last_end;
        last_end = last_end.max(range.end);
        is_apart
    });
    all
}

/// Passages within the text that are not read with it: repeated texts of notes, which a script
/// shows under the pointer (WordPress), marks of editors such as "citation needed" (MediaWiki),
/// numbers of notes within the text (LaTeXML, and notes shown on request), and the sign that opens
/// a note in the margin on a small screen (Tufte CSS).
fn asides(dom: &Dom) -> Vec<Range<usize>> {
    const FOR_EDITORS: &[&str] = &[
        "footnote_tooltip",
        "Template-Fact",
        "noprint",
        "margin-toggle",
        "ltx_note_mark",
        "ltx_tag_note",
        "ltx_note_type",
    ];
    let marks = notes_beside_marks(dom).flat_map(|note| mark_beside_note(dom, note));
    disjoint(
        named_spans(dom, FOR_EDITORS),
        marks.map(|id| id.index()..id.index() + 1),
    )
}

/// The small inline elements with one of these classes, disjoint.
fn named_spans(dom: &Dom, names: &[&str]) -> Vec<Range<usize>> {
    let is_named = |id: &NodeId| {
        matches!(dom.tag(*id), "span" | "small" | "sup" | "label")
            && dom.attribute(*id, "class").is_some_and(|class| {
                class
                    .split_ascii_whitespace()
                    .any(|name| names.contains(&name))
            })
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for id in dom.ids().filter(is_named) {
        let nodes = id.index()..dom.end(id);
        if nodes.len() <= MAX_NOTE_NODES && found.last().is_none_or(|last| last.end <= nodes.start)
        {
            found.push(nodes);
        }
    }
    found
}

/// Largest distance in nodes between a mark and the anchor of the link back to it, and largest
/// number of elements around a link that are examined. Heuristic.
const MAX_LEVELS: usize = 4;

/// Returns true if markup says that a link leads from a note back to its mark.
fn is_named_way_back(dom: &Dom, link: NodeId) -> bool {
    const NAMES: &[&str] = &[
        "footnote-back",
        "footnote-backref",
        "footnote-return",
        "reversefootnote",
        "data-footnote-backref",
    ];
    dom.attribute(link, "role") == Some("doc-backlink")
        || dom.attribute(link, "class").is_some_and(|class| {
            class
                .split_ascii_whitespace()
                .any(|name| NAMES.contains(&name))
        })
}

/// The anchors of a page by their names.
fn names(dom: &Dom) -> BTreeMap<&str, NodeId> {
    let mut named = BTreeMap::new();
    for id in dom.ids() {
        let name = dom.attribute(id, "name").filter(|_| dom.element(id) == A);
        for name in dom.attribute(id, "id").into_iter().chain(name) {
            named.entry(name).or_insert(id);
        }
    }
    named
}

/// The text of a small element.
fn shown(dom: &Dom, id: NodeId) -> Option<String> {
    let texts = dom
        .descendants(id)
        .take(MAX_MARK_NODES.0)
        .filter_map(|below| dom.text(below));
    let text = texts.flat_map(str::chars).take(40).collect::<String>();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A label without brackets, the dot after it and arrows.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '[' | ']' | '(' | ')' | '.' | ':' | '\u{2191}' | '\u{21a9}' | '^'
            )
    })
}

/// The text of a link without brackets, if it looks like the mark of a note; `name` is the name of
/// the anchor that it leads to.
fn label(dom: &Dom, id: NodeId, text: &str, name: &str) -> Option<String> {
    let inner = [('[', ']'), ('(', ')')]
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let label = inner.unwrap_or(text).trim();
    let near = || {
        dom.ancestors(id)
            .take(3)
            .chain(std::iter::once(id))
            .chain(dom.descendants(id).take(3))
    };
    let is_raised = near().any(|near| dom.tag(near) == "sup");
    let has_class = |id: NodeId| dom.attribute(id, "class").is_some_and(names_mark);
    let is_named = dom.attribute(id, "role") == Some("doc-noteref")
        || names_note(name)
        || has_class(id)
        || dom
            .parent(id)
            .is_some_and(|up| has_class(up) && dom.tag(up) != "li");
    let limit = if is_named {
        MAX_LABEL_CHARS.1
    } else {
        MAX_LABEL_CHARS.0
    };
    let is_mark = label.chars().count() <= limit
        && is_label(label, is_named)
        && (inner.is_some() || is_raised || is_named);
    let is_code = || {
        dom.ancestors(id)
            .take(3)
            .chain(dom.descendants(id).take(3))
            .any(|near| dom.tag(near) == "code")
    };
    (is_mark && !is_code()).then(|| label.to_owned())
}

/// The ranges of the notes that begin at these anchors, which are in document order; an anchor that
/// is not a note has none.
fn note_ranges(dom: &Dom, anchors: &[NodeId]) -> Vec<(NodeId, Range<usize>)> {
    // Anchors in a cell of a data table are not notes.
    let mut tables = Tables::default();
    let mut is_in_cell = |anchor: NodeId| {
        let around: Vec<NodeId> = dom
            .ancestors(anchor)
            .filter(|&up| dom.tag(up) == "table")
            .collect();
        around.into_iter().any(|table| tables.is_data(dom, table))
    };
    let block = |&anchor: &NodeId| block_of(dom, anchor).filter(|_| !is_in_cell(anchor));
    let blocks: Vec<Option<Range<usize>>> = anchors.iter().map(block).collect();
    let mut found: Vec<(NodeId, Range<usize>)> = Vec::new();
    for (index, &anchor) in anchors.iter().enumerate() {
        let Some(block) = &blocks[index] else {
            continue;
        };
        let shares = |other: Option<&Option<Range<usize>>>| {
            other
                .and_then(Option::as_ref)
                .is_some_and(|other| other.start == block.start)
        };
        let is_shared = shares(blocks.get(index + 1)) || index > 0 && shares(blocks.get(index - 1));
        let start = if is_shared || block.len() > MAX_NOTE_NODES {
            anchor.index()
        } else {
            block.start
        };
        let end = if shares(blocks.get(index + 1)) {
            anchors[index + 1].index()
        } else {
            block.end
        };
        // An empty anchor in a large part of the page names the block after it.
        let end = if end - start > MAX_NOTE_NODES {
            next_block_end(dom, anchor)
        } else {
            end
        };
        let is_after_last = found.last().is_none_or(|(_, last)| last.end <= start);
        if start < end && end - start <= MAX_NOTE_NODES && is_after_last {
            found.push((anchor, start..end));
        }
    }
    found
}

/// The nodes of the block that is or contains an anchor; `None` if it is not a note.
fn block_of(dom: &Dom, anchor: NodeId) -> Option<Range<usize>> {
    let is_block = |id: &NodeId| dom.element(*id).default_display().is_some();
    let block = std::iter::once(anchor)
        .chain(dom.ancestors(anchor))
        .take(5)
        .find(is_block)?;
    match dom.tag(block) {
        // A cell or row of a layout table.
        "td" | "th" | "tr" => {
            let row = std::iter::once(block)
                .chain(dom.ancestors(block))
                .find(|&up| dom.tag(up) == "tr")?;
            Some(row.index()..dom.end(row))
        }
        "body" | "html" | "caption" => None,
        "dt" => {
            let mut own = siblings_after(dom, block).filter(|&next| dom.is_element(next));
            let note = own.next().filter(|&next| dom.tag(next) == "dd")?;
            Some(note.index()..dom.end(note))
        }
        _ => (!dom.element(block).is_heading()).then(|| block.index()..dom.end(block)),
    }
}

/// The end of the first block after an empty anchor.
fn next_block_end(dom: &Dom, anchor: NodeId) -> usize {
    let block =
        siblings_after(dom, anchor).find(|&next| dom.element(next).default_display().is_some());
    block
        .filter(|&block| !dom.element(block).is_heading())
        .map_or(anchor.index(), |block| dom.end(block))
}

/// The next few siblings of a node.
fn siblings_after(dom: &Dom, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    const MAX_SIBLINGS: usize = 32;
    let end = dom.parent(id).map_or(0, |up| dom.end(up));
    let next = move |at: usize| (at < end).then(|| NodeId::new(at));
    std::iter::successors(next(dom.end(id)), move |&sibling| next(dom.end(sibling)))
        .take(MAX_SIBLINGS)
}

/// The nodes of a link and of the small elements around it that contain only signs besides;
/// `is_counted` is true for the texts that count as signs.
fn with_signs(
    dom: &Dom,
    link: NodeId,
    max_nodes: usize,
    is_counted: impl Fn(NodeId) -> bool,
) -> Range<usize> {
    let is_words = |id: NodeId| {
        !is_counted(id)
            && dom
                .text(id)
                .is_some_and(|text| text.contains(char::is_alphanumeric))
    };
    let holds_words = |up: NodeId| dom.descendants(up).any(is_words);
    let is_small = |up: NodeId| {
        dom.end(up) - up.index() <= max_nodes && dom.element(up).default_display().is_none()
    };
    let whole = dom
        .ancestors(link)
        .take(MAX_LEVELS)
        .take_while(|&up| is_small(up) && !holds_words(up))
        .last();
    let whole = whole.unwrap_or(link);
    whole.index()..dom.end(whole)
}

/// The footnotes of a text: those whose marks and notes are kept.
#[derive(Debug, Default)]
pub(in crate::document) struct Notes {
    /// For each kept mark, the number of its note.
    references: BTreeMap<NodeId, u32>,
    /// For each text that a kept note begins with, its number and label.
    begins: BTreeMap<NodeId, (u32, String)>,
    /// The nodes of each kept note, by its number.
    nodes: BTreeMap<u32, Range<usize>>,
    /// Marks without notes and links of notes back to their marks, in order and disjoint: they are
    /// not written.
    dropped: Vec<Range<usize>>,
    /// Kept notes within the text, in order and disjoint, with their numbers.
    sidenotes: Vec<(Range<usize>, u32)>,
}

impl Notes {
    /// The notes of a text; `kept` are its text nodes, in document order.
    pub(in crate::document) fn for_text(dom: &Dom, links: &NoteLinks, kept: &[NodeId]) -> Self {
        let NoteLinks {
            marks,
            notes,
            ways_back,
            sidenotes,
            asides,
            ..
        } = links;
        let is_way_back = |id: NodeId| is_in(ways_back, id);
        let first = |nodes: &Range<usize>| {
            let from = kept.partition_point(|id| id.index() < nodes.start);
            kept[from..]
                .iter()
                .copied()
                .take_while(|id| id.index() < nodes.end)
                .find(|&id| !is_way_back(id))
        };
        let mut found = Self::default();
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut without_note: BTreeSet<NodeId> = BTreeSet::new();
        for Mark {
            element,
            label,
            note,
        } in marks
        {
            if first(&(element.index()..dom.end(*element))).is_none() {
                continue;
            }
            let Some(begin) = first(&notes[*note]) else {
                without_note.insert(*element);
                continue;
            };
            let next = numbers.len() as u32 + 1;
            let number = *numbers.entry(*note).or_insert(next);
            found
                .begins
                .entry(begin)
                .or_insert_with(|| (number, label.clone()));
            found
                .nodes
                .entry(number)
                .or_insert_with(|| notes[*note].clone());
            found.references.insert(*element, number);
        }
        for nodes in sidenotes.iter().filter(|nodes| first(nodes).is_some()) {
            let number = (numbers.len() + found.sidenotes.len()) as u32 + 1;
            found.sidenotes.push((nodes.clone(), number));
        }
        let is_without = |id: NodeId| {
            without_note
                .range(..=id)
                .next_back()
                .is_some_and(|&mark| dom.contains(mark, id))
        };
        // The brackets around a kept mark.
        let brackets = found.references.keys().flat_map(|&mark| {
            let is_mark = |id: NodeId| {
                found
                    .references
                    .range(..=id)
                    .next_back()
                    .is_some_and(|(&mark, _)| dom.contains(mark, id))
            };
            let whole = with_signs(dom, mark, MAX_MARK_NODES.0, is_mark);
            let is_bracket = |id: &NodeId| {
                !is_mark(*id)
                    && dom
                        .text(*id)
                        .is_some_and(|text| matches!(text.trim(), "[" | "]" | "(" | ")"))
            };
            whole
                .map(NodeId::new)
                .filter(is_bracket)
                .map(|id| id.index()..id.index() + 1)
                .collect::<Vec<_>>()
        });
        let mut dropped: Vec<Range<usize>> = without_note
            .iter()
            .map(|&mark| with_signs(dom, mark, MAX_MARK_NODES.0, is_without))
            .chain(ways_back.iter().cloned())
            .chain(brackets)
            .chain(asides.iter().cloned())
            .collect();
        dropped.sort_unstable_by_key(|range| (range.start, range.end));
        for range in dropped {
            match found.dropped.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => found.dropped.push(range),
            }
        }
        found
    }

    /// The number of the note that a link refers to.
    pub(in crate::document) fn reference(&self, link: NodeId) -> Option<u32> {
        self.references.get(&link).copied()
    }

    /// The marks and the numbers of their notes, in document order.
    pub(in crate::document) fn all_references(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.references
            .iter()
            .map(|(&mark, &number)| (mark, number))
    }

    /// The text that each note begins with, its number and its nodes, in document order.
    pub(in crate::document) fn all_notes(
        &self,
    ) -> impl Iterator<Item = (NodeId, u32, Range<usize>)> + '_ {
        self.begins.iter().filter_map(|(&begin, (number, _))| {
            Some((begin, *number, self.nodes.get(number)?.clone()))
        })
    }

    /// The elements of the notes within the text.
    pub(in crate::document) fn sidenote_elements(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.sidenotes
            .iter()
            .map(|(nodes, _)| NodeId::new(nodes.start))
    }

    /// Returns true if a text is nothing but the label of the note of this number.
    pub(in crate::document) fn is_label(&self, number: u32, text: &str) -> bool {
        self.begins
            .values()
            .any(|(other, label)| *other == number && bare(text) == bare(label))
    }

    /// Returns true if a text is in the note of this number.
    pub(in crate::document) fn is_in_note(&self, number: u32, text: NodeId) -> bool {
        self.nodes
            .get(&number)
            .is_some_and(|nodes| nodes.contains(&text.index()))
    }

    /// The number and the label of the note that begins with this text.
    pub(in crate::document) fn begin(&self, text: NodeId) -> Option<(u32, &str)> {
        self.begins
            .get(&text)
            .map(|(number, label)| (*number, label.as_str()))
    }

    /// The number of the note within the text that a text is in.
    pub(in crate::document) fn sidenote(&self, text: NodeId) -> Option<u32> {
        let after = self
            .sidenotes
            .partition_point(|(nodes, _)| nodes.start <= text.index());
        let (nodes, number) = self.sidenotes.get(after.checked_sub(1)?)?;
        nodes.contains(&text.index()).then_some(*number)
    }

    /// Returns true if a text is not written: it is a mark of a note that is dropped, or leads from
    /// a note to its mark.
    pub(in crate::document) fn is_dropped(&self, text: NodeId) -> bool {
        is_in(&self.dropped, text)
    }
}

/// Returns true if a node is in one of these ranges, which are in order and disjoint.
fn is_in(ranges: &[Range<usize>], id: NodeId) -> bool {
    let after = ranges.partition_point(|range| range.start <= id.index());
    after > 0 && ranges[after - 1].contains(&id.index())
}

#[cfg(test)]
mod tests {
    use crate::document::segments::segment::tests::all_kept;

    /// The references and the beginnings of notes, in order: number, true for a reference, text.
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
        let expected = [
            (1, true, "1"),
            (2, true, " [2]"),
            (1, true, "1"),
            (2, false, "Note a"),
            (1, false, "Note b"),
        ];
        assert_eq!(
            found(html),
            expected.map(|(number, is_reference, text)| (number, is_reference, text.to_owned()))
        );
    }

    #[test]
    fn marks_that_call_scripts_have_notes() {
        let html = "<p>One<sup><a id=footnoteref-1 href='javascript:;' onclick=\"go('footnote-1')\">1</a></sup>, \
                    two<sup><a id=footnoteref-2 href='javascript:;'>2</a></sup>, \
                    three<sup><a href=# aria-controls=footnote-3>3</a></sup>.</p>\
                    <div id=footnote-1><a href='javascript:;'>1</a>. Note a</div><div id=footnote-2>2. Note b</div>\
                    <div id=footnote-3>Note c</div>";
        let expected = [
            (1, true, "1"),
            (2, true, "2"),
            (3, true, "3"),
            (1, false, "1. Note a"),
            (1, true, "1. "),
            (2, false, "2. Note b"),
            (2, true, "2. "),
            (3, false, "Note c"),
        ];
        assert_eq!(
            found(html),
            expected.map(|(number, is_reference, text)| (number, is_reference, text.to_owned()))
        );
    }

    #[test]
    fn notes_that_a_page_shows_beside_their_marks_are_notes() {
        let html = "<p>One.<span class=inline-footnote>1<span style='display:none'>Note of it.</span></span> Two.</p>";
        assert_eq!(
            found(html),
            [
                (1, true, "1".to_owned()),
                (1, false, "Note of it.".to_owned())
            ]
        );
        assert_eq!(texts(html), ["One.1 Two.", "Note of it."]);
    }

    #[test]
    fn a_note_may_be_named_by_an_anchor_at_its_start() {
        let html =
            "<p>One<a href=#n role=doc-noteref>a</a>.</p><p><a name=n></a>Note.</p><p>Text.</p>";
        assert_eq!(
            found(html),
            [(1, true, "a".to_owned()), (1, false, "Note.".to_owned())]
        );
    }

    #[test]
    fn other_links_within_the_page_are_no_references() {
        for html in [
            "<p>See <a href=#a>1</a></p><p id=a>part</p>",
            "<p id=a>above</p><p>See <sup><a href=#a>1</a></sup></p>",
            "<p>See <a href=#a>[the end]</a></p><p id=a>part</p>",
            "<p>See <a href=#a>[1]</a></p><h2 id=a>part</h2>",
            "<p>See <a href=#b>[1]</a></p><p id=a>part</p>",
            "<p>Call <a href=#a>to()</a></p><p id=a>part</p>",
            "<p>See <a href=#a>[1]</a> or <a href=#a>[2]</a></p><p id=a>part</p>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
    }

    fn texts(html: &str) -> Vec<String> {
        all_kept(html)
            .iter()
            .map(crate::document::Segment::text)
            .collect()
    }

    #[test]
    fn notes_of_one_block_are_parted_and_their_labels_are_known() {
        for (note, ends) in [
            ("<a name=n1></a>1. First<br><a name=n2></a>2. Second", ""),
            (
                "<b id=n1>[1]</b> First<br><br><b id=n2>[2]</b> Second",
                "<p>end",
            ),
        ] {
            let html =
                format!("<p>One<a href=#n1>[1]</a>, two<a href=#n2>[2]</a>.<p>{note}</p>{ends}");
            let segments = all_kept(&html);
            let notes: Vec<_> = segments
                .iter()
                .filter_map(|segment| Some((segment.note?, segment)))
                .collect();
            let without_label = |segment: &crate::document::Segment| {
                let words = segment
                    .spans
                    .iter()
                    .filter(|span| span.note != segment.note);
                words.map(|span| span.text.as_str()).collect::<String>()
            };
            let found: Vec<_> = notes
                .iter()
                .map(|(number, segment)| (*number, without_label(segment)))
                .collect();
            assert_eq!(
                found,
                [(1, "First".to_owned()), (2, "Second".to_owned())],
                "{html}"
            );
        }
    }

    #[test]
    fn raised_numbers_without_links_belong_to_the_blocks_that_begin_with_them() {
        let html = "<p>One<sup>1</sup>, 3 m<sup>2</sup> and two<sup>2</sup>.</p><p><sup>1</sup> First note<br><sup>2</sup>Second</p>";
        let expected = [
            (1, true, "1"),
            (2, true, "2"),
            (1, false, "1 First note"),
            (1, true, "1"),
            (1, true, " "),
            (2, false, "2Second"),
            (2, true, "2"),
        ];
        assert_eq!(
            found(html),
            expected.map(|(number, is_reference, text)| (number, is_reference, text.to_owned()))
        );
        assert_eq!(
            found("<p>3 m<sup>2</sup></p><p><sup>2</sup>H is heavy.</p>"),
            []
        );
    }

    #[test]
    fn lines_that_count_as_the_raised_numbers_do_are_notes() {
        let text = "<p>One<sup>1</sup> and two<sup>2</sup>.</p>";
        let notes = |html: &str| {
            found(html)
                .into_iter()
                .filter(|(_, is_mark, _)| !is_mark)
                .count()
        };
        assert_eq!(
            notes(&format!(
                "<div>{text}<hr>1. First note.<br>2. <i>Second</i> note.</div>"
            )),
            2
        );
        assert_eq!(
            notes(&format!("{text}<p>[1] First note.<p>[2] Second note.")),
            2
        );
        for other in [
            "<hr>1. One.<br>2. Two.<br>3. Three.",
            "<hr>1. One.",
            "<hr>2. Two.<br>3. Three.",
        ] {
            assert_eq!(notes(&format!("<div>{text}{other}</div>")), 0, "{other}");
        }
        assert_eq!(
            notes("<div><p>10<sup>1</sup> or 10<sup>2</sup>.</p><hr>1. One.<br>2. Two.</div>"),
            0
        );
    }

    #[test]
    fn what_stands_beside_a_mark_and_is_not_read_is_left_out() {
        let mark = "<a role=button onclick=\"footnote_moveToReference_1('n1');\"><sup id=t1>1</sup></a><span class=footnote_tooltip>Note.</span>";
        let note = "<table><tr><th><a id=n1 class=footnote_backlink>\u{2191}1</a></th><td>Note.</td></tr></table>";
        assert_eq!(texts(&format!("<p>One{mark}.</p>{note}"))[0], "One1.");
        let latexml = "<p>One<span class='ltx_note ltx_role_footnote'><sup class=ltx_note_mark>1</sup><span class=ltx_note_outer><span \
            class=ltx_note_content><sup class=ltx_note_mark>1</sup><span class=ltx_tag_note>1</span>Note.</span></span></span> so.</p>";
        assert_eq!(texts(latexml), ["One1 so.", "Note."]);
        let bracketed = "<p>One<sup>[<a href=#fn1>1</a>]</sup>, two<sup>[<i>citation needed</i>]</sup><sup class=noprint>[who?]</sup>.</p><p id=fn1>Note.";
        assert_eq!(texts(bracketed), ["One1, two[citation needed].", "Note."]);
    }

    #[test]
    fn a_mark_goes_with_its_note_and_links_back_are_left_out() {
        let note = "<ol><li id=cite_note-1><span class=mw-cite-backlink>^ <sup><a href=#r1>a</a></sup> <sup><a href=#r2>b</a></sup></span> Smith.</ol>";
        let mark = |id: u8| format!("<sup id=r{id}><a href=#cite_note-1>[1]</a></sup>");
        let text = format!("<p>One{} and two{}.</p>", mark(1), mark(2));
        assert_eq!(
            texts(&format!("{text}{note}")),
            ["One[1] and two[1].", "Smith."]
        );
        assert_eq!(
            texts(&format!("{text}<div hidden>{note}</div>")),
            ["One and two."]
        );
        let way_back = "<p>One<a href=#f1 id=r1 class=footnote-ref>1</a></p><section><ol><li id=f1><p>Note <a href=#r1>\u{21a9}</a></p></li></ol></section>";
        assert_eq!(texts(way_back), ["One1", "Note"]);
    }

    #[test]
    fn notes_in_tables() {
        let mark =
            |id: &str| format!("<p>One<a href=#{id} id=r1 class=footnote-reference>[1]</a>.</p>");
        let note = [
            (1, true, "[1]".to_owned()),
            (1, false, "[1] So it is.".to_owned()),
            (1, true, "[1]".to_owned()),
        ];
        for table in [
            "<table class='docutils footnote' id=id2><tr><td class=label><a class=fn-backref href=#r1>[1]</a></td><td>So it is.</td></tr></table>",
            "<table><tr id=id2><td>[1]</td><td>So it is.</td></tr></table>",
            "<table><tr id=fn1><td>[1]</td><td>So it is.</td></tr><tr id=fn2><td>[2]</td><td>Or so.</td></tr></table>",
        ] {
            let id = if table.contains("id2") { "id2" } else { "fn1" };
            assert_eq!(found(&(mark(id) + table)), note, "{table}");
        }
        // Text in a cell is not a note, so that its mark is not one either.
        let table = "<table><tr><th>a<th>b<tr><td>c<td><p id=fn1>So it is.</p></table>";
        assert_eq!(found(&(mark("fn1") + table)), []);
        assert_eq!(
            texts("<table><tr><th>a<th>b<tr><td>c<td>d<span class=sidenote> note</span></table>")
                [3],
            "d note"
        );
        let in_cell = "<table><tr><th>a<th>b<tr><td>c<td>d<sup><a href=#fn1>1</a></sup></table><p id=fn1>So.</p>";
        assert_eq!(
            found(in_cell),
            [(1, true, "1".to_owned()), (1, false, "So.".to_owned())]
        );
    }

    #[test]
    fn notes_within_the_text_are_taken_out_of_it() {
        let html = "<p>One<label for=s></label><input type=checkbox id=s><span class=sidenote>A <b>note</b>.</span> and two.</p>\
                    <p><span class=sidenote>Alone.</span></p>";
        assert_eq!(texts(html), ["One1 and two.", "A note.", "Alone."]);
        assert_eq!(
            found(html),
            [(1, true, "1".to_owned()), (1, false, "A note.".to_owned())]
        );
    }

    #[test]
    fn japanese_notes_have_a_sign_before_their_number() {
        for sign in ['*', '\u{203b}'] {
            let html = format!(
                "<p>One<span class=footnote><a href=#f1 name=fn1>{sign}1</a></span>.</p>\
                 <div class=footnotes><p class=footnote><a href=#fn1 name=f1>{sign}1</a>: So it is.</p></div>"
            );
            let mark = format!("{sign}1");
            let label = [(1, true, mark.clone()), (1, true, ": ".to_owned())];
            let note = (1, false, format!("{mark}: So it is."));
            let expected = [&[(1, true, mark), note], &label[..]].concat();
            assert_eq!(found(&html), expected);
        }
    }

    #[test]
    fn links_to_the_whole_address_and_named_marks_count() {
        let html = "<p>One<a href='/d/#fn-a' class=footnote-link>note 3</a></p><dl><dt id=fn-a>3</dt><dd>Third</dd></dl>";
        assert_eq!(found(html)[0], (1, true, "note 3".to_owned()));
        assert_eq!(
            found("<p>One <a href='/x/#fn1'>[1]</a></p><p id=fn1>Note"),
            []
        );
    }
}
