//! The text that a page carries as data for its scripts: the last resort for applications that
//! were not filled.
//!
//! Sources: `articleBody` of JSON-LD, `__NEXT_DATA__`, `__NUXT_DATA__`, and states that a script
//! assigns to a global variable (Apollo, Redux). Of such data, only the smallest part that holds
//! most of the prose is taken: the rest are messages, menus and settings.

use crate::capture::{Capture, Dom, NodeId, Record, json_ld};
use crate::document::{Document, Segment, SegmentKind, plain_segment, tree_of};
use crate::html::parse_html;
use crate::target::{self, TargetRule};
use crate::text::{collapse, count_letters};
use serde::Deserialize;
use serde_json::Value;

/// Letters that data must have to be a text. Heuristic: shorter ones are descriptions.
const MIN_LETTERS: usize = 200;
/// Letters from which a string with spaces is prose. Heuristic: labels and names have fewer.
const PROSE_LETTERS: usize = 60;
/// Share of the prose that the chosen part of the data holds.
const MOST: f64 = 0.7;
/// Largest script that is read, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// Identifiers of scripts that hold data as JSON.
const SCRIPTS: [&str; 2] = ["__NEXT_DATA__", "__NUXT_DATA__"];
/// Global variables to which scripts assign a state as JSON.
const VARIABLES: [&str; 5] = [
    "__APOLLO_STATE__",
    "__INITIAL_STATE__",
    "__PRELOADED_STATE__",
    "__INITIAL_DATA__",
    "__REDUX_STATE__",
];
/// Names of members that hold the headline of a text.
const HEADLINES: [&str; 3] = ["headline", "title", "name"];

/// Puts the text that the page's data holds in place of the text of a document, if there is much
/// more of it. The source `text` of the metadata then names where it was found.
pub(crate) fn apply(document: &mut Document, dom: &Dom) {
    let kept: usize = document
        .segments
        .iter()
        .map(|segment| count_letters(&segment.text()))
        .sum();
    let Some((source, lines)) = find(dom) else {
        return;
    };
    let letters: usize = lines.iter().map(|line| count_letters(&line.text)).sum();
    if letters < MIN_LETTERS || letters < 3 * kept {
        return;
    }
    // These segments belong to no target.
    let target = document.targets.len();
    let segment = |line: Line| {
        let kind = if line.is_heading {
            SegmentKind::Heading { level: 1 }
        } else {
            SegmentKind::Paragraph
        };
        plain_segment(kind, line.text, target)
    };
    let segments: Vec<Segment> = lines.into_iter().map(segment).collect();
    document.pruned = tree_of(&segments);
    document.segments = segments;
    document.posts.clear();
    document.pictures.clear();
    document
        .metadata
        .sources
        .insert("text".to_owned(), source.to_owned());
}

/// A line of a text.
struct Line {
    text: String,
    is_heading: bool,
}

/// The first source with a text, and its lines.
fn find(dom: &Dom) -> Option<(&'static str, Vec<Line>)> {
    let scripts = || dom.ids().filter(|&id| dom.tag(id) == "script");
    let bodies = scripts()
        .filter(|&id| json_ld::is_json_ld(dom, id))
        .filter_map(|id| json_ld::parse(&source(dom, id)));
    for value in bodies {
        if let Some(article) = article(&value) {
            return Some(("articleBody", lines(article)));
        }
    }
    for id in scripts() {
        if let Some(name) = SCRIPTS
            .into_iter()
            .find(|name| dom.attribute(id, "id") == Some(name))
            && let Some(value) = read(&source(dom, id))
        {
            return Some((name, lines(main_part(&value))));
        }
        let text = source(dom, id);
        for name in VARIABLES {
            if let Some(value) = assigned(&text, name) {
                return Some((name, lines(main_part(&value))));
            }
        }
    }
    None
}

/// The text of a script; empty if it is too large.
fn source(dom: &Dom, script: NodeId) -> String {
    let texts = dom.children(script).filter_map(|id| dom.text(id));
    let text: String = texts.collect();
    if text.len() > MAX_BYTES {
        String::new()
    } else {
        text
    }
}

/// Reads the JSON at the beginning of a text; what follows is ignored.
fn read(text: &str) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    Value::deserialize(&mut reader).ok()
}

/// The JSON that a script assigns to a variable.
fn assigned(text: &str, name: &str) -> Option<Value> {
    let (_, rest) = text.split_once(name)?;
    let rest = rest.trim_start_matches(['"', '\'', ']']).trim_start();
    read(rest.strip_prefix('=')?.trim_start())
}

/// The first object with the text of an article.
fn article(value: &Value) -> Option<&Value> {
    let has_body = |value: &Value| {
        let body = value.get("articleBody").and_then(Value::as_str);
        body.is_some_and(|body| count_letters(body) >= MIN_LETTERS)
    };
    match value {
        Value::Object(members) if !has_body(value) => members.values().find_map(article),
        Value::Object(_) => Some(value),
        Value::Array(items) => items.iter().find_map(article),
        _ => None,
    }
}

/// Letters of the prose in data.
fn prose(value: &Value) -> usize {
    match value {
        Value::String(text) if is_prose(text) => count_letters(text),
        Value::Array(items) => items.iter().map(prose).sum(),
        Value::Object(members) => members.values().map(prose).sum(),
        _ => 0,
    }
}

fn is_prose(text: &str) -> bool {
    let has_words = text.trim().contains(' ') || text.contains(['。', '，', '、']);
    let is_code = text.starts_with(['{', '[', '/'])
        || text.contains("function(")
        || text.contains("://") && !text.contains(". ");
    has_words && !is_code && count_letters(text) >= PROSE_LETTERS
}

/// The smallest part of data that holds most of its prose.
fn main_part(value: &Value) -> &Value {
    let all = prose(value) as f64;
    let mut part = value;
    loop {
        let is_most = |child: &&Value| prose(child) as f64 >= MOST * all;
        let child = match part {
            Value::Object(members) => members.values().find(is_most),
            Value::Array(items) => items.iter().find(is_most),
            _ => None,
        };
        // A text of one string keeps its object, which has the headline.
        match child {
            Some(child) if child.is_object() || child.is_array() => part = child,
            _ => return part,
        }
    }
}

/// The headline and the prose of a part of the data, each once, in its order.
fn lines(part: &Value) -> Vec<Line> {
    let headline = HEADLINES
        .into_iter()
        .find_map(|name| part.get(name)?.as_str())
        .map(collapse)
        .filter(|text| !text.is_empty());
    let mut lines: Vec<Line> = Vec::new();
    if let Some(text) = headline {
        lines.push(Line {
            text,
            is_heading: true,
        });
    }
    match part.get("articleBody") {
        Some(body) => add_prose(body, &mut lines),
        None => add_prose(part, &mut lines),
    }
    lines
}

fn add_prose(value: &Value, lines: &mut Vec<Line>) {
    match value {
        Value::String(text) if is_prose(text) => {
            for text in paragraphs(text) {
                if !lines.iter().any(|line| line.text == text) {
                    lines.push(Line {
                        text,
                        is_heading: false,
                    });
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_prose(item, lines)),
        Value::Object(members) => members.values().for_each(|item| add_prose(item, lines)),
        _ => {}
    }
}

/// The paragraphs of a string, which may be HTML.
fn paragraphs(text: &str) -> Vec<String> {
    if text.contains("</") || text.contains("<br") {
        let capture = Capture::parsed(parse_html(text), Record::parsed("data", None));
        let targets = target::select(&capture, TargetRule::Blocks);
        return targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
    }
    let lines = text.lines().map(collapse);
    lines.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is. \
                        They learn it from their parents, and young birds often choose sand at first.";

    fn found(html: &str) -> Option<(&'static str, Vec<String>)> {
        let (source, lines) = find(&parse_html(html))?;
        Some((source, lines.into_iter().map(|line| line.text).collect()))
    }

    #[test]
    fn the_text_of_an_application_is_read_from_its_data() {
        let data = serde_json::json!({
            "props": {"messages": {"cookies": "We use cookies and other technologies to show you what you may like, on this site and others."},
                "page": {"title": "Gulls", "blocks": [{"html": format!("<p>{TEXT}</p><p>{TEXT} Twice.</p>")}, {"text": TEXT}]}},
            "buildId": "x"
        });
        let html = format!(
            "<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{data}</script>"
        );
        let (source, lines) = found(&html).unwrap();
        assert_eq!(source, "__NEXT_DATA__");
        assert_eq!(lines, [TEXT.to_owned(), format!("{TEXT} Twice.")]);
    }

    #[test]
    fn the_body_of_an_article_comes_first_and_states_of_variables_are_read() {
        let body = format!("{TEXT}\\n{TEXT}!");
        let ld = format!(
            r#"{{"@graph": [{{"@type": "NewsArticle", "headline": "Gulls", "articleBody": "{body}"}}]}}"#
        );
        let html = format!(
            "<script type=application/ld+json>{ld}</script><script>window.__APOLLO_STATE__={{}}</script>"
        );
        let (source, lines) = found(&html).unwrap();
        assert_eq!(
            (source, lines.len(), &*lines[0]),
            ("articleBody", 3, "Gulls")
        );
        let state = format!(
            r#"<script>var a=1;window["__INITIAL_STATE__"] = {{"story": {{"body": "{TEXT}"}}}};next()</script>"#
        );
        let (source, lines) = found(&state).unwrap();
        assert_eq!(
            (source, lines),
            ("__INITIAL_STATE__", vec![TEXT.to_owned()])
        );
        assert!(found("<script>window.__INITIAL_STATE__ = function() {}</script>").is_none());
    }
}
