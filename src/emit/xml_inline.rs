//! The formatted text of a segment as XML elements, which each format names in its own way.

use super::format::EmitOptions;
use super::xml_writer::XmlWriter;
use crate::clean::{FormulaStyle, Span};
use std::fmt::Write;

/// The elements of a format for formatted text, each with the value of `rend`.
pub(super) struct InlineNames {
    pub(super) strong: (&'static str, Option<&'static str>),
    pub(super) emphasis: (&'static str, Option<&'static str>),
    pub(super) code: (&'static str, Option<&'static str>),
}

/// Writes the spans of a text on one line: white space at its ends and next to white space is left out.
pub(super) fn write_spans(xml: &mut XmlWriter, spans: &[Span], names: &InlineNames, options: &EmitOptions) {
    let mut needs_space = false;
    let mut has_begun = false;
    let mut link: Option<&str> = None;
    for span in spans {
        let wanted = span.link.as_deref().filter(|_| options.links);
        let words: Vec<&str> = span.text.split_whitespace().collect();
        needs_space |= has_begun && span.text.starts_with(char::is_whitespace);
        if words.is_empty() {
            continue;
        }
        if wanted != link && link.is_some() {
            xml.close("ref");
        }
        if std::mem::take(&mut needs_space) {
            xml.text(" ");
        }
        if wanted != link && wanted.is_some() {
            xml.open("ref", &[("target", wanted.map(uri).as_deref())]);
        }
        link = wanted;
        if let Some(tex) = span.tex() {
            let rend = if span.formula == Some(FormulaStyle::Display) { "display" } else { "inline" };
            xml.element("formula", &[("notation", Some("tex")), ("rend", Some(rend))], tex);
            has_begun = true;
            needs_space = span.text.ends_with(char::is_whitespace);
            continue;
        }
        let looks = [(span.is_strong, names.strong), (span.is_emphasis, names.emphasis), (span.is_code, names.code)];
        let looks: Vec<_> = looks.iter().filter(|(has_look, _)| *has_look).map(|(_, name)| *name).collect();
        for (tag, rend) in &looks {
            xml.open(tag, &[("rend", *rend)]);
        }
        xml.text(&words.join(" "));
        for (tag, _) in looks.iter().rev() {
            xml.close(tag);
        }
        has_begun = true;
        needs_space = span.text.ends_with(char::is_whitespace);
    }
    if link.is_some() {
        xml.close("ref");
    }
}

/// An address without the characters that no URI can hold (RFC 3986, section 2), which are percent-encoded.
fn uri(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for c in address.chars() {
        if c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c) {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| {
                let _ = write!(out, "%{byte:02X}");
            });
        } else {
            out.push(c);
        }
    }
    out
}
