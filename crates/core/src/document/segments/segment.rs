//! Turns kept targets into segments: their kind (heading, item, code, quote, cell, paragraph) and
//! their formatted text.
//!
//! The kind is given by an element around the target; a short block in bold or large letters may be
//! a heading even without a heading element.

use crate::capture::{Dom, NodeId};
use crate::classify::Decision;
use crate::document::code::language::language;
use crate::document::code::span::code;
use crate::document::content::{Script, Segment, SegmentKind, Span};
use crate::document::formulas::tex;
use crate::document::notes::links::Notes;
use crate::document::page::PageParts;
use crate::document::segments::bullets::mark_items;
use crate::document::segments::callouts::begin_callout;
use crate::document::segments::gaps::has_gap;
use crate::document::segments::headings::{HeadingLook, without_following_text};
use crate::document::segments::icon_cells::fill_cells;
use crate::document::segments::kind::{KindFinder, KindSource};
use crate::document::segments::runs::{Run, Runs};
use crate::target::{Piece, Target};
use crate::text::{Collapse, collapse};
use std::ops::Range;

/// Number of nodes after a text in which its reading is searched, and length of a reading in nodes;
/// there are a few.
const MAX_READING_NODES: usize = 32;

/// Number of levels above a text at which a style that keeps its line ends is searched. Heuristic.
const MAX_STYLE_LEVELS: usize = 8;

/// Creates the segments of the kept targets, in document order.
pub(in crate::document) fn segments(page: &PageParts<'_>, decisions: &[Decision]) -> Vec<Segment> {
    segments_of_runs(page, decisions, &Runs::from_page(page, decisions))
}

/// Creates the segments of the known runs of the kept targets.
pub(in crate::document) fn segments_of_runs(
    page: &PageParts<'_>,
    decisions: &[Decision],
    runs: &Runs<'_>,
) -> Vec<Segment> {
    let PageParts { dom, targets, .. } = *page;
    let look = HeadingLook::find(page, runs, decisions);
    let maker = Maker { page, runs };
    let mut by_look = Vec::new();
    let mut kinds = KindFinder::new(dom, page.code());
    let mut segments = Vec::with_capacity(runs.kept.len());
    // The callout whose sign was left out, for its first text.
    let mut unbegun = None;
    let mut next = 0;
    while let Some(run) = runs.kept.get(next) {
        let container = run.target.container;
        let source = match page.code().lines_at(run.index) {
            Some(lines) => KindSource::Code(block_of_lines(dom, &targets[lines.clone()])),
            None => kinds.source(container),
        };
        // A formula alone in a block of code is not code.
        if let KindSource::Code(block) = source
            && !run.target.texts.is_empty()
        {
            let end = end_of_code(page, runs, &mut kinds, next, source);
            if let Some(mut segment) = code_segment(page, runs, next..end, block) {
                let cell = kinds.cell_of_code(block);
                if let Some(kind) = cell.and_then(|cell| kinds.kind(cell, container)) {
                    segment.kind = kind;
                }
                (segment.within, segment.callout) = (
                    kinds.within(source, container),
                    kinds.begun_callout(container),
                );
                segment.callout = segment
                    .callout
                    .or(unbegun.take().filter(|_| segment.within.quotes > 0));
                segment.item = kinds.item(source, segment.within, container);
                segments.push(segment);
            }
            next = end;
            continue;
        }
        next += 1;
        for (note, spans) in maker.parts(run, source) {
            let kind = kinds.kind(source, container).unwrap_or_else(|| {
                let level = look.level(&run.target, &spans);
                by_look.extend(level.map(|_| segments.len()));
                level.map_or(SegmentKind::Paragraph, |level| SegmentKind::Heading {
                    level,
                })
            });
            let (within, begun) = (
                kinds.within(source, container),
                kinds.begun_callout(container),
            );
            let callout = begun.or(unbegun.take().filter(|_| within.quotes > 0));
            let item = kinds.item(source, within, container);
            let mut segment = Segment {
                kind,
                within,
                item,
                note,
                callout,
                spans,
                target: run.index,
            };
            if callout.is_some() && !begin_callout(dom, container, &mut segment) {
                unbegun = callout;
                continue;
            }
            segments.push(segment);
        }
    }
    without_following_text(&mut segments, &by_look);
    fill_cells(dom, &mut kinds, &mut segments);
    join_labels(&mut segments, &runs.notes);
    mark_items(&mut segments);
    segments
}

/// Joins the label of a note that is a separate block, as in a cell of a table of notes, with the
/// block after it.
fn join_labels(segments: &mut Vec<Segment>, notes: &Notes) {
    let mut joined: Vec<Segment> = Vec::with_capacity(segments.len());
    for mut segment in segments.drain(..) {
        if let Some((number, label)) = joined
            .pop_if(|label| labels(label, &segment, notes))
            .and_then(|label| Some((label.note?, label)))
        {
            segment.note = Some(number);
            if let Some(first) = segment.spans.first_mut() {
                first.text.insert(0, ' ');
            }
            let label = label.spans.into_iter().map(|span| Span {
                note: Some(number),
                link: None,
                ..span
            });
            segment.spans.splice(0..0, label);
        }
        joined.push(segment);
    }
    *segments = joined;
}

/// Returns true if a segment is the label of the note that contains the next one.
fn labels(label: &Segment, next: &Segment, notes: &Notes) -> bool {
    label.note.is_some_and(|number| {
        let first = next.spans.iter().find_map(|span| span.nodes.first());
        let is_same =
            next.note.is_none() && first.is_some_and(|&first| notes.is_in_note(number, first));
        is_same && next.kind == SegmentKind::Paragraph && notes.is_label(number, &label.text())
    })
}

/// The run after the last one of the block of code that a run begins.
fn end_of_code(
    page: &PageParts<'_>,
    runs: &Runs<'_>,
    kinds: &mut KindFinder<'_>,
    first: usize,
    source: KindSource,
) -> usize {
    let lines = runs
        .kept
        .get(first)
        .and_then(|run| page.code().lines_at(run.index));
    let KindSource::Code(block) = source else {
        return first + 1;
    };
    let mut end = first + 1;
    while let Some(more) = runs.kept.get(end) {
        let is_part = if let Some(lines) = lines {
            lines.contains(&more.index)
        } else {
            let is_inside = more
                .target
                .texts
                .first()
                .is_some_and(|&first| page.dom.contains(block, first));
            is_inside && kinds.source(more.target.container) == source
        };
        if !is_part {
            break;
        }
        end += 1;
    }
    end
}

/// The segment of the code in some runs; `None` if there is none.
fn code_segment(
    page: &PageParts<'_>,
    runs: &Runs<'_>,
    members: Range<usize>,
    block: NodeId,
) -> Option<Segment> {
    let PageParts { capture, dom, .. } = *page;
    let members = runs.kept.get(members)?;
    let run = members.first()?;
    let mut texts: Vec<NodeId> = members
        .iter()
        .flat_map(|run| &run.target.texts)
        .copied()
        .collect();
    texts.sort_unstable();
    let span = code(capture, block, &texts);
    if span.text.trim().is_empty() {
        return None;
    }
    // A block of lines without an element of its own has its language on the `code` elements.
    let is_lines = page.code().lines_at(run.index).is_some();
    let first = texts.first().copied();
    let named = first
        .filter(|_| is_lines)
        .and_then(|first| dom.ancestors(first).find(|&up| dom.tag(up) == "code"));
    let language = language(dom, named.unwrap_or(block)).or_else(|| run.language.clone());
    let note = first
        .and_then(|first| runs.notes.begin(first))
        .map(|(number, _)| number);
    Some(Segment {
        note,
        ..Segment::new(SegmentKind::Code { language }, vec![span], run.index)
    })
}

/// The smallest element around the lines of a block of code that has no element of its own.
fn block_of_lines(dom: &Dom, lines: &[Target]) -> NodeId {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return Dom::ROOT;
    };
    let mut around = std::iter::once(first.container).chain(dom.ancestors(first.container));
    around
        .find(|&up| dom.contains(up, last.container))
        .unwrap_or(Dom::ROOT)
}

struct Maker<'a> {
    page: &'a PageParts<'a>,
    runs: &'a Runs<'a>,
}

impl Maker<'_> {
    /// The text of a run in pieces, with the number of the note that begins with it: usually one
    /// part, or one for each note if the run holds several. No part is blank.
    fn parts(&self, run: &Run<'_>, source: KindSource) -> Vec<(Option<u32>, Vec<Span>)> {
        let notes = &self.runs.notes;
        let begin = |span: &Span| span.nodes.first().and_then(|&first| notes.begin(first));
        let mut parts: Vec<(Option<u32>, Vec<Span>)> = Vec::new();
        let is_heading = matches!(source, KindSource::Heading(_));
        let spans = if is_heading {
            self.spans_of_heading(run)
        } else {
            self.spans(run, |_| true)
        };
        let is_cell = matches!(source, KindSource::Cell(_));
        let (spans, sidenotes) = if is_cell {
            (spans, Vec::new())
        } else {
            self.without_sidenotes(spans)
        };
        for spans in spans.chunk_by(|_, next| begin(next).is_none()) {
            let (note, mut spans) = (spans.first().and_then(begin), spans.to_vec());
            if let Some(first) = spans.first_mut() {
                first.text = first.text.trim_start().to_owned();
            }
            if let Some((number, label)) = note {
                mark_label(&mut spans, number, label);
            }
            tex::mark(&mut spans, self.page.sets());
            if spans.iter().any(|span| !span.text.trim().is_empty()) {
                parts.push((note.map(|(number, _)| number), spans));
            }
        }
        parts.extend(
            sidenotes
                .into_iter()
                .map(|(number, spans)| (Some(number), spans)),
        );
        parts
    }

    /// The spans with each note among them replaced by a mark, and the notes. If there is no other
    /// text, no notes are separated.
    fn without_sidenotes(&self, spans: Vec<Span>) -> (Vec<Span>, Vec<(u32, Vec<Span>)>) {
        let number_of = |span: &Span| {
            span.nodes
                .first()
                .and_then(|&first| self.runs.notes.sidenote(first))
        };
        let is_text = |span: &Span| number_of(span).is_none() && !span.text.trim().is_empty();
        if spans.iter().all(|span| number_of(span).is_none()) || !spans.iter().any(is_text) {
            return (spans, Vec::new());
        }
        let (mut text, mut notes): (Vec<Span>, Vec<(u32, Vec<Span>)>) = (Vec::new(), Vec::new());
        for mut span in spans {
            let Some(number) = number_of(&span) else {
                text.push(span);
                continue;
            };
            match notes.last_mut() {
                Some((last, spans)) if *last == number => spans.push(span),
                _ => {
                    let mark = Span {
                        text: number.to_string(),
                        note: Some(number),
                        script: Some(Script::Sup),
                        ..Span::default()
                    };
                    text.push(mark);
                    let indent = span.text.len() - span.text.trim_start().len();
                    span.text.drain(..indent);
                    notes.push((number, vec![span]));
                }
            }
        }
        for (_, spans) in &mut notes {
            // A note in its raised mark is not raised itself.
            if spans.iter().all(|span| span.script == Some(Script::Sup)) {
                for span in spans.iter_mut() {
                    span.script = None;
                }
            }
            tex::mark(spans, self.page.sets());
        }
        (text, notes)
    }

    /// The spans of the texts of a run for which `is_wanted` is true.
    fn spans(&self, run: &Run<'_>, is_wanted: impl Fn(NodeId) -> bool) -> Vec<Span> {
        let Self { runs, .. } = self;
        let mut line = Line::default();
        let mut before = None;
        for piece in runs.pieces(self.page.dom, run) {
            let text = match piece {
                Piece::Text(id) => Some(id),
                _ => None,
            };
            if let (Some(before), Some(text)) = (before, text)
                && has_gap(self.page.capture, before, text)
            {
                line.collapse.space();
            }
            before = text;
            match piece {
                Piece::Replaced(id) => {
                    let Some(formula) = runs.formula_at(id) else {
                        continue;
                    };
                    let Span {
                        link,
                        is_strong,
                        is_emphasis,
                        ..
                    } = self.look(id, run.target.container);
                    let mut span = Span {
                        link,
                        is_strong,
                        is_emphasis,
                        ..formula.span()
                    };
                    let tex = std::mem::take(&mut span.text);
                    span.nodes.push(id);
                    line.collapse.append(&tex, &mut span.text);
                    line.spans.push(span);
                }
                Piece::Text(id) if !is_wanted(id) => {}
                Piece::Text(id) => self.add_text(id, run.target.container, &mut line),
                // White space collapses and adds no text.
                Piece::Space(id) => line
                    .collapse
                    .append(self.page.dom.text(id).unwrap_or(""), &mut String::new()),
                Piece::Break => {
                    line.is_break = true;
                    line.collapse.space();
                }
                Piece::Border => line.collapse.space(),
            }
        }
        line.spans.retain(|span| !span.text.is_empty());
        line.spans
    }

    /// Adds a text node with its formatting and the marks of the quotations that begin and end with
    /// it.
    fn add_text(&self, id: NodeId, container: NodeId, line: &mut Line) {
        let dom = self.page.dom;
        let notes = &self.runs.notes;
        let look = self.look(id, container);
        let text = dom.text(id).unwrap_or("");
        // A name and the time of a turn are often in elements of their own without white space.
        if !look.is_code && begins_with_time(text) && line.ends_with_letter() {
            line.collapse.space();
        }
        // Within a note beside the text, the marks would be left in the text.
        let marks = self
            .page
            .quotations()
            .around(id)
            .filter(|_| notes.sidenote(id).is_none());
        let (open, close) = marks.unwrap_or_default();
        if !open.is_empty() {
            // White space comes before the mark.
            let indent = &text[..text.len() - text.trim_start().len()];
            line.collapse.append(indent, &mut String::new());
            let mut mark = look.clone();
            line.append(open, &mut mark.text);
            line.spans.push(mark);
        }
        let last = line.spans.last().and_then(|last| last.nodes.first());
        let begins_note = notes.begin(id).is_some()
            || notes.sidenote(id) != last.and_then(|&last| notes.sidenote(last));
        let is_apart = look.is_code && begins_apart(line, dom, id);
        // A mark of a quotation has no node.
        let is_same = |last: &Span| {
            is_same_look(last, &look)
                && (!last.nodes.is_empty() || last.text.is_empty())
                && !(is_apart && is_other_code(dom, last, id))
        };
        let mut span = match line.spans.pop_if(|last| !begins_note && is_same(last)) {
            Some(last) => last,
            None => look.clone(),
        };
        span.nodes.push(id);
        let text = if open.is_empty() {
            text
        } else {
            text.trim_start()
        };
        let text = if close.is_empty() {
            text
        } else {
            text.trim_end()
        };
        let keeps_lines = text.contains('\n') && self.keeps_lines(id);
        let lines = if keeps_lines {
            text.split('\n').collect()
        } else {
            vec![text]
        };
        for (number, part) in lines.into_iter().enumerate() {
            if number > 0 {
                line.is_break = true;
                line.collapse.space();
            }
            line.append(part, &mut span.text);
        }
        line.spans.push(span);
        if !close.is_empty() {
            let mut mark = look;
            line.append(close, &mut mark.text);
            line.spans.push(mark);
            let end = dom
                .text(id)
                .map_or("", |text| &text[text.trim_end().len()..]);
            line.collapse.append(end, &mut String::new());
        }
    }

    /// Drops the links of a heading to itself, such as `#` after its text.
    fn drop_permalinks(spans: &mut Vec<Span>) {
        let is_permalink = |span: &Span| {
            span.link.as_ref().is_some_and(|link| link.contains('#'))
                && !span.text.contains(char::is_alphanumeric)
        };
        if spans
            .iter()
            .any(|span| !is_permalink(span) && !span.text.trim().is_empty())
        {
            spans.retain(|span| !is_permalink(span));
        }
    }

    /// The spans of a heading without links for the page's own use: to the heading itself, and to
    /// edit the part below it. They stay if there is nothing else.
    fn spans_of_heading(&self, run: &Run<'_>) -> Vec<Span> {
        let mut spans = self.spans(run, |id| !self.is_in_permalink(id));
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            spans = self.spans(run, |_| true);
        }
        Self::drop_permalinks(&mut spans);
        // In mdBook and others, the whole heading leads to itself.
        let dom = self.page.dom;
        let around = std::iter::once(run.target.container)
            .chain(dom.ancestors(run.target.container))
            .take(3);
        let names: Vec<&str> = around.filter_map(|id| dom.attribute(id, "id")).collect();
        for span in &mut spans {
            let leads_here = |link: &String| {
                link.split_once('#')
                    .is_some_and(|(_, name)| names.contains(&name))
            };
            span.link = span.link.take().filter(|link| !leads_here(link));
        }
        spans
    }

    /// Returns true if a text is in an element that is named as the link of a heading to itself or
    /// as a link to edit.
    fn is_in_permalink(&self, text: NodeId) -> bool {
        const NAMES: &[&str] = &[
            "anchor-link",
            "anchorlink",
            "hash-link",
            "direct-link",
            "header-anchor",
            "header-link",
            "headeranchor",
            "headerlink",
            "heading-anchor",
            "heading-link",
            "mw-editsection",
            "permalink",
            "zola-anchor",
        ];
        let dom = self.page.dom;
        let has_name = |id| {
            let class = dom.attribute(id, "class").unwrap_or("");
            class
                .split_ascii_whitespace()
                .any(|name| NAMES.contains(&name))
        };
        dom.ancestors(text)
            .take(4)
            .take_while(|&up| !dom.element(up).is_heading())
            .any(has_name)
    }

    /// Returns true if an element or a style makes the page show the line ends of a text.
    fn keeps_lines(&self, text: NodeId) -> bool {
        let PageParts { capture, dom, .. } = self.page;
        if let Some(style) = capture
            .layout
            .as_ref()
            .and_then(|layout| layout.style(text))
        {
            return style.keeps_line_breaks;
        }
        let keeps = |value: &str| value.starts_with("pre") || value == "break-spaces";
        let is_kept = |id| {
            matches!(dom.tag(id), "pre" | "textarea" | "listing" | "xmp")
                || dom
                    .attribute(id, "style")
                    .is_some_and(|style| has_value(style, "white-space", keeps))
        };
        dom.ancestors(text).take(MAX_STYLE_LEVELS).any(is_kept)
    }

    /// The reading of a text in `ruby`: the first one after it.
    fn reading(&self, text: NodeId, ruby: NodeId) -> Option<String> {
        let mut after = (text.index() + 1..self.page.dom.end(ruby))
            .take(MAX_READING_NODES)
            .map(NodeId::new);
        let rt = after.find(|&id| self.page.dom.tag(id) == "rt")?;
        let below = self.page.dom.descendants(rt).take(MAX_READING_NODES);
        let words: Vec<&str> = below.filter_map(|id| self.page.dom.text(id)).collect();
        Some(collapse(&words.concat())).filter(|reading| !reading.is_empty())
    }

    /// An empty span with the formatting of a text node.
    fn look(&self, text: NodeId, container: NodeId) -> Span {
        let notes = &self.runs.notes;
        let mut span = Span::default();
        for up in self.page.dom.ancestors(text) {
            let is_inside = up > container;
            match self.page.dom.tag(up) {
                "a" if span.link.is_none() => {
                    span.link = self
                        .page
                        .dom
                        .attribute(up, "href")
                        .and_then(|href| self.page.addresses.resolve(href));
                    span.note = notes.reference(up);
                }
                "code" | "kbd" | "samp" | "tt" if is_inside => span.is_code = true,
                "b" | "strong" if is_inside => span.is_strong = true,
                "i" | "em" if is_inside => span.is_emphasis = true,
                "span" | "font" if is_inside => {
                    let style = self.page.dom.attribute(up, "style").unwrap_or("");
                    span.is_strong |= has_value(style, "font-weight", is_bold);
                    span.is_emphasis |= has_value(style, "font-style", |value| value == "italic");
                }
                "del" | "s" | "strike" if is_inside => span.is_deleted = true,
                "sub" if is_inside && span.script.is_none() => span.script = Some(Script::Sub),
                "sup" if is_inside && span.script.is_none() => {
                    span.script = Some(Script::Sup);
                    span.note = span.note.or_else(|| notes.reference(up));
                }
                "ruby" if is_inside => span.reading = self.reading(text, up),
                "body" | "html" => break,
                _ => {}
            }
        }
        span
    }
}

/// The text of a block while its spans are being built.
#[derive(Default)]
struct Line {
    spans: Vec<Span>,
    collapse: Collapse,
    /// True if the white space that follows is to be written as a line break.
    is_break: bool,
}

impl Line {
    /// Adds text to that of a span.
    fn append(&mut self, text: &str, out: &mut String) {
        let start = out.len();
        self.collapse.append(text, out);
        if out.len() > start {
            if self.is_break && out[start..].starts_with(' ') {
                out.replace_range(start..=start, "\n");
            }
            self.is_break = false;
        }
    }

    fn ends_with_letter(&self) -> bool {
        let last = self.spans.iter().rev().find(|span| !span.text.is_empty());
        last.is_some_and(|span| span.text.ends_with(char::is_alphabetic))
    }
}

/// Returns true if a text begins with a time such as `(00:13)` or `9:05`.
fn begins_with_time(text: &str) -> bool {
    let text = text.strip_prefix(['(', '[']).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits)
        && matches!(text.as_bytes()[digits..], [b':', ten, one, ..] if ten.is_ascii_digit() && one.is_ascii_digit())
}

/// Returns true if an inline style gives a property a value that passes a test.
fn has_value(style: &str, property: &str, test: fn(&str) -> bool) -> bool {
    let value = |declaration: &str| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim().trim_end_matches("!important").trim_end();
        name.trim()
            .eq_ignore_ascii_case(property)
            .then(|| value.to_ascii_lowercase())
    };
    style.split(';').filter_map(value).any(|value| test(&value))
}

/// True if a value of `font-weight` means bold letters.
fn is_bold(value: &str) -> bool {
    value.starts_with("bold") || value.parse::<u16>().is_ok_and(|weight| weight >= 600)
}

/// Marks the label at the beginning of a note as such: its number in brackets or before a dot, as
/// the page shows it.
fn mark_label(spans: &mut Vec<Span>, note: u32, label: &str) {
    let text: String = spans
        .iter()
        .take(4)
        .map(|span| span.text.as_str())
        .collect();
    let inner = text.trim_start_matches(['[', '(']);
    let Some(rest) = inner.strip_prefix(label) else {
        return;
    };
    let after = rest.trim_start_matches([']', ')', '.', ':']);
    let is_own_span = spans[0].text.trim().len() <= text.len() - after.len();
    let is_letter = label.contains(char::is_alphabetic);
    let is_apart = after.len() < rest.len()
        || is_own_span
        || !is_letter && rest.starts_with(char::is_whitespace);
    if !is_apart || after.trim().is_empty() {
        return;
    }
    let mut left = text.len() - after.trim_start().len();
    let mut at = 0;
    while let Some(span) = spans.get_mut(at).filter(|_| left > 0) {
        if span.text.len() > left {
            let rest = Span {
                text: span.text.split_off(left),
                ..span.clone()
            };
            spans.insert(at + 1, rest);
        }
        let span = &mut spans[at];
        left -= span.text.len();
        (span.note, span.link) = (Some(note), None);
        at += 1;
    }
}

/// Returns true if a text is in another element for code than the last text of a span.
fn is_other_code(dom: &Dom, last: &Span, text: NodeId) -> bool {
    let around = |id: NodeId| {
        dom.ancestors(id)
            .find(|&up| matches!(dom.tag(up), "code" | "kbd" | "samp" | "tt"))
    };
    last.nodes
        .last()
        .is_some_and(|&last| around(last) != around(text))
}

/// Returns true if there is white space before a text that is about to be added.
fn begins_apart(line: &Line, dom: &Dom, text: NodeId) -> bool {
    line.collapse.is_after_space()
        || dom
            .text(text)
            .is_some_and(|text| text.starts_with(char::is_whitespace))
}

fn is_same_look(one: &Span, other: &Span) -> bool {
    one.formula == other.formula
        && one.note == other.note
        && one.reading == other.reading
        && one.is_deleted == other.is_deleted
        && one.script == other.script
        && one.link == other.link
        && one.is_code == other.is_code
        && one.is_strong == other.is_strong
        && one.is_emphasis == other.is_emphasis
}

#[cfg(test)]
pub(in crate::document) mod tests {
    use super::*;
    use crate::capture::{Capture, CssRect, Layout, LineBox, Record, Style};
    use crate::classify::Label;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    pub(crate) fn all_kept(html: &str) -> Vec<Segment> {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/d/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decisions = vec![
            Decision {
                margin: 1.0,
                probability: 1.0,
                label: Label::Content,
                comments: None
            };
            targets.len()
        ];
        segments(&PageParts::new(&capture, &targets), &decisions)
    }

    pub(in crate::document) fn kinds(html: &str) -> Vec<(String, SegmentKind)> {
        all_kept(html)
            .into_iter()
            .map(|segment| (segment.text(), segment.kind))
            .collect()
    }

    fn item(depth: u8, number: Option<u32>, continues: bool) -> SegmentKind {
        SegmentKind::ListItem {
            depth,
            number,
            continues,
            checked: None,
        }
    }

    #[test]
    fn the_nearest_element_with_a_kind_decides() {
        let found = kinds(
            "<h2>Title</h2><blockquote><p>quoted</p></blockquote><p>plain text.</p><dl><dt>term<dd>meaning</dl>",
        );
        assert_eq!(
            found,
            [
                ("Title".into(), SegmentKind::Heading { level: 2 }),
                ("quoted".into(), SegmentKind::Quote),
                ("plain text.".into(), SegmentKind::Paragraph),
                ("term".into(), SegmentKind::Term),
                (
                    "meaning".into(),
                    SegmentKind::Definition { continues: false }
                ),
            ]
        );
    }

    #[test]
    fn items_have_depth_and_number() {
        let found = kinds(
            "<ol start=3><li>three<ul><li>inner</ul><li><p>four</p><p>more</p></ol><ul><li><h3>Card</h3><p>no item.</p></ul>",
        );
        assert_eq!(
            found,
            [
                ("three".into(), item(0, Some(3), false)),
                ("inner".into(), item(1, None, false)),
                ("four".into(), item(0, Some(4), false)),
                ("more".into(), item(0, Some(4), true)),
                ("Card".into(), SegmentKind::Heading { level: 3 }),
                ("no item.".into(), SegmentKind::Paragraph),
            ]
        );
    }

    fn cell(table: u32, row: u32, column: u32, is_header: bool) -> SegmentKind {
        SegmentKind::TableCell {
            table,
            row,
            column,
            is_header,
            row_span: 1,
            column_span: 1,
        }
    }

    #[test]
    fn cells_have_positions_and_tables_numbers() {
        let found = kinds(
            "<table><tr><th>a<th>b<tr><td>c<td>d</table><table><tr><td>x<td>y<tr><td>z<td>w</table>",
        );
        assert_eq!(found[0].1, cell(0, 0, 0, true));
        assert_eq!(found[3].1, cell(0, 1, 1, false));
        assert_eq!(found[4].1, cell(1, 0, 0, false));
    }

    #[test]
    fn a_time_is_apart_from_the_name_before_it() {
        let text = |html: &str| kinds(html)[0].0.clone();
        assert_eq!(
            text("<p><b>Ann</b><a href=x>(00:13)</a> Yes."),
            "Ann (00:13) Yes."
        );
        assert_eq!(text("<p><span>Ann</span><i>9:05</i> Yes."), "Ann 9:05 Yes.");
        assert_eq!(
            text("<p>John<sup>3</sup>:16, no<b>(12)</b>"),
            "John3:16, no(12)"
        );
    }

    #[test]
    fn spans_have_their_formatting() {
        let segments = all_kept(
            "<p>see <a href='x'>the <b>page</b></a>, <code>run()</code> <a href='javascript:x'>now</a>.</p>",
        );
        let spans = &segments[0].spans;
        let looks: Vec<_> = spans
            .iter()
            .map(|span| {
                (
                    span.text.as_str(),
                    span.link.as_deref(),
                    span.is_strong,
                    span.is_code,
                )
            })
            .collect();
        assert_eq!(
            looks,
            [
                ("see", None, false, false),
                (" the", Some("https://a.example/d/x"), false, false),
                (" page", Some("https://a.example/d/x"), true, false),
                (",", None, false, false),
                (" run()", None, false, true),
                (" now.", None, false, false),
            ]
        );
    }

    #[test]
    fn two_codes_with_a_space_between_are_two() {
        let texts = |html| -> Vec<String> {
            let segments = all_kept(html);
            let codes = segments[0].spans.iter().filter(|span| span.is_code);
            codes.map(|span| span.text.trim().to_owned()).collect()
        };
        assert_eq!(
            texts("<p>Use <code>-a</code> <code>-<b>b</b></code> or <kbd>A</kbd>\n<kbd>B</kbd>"),
            ["-a", "-", "b", "A", "B"]
        );
        assert_eq!(texts("<p>Use <code>a</code><code>b</code>."), ["ab"]);
    }

    #[test]
    fn line_breaks_are_kept_in_spans() {
        let segments =
            all_kept("<p>Roses <i>are</i> red,<br> violets <br/><b>are</b> blue<br></p>");
        assert_eq!(segments[0].text(), "Roses are red,\nviolets\nare blue");
    }

    #[test]
    fn small_and_struck_text_is_told_apart() {
        let segments = all_kept("<p>H<sub>2</sub>O, m<sup>2</sup> and <del>this</del></p>");
        let looks = segments[0]
            .spans
            .iter()
            .map(|span| (span.text.as_str(), span.script, span.is_deleted));
        let looks: Vec<_> = looks
            .filter(|(_, script, is_deleted)| script.is_some() || *is_deleted)
            .collect();
        assert_eq!(
            looks,
            [
                ("2", Some(Script::Sub), false),
                ("2", Some(Script::Sup), false),
                (" this", None, true)
            ]
        );
        assert_eq!(segments[0].text(), "H2O, m2 and this");
    }

    #[test]
    fn readings_are_apart_from_their_text() {
        let html = "<p>The <ruby>\u{6f22}<rp>(</rp><rt>kan</rt><rp>)</rp>\u{5b57}<rt>ji</rt></ruby> sign</p>";
        let segments = all_kept(html);
        let found: Vec<_> = segments[0]
            .spans
            .iter()
            .map(|span| (span.text.as_str(), span.reading.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("The", None),
                (" \u{6f22}", Some("kan")),
                ("\u{5b57}", Some("ji")),
                (" sign", None)
            ]
        );
    }

    #[test]
    fn headings_have_no_links_to_themselves() {
        let found = kinds(
            "<h2>Gulls <a href='#gulls'>#</a></h2><h2>Eggs<span class=mw-editsection>[<a href=x>edit</a>]</span></h2><h3><a href='#b'>\u{b6}</a> Terns</h3><h4><a href='#c'>?</a></h4>",
        );
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.trim()).collect();
        assert_eq!(texts, ["Gulls", "Eggs", "Terns", "?"]);
    }

    #[test]
    fn large_letters_of_running_text_are_no_headings() {
        let story =
            "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is. ".repeat(3);
        let large = ["First steps", &story, "What comes next", &story]
            .map(|text| format!("<p>{text}</p>"))
            .concat();
        let small =
            "<small>A caption in small letters, which most of the page has. </small>".repeat(30);
        let mut capture = Capture::parsed(parse_html(&(large + &small)), Record::parsed("x", None));
        let dom = &capture.dom;
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        for id in dom.ids().filter(|&id| dom.text(id).is_some()) {
            let is_small = dom.parent(id).is_some_and(|up| dom.tag(up) == "small");
            let style = Style {
                font_size_px: if is_small { 12.0 } else { 20.0 },
                ..Style::default()
            };
            let rect = CssRect {
                x: 0.0,
                y: 30.0 * id.index() as f32,
                width: 900.0,
                height: 20.0,
            };
            layout.set(
                id,
                rect,
                &style,
                0,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 9,
                }],
            );
        }
        capture.layout = Some(layout);
        let targets = select(&capture, TargetRule::Blocks);
        let kept = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let found = segments(
            &PageParts::new(&capture, &targets),
            &vec![kept; targets.len()],
        );
        let is_heading = |segment: &Segment| matches!(segment.kind, SegmentKind::Heading { .. });
        assert!(
            found.len() >= 4 && !found.iter().any(is_heading),
            "{found:?}"
        );
    }

    #[test]
    fn lines_and_letters_by_style_are_kept() {
        assert_eq!(
            kinds("<p style='white-space: pre-wrap'>Roses are red,\n violets</p>")[0].0,
            "Roses are red,\nviolets"
        );
        let segments = all_kept(
            "<p>a <span style='font-weight: 700'>b</span> <span style='font-style:italic'>c</span></p>",
        );
        let looks: Vec<_> = segments[0]
            .spans
            .iter()
            .map(|span| (span.is_strong, span.is_emphasis))
            .collect();
        assert_eq!(looks, [(false, false), (true, false), (false, true)]);
    }
}
