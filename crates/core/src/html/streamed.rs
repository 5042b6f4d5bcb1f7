//! Puts the parts of a page that React streamed where they belong.
//!
//! React sends a page as soon as it can: a part that is not ready has a placeholder, an empty
//! `template` whose identifier is `B:0` (a boundary, with the text that stands there meanwhile up
//! to the comment `/$`) or `P:1` (a segment), and comes later in a hidden element such as `S:0`.
//! A script then moves it: `$RC("B:0","S:0")` fills a boundary, `$RR` one with style sheets of its
//! own, `$RS("S:1","P:1")` a segment. Without scripts, a `template` states the same as attributes.
//! See `ReactDOMFizzInstructionSetShared.js` and `ReactFizzConfigDOM.js` of React 18 and 19.

use super::arena::{Arena, Kind, MAX_OPEN, Mark, NONE};
use crate::elements::Element;
use crate::text::is_blank;
use memchr::memmem;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

const TEMPLATE: Element = Element::known("template");
const SCRIPT: Element = Element::known("script");

/// Visits of nodes for each node of the page after which no more parts are placed. A real page
/// needs less than one: a part is visited once, and what it replaces once.
const VISITS_PER_NODE: usize = 8;

/// The identifiers of a part and of its placeholder.
struct Move {
    part: String,
    placeholder: String,
}

/// The elements of each identifier, in document order.
type ById = FxHashMap<String, VecDeque<u32>>;

/// Moves the parts that were streamed to their placeholders, as the scripts of the page would.
pub(super) fn place_parts(arena: &mut Arena) {
    if !arena.has_templates {
        return;
    }
    let mut placeholders = ById::default();
    let mut moves = Vec::new();
    for id in nodes_of(arena, TEMPLATE) {
        let stated = |name| attribute(arena, id, name);
        if let Some(name) = stated("id").filter(|name| part_of(name).is_some()) {
            placeholders
                .entry(name.to_owned())
                .or_default()
                .push_back(id);
        }
        if let (Some(part), Some(placeholder)) = (
            stated("data-sid"),
            stated("data-bid").or(stated("data-pid")),
        ) {
            moves.push(Move::new(part, placeholder));
        }
    }
    if placeholders.is_empty() {
        return;
    }
    for id in nodes_of(arena, SCRIPT) {
        moves.extend(calls(text_of(arena, id)));
    }
    if moves.is_empty() {
        // The scripts were removed when the page was saved.
        moves = placeholders
            .keys()
            .filter_map(|name| Some(Move::new(&part_of(name)?, name)))
            .collect();
        moves.sort_by(|one, other| one.placeholder.cmp(&other.placeholder));
    }
    let mut parts = elements_named(arena, &moves);
    let mut visits = arena.nodes.len().saturating_mul(VISITS_PER_NODE);
    for Move { part, placeholder } in moves {
        let first = |known: &ById, name| known.get(name).and_then(|ids| ids.front().copied());
        if let (Some(from), Some(to)) = (first(&parts, &part), first(&placeholders, &placeholder))
            && place(arena, from, to, &mut visits).is_some()
        {
            parts.get_mut(&part).map(VecDeque::pop_front);
            placeholders.get_mut(&placeholder).map(VecDeque::pop_front);
        }
    }
}

impl Move {
    fn new(part: &str, placeholder: &str) -> Self {
        Self {
            part: part.to_owned(),
            placeholder: placeholder.to_owned(),
        }
    }
}

/// The identifier of the part with the number of a placeholder: `S:1` for `B:1` and `P:1`, both
/// with the prefix of their page; `None` for other identifiers.
fn part_of(placeholder: &str) -> Option<String> {
    let (name, number) = placeholder.rsplit_once(':')?;
    let prefix = name.strip_suffix(['B', 'P'])?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| format!("{prefix}S:{number}"))
}

fn nodes_of(arena: &Arena, element: Element) -> impl Iterator<Item = u32> {
    let is_one =
        move |kind: &Kind| matches!(kind, Kind::Element { tag, .. } if tag.element() == element);
    (0u32..)
        .zip(&arena.nodes)
        .filter_map(move |(id, node)| is_one(&node.kind).then_some(id))
}

fn attribute<'a>(arena: &'a Arena, id: u32, name: &str) -> Option<&'a str> {
    match arena.node(id).kind {
        Kind::Element { attributes, .. } => arena.strings.attributes(attributes).get(name),
        _ => None,
    }
}

/// The text at the beginning of an element.
fn text_of(arena: &Arena, id: u32) -> &str {
    match arena.node(id).first {
        NONE => "",
        first => match &arena.node(first).kind {
            Kind::Text(text) => arena.strings.get(*text),
            Kind::JoinedText(text) => text,
            _ => "",
        },
    }
}

/// The calls in a script that place a part.
fn calls(script: &str) -> impl Iterator<Item = Move> {
    memmem::find_iter(script.as_bytes(), b"$R").filter_map(|at| call(script.get(at + 2..)?))
}

fn call(text: &str) -> Option<Move> {
    let is_segment = match text.bytes().next()? {
        b'C' | b'R' => false,
        b'S' => true,
        _ => return None,
    };
    let (first, rest) = quoted(text.get(1..)?.strip_prefix('(')?)?;
    let (second, _) = quoted(rest.trim_start().strip_prefix(',')?)?;
    Some(if is_segment {
        Move::new(first, second)
    } else {
        Move::new(second, first)
    })
}

/// The string at the beginning of a text, and the text after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text.get(1..)?.split_once(quote)
}

/// The elements that are named as parts.
fn elements_named(arena: &Arena, moves: &[Move]) -> ById {
    let mut named: ById = moves
        .iter()
        .map(|made| (made.part.clone(), VecDeque::new()))
        .collect();
    for id in 0..arena.nodes.len() as u32 {
        if let Some(found) = attribute(arena, id, "id").and_then(|name| named.get_mut(name)) {
            found.push_back(id);
        }
    }
    named
}

/// Moves the children of a part to its placeholder, whose boundary is cleared. Does nothing and
/// returns `None` if the placeholder is not in the page, or in the part itself, if the tree would
/// be deeper than the parser allows, or if there are no `visits` left.
fn place(arena: &mut Arena, part: u32, placeholder: u32, visits: &mut usize) -> Option<()> {
    let parent = arena.node(placeholder).parent;
    let height = height(arena, part, visits)?;
    let (mut depth, mut up) = (0, parent);
    while up != 0 {
        *visits = visits.checked_sub(1)?;
        depth += 1;
        if up == NONE || up == part || depth + height > MAX_OPEN {
            return None;
        }
        up = arena.node(up).parent;
    }
    let end = end_of_boundary(arena, placeholder, visits);
    let end = end.unwrap_or(arena.node(placeholder).next);
    let mut replaced = placeholder;
    while replaced != end {
        let next = arena.node(replaced).next;
        arena.unlink(replaced);
        replaced = next;
    }
    loop {
        let child = arena.node(part).first;
        if child == NONE {
            break;
        }
        arena.unlink(child);
        arena.link(parent, child, end);
    }
    arena.unlink(part);
    Some(())
}

/// Number of levels below a node; `None` if a template in it has contents, whose levels are not
/// counted, or if there are no `visits` left.
fn height(arena: &Arena, top: u32, visits: &mut usize) -> Option<usize> {
    let (mut at, mut depth, mut height) = (top, 0, 0);
    loop {
        *visits = visits.checked_sub(1)?;
        let node = arena.node(at);
        if let Kind::Element { contents, .. } = node.kind
            && contents != NONE
            && arena.node(contents).first != NONE
        {
            return None;
        }
        if node.first != NONE {
            depth += 1;
            height = height.max(depth);
            at = node.first;
            continue;
        }
        while at != top && arena.node(at).next == NONE {
            at = arena.node(at).parent;
            depth -= 1;
        }
        if at == top {
            return Some(height);
        }
        at = arena.node(at).next;
    }
}

/// The comment at the end of the boundary whose placeholder this is; `None` for a segment, and for
/// a page without its comments.
fn end_of_boundary(arena: &Arena, placeholder: u32, visits: &mut usize) -> Option<u32> {
    let before = |id: u32| Some(arena.node(id).previous).filter(|&id| id != NONE);
    let is_space = |id: u32| match arena.node(id).kind {
        Kind::Text(text) => is_blank(arena.strings.get(text)),
        _ => false,
    };
    let mut start = before(placeholder)?;
    if is_space(start) {
        start = before(start)?;
    }
    if !matches!(arena.node(start).kind, Kind::Mark(Mark::Start)) {
        return None;
    }
    let (mut at, mut open) = (arena.node(placeholder).next, 0usize);
    while at != NONE {
        *visits = visits.checked_sub(1)?;
        match arena.node(at).kind {
            Kind::Mark(Mark::End) if open == 0 => return Some(at),
            Kind::Mark(Mark::End) => open -= 1,
            Kind::Mark(Mark::Start) => open += 1,
            _ => {}
        }
        at = arena.node(at).next;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::html::parse_html;

    fn texts(html: &str) -> String {
        let dom = parse_html(html);
        assert!(dom.is_consistent());
        let shown = dom.ids().filter(|&id| {
            dom.ancestors(id)
                .all(|up| !matches!(dom.tag(up), "script" | "template"))
        });
        let texts: Vec<&str> = shown.filter_map(|id| dom.text(id)).collect();
        texts.join(" ")
    }

    #[test]
    fn parts_stand_where_their_placeholders_stood() {
        let page = "<p>one</p><!--$?--><template id=B:0></template><p>wait</p><!--/$--><p>four</p>\
                    <!--$?--><template id=B:1></template><!--$--><p>wait</p><!--/$--> more<!--/$--><p>six</p>";
        let parts = "<div hidden id=S:2><p>five</p></div><script>$RC=function(a,b){};$RC(\"B:1\",\"S:2\")</script>\
                     <div hidden id=S:0><p>two</p><template id=P:1></template></div>\
                     <div hidden id=S:1><p>three</p></div><script>$RS(\"S:1\",\"P:1\")</script>\
                     <script>$RC('B:0', 'S:0')</script>";
        assert_eq!(
            texts(&format!("{page}{parts}")),
            "one two three four five six"
        );
        let stated = "<p>one</p><!--$?--><template id=r-B:0></template>wait<!--/$--><p>three</p>\
                      <div hidden id=r-S:a>two</div><template data-rci data-bid=r-B:0 data-sid=r-S:a></template>";
        assert_eq!(texts(stated), "one two three");
        let rows = "<table><tr><td>one</td></tr><template id=P:1></template><tr><td>three</td></tr></table>\
                    <table hidden><tbody id=S:1><tr><td>two</td></tr></tbody></table><script>$RS('S:1','P:1')</script>";
        assert_eq!(texts(rows), "one two three");
    }

    #[test]
    fn pages_without_their_scripts_or_comments_lose_nothing() {
        let page = "<p>one</p><!--$?--><template id=B:0></template>wait<!--/$--><p>three</p><div hidden id=S:0>two</div>";
        assert_eq!(texts(page), "one two three");
        let bare = "<p>one</p><template id=B:0></template><p>three</p><div hidden id=S:0>two</div>";
        assert_eq!(texts(bare), "one two three");
        let waiting =
            "<p>one</p><!--$?--><template id=B:0></template>wait<!--/$--><div id=x>three</div>";
        assert_eq!(texts(waiting), "one wait three");
        assert_eq!(texts("a<!--$-->b<!--/$-->c"), "abc");
    }

    #[test]
    fn a_part_in_itself_stays_and_trees_stay_shallow() {
        let own = "<div hidden id=S:0>a<p>b<template id=P:0></template></div><script>$RS('S:0','P:0')</script>";
        assert_eq!(texts(own), "a b");
        let deep = |number: usize| {
            format!(
                "<div hidden id=S:{number:x}>{}<template id=P:{:x}></template></div><script>$RS('S:{number:x}','P:{number:x}')</script>",
                "<i>".repeat(300),
                number + 1
            )
        };
        let parts: String = (1..200).map(deep).collect();
        let dom = parse_html(&format!("<template id=P:1></template>{parts}"));
        assert!(dom.ids().all(|id| dom.depth(id) <= super::MAX_OPEN + 2));
    }
}
