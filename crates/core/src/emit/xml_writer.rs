//! Writes XML 1.0: elements, attributes and text, escaped, without the characters that XML cannot
//! hold.
//!
//! This is our own code: a crate's writer would still need the character filter, which is most of
//! this file.

use super::blocks::{Table, by_column};
use super::format::EmitOptions;
use crate::document::{FormulaStyle, Script, Segment, Span};
use crate::text::collapse;
use std::fmt::Write;

/// An XML document that is being written.
#[derive(Debug, Default)]
pub(super) struct XmlWriter {
    out: String,
}

impl XmlWriter {
    /// Opens an element; attributes without a value are left out.
    pub(super) fn open(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.out.push('>');
    }

    pub(super) fn close(&mut self, tag: &str) {
        self.out.extend(["</", tag, ">"]);
    }

    /// Writes an element without content.
    pub(super) fn empty(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.out.push_str("/>");
    }

    /// Writes an element with a text.
    pub(super) fn element(&mut self, tag: &str, attributes: &[(&str, Option<&str>)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Writes text inside an element.
    pub(super) fn text(&mut self, text: &str) {
        write_escaped(&mut self.out, text, false);
    }

    /// Writes a line break between two elements, where white space has no meaning.
    pub(super) fn end_line(&mut self) {
        self.out.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn start(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.out.extend(["<", tag]);
        for (name, value) in attributes {
            if let Some(value) = value {
                write_attribute(&mut self.out, name, value);
            }
        }
    }
}

/// Writes a space, and an attribute whose value is put on one line.
fn write_attribute(out: &mut String, name: &str, value: &str) {
    out.extend([" ", name, "=\""]);
    write_escaped(out, value, true);
    out.push('"');
}

/// Writes text as XML. Each `>` is escaped, so that no text looks like the end of a CDATA section.
fn write_escaped(out: &mut String, text: &str, in_attribute: bool) {
    for c in text.chars().filter(|&c| is_xml(c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if in_attribute => out.push_str("&quot;"),
            // XML readers turn the first three into spaces in attributes, and `\r` into a line feed
            // in text; some tools also take the others for line feeds.
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' if in_attribute => {
                out.push(' ');
            }
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            _ => out.push(c),
        }
    }
}

/// Returns true if XML 1.0 (section 2.2) can hold a character. The control characters that the
/// section discourages are excluded too.
pub(super) fn is_xml(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !c.is_control(),
    }
}

/// The elements of a format for formatted text, each with its `rend` value.
pub(super) struct InlineNames {
    pub(super) strong: (&'static str, Option<&'static str>),
    pub(super) emphasis: (&'static str, Option<&'static str>),
    pub(super) code: (&'static str, Option<&'static str>),
    pub(super) subscript: (&'static str, Option<&'static str>),
    pub(super) superscript: (&'static str, Option<&'static str>),
    pub(super) deleted: (&'static str, Option<&'static str>),
    /// The elements around a text with its reading (ruby): of the whole, of the base text, and of
    /// the reading; `None` leaves readings out.
    pub(super) ruby: Option<[&'static str; 3]>,
    /// The element for a footnote mark and its type; `None` writes the mark as ordinary text.
    pub(super) note: Option<(&'static str, &'static str)>,
}

/// Writes several texts, each on its own line.
pub(super) fn write_lines(
    xml: &mut XmlWriter,
    segments: &[&Segment],
    names: &InlineNames,
    options: &EmitOptions,
) {
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            xml.empty("lb", &[]);
        }
        write_spans(xml, &segment.spans, names, options);
    }
}

/// Writes the spans of a text, with `lb` for its line breaks. White space at the ends and repeated
/// white space are left out.
pub(super) fn write_spans(
    xml: &mut XmlWriter,
    spans: &[Span],
    names: &InlineNames,
    options: &EmitOptions,
) {
    let mut needs_space = false;
    let mut has_begun = false;
    let mut link: Option<&str> = None;
    for span in spans {
        let note = span.note.zip(names.note);
        let wanted = span
            .link
            .as_deref()
            .filter(|_| options.links && note.is_none());
        let words: Vec<&str> = span.text.split_whitespace().collect();
        needs_space |= has_begun
            && span
                .text
                .starts_with(|c: char| c.is_whitespace() && c != '\n');
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
            let rend = if span.formula == Some(FormulaStyle::Display) {
                "display"
            } else {
                "inline"
            };
            xml.element(
                "formula",
                &[("notation", Some("tex")), ("rend", Some(rend))],
                tex,
            );
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
        let looks: Vec<_> = looks
            .iter()
            .filter(|(has_look, _)| *has_look)
            .map(|(_, name)| *name)
            .collect();
        let ruby = span
            .reading
            .as_deref()
            .zip(names.ruby)
            .filter(|_| !span.is_code);
        if let Some((_, [around, base, _])) = ruby {
            xml.open(around, &[]);
            xml.open(base, &[]);
        }
        // The `code` element cannot contain elements, so the line break is written before it.
        if span.is_code && span.text.starts_with('\n') {
            xml.empty("lb", &[]);
        }
        if let Some((number, (tag, kind))) = note {
            xml.open(
                tag,
                &[("type", Some(kind)), ("n", Some(&number.to_string()))],
            );
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
        if let Some((_, (tag, _))) = note {
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

/// Percent-encodes the characters of an address that a URI cannot hold at their place (RFC 3986,
/// section 2).
pub(super) fn uri(address: &str) -> String {
    // Brackets are only allowed in the host part.
    let host = address.find("://").map_or(0, |at| at + 3);
    let host_end = address[host..]
        .find(['/', '?', '#'])
        .map_or(address.len(), |at| host + at);
    // The text before the first colon of the first path segment is a scheme; otherwise the colon is
    // escaped.
    let first_end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let scheme_end = address[..first_end].find(':').unwrap_or(0);
    let mut scheme = address[..scheme_end].chars();
    let has_scheme = scheme.next().is_some_and(|c| c.is_ascii_alphabetic())
        && scheme.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let mut out = String::with_capacity(address.len());
    let mut has_fragment = false;
    for (at, c) in address.char_indices() {
        let is_escape = || {
            address.as_bytes()[at..]
                .get(1..3)
                .is_some_and(|next| next.iter().all(u8::is_ascii_hexdigit))
        };
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

/// The attribute names and values that a format uses for table cells.
pub(super) struct TableNames {
    /// The `role` of a header cell, and of a data cell.
    pub(super) header: &'static str,
    pub(super) data: Option<&'static str>,
    /// The attributes for the numbers of rows and columns that a cell covers.
    pub(super) rows: &'static str,
    pub(super) columns: &'static str,
}

/// Writes a table with its caption as `head`.
pub(super) fn write_table(
    xml: &mut XmlWriter,
    table: &Table<'_>,
    inline: &InlineNames,
    names: &TableNames,
    options: &EmitOptions,
) {
    xml.open("table", &[]);
    if !table.caption.is_empty() {
        xml.open("head", &[]);
        write_lines(xml, &table.caption, inline, options);
        xml.close("head");
    }
    for row in by_column(&table.rows) {
        xml.open("row", &[]);
        for cell in row {
            let Some(cell) = cell else {
                xml.empty("cell", &[]);
                continue;
            };
            let [rows, columns] =
                [cell.row_span, cell.column_span].map(|span| (span > 1).then(|| span.to_string()));
            let role = if cell.is_header {
                Some(names.header)
            } else {
                names.data
            };
            xml.open(
                "cell",
                &[
                    ("role", role),
                    (names.rows, rows.as_deref()),
                    (names.columns, columns.as_deref()),
                ],
            );
            write_lines(xml, &cell.segments, inline, options);
            xml.close("cell");
        }
        xml.close("row");
    }
    xml.close("table");
}

#[cfg(test)]
mod tests {
    use super::super::tests::empty;
    use super::super::{EmitOptions, find};
    use super::*;
    use crate::document::{SegmentKind, plain_segment};

    #[test]
    fn markup_is_escaped_and_impossible_characters_are_left_out() {
        let mut xml = XmlWriter::default();
        xml.open("a", &[("b", Some("\"<\n>\"\u{1}")), ("c", None)]);
        xml.text("x ]]> & \u{0}\u{b}\u{fffe}\u{202e}y\r");
        xml.empty("lb", &[]);
        xml.close("a");
        assert_eq!(
            xml.finish(),
            "<a b=\"&quot;&lt; &gt;&quot;\">x ]]&gt; &amp; \u{202e}y\n<lb/></a>"
        );
    }

    #[test]
    fn addresses_become_uris() {
        for (address, expected) in [
            (
                "https://a.example/b?c[1]=2&d=\u{e9}#e",
                "https://a.example/b?c%5B1%5D=2&d=\u{e9}#e",
            ),
            ("https://[::1]:80/[a]", "https://[::1]:80/%5Ba%5D"),
            ("https://a.example/x#y#z", "https://a.example/x#y%23z"),
            ("100%/a b%20c", "100%25/a%20b%20c"),
            (
                "\u{201d}http://a.example/x:y",
                "\u{201d}http%3A//a.example/x:y",
            ),
            ("mailto:a@b.example", "mailto:a@b.example"),
        ] {
            assert_eq!(uri(address), expected);
        }
    }

    #[test]
    fn captions_and_spans_are_kept() {
        let cell = |row, column, row_span, column_span, text: &str| {
            let kind = SegmentKind::TableCell {
                table: 0,
                row,
                column,
                is_header: row == 0,
                row_span,
                column_span,
            };
            plain_segment(kind, text.to_owned(), 0)
        };
        let caption = plain_segment(SegmentKind::Caption { table: Some(0) }, "c".into(), 0);
        let mut document = empty();
        document.segments = vec![
            caption,
            cell(0, 0, 1, 2, "a"),
            cell(0, 2, 1, 1, "c"),
            cell(1, 0, 2, 1, "b"),
            cell(1, 1, 1, 1, "d"),
            cell(2, 2, 1, 1, "e"),
        ];
        let written = |name| {
            let format = find(name).map(|format| format.write);
            format
                .map(|write| write(&document, &EmitOptions::default()))
                .unwrap_or_default()
        };
        assert!(written("tei").contains(
            "<table><head>c</head><row><cell role=\"label\" cols=\"2\">a</cell><cell role=\"label\">c</cell></row>\
             <row><cell role=\"data\" rows=\"2\">b</cell><cell role=\"data\">d</cell></row>\
             <row><cell/><cell role=\"data\">e</cell></row></table>"
        ));
        assert!(
            written("xml")
                .contains("<cell role=\"head\">c</cell></row><row><cell rowspan=\"2\">b</cell>")
        );
    }
}
