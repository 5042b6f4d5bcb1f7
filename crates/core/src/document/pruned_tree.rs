//! The pruned tree: the page's own elements around the kept text, with the attributes that describe
//! the text, and nothing else.

use super::addresses::Addresses;
use super::non_text::{INPUT, copy_checkbox, keep_with_text};
use super::page::PageParts;
use crate::capture::{Attributes, Capture, Dom, DomBuilder, NodeId, NodeKind};
use crate::document::code::language::language;
use crate::document::code::span::is_beside_code;
use crate::document::formulas::tex;
use crate::document::notes::anchors::NoteAnchors;
use crate::document::segments::callouts::callout;
use crate::document::segments::pictures::{is_picture, shows_picture, source};
use crate::document::segments::runs::Runs;
use crate::elements::Element;
use crate::target::Piece;
use std::borrow::Cow;

const BR: Element = Element::known("br");
/// A `noscript` that holds a picture carries the attributes of that picture.
const NOSCRIPT: Element = Element::known("noscript");

/// Number of siblings of a `noscript` that are examined. Heuristic.
const MAX_SIBLINGS: usize = 64;

/// Attributes that are kept in the pruned tree.
const KEPT_ATTRIBUTES: &[&str] = &[
    "href", "src", "alt", "lang", "dir", "title", "colspan", "rowspan", "scope", "start", "value",
    "reversed", "datetime", "cite",
];

/// Choice whether marks of footnotes lead to their notes, and notes back to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchors {
    Write,
    LeaveOut,
}

/// The pruned tree, and the pictures in it.
pub(super) fn prune_tree(
    page: &PageParts<'_>,
    runs: &Runs<'_>,
    anchors: Anchors,
) -> (Dom, Vec<NodeId>) {
    let PageParts { capture, dom, .. } = page;
    let mut is_kept = vec![false; dom.len()];
    let mut kept_texts = Vec::new();
    for run in &runs.kept {
        kept_texts.extend_from_slice(&run.target.texts);
        let block = page.code().enclosing(dom, run.target.container);
        for piece in runs.pieces(dom, run) {
            match piece {
                Piece::Text(id) | Piece::Space(id) => {
                    is_kept[id.index()] = block.is_none_or(|block| !is_beside_code(dom, id, block));
                }
                Piece::Replaced(id) => {
                    is_kept[id.index()] = true;
                    kept_texts.push(id);
                }
                Piece::Break | Piece::Border => {}
            }
        }
    }
    kept_texts.sort_unstable();
    let has_text = |range: std::ops::Range<usize>| {
        let next = kept_texts.partition_point(|id| id.index() < range.start);
        kept_texts
            .get(next)
            .is_some_and(|id| id.index() < range.end)
    };
    if let (Some(first), Some(last)) = (kept_texts.first(), kept_texts.last()) {
        for id in (first.index()..last.index()).map(NodeId::new) {
            let index = id.index();
            let reach = match dom.element(id) {
                BR => 1,
                NOSCRIPT if is_picture(capture, id) && !is_shown_beside(page, id) => 4,
                _ if shows_picture(dom, id) && is_picture(capture, id) => 4,
                _ => continue,
            };
            // A nearby ancestor has kept text on both sides of it.
            is_kept[index] = dom
                .ancestors(id)
                .take(reach)
                .any(|up| has_text(up.index()..index) && has_text(index + 1..dom.end(up)));
        }
    }
    for index in (1..dom.len()).rev() {
        if is_kept[index] {
            let parent = dom
                .parent(NodeId::new(index))
                .expect("only the root has no parent");
            is_kept[parent.index()] = true;
        }
    }
    let is_picture = |id: &NodeId| {
        is_kept[id.index()] && may_be_picture(capture, *id) && !runs.is_in_formula(*id)
    };
    let pictures = dom.ids().filter(is_picture).collect();
    keep_with_text(dom, &mut is_kept);
    let notes = match anchors {
        Anchors::Write => NoteAnchors::find(page, runs, &is_kept),
        Anchors::LeaveOut => NoteAnchors::default(),
    };
    let copying = Copying {
        page,
        runs,
        notes,
        is_kept,
        builder: DomBuilder::new(),
        open: Vec::new(),
    };
    (copying.copy(), pictures)
}

/// True if a kept element is a picture: all but an element of AMP that is kept for something in it.
fn may_be_picture(capture: &Capture, id: NodeId) -> bool {
    let dom = &capture.dom;
    dom.element(id) == NOSCRIPT
        || shows_picture(dom, id)
            && (dom.element(id) != Element::UNKNOWN || is_picture(capture, id))
}

/// True if a `noscript` has no picture, or has other content besides, or if an `img` beside it
/// shows a picture.
fn is_shown_beside(page: &PageParts<'_>, id: NodeId) -> bool {
    let PageParts { dom, addresses, .. } = page;
    let shows =
        |other: NodeId| shows_picture(dom, other) && source(dom, addresses, other).is_some();
    let is_in_shown = dom
        .parent(id)
        .is_some_and(|up| shows(up) && is_picture(page.capture, up));
    is_in_shown
        || dom.element(id) == NOSCRIPT
            && (dom.attribute(id, "src").is_none()
                || dom
                    .parent(id)
                    .is_some_and(|up| dom.children(up).take(MAX_SIBLINGS).any(shows))
                || dom.children(id).next().is_some())
}

/// The pruned tree while it is written.
struct Copying<'a> {
    page: &'a PageParts<'a>,
    runs: &'a Runs<'a>,
    notes: NoteAnchors,
    is_kept: Vec<bool>,
    builder: DomBuilder,
    /// The open elements, innermost last, with their ends; the node is absent for an added element.
    open: Vec<(usize, Option<NodeId>)>,
}

impl Copying<'_> {
    fn copy(mut self) -> Dom {
        let dom = self.page.dom;
        let mut formula_end = 0;
        for id in dom.ids().skip(1) {
            if id.index() < formula_end {
                continue;
            }
            self.close_before(id.index());
            if !self.is_kept[id.index()] {
                continue;
            }
            if let Some(formula) = self.runs.formula_at(id) {
                formula_end = formula.nodes.end;
                copy_formula(&mut self.builder, &formula.tex, formula.is_display);
                continue;
            }
            match dom.kind(id) {
                NodeKind::Document => {}
                NodeKind::Text(text) => {
                    self.notes.write_place(&mut self.builder, id);
                    copy_text(&mut self.builder, self.page, id, text);
                    self.notes.write_way_back(&mut self.builder, id);
                }
                NodeKind::Element { tag, attributes } => self.copy_element(id, tag, attributes),
            }
        }
        self.close_before(usize::MAX);
        self.builder.finish()
    }

    /// Closes the elements that end before a node.
    fn close_before(&mut self, index: usize) {
        while let Some((_, id)) = self.open.pop_if(|(end, _)| *end <= index) {
            let is_block =
                id.is_some_and(|id| self.page.dom.element(id).default_display().is_some());
            // The link back to the mark is written inside a block, but after any other element.
            if let Some(id) = id.filter(|_| is_block) {
                self.notes.write_way_back(&mut self.builder, id);
            }
            self.builder.close();
            if let Some(id) = id.filter(|_| !is_block) {
                self.notes.write_way_back(&mut self.builder, id);
            }
        }
    }

    fn copy_element(&mut self, id: NodeId, tag: &str, attributes: Attributes<'_>) {
        let dom = self.page.dom;
        let element = dom.element(id);
        let is_picture = self.is_kept[id.index()] && may_be_picture(self.page.capture, id);
        let tag = if is_picture { "img" } else { tag };
        if element == INPUT {
            copy_checkbox(&mut self.builder, dom, id);
            return;
        }
        if element.is_unwrapped() && !is_picture || element == Element::UNKNOWN && !is_name(tag) {
            return;
        }
        let mut attributes = kept_attributes(&self.page.addresses, tag, attributes);
        if tag == "pre"
            && let Some(language) = language(dom, id)
        {
            attributes.push(("class", format!("language-{language}").into()));
        }
        if let Some(callout) = callout(dom, id) {
            attributes.push(("class", format!("callout {}", callout.name()).into()));
        }
        if is_picture {
            let Some(source) = source(dom, &self.page.addresses, id) else {
                return;
            };
            match attributes.iter_mut().find(|(name, _)| *name == "src") {
                Some((_, src)) => *src = source.into(),
                None => attributes.insert(0, ("src", source.into())),
            }
        }
        let inner = self.notes.add_attributes(dom, id, &mut attributes);
        self.builder.open_with(
            tag,
            attributes.iter().map(|(name, value)| (*name, &**value)),
        );
        self.open.push((dom.end(id), Some(id)));
        if let Some(link) = inner {
            self.builder
                .open_with("a", link.iter().map(|(name, value)| (*name, &**value)));
            self.open.push((dom.end(id), None));
        }
    }
}

/// The attributes of an element that are kept, with their addresses resolved.
fn kept_attributes<'d>(
    addresses: &Addresses,
    tag: &str,
    attributes: Attributes<'d>,
) -> Vec<(&'d str, Cow<'d, str>)> {
    let kept = attributes
        .iter()
        .filter(|(name, _)| KEPT_ATTRIBUTES.contains(name));
    kept.filter_map(|(name, value)| {
        let value = match (name, tag) {
            ("src", "img") => addresses.resolve_picture(value)?.into(),
            ("href", "a") | ("cite", _) => addresses.resolve(value)?.into(),
            ("src" | "href", _) => return None,
            _ => value.into(),
        };
        Some((name, value))
    })
    .collect()
}

/// Returns true if a tag is a valid name in HTML.
fn is_name(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Writes a formula as Pandoc does, between the delimiters that MathJax and KaTeX look for.
fn copy_formula(builder: &mut DomBuilder, tex: &str, is_display: bool) {
    let (class, open, close) = if is_display {
        ("math display", "\\[", "\\]")
    } else {
        ("math inline", "\\(", "\\)")
    };
    builder.open("span", vec![("class".into(), class.into())]);
    builder.text(&format!("{open}{tex}{close}"));
    builder.close();
}

/// Writes a text with the formulas in it. TeX that is split across elements stays as it is.
fn copy_text(builder: &mut DomBuilder, page: &PageParts<'_>, id: NodeId, text: &str) {
    let found = tex::find(text, page.sets());
    if found.is_empty() || tex::is_in_literal(page.dom, id) {
        builder.text(text);
        return;
    }
    let mut start = 0;
    for formula in found {
        if start < formula.range.start {
            builder.text(&text[start..formula.range.start]);
        }
        copy_formula(builder, &formula.source, formula.is_display);
        start = formula.range.end;
    }
    if start < text.len() {
        builder.text(&text[start..]);
    }
}
