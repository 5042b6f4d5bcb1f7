//! Pages for the tests of `features`, read from simple, well-formed HTML.

use crate::capture::{Capture, DomBuilder, Record};

const VOID: &[&str] = &["br", "img", "input", "hr", "meta", "link"];
/// Elements that close an open `p`, or an open sibling of their own kind.
const CLOSERS: &[&str] = &[
    "p", "li", "ul", "ol", "div", "h1", "h2", "table", "td", "tr", "footer", "section", "dt", "dd",
];

/// Parses `html` into the body of a page.
pub(super) fn page(html: &str) -> Capture {
    let mut builder = DomBuilder::new();
    let mut open: Vec<String> = Vec::new();
    builder.open("html", vec![]);
    builder.open("body", vec![]);
    for part in html.split_inclusive('>').flat_map(|part| {
        let (text, tag) = part.split_at(part.find('<').unwrap_or(part.len()));
        [text, tag]
    }) {
        if let Some(tag) = part.strip_prefix("</") {
            let tag = tag.trim_end_matches('>');
            while let Some(inner) = open.pop() {
                builder.close();
                if inner == tag {
                    break;
                }
            }
        } else if let Some(tag) = part.strip_prefix('<') {
            let mut words = tag.trim_end_matches('>').split_ascii_whitespace();
            let tag = words.next().unwrap_or("");
            let attributes = words
                .map(|word| {
                    let (name, value) = word.split_once('=').unwrap_or((word, ""));
                    (
                        name.into(),
                        value.trim_matches(['"', '\'']).replace('+', " ").into(),
                    )
                })
                .collect();
            let ends = |inner: &String| {
                inner == "p" || (inner == tag && matches!(tag, "li" | "td" | "tr"))
            };
            if CLOSERS.contains(&tag) && open.last().is_some_and(ends) {
                open.pop();
                builder.close();
            }
            builder.open(tag, attributes);
            if VOID.contains(&tag) {
                builder.close();
            } else {
                open.push(tag.to_owned());
            }
        } else if !part.is_empty() {
            builder.text(part);
        }
    }
    Capture::parsed(
        builder.finish(),
        Record::parsed("test", Some("https://example.org/a/b".into())),
    )
}
