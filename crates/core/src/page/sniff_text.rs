//! Recognizes text that is not a page: feeds and other XML, JSON, style sheets and programs, and
//! data that were decoded as text. The model would keep each of them with confidence.

use super::sniff;
use crate::capture::{Dom, NodeId, NodeKind};
use crate::elements::Element;
use crate::text::is_blank;
use encoding_rs::WINDOWS_1252;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::path::Path;

/// Number of bytes of a text that are examined, except for JSON.
const HEAD_BYTES: usize = 64 << 10;

/// A page may have lost fewer than one character in this many.
const MAX_LOST: usize = 10;

/// Root elements of XML that is not a page, in lower case, with the name of the format.
const ROOTS: [(&str, &str); 9] = [
    ("feed", "an Atom feed"),
    ("gpx", "a GPS track"),
    ("kml", "a KML map"),
    ("opml", "an OPML list"),
    ("plist", "a property list"),
    ("rdf:rdf", "RDF or an RSS feed"),
    ("rss", "an RSS feed"),
    ("sitemapindex", "an index of sitemaps"),
    ("urlset", "a sitemap"),
];

/// Extensions of files that are not pages, with the name of the format.
const ENDINGS: [(&str, &str); 5] = [
    ("css", STYLE_SHEET),
    ("js", PROGRAM),
    ("mjs", PROGRAM),
    ("json", JSON),
    ("jsonl", JSON),
];
const STYLE_SHEET: &str = "a style sheet";
const PROGRAM: &str = "a program in JavaScript";
const JSON: &str = "JSON";

/// The reason why a text is not a page, and the remedy; `name` is the name of its file or its
/// address. `None` for text of any kind.
pub(super) fn refuse_text(name: &str, text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let cause = |what: &str| {
        format!("the content is {what}, not a page; name an HTML or MHTML file, or its address")
    };
    if text.starts_with("b'<") || text.starts_with("b\"<") {
        return Some("the text is the printed form of bytes; pass the bytes themselves".to_owned());
    }
    if let Some(what) = xml(text).or_else(|| is_json(text).then_some(Cow::Borrowed(JSON))) {
        return Some(cause(&what));
    }
    let ending = Path::new(name.split(['?', '#']).next().unwrap_or_default()).extension();
    let named = ENDINGS
        .iter()
        .find(|(known, _)| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known)));
    if let Some((_, what)) = named.filter(|_| !text.is_empty() && !text.starts_with('<')) {
        return Some(cause(what));
    }
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    if !is_document(head) {
        let code = after_comments(head);
        if is_style_sheet(code) {
            return Some(cause(STYLE_SHEET));
        }
        if is_program(code) {
            return Some(cause(PROGRAM));
        }
    }
    let lost = head.matches('\u{fffd}').count();
    let is_legible = lost * MAX_LOST < head.chars().count();
    if is_legible && sniff::has_tag(head.as_bytes()) {
        return None;
    }
    let cause = sniff::refuse(&undecoded(head, if is_legible { b'x' } else { 0 }))?;
    Some(if lost > 0 {
        format!("{cause}; if it is a page, pass its bytes, or decode them with its encoding")
    } else {
        cause
    })
}

/// Returns true if a text has a tag that only whole pages have.
fn is_document(text: &str) -> bool {
    let bytes = text.as_bytes();
    let tags = ["<!doctype", "<html", "<head", "<body"];
    memchr::memchr_iter(b'<', bytes).any(|at| {
        tags.iter().any(|tag| {
            bytes
                .get(at..at + tag.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
        })
    })
}

/// The reason why a tree is not that of a page, and the remedy: its body begins with text of
/// another format.
pub(crate) fn refuse_tree(dom: &Dom) -> Option<String> {
    let body = dom.ids().find(|&id| dom.tag(id) == "body")?;
    let first = first_part(dom, body)?;
    let is_alone = dom.children(body).last() == Some(first);
    // Browsers show text that is not HTML in a `pre`.
    let first = if dom.tag(first) == "pre" {
        first_part(dom, first)?
    } else {
        first
    };
    match dom.kind(first) {
        // If other content follows complete JSON, the JSON is part of a page.
        NodeKind::Text(text) => refuse_text(
            "",
            &if is_alone {
                text.to_string()
            } else {
                format!("{text}<")
            },
        ),
        _ => xml(&format!("<{}>", dom.tag(first)))
            .map(|what| format!("the content is {what}, not a page")),
    }
}

/// The first child of an element that is not white space.
fn first_part(dom: &Dom, parent: NodeId) -> Option<NodeId> {
    dom.children(parent)
        .find(|&child| dom.text(child).is_none_or(|text| !is_blank(text)))
}

/// The bytes from which a text may have been decoded, with `lost` in place of lost characters.
fn undecoded(text: &str, lost: u8) -> Vec<u8> {
    // The first byte of a signature may be lost, as in that of a PNG picture.
    if text.starts_with("\u{fffd}PNG\r\n") || text.starts_with("\u{fffd}PNG\n") {
        return b"\x89PNG".to_vec();
    }
    let mut buffer = [0; 4];
    text.chars()
        .map(|c| match u8::try_from(c) {
            Ok(byte) => byte,
            Err(_) if c == '\u{fffd}' => lost,
            Err(_) => WINDOWS_1252
                .encode(c.encode_utf8(&mut buffer))
                .0
                .first()
                .copied()
                .filter(|&byte| byte > 127)
                .unwrap_or(b'x'),
        })
        .collect()
}

/// The name of the format of XML that is not a page.
fn xml(text: &str) -> Option<Cow<'static, str>> {
    let mut rest = text;
    let mut is_declared = false;
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest
                .get(..9)
                .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) =>
            {
                ">"
            }
            _ => break,
        };
        // A page may consist of one picture.
        if rest
            .get(..14)
            .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype html"))
        {
            return None;
        }
        is_declared |= rest.starts_with("<?xml");
        rest = &rest[rest.find(end)? + end.len()..];
    }
    let name = rest.strip_prefix('<')?;
    let name = name[..name
        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))
        .unwrap_or(0)]
        .to_ascii_lowercase();
    if let Some((_, what)) = ROOTS.iter().find(|(root, _)| *root == name) {
        return Some(Cow::Borrowed(what));
    }
    if name == "svg" && (is_declared || text.trim_end().ends_with("</svg>")) {
        return Some(Cow::Borrowed("an SVG picture"));
    }
    let local = name.rsplit(':').next().unwrap_or_default();
    let is_page = Element::named(local) != Element::UNKNOWN || local == "wml";
    (is_declared && !is_page && !name.is_empty())
        .then(|| Cow::Owned(format!("XML with the root <{name}>")))
}

/// Returns true if a text is JSON, the beginning of JSON, or JSON lines.
fn is_json(text: &str) -> bool {
    if !text.starts_with(['{', '[']) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => text[values.byte_offset()..]
            .trim_start()
            .chars()
            .next()
            .is_none_or(|next| matches!(next, '{' | '[')),
        // The JSON may have been cut off.
        Some(Err(error)) => {
            let start: String = text
                .chars()
                .take(HEAD_BYTES)
                .filter(|c| !c.is_whitespace())
                .take(3)
                .collect();
            error.is_eof()
                && (start.starts_with("{\"")
                    || start.starts_with("[{\"")
                    || start.starts_with("[\""))
        }
        None => false,
    }
}

/// The rest of a text after white space and comments of code.
fn after_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let end = match text {
            _ if text.starts_with("/*") => "*/",
            _ if text.starts_with("//") => "\n",
            _ => return text,
        };
        let Some((_, rest)) = text.split_once(end) else {
            return "";
        };
        text = rest;
    }
}

fn is_style_sheet(code: &str) -> bool {
    if [
        "@charset \"",
        "@import ",
        "@media ",
        "@font-face",
        "@keyframes ",
        "@layer ",
    ]
    .iter()
    .any(|rule| code.starts_with(rule))
    {
        return code.contains([';', '{']);
    }
    let Some((selector, rest)) = code.split_once('{') else {
        return false;
    };
    let Some((property, value)) = rest.split_once(':') else {
        return false;
    };
    let property = after_comments(property);
    selector.len() < 2000
        && !selector.contains([';', '='])
        && selector.starts_with(|c: char| c.is_ascii_lowercase() || ".#*:[".contains(c))
        && !property.is_empty()
        && property
            .trim_end()
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        && value.contains('}')
}

fn is_program(code: &str) -> bool {
    const STARTS: [&str; 20] = [
        "\"use strict\"",
        "'use strict'",
        "(function",
        "!function",
        ";(function",
        "(()",
        "!(",
        "(async",
        "window.",
        "window[",
        "self.",
        "self[",
        "document.",
        "module.exports",
        "exports.",
        "Object.defineProperty(",
        "define(",
        "require(",
        "(window.",
        "(self.",
    ];
    let words = |count: usize| {
        code.split_ascii_whitespace()
            .take(count)
            .collect::<Vec<_>>()
    };
    let declares = || {
        matches!(words(3)[..], ["var" | "let" | "const", _, sign] if sign.starts_with('=')) || {
            let line = code.lines().next().unwrap_or_default();
            matches!(words(1)[..], ["var" | "let" | "const"])
                && line.contains('=')
                && line.contains([';', '{', '(', ','])
        }
    };
    let is_function = || {
        code.starts_with("function ")
            && code
                .split('{')
                .next()
                .is_some_and(|head| head.contains('(') && head.trim_end().ends_with(')'))
    };
    let is_module = || {
        let line = code.lines().next().unwrap_or_default();
        line.starts_with("import ") && line.contains(['"', '\''])
            || line.starts_with("export ") && line.contains(['{', '=', '('])
    };
    STARTS.iter().any(|start| code.starts_with(start)) || declares() || is_function() || is_module()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn text_that_is_no_page_is_named() {
        for (name, text, what) in [
            (
                "",
                "<?xml version='1.0'?>\n<!-- x --><rss version='2.0'><channel><title>Gulls</title></channel></rss>",
                "an RSS feed",
            ),
            (
                "",
                "<feed xmlns='http://www.w3.org/2005/Atom'><title>Gulls</title></feed>",
                "an Atom feed",
            ),
            (
                "",
                "<?xml version='1.0'?><urlset><url><loc>https://a.example/</loc></url></urlset>",
                "a sitemap",
            ),
            (
                "",
                "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><text>a</text></svg>",
                "SVG",
            ),
            (
                "",
                "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
                "<error>",
            ),
            (
                "",
                "{\"title\": \"Gulls\", \"html\": \"<p>They are back.</p>\"}",
                "JSON",
            ),
            ("", "[{\"a\": 1}, {\"a\": 2", "JSON"),
            ("", "{\"a\": 1}\n{\"a\": 2}\n", "JSON"),
            (
                "",
                "/* theme */\n.gull, #nest > p { color: red; }\n",
                "a style sheet",
            ),
            ("", "@media print { p { color: red } }", "a style sheet"),
            ("", "!function(e){console.log('<p>')}();", "a program"),
            ("", "// gulls\nvar count = 1;\nlet b;", "a program"),
            ("", "import gulls from './gulls.js';\n", "a program"),
            ("a/app.js?v=1", "gulls(\"<div>\")", "a program"),
            ("a.css", "p{}", "a style sheet"),
            ("", "%PDF-1.4\n1 0 obj", "a PDF document"),
            ("", "\u{fffd}PNG\r\n\u{1a}\n", "a PNG picture"),
            ("", "\u{89}PNG\r\n\u{1a}\n", "a PNG picture"),
            ("", "‰PNG\r\n\u{1a}\n", "a PNG picture"),
            (
                "",
                "\u{fffd}\u{fffd}\u{10}JF\u{1}\u{fffd}\u{fffd}",
                "not text",
            ),
            ("", "b'<!doctype html>\\n<p>x'", "the bytes themselves"),
        ] {
            let cause = refuse_text(name, text).unwrap_or_default();
            assert!(cause.contains(what), "{text}: {cause:?}");
        }
    }

    #[test]
    fn pages_and_plain_text_are_accepted() {
        for (name, text) in [
            ("a.html", "<html><body><p>text"),
            ("a.js", "<!doctype html><p>not found"),
            (
                "",
                "<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html xmlns='x'>",
            ),
            ("", "<?xml version='1.0'?><wml><card><p>text"),
            ("", "<?xml version='1.0'?><div>text"),
            ("", "<svg><path/></svg><p>text"),
            ("", "<!doctype html><svg><text>text</text></svg>"),
            ("", "{draft} A text about gulls: it is short."),
            ("", "[1] A note about gulls."),
            ("", "{\"ok\":true}<!doctype html><p>text"),
            ("", "Let us count = the gulls; import goods from China."),
            ("", "Gulls {herring: large} and others"),
            (
                "",
                "A text with one lost letter: caf\u{fffd}, and no markup at all, of some length, so that it is text.",
            ),
            ("", ""),
        ] {
            assert_eq!(refuse_text(name, text), None, "{text}");
            assert_eq!(refuse_tree(&parse_html(text)), None, "{text}");
        }
    }

    #[test]
    fn rendered_content_that_is_no_page_is_named() {
        for (html, what) in [
            ("<pre>{\"a\": [1, 2]}</pre>", "JSON"),
            ("\u{fffd}PNG\n\u{1a}\n\u{fffd} data", "PNG"),
            ("%PDF-1.7 <</Type /Catalog>>", "PDF"),
            (
                "<!--?xml version=1.0?--><rss><channel><title>a</title>",
                "RSS",
            ),
        ] {
            let cause = refuse_tree(&parse_html(html)).unwrap_or_default();
            assert!(cause.contains(what), "{html}: {cause:?}");
        }
    }
}
