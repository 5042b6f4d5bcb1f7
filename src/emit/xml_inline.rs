//! The formatted text of a segment as XML elements, which each format names in its own way.

use super::format::EmitOptions;
use super::xml_writer::XmlWriter;
use crate::clean::{FormulaStyle, Script, Segment, Span};
use crate::text::collapse;
use std::fmt::Write;

/// The elements of a format for formatted text, each with the value of `rend`.
pub(super) struct InlineNames {
    pub(super) strong: (&'static str, Option<&'static str>),
    pub(super) emphasis: (&'static str, Option<&'static str>),
    pub(super) code: (&'static str, Option<&'static str>),
    pub(super) subscript: (&'static str, Option<&'static str>),
    pub(super) superscript: (&'static str, Option<&'static str>),
    pub(super) deleted: (&'static str, Option<&'static str>),
    /// The elements of a text with its reading, of the text in it, and of the reading; `None` leaves readings out.
    pub(super) ruby: Option<[&'static str; 3]>,
}

/// Writes several texts, each on a line.
pub(super) fn write_lines(xml: &mut XmlWriter, segments: &[&Segment], names: &InlineNames, options: &EmitOptions) {
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            xml.empty("lb", &[]);
        }
        write_spans(xml, &segment.spans, names, options);
    }
}

/// Writes the spans of a text, with `lb` for its line breaks: white space at its ends and next to white space is left out.
pub(super) fn write_spans(xml: &mut XmlWriter, spans: &[Span], names: &InlineNames, options: &EmitOptions) {
    let mut needs_space = false;
    let mut has_begun = false;
    let mut link: Option<&str> = None;
    for span in spans {
        let wanted = span.link.as_deref().filter(|_| options.links);
        let words: Vec<&str> = span.text.split_whitespace().collect();
        needs_space |= has_begun && span.text.starts_with(|c: char| c.is_whitespace() && c != '\n');
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
        let looks = [
            (span.is_deleted, names.deleted),
            (span.script == Some(Script::Sub), names.subscript),
            (span.script == Some(Script::Sup), names.superscript),
            (span.is_strong, names.strong),
            (span.is_emphasis, names.emphasis),
            (span.is_code, names.code),
        ];
        let looks: Vec<_> = looks.iter().filter(|(has_look, _)| *has_look).map(|(_, name)| *name).collect();
        let ruby = span.reading.as_deref().zip(names.ruby).filter(|_| !span.is_code);
        if let Some((_, [around, base, _])) = ruby {
            xml.open(around, &[]);
            xml.open(base, &[]);
        }
        // No element can be within `code`.
        if span.is_code && span.text.starts_with('\n') {
            xml.empty("lb", &[]);
        }
        for (tag, rend) in &looks {
            xml.open(tag, &[("rend", *rend)]);
        }
        if span.is_code {
            xml.text(&words.join(" "));
        }
        for (index, line) in span.text.split('\n').enumerate().filter(|_| !span.is_code) {
            if index > 0 {
                xml.empty("lb", &[]);
            }
            xml.text(&collapse(line));
        }
        for (tag, _) in looks.iter().rev() {
            xml.close(tag);
        }
        if let Some((reading, [around, base, above])) = ruby {
            xml.close(base);
            xml.element(above, &[("place", Some("above"))], reading);
            xml.close(around);
        }
        has_begun = true;
        needs_space = span.text.ends_with(char::is_whitespace);
    }
    if link.is_some() {
        xml.close("ref");
    }
}

/// An address with the characters percent-encoded that no URI can hold where they stand (RFC 3986, section 2).
pub(super) fn uri(address: &str) -> String {
    // Brackets belong to addresses of hosts only.
    let host = address.find("://").map_or(0, |at| at + 3);
    let host_end = address[host..].find(['/', '?', '#']).map_or(address.len(), |at| host + at);
    // What stands before the first colon of the first part is a scheme, or the colon is escaped.
    let first_end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let scheme_end = address[..first_end].find(':').unwrap_or(0);
    let mut scheme = address[..scheme_end].chars();
    let has_scheme = scheme.next().is_some_and(|c| c.is_ascii_alphabetic())
        && scheme.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let mut out = String::with_capacity(address.len());
    let mut has_fragment = false;
    for (at, c) in address.char_indices() {
        let is_escape =
            || address.as_bytes()[at..].get(1..3).is_some_and(|next| next.iter().all(u8::is_ascii_hexdigit));
        let is_allowed = match c {
            '%' => is_escape(),
            '#' => !std::mem::replace(&mut has_fragment, true),
            ':' => has_scheme || at >= first_end,
            '[' | ']' => host > 0 && at < host_end,
            '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' => false,
            _ => !c.is_whitespace() && !c.is_control(),
        };
        if is_allowed {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| {
                let _ = write!(out, "%{byte:02X}");
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn addresses_become_uris() {
        for (address, expected) in [
            ("https://a.example/b?c[1]=2&d=\u{e9}#e", "https://a.example/b?c%5B1%5D=2&d=\u{e9}#e"),
            ("https://[::1]:80/[a]", "https://[::1]:80/%5Ba%5D"),
            ("https://a.example/x#y#z", "https://a.example/x#y%23z"),
            ("100%/a b%20c", "100%25/a%20b%20c"),
            ("\u{201d}http://a.example/x:y", "\u{201d}http%3A//a.example/x:y"),
            ("mailto:a@b.example", "mailto:a@b.example"),
        ] {
            assert_eq!(uri(address), expected);
        }
    }
}
