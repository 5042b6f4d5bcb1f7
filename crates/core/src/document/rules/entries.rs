//! One decision for the blocks that a template writes at the same position of each entry: the names
//! in all items of a list, the first cells of all rows.
//!
//! Models decide on each block alone, so of twenty equal items around probability .5 some are kept
//! and others dropped. A reader wants all ingredients of a recipe or none.

use super::threshold::page_threshold;
use crate::capture::{Dom, NodeId, element_after, element_before, holds_opener};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use crate::hash::Fnv;
use crate::target::Target;
use crate::text::{count_letters, is_blank};
use std::collections::BTreeMap;

/// Entries: the items of lists and definitions, and the rows of tables.
const ENTRIES: [Element; 4] = [
    Element::known("li"),
    Element::known("dd"),
    Element::known("dt"),
    Element::known("tr"),
];
/// Elements that are entries where their neighbors are of the same class and each holds what opens
/// it. Measured on 12 sets: without openers, as many pages lose as win.
const BOXES: [Element; 3] = [
    Element::known("div"),
    Element::known("section"),
    Element::known("details"),
];
const DL: Element = Element::known("dl");
const LISTS: [Element; 2] = [Element::known("ul"), Element::known("ol")];
const A: Element = Element::known("a");
/// Cells of a row.
const CELLS: [Element; 2] = [Element::known("td"), Element::known("th")];
/// Number of levels above a block at which its entry is searched.
const MAX_ABOVE: usize = 8;
/// Bytes of a class attribute and nodes of a row that are read: pages may have millions.
const MAX_CLASS_BYTES: usize = 200;
const MAX_IN_ROW: usize = 1000;
/// Fewest blocks that are decided together: two are often a name and its value.
const MIN_TOGETHER: usize = 3;

/// The position of a block in the entries of a list: the list, and the path from its entry down to
/// the block. The path has tags, classes and numbers of cells: cards made of `div` alone have their
/// date, name and text in elements of the same tag.
type Slot = (NodeId, u64);

/// Gives all targets at the same position in the entries of a list the same label: content if their
/// mean probability reaches the threshold of this page. Positions with comments are left alone;
/// margins and probabilities stay.
pub(super) fn keep_entries_together(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let threshold = page_threshold(decisions);
    let mut slots: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
    let mut lists = Lists::default();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        if let Some((list, path)) = slot(dom, target.container) {
            let list = lists.first_of(dom, list);
            slots.entry((list, path)).or_default().push(index);
        }
    }
    for members in slots.into_values() {
        let is_contents = members
            .iter()
            .all(|&index| leads_within_page(dom, &targets[index]));
        if members.len() < MIN_TOGETHER && !is_contents {
            continue;
        }
        let count = |label: Label| {
            members
                .iter()
                .filter(|&&index| decisions[index].label == label)
                .count()
        };
        if count(Label::Content) == 0
            || count(Label::Boilerplate) == 0
            || count(Label::Comments) > 0
        {
            continue;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for &index in &members {
            let texts = targets[index].texts.iter().filter_map(|&id| dom.text(id));
            let weight = (texts.map(count_letters).sum::<usize>() as f32 + 2.0).ln();
            sum += decisions[index].probability * weight;
            weights += weight;
        }
        // The headings of the text say the same as a list of contents.
        let label = if sum >= threshold * weights && !is_contents {
            Label::Content
        } else {
            Label::Boilerplate
        };
        for index in members {
            decisions[index].label = label;
        }
    }
    Ok(())
}

/// Lists directly after another of the same kind, which are one list to a reader.
#[derive(Debug, Default)]
struct Lists {
    /// The list seen last, and the first one of its row.
    last: Option<(NodeId, NodeId)>,
}

impl Lists {
    /// The first of the lists in a row to which a list belongs; lists come in document order.
    fn first_of(&mut self, dom: &Dom, list: NodeId) -> NodeId {
        let class = |id: NodeId| dom.attribute(id, "class").unwrap_or_default();
        let follows = |before: NodeId| {
            let is_alike = LISTS.contains(&dom.element(list))
                && dom.parent(list) == dom.parent(before)
                && dom.tag(list) == dom.tag(before)
                && class(list) == class(before);
            is_alike
                && (dom.end(before)..list.index())
                    .map(NodeId::new)
                    .all(|id| dom.text(id).is_some_and(is_blank))
        };
        let first = match self.last {
            Some((last, first)) if last == list || follows(last) => first,
            _ => list,
        };
        self.last = Some((list, first));
        first
    }
}

/// Returns true if the text of a block is one link to a part of the same page.
fn leads_within_page(dom: &Dom, target: &Target) -> bool {
    let link_of = |text: NodeId| {
        dom.ancestors(text)
            .take(MAX_ABOVE)
            .find(|&up| dom.element(up) == A)
    };
    let first = link_of(target.first());
    let href = first.and_then(|link| dom.attribute(link, "href"));
    href.is_some_and(|href| href.len() > 1 && href.starts_with('#'))
        && target.texts.iter().all(|&text| link_of(text) == first)
}

/// The position of a block in its entry; `None` for a block outside lists.
fn slot(dom: &Dom, container: NodeId) -> Option<Slot> {
    let mut path = Fnv::new();
    for id in std::iter::once(container)
        .chain(dom.ancestors(container))
        .take(MAX_ABOVE)
    {
        path.add(b'/');
        dom.tag(id).bytes().for_each(|byte| path.add(byte));
        if ENTRIES.contains(&dom.element(id)) {
            // Groups of terms and descriptions may stand in elements of their own.
            let list = dom.parent(id)?;
            let outer = dom.parent(list).filter(|&outer| dom.element(outer) == DL);
            return Some((outer.unwrap_or(list), path.finish()));
        }
        if BOXES.contains(&dom.element(id)) && holds_opener(dom, id) && has_like_neighbor(dom, id) {
            return Some((dom.parent(id)?, path.finish()));
        }
        path.add(b'.');
        dom.attribute(id, "class")
            .unwrap_or_default()
            .bytes()
            .take(MAX_CLASS_BYTES)
            .for_each(|byte| path.add(byte));
        if CELLS.contains(&dom.element(id)) {
            path.add(cell_number(dom, id));
        }
    }
    None
}

/// True if an element beside another has the same tag and the same first word of its class, as the
/// questions in a list of them have.
fn has_like_neighbor(dom: &Dom, id: NodeId) -> bool {
    let word = |id: NodeId| {
        let class = dom.attribute(id, "class")?;
        class.split_ascii_whitespace().next()
    };
    let is_like = |other: NodeId| dom.tag(other) == dom.tag(id) && word(other) == word(id);
    word(id).is_some()
        && [element_after(dom, id), element_before(dom, id)]
            .into_iter()
            .flatten()
            .any(is_like)
}

/// Number of cells before a cell in its row, at most 255, among the first [`MAX_IN_ROW`] nodes of
/// the row.
fn cell_number(dom: &Dom, cell: NodeId) -> u8 {
    let row = dom
        .parent(cell)
        .into_iter()
        .flat_map(|row| dom.children(row));
    let before = row
        .take(MAX_IN_ROW)
        .take_while(|&id| id != cell)
        .filter(|&id| CELLS.contains(&dom.element(id)));
    before.count().min(u8::MAX.into()) as u8
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_by;
    use super::*;

    fn kept(html: &str) -> Vec<String> {
        kept_by(keep_entries_together, html)
    }

    #[test]
    fn a_list_is_whole_or_not_there() {
        let list = |numbers: [u8; 4]| {
            let items: Vec<String> = numbers
                .iter()
                .map(|number| format!("<li>flour {number}</li>"))
                .collect();
            kept(&format!(
                "<p>text 90</p><ul>{}</ul><p>menu 10</p>",
                items.concat()
            ))
            .len()
                - 1
        };
        assert_eq!(list([60, 60, 45, 60]), 4);
        assert_eq!(list([60, 30, 20, 10]), 0);
        assert_eq!(list([10, 10, 10, 10]), 0);
    }

    #[test]
    fn a_list_after_a_list_is_one_with_it() {
        let items = "<li>one 80</li><li>two 70</li><li>three 80</li>";
        assert_eq!(
            kept(&format!("<ul>{items}</ul>\n<ul><li>four 30</li></ul>")).len(),
            4
        );
        assert_eq!(
            kept(&format!(
                "<ul>{items}</ul><p>text 90</p><ul><li>four 30</li></ul>"
            ))
            .len(),
            4
        );
        assert_eq!(
            kept(&format!(
                "<ul>{items}</ul><ul class=nav><li>four 30</li></ul>"
            ))
            .len(),
            3
        );
    }

    #[test]
    fn half_a_list_of_contents_is_none() {
        let list = |href: &str| {
            format!("<ul><li><a href={href}>one 40</a><li><a href={href}>two 60</a></ul>")
        };
        assert!(kept(&list("#s")).is_empty());
        assert_eq!(kept(&list("/s")), ["two 60"]);
    }

    #[test]
    fn parts_of_entries_are_decided_apart() {
        let item = |name: u8, button: u8| {
            format!("<li><h3>name {name}</h3><div><a>more {button}</a></div></li>")
        };
        let html = format!("<ul>{}{}{}</ul>", item(60, 10), item(45, 55), item(70, 10));
        assert_eq!(kept(&html), ["name 60", "name 45", "name 70"]);
        let card = |date: u8, name: u8| {
            format!(
                "<li class=c{date}><div class=date>date {date}</div><div class=name>name {name}</div></li>"
            )
        };
        assert_eq!(
            kept(&format!(
                "<ul>{}{}{}</ul>",
                card(10, 55),
                card(20, 45),
                card(52, 70)
            )),
            ["name 55", "name 45", "name 70"]
        );
        let row =
            |name: u8, price: u8| format!("<tr><td>name {name}</td><td>price {price}</td></tr>");
        assert_eq!(
            kept(&format!(
                "<table>{}{}{}</table>",
                row(60, 10),
                row(45, 55),
                row(70, 10)
            )),
            ["name 60", "name 45", "name 70"]
        );
        assert_eq!(kept("<ul><li>a 60<li>b 40</ul>"), ["a 60"]);
        assert_eq!(kept("<p>a 60<p>b 40<p>c 60<p>d 40"), ["a 60", "c 60"]);
    }

    #[test]
    fn answers_that_buttons_open_are_entries() {
        let page = |opener: &str| {
            let entry = |number: u8| {
                format!("<div class=item>{opener}<div>an answer of words {number}</div></div>")
            };
            let entries = [60, 60, 60, 45].map(entry).concat();
            kept(&format!("<p>text 90</p>{entries}")).len() - 1
        };
        assert_eq!(page("<button><img></button>"), 4);
        assert_eq!(page("<img>"), 3);
    }

    #[test]
    fn groups_in_a_list_of_terms_are_one_list() {
        let group = |number: u8| format!("<div><dt>term 90<dd>words of it {number}</div>");
        let list = [60, 60, 60, 45].map(group).concat();
        assert_eq!(kept(&format!("<dl>{list}</dl>")).len(), 8);
    }
}
