//! Comments that JSON-LD of schema.org describes, found again by their text.

use super::comment_byline::{Byline, date};
use crate::capture::Dom;
use crate::text::collapse;
use serde_json::{Map, Value};

/// Largest size of a script in bytes, and largest numbers of values examined and of comments kept.
const MAX_SCRIPT_BYTES: usize = 1 << 20;
const MAX_VALUES: usize = 20_000;
const MAX_COMMENTS: usize = 1000;

/// Letters and digits at the beginning of a text by which it is found.
const KEY_LETTERS: usize = 60;

/// The comments that a page describes: the beginnings of their texts, and their bylines.
#[derive(Debug, Default)]
pub(super) struct DescribedComments(Vec<(String, Byline)>);

impl DescribedComments {
    /// Reads the scripts of a page; `language` is that of the page.
    pub(super) fn read(dom: &Dom, language: Option<&str>) -> Self {
        let mut found = Vec::new();
        let is_data = |kind: &str| kind.trim().eq_ignore_ascii_case("application/ld+json");
        for script in dom.ids().filter(|&id| dom.tag(id) == "script" && dom.attribute(id, "type").is_some_and(is_data))
        {
            let text: String = dom.children(script).filter_map(|child| dom.text(child)).collect();
            if text.len() > MAX_SCRIPT_BYTES || !text.contains("Comment") {
                continue;
            }
            // serde_json limits the nesting.
            let Ok(root) = serde_json::from_str::<Value>(text.trim().trim_end_matches(';')) else { continue };
            let mut open = vec![&root];
            let mut seen = 0;
            while let Some(value) = open.pop() {
                seen += 1;
                if seen > MAX_VALUES || found.len() >= MAX_COMMENTS {
                    break;
                }
                match value {
                    Value::Array(values) => open.extend(values.iter().rev()),
                    Value::Object(object) => {
                        found.extend(comment(object, language));
                        open.extend(object.values().filter(|value| value.is_object() || value.is_array()));
                    }
                    _ => {}
                }
            }
        }
        Self(found)
    }

    /// The byline of the comment whose text begins like `text`.
    pub(super) fn find(&self, text: &str) -> Option<Byline> {
        let wanted = key(text);
        self.0.iter().find(|(key, _)| !key.is_empty() && *key == wanted).map(|(_, byline)| byline.clone())
    }
}

fn comment(object: &Map<String, Value>, language: Option<&str>) -> Option<(String, Byline)> {
    let is_comment = match object.get("@type")? {
        Value::String(kind) => kind.ends_with("Comment"),
        Value::Array(kinds) => kinds.iter().any(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("Comment"))),
        _ => false,
    };
    if !is_comment {
        return None;
    }
    let given = |name: &str| object.get(name).and_then(Value::as_str);
    let text = given("text").or(given("description"))?;
    let author = match object.get("author")? {
        Value::Array(authors) => authors.first()?,
        author => author,
    };
    let author = author.as_str().or_else(|| author.get("name")?.as_str()).map(collapse);
    let when = given("dateCreated").or(given("datePublished"));
    let byline =
        Byline { author: author.filter(|author| !author.is_empty()), date: when.and_then(|when| date(when, language)) };
    Some((key(&without_tags(text)), byline))
}

/// A text without what looks like tags of HTML.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_tag = false;
    for c in text.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if !is_tag => out.push(c),
            _ => {}
        }
    }
    out
}

fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(KEY_LETTERS).collect()
}
