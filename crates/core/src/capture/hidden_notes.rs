//! Notes within the text that a page shows when a reader clicks their mark or points at it.

use super::panels::letters_of;
use super::{Dom, NodeId};
use crate::text::is_blank;

/// Largest note, in nodes, and shortest and longest text of the mark beside it and of the note, in
/// characters. Heuristic.
const MAX_NODES: usize = 100;
const MAX_MARK_CHARS: usize = 5;
const MIN_NOTE_CHARS: usize = 8;

/// True if an element is the text of a note directly beside its mark, as in
/// `<span class=footnote>1<span class=text>...</span></span>`: an inline element named as a note
/// with a number or sign and one element of words. Where the number leads to another note, the text
/// beside it only repeats that one.
pub fn is_note_beside_mark(dom: &Dom, id: NodeId) -> bool {
    if !matches!(dom.tag(id), "span" | "small" | "i" | "em" | "div")
        || dom.end(id) - id.index() > MAX_NODES
    {
        return false;
    }
    let Some(mark) = dom
        .parent(id)
        .filter(|&up| matches!(dom.tag(up), "span" | "sup" | "a" | "label" | "small"))
    else {
        return false;
    };
    dom.end(mark) - mark.index() <= 2 * MAX_NODES
        && (is_named_note(dom, mark) || is_named_note(dom, id))
        && is_mark(dom, mark, id)
        && letters_of(dom, id).count() >= MIN_NOTE_CHARS
}

/// The text nodes of the mark beside a note.
pub(crate) fn mark_beside_note(dom: &Dom, note: NodeId) -> Vec<NodeId> {
    let Some(mark) = dom.parent(note) else {
        return Vec::new();
    };
    dom.descendants(mark)
        .filter(|&id| !dom.contains(note, id) && dom.text(id).is_some_and(|text| !is_blank(text)))
        .collect()
}

/// True if a class names an element as a footnote.
fn is_named_note(dom: &Dom, id: NodeId) -> bool {
    let names_note = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["footnote", "endnote", "sidenote"]
            .iter()
            .any(|part| name.contains(part))
            || matches!(name.as_str(), "fn" | "note" | "fnote" | "noteref")
    };
    dom.attribute(id, "class")
        .is_some_and(|class| class.split_ascii_whitespace().any(names_note))
}

/// True if the text of an element outside its note is a number or a sign.
fn is_mark(dom: &Dom, mark: NodeId, note: NodeId) -> bool {
    let texts = mark_beside_note(dom, note);
    let text: String = texts.iter().filter_map(|&id| dom.text(id)).collect();
    let inner = text.trim().trim_matches(['[', ']', '(', ')']);
    let is_sign = |c: char| matches!(c, '*' | '\u{2020}' | '\u{2021}');
    dom.contains(mark, note)
        && inner.chars().count() <= MAX_MARK_CHARS
        && !inner.is_empty()
        && (inner.chars().all(char::is_numeric) || inner.chars().all(is_sign))
        && !texts.iter().any(|&id| leads_elsewhere(dom, mark, id, note))
}

/// True if a text of the mark is in a link whose address or script names an element outside the
/// note.
fn leads_elsewhere(dom: &Dom, mark: NodeId, text: NodeId, note: NodeId) -> bool {
    let mut above = dom.ancestors(text).take_while(|&up| up >= mark);
    let Some(link) = above.find(|&up| dom.tag(up) == "a") else {
        return false;
    };
    let attribute = |name: &str| dom.attribute(link, name);
    let aim = attribute("href")
        .and_then(|href| href.strip_prefix('#'))
        .filter(|name| !name.is_empty())
        .or_else(|| attribute("onclick").and_then(|script| script.split(['\'', '"']).nth(1)));
    let has_id = |id: NodeId, name: &str| dom.attribute(id, "id") == Some(name);
    aim.is_some_and(|aim| !has_id(note, aim) && !dom.descendants(note).any(|id| has_id(id, aim)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn a_note_is_beside_its_number() {
        let is_note = |html: &str| {
            let dom = parse_html(html);
            dom.ids().any(|id| is_note_beside_mark(&dom, id))
        };
        assert!(is_note(
            "<p>So<span class=inline-footnote>1<span style='display:none'>The archive.</span></span>"
        ));
        assert!(is_note(
            "<p>So<sup>[*]<span class='x footnote-body'>The <a href=x>archive</a>.</span></sup>"
        ));
        assert!(is_note(
            "<p>So<span class=fn><a href=# onclick=\"show('n1')\">1</a><span id=n1>The archive.</span></span>"
        ));
        for html in [
            "<p>So<span class=x>1<span>The archive.</span></span>",
            "<p class=footnote>1<span>The archive.</span>",
            "<p>So<span class=footnote>see<span>The archive.</span></span>",
            "<p>So<span class=footnote>1<span>2</span></span>",
            "<p>So<span class=fn><a href=#n1>1</a><span>The archive.</span></span><p id=n1>The archive.",
            "<p>So<span class=fn><a onclick=\"go('n1')\">1</a><span>The archive.</span></span><p id=n1>The archive.",
        ] {
            assert!(!is_note(html), "{html}");
        }
    }
}
