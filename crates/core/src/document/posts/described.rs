//! Posts and comments that a page describes in JSON-LD (schema.org), found by the beginnings of
//! their texts.

use crate::capture::Dom;
use crate::capture::json_ld::{is_json_ld, parse};
use crate::document::byline::date;
use crate::document::content::PostRole;
use crate::text::collapse;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// Largest numbers of values examined and of posts kept.
const MAX_VALUES: usize = 20_000;
const MAX_POSTS: usize = 1000;

/// Letters and digits at the beginning of a text by which it is found.
const KEY_LETTERS: usize = 60;

/// Description of a post by its page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::document) struct DescribedPost {
    pub(in crate::document) role: PostRole,
    pub(in crate::document) is_accepted: bool,
    pub(in crate::document) author: Option<String>,
    pub(in crate::document) date: Option<String>,
    pub(in crate::document) url: Option<String>,
    pub(in crate::document) votes: Option<i64>,
}

/// The posts that a page describes, by the beginnings of their texts.
#[derive(Debug, Default)]
pub(in crate::document) struct DescribedPosts(FxHashMap<String, DescribedPost>);

impl DescribedPosts {
    /// Reads the scripts of a page; `language` is that of the page.
    pub(in crate::document) fn read(dom: &Dom, language: Option<&str>) -> Self {
        let mut found = FxHashMap::default();
        for script in dom
            .ids()
            .filter(|&id| dom.tag(id) == "script" && is_json_ld(dom, id))
        {
            let text: String = dom
                .children(script)
                .filter_map(|child| dom.text(child))
                .collect();
            let has_posts = ["Comment", "Answer", "DiscussionForumPosting"]
                .iter()
                .any(|kind| text.contains(kind));
            if !has_posts {
                continue;
            }
            let Some(root) = parse(&text) else { continue };
            let mut open = vec![(&root, false)];
            let mut seen = 0;
            while let Some((value, is_accepted)) = open.pop() {
                seen += 1;
                if seen > MAX_VALUES || found.len() >= MAX_POSTS {
                    break;
                }
                match value {
                    Value::Array(values) => {
                        open.extend(values.iter().rev().map(|value| (value, is_accepted)));
                    }
                    Value::Object(object) => {
                        if let Some((key, post)) = post(object, is_accepted, language) {
                            found.entry(key).or_insert(post);
                        }
                        let inner = object
                            .iter()
                            .filter(|(_, value)| value.is_object() || value.is_array());
                        open.extend(inner.map(|(name, value)| (value, name == "acceptedAnswer")));
                    }
                    _ => {}
                }
            }
        }
        Self(found)
    }

    /// The post whose text begins like `text`.
    pub(in crate::document) fn find(&self, text: &str) -> Option<&DescribedPost> {
        if self.0.is_empty() {
            None
        } else {
            self.0.get(&key(text))
        }
    }
}

fn post(
    object: &Map<String, Value>,
    is_accepted: bool,
    language: Option<&str>,
) -> Option<(String, DescribedPost)> {
    let role_of = |kind: &str| {
        let ends = |name: &str| kind.ends_with(name);
        match () {
            () if ends("Comment") => Some(PostRole::Comment),
            () if ends("Answer") => Some(PostRole::Answer),
            () if ends("Question") => Some(PostRole::Question),
            () if ends("DiscussionForumPosting") => Some(PostRole::Post),
            () => None,
        }
    };
    let role = match object.get("@type")? {
        Value::String(kind) => role_of(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find_map(role_of),
        _ => None,
    }?;
    let given = |name: &str| object.get(name).and_then(Value::as_str);
    let text = given("text")
        .or(given("articleBody"))
        .or(given("description"))?;
    let author = match object.get("author") {
        Some(Value::Array(authors)) => authors.first(),
        author => author,
    };
    let author = author
        .and_then(|author| author.as_str().or_else(|| author.get("name")?.as_str()))
        .map(collapse);
    let when = given("dateCreated").or(given("datePublished"));
    let votes = object.get("upvoteCount").and_then(|votes| {
        votes
            .as_i64()
            .or_else(|| votes.as_str()?.trim().parse().ok())
    });
    let key = key(&without_tags(text));
    let post = DescribedPost {
        role,
        is_accepted,
        author: author.filter(|author| !author.is_empty()),
        date: when.and_then(|when| date(when, language)),
        url: given("url")
            .filter(|url| url.starts_with("http") && url.len() < 2000)
            .map(str::to_owned),
        votes,
    };
    (!key.is_empty()).then_some((key, post))
}

/// A text without substrings that look like HTML tags.
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
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(KEY_LETTERS)
        .collect()
}
