//! The formatted text of a segment as Markdown, on one line or on several.

use super::format::EmitOptions;
use super::markdown_escape::{escape, start_of_line, write_code};
use crate::clean::{Script, Span};
use crate::text::collapse;
use std::borrow::Cow;
use std::fmt::Write;

/// The formatted text of a paragraph with its line breaks.
pub(super) fn paragraph(spans: &[Span], options: &EmitOptions) -> String {
    let lines = lines(spans).into_iter().map(|line| inline(&line, options, true)).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(start_of_line).collect();
    lines.join("\\\n")
}

/// The spans of each line of a text; code has none.
pub(super) fn lines(spans: &[Span]) -> Vec<Cow<'_, [Span]>> {
    if spans.iter().all(|span| !span.text.contains('\n')) {
        return vec![Cow::Borrowed(spans)];
    }
    let mut lines = vec![Vec::new()];
    for span in spans {
        for (index, text) in span.text.split('\n').enumerate() {
            if index > 0 {
                lines.push(Vec::new());
            }
            let line = lines.last_mut().expect("there is a first line");
            line.push(Span { text: text.to_owned(), ..span.clone() });
        }
    }
    lines.into_iter().map(Cow::Owned).collect()
}

/// The formatted text on one line; headings have no emphasis.
pub(super) fn inline(spans: &[Span], options: &EmitOptions, has_emphasis: bool) -> String {
    let mut out = String::new();
    let mut link: Option<&str> = None;
    let end_link = |out: &mut String, link: &mut Option<&str>| {
        if let Some(target) = link.take() {
            out.extend(["](", &address(target), ")"]);
        }
    };
    for (index, span) in spans.iter().enumerate() {
        let wanted = span.link.as_deref().filter(|_| options.links && span.note.is_none());
        let text = collapse(&span.text);
        if wanted != link {
            end_link(&mut out, &mut link);
        }
        let starts_with_space = span.text.starts_with(char::is_whitespace);
        if starts_with_space && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        if text.is_empty() {
            continue;
        }
        if wanted != link {
            // "![" would begin a picture.
            if out.ends_with('!') {
                out.insert(out.len() - 1, '\\');
            }
            out.push('[');
            link = wanted;
        }
        let next = following(&span.text, &spans[index + 1..]);
        write_span(&mut out, span, &text, next, has_emphasis);
        if span.text.ends_with(char::is_whitespace) {
            out.push(' ');
        }
    }
    end_link(&mut out, &mut link);
    out.trim().to_owned()
}

/// An address as the target of a link or a picture.
pub(super) fn address(address: &str) -> String {
    let escaped = address.replace('<', "%3C").replace('>', "%3E").replace('\\', "%5C");
    format!("<{}>", escaped.replace(['\n', '\r'], ""))
}

/// Writes the text of a span with its formatting; `next` is the character that follows.
fn write_span(out: &mut String, span: &Span, text: &str, next: char, has_emphasis: bool) {
    if let Some(note) = span.note {
        let _ = write!(out, "[^{note}]");
        return;
    }
    if span.formula.is_some() {
        // Readers of formulas take backslashes and underscores as they are.
        out.push_str(text);
        return;
    }
    if span.is_code && !out.ends_with('`') {
        write_code(out, text);
        return;
    }
    let marker = match (has_emphasis && span.is_strong, has_emphasis && span.is_emphasis) {
        (true, true) => "***",
        (true, false) => "**",
        (false, true) => "*",
        (false, false) => "",
    };
    let around = elements(span);
    // Emphasis markers work only at the start and end of words, and beside punctuation only next to white space; elsewhere
    // they would be shown as text.
    let is_after_space = around.is_empty() && (out.is_empty() || out.ends_with(' '));
    let can_begin = if text.starts_with(char::is_alphanumeric) {
        !out.ends_with(|c: char| c.is_alphanumeric() || "*_".contains(c))
    } else {
        is_after_space
    };
    let can_end = text.ends_with(char::is_alphanumeric) || (around.is_empty() && next == ' ');
    let marker = if can_begin && can_end { marker } else { "" };
    out.extend(around.iter().flat_map(|tag| ["<", tag, ">"]));
    out.push_str(marker);
    let after = if around.is_empty() { next } else { ' ' };
    escape(out, text, marker.chars().next().unwrap_or(after));
    out.push_str(marker);
    out.extend(around.iter().rev().flat_map(|tag| ["</", tag, ">"]));
}

/// The elements of HTML for formatting that CommonMark has no marks for.
fn elements(span: &Span) -> Vec<&'static str> {
    let script = span.script.map(|script| match script {
        Script::Sub => "sub",
        Script::Sup => "sup",
    });
    span.is_deleted.then_some("del").into_iter().chain(script).collect()
}

/// The character that is written after the text of a span: a space at a word's end and at the end of the line.
fn following(text: &str, rest: &[Span]) -> char {
    if text.ends_with(char::is_whitespace) {
        return ' ';
    }
    let next = rest.iter().find_map(|span| span.text.chars().next());
    next.filter(|next| !next.is_whitespace()).unwrap_or(' ')
}
