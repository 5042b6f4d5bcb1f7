//! JSON-LD of schema.org: finds the object that describes the page, and reads its properties.

use super::raw::{MAX_CHARS, MAX_DESCRIPTION_CHARS, plain_within};
use crate::capture::json_ld::parse;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// Largest number of values that are examined in a script.
const MAX_VALUES: usize = 20_000;
/// Largest number of authors or keywords that are kept.
const MAX_NAMES: usize = 20;

/// Types whose thing is the page's text, the most telling first; things of other types describe
/// something else.
const TYPES: &[&str] = &[
    "newsarticle",
    "blogposting",
    "article",
    "reportagenewsarticle",
    "opinionnewsarticle",
    "analysisnewsarticle",
    "report",
    "scholarlyarticle",
    "techarticle",
    "advertisercontentarticle",
    "socialmediaposting",
    "liveblogposting",
    "discussionforumposting",
    "qapage",
    "question",
    "recipe",
    "review",
    "book",
    "course",
    "event",
    "jobposting",
    "product",
    "softwareapplication",
    "videoobject",
    "podcastepisode",
    "webpage",
    "itempage",
    "aboutpage",
    "faqpage",
    "collectionpage",
    "profilepage",
    "creativework",
];

/// Description of the page's text in JSON-LD.
#[derive(Debug, Default)]
pub(super) struct Described {
    pub(super) headline: Option<String>,
    /// Persons named as authors.
    pub(super) authors: Vec<String>,
    /// Organizations that are named as authors.
    pub(super) organizations: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) description: Option<String>,
    pub(super) image: Option<String>,
    pub(super) license: Option<String>,
    pub(super) publisher: Option<String>,
    pub(super) language: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) section: Vec<String>,
}

/// Reads all scripts of a page.
pub(super) fn read(scripts: &[&str]) -> Described {
    let roots: Vec<Value> = scripts.iter().filter_map(|script| parse(script)).collect();
    let things = things(&roots);
    let by_id: FxHashMap<&str, &Map<String, Value>> = things
        .iter()
        .filter(|thing| thing.len() > 1)
        .filter_map(|thing| Some((thing.get("@id")?.as_str()?, *thing)))
        .collect();
    let mut main: Vec<(usize, &Map<String, Value>)> = things
        .iter()
        .filter_map(|&thing| Some((rank(thing)?, thing)))
        .collect();
    // The order in the page decides among equals.
    main.sort_by_key(|(rank, _)| *rank);
    let mut described = Described::default();
    for (_, thing) in main {
        described.add(thing, &by_id);
    }
    described
}

/// All objects below these values, in the order of the page.
fn things(roots: &[Value]) -> Vec<&Map<String, Value>> {
    let mut things = Vec::new();
    let mut open: Vec<&Value> = roots.iter().rev().collect();
    let mut seen = 0;
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            break;
        }
        match value {
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(object) => {
                things.push(object);
                // Parts about other pages or comments, such as a list of teasers or an answer, do
                // not describe this page.
                let own = object.iter().filter(|(key, _)| {
                    !matches!(
                        key.as_str(),
                        "itemListElement"
                            | "comment"
                            | "review"
                            | "isPartOf"
                            | "hasPart"
                            | "mentions"
                    )
                });
                open.extend(
                    own.map(|(_, value)| value)
                        .filter(|value| value.is_object() || value.is_array()),
                );
            }
            _ => {}
        }
    }
    things
}

/// Position of a thing's type in [`TYPES`]; `None` if it is none of them.
fn rank(thing: &Map<String, Value>) -> Option<usize> {
    let names: Vec<&str> = match thing.get("@type")? {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let position = |name: &&str| {
        let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
        TYPES.iter().position(|known| *known == name)
    };
    names.iter().filter_map(position).min()
}

type ById<'a> = FxHashMap<&'a str, &'a Map<String, Value>>;

impl Described {
    /// Fills in the properties that are not known yet.
    fn add(&mut self, thing: &Map<String, Value>, by_id: &ById<'_>) {
        let text = |key: &str, limit: usize| first_text(thing.get(key)?, limit);
        self.headline = self
            .headline
            .take()
            .or_else(|| text("headline", MAX_CHARS))
            .or_else(|| text("name", MAX_CHARS));
        self.published = self
            .published
            .take()
            .or_else(|| text("datePublished", MAX_CHARS));
        self.modified = self
            .modified
            .take()
            .or_else(|| text("dateModified", MAX_CHARS));
        self.description = self
            .description
            .take()
            .or_else(|| text("description", MAX_DESCRIPTION_CHARS));
        self.language = self
            .language
            .take()
            .or_else(|| text("inLanguage", MAX_CHARS));
        self.license = self
            .license
            .take()
            .or_else(|| address(thing.get("license")?, by_id));
        self.image = self
            .image
            .take()
            .or_else(|| address(thing.get("image")?, by_id));
        self.publisher = self.publisher.take().or_else(|| {
            let publisher = resolved(thing.get("publisher")?, by_id);
            first_text(publisher.get("name")?, MAX_CHARS)
        });
        if self.authors.is_empty() && self.organizations.is_empty() {
            let authors = thing.get("author").or_else(|| thing.get("creator"));
            for author in authors.into_iter().flat_map(each).take(MAX_NAMES) {
                self.add_author(author, by_id);
            }
        }
        if self.keywords.is_empty() {
            self.keywords = thing.get("keywords").map(names).unwrap_or_default();
        }
        if self.section.is_empty() {
            self.section = thing.get("articleSection").map(names).unwrap_or_default();
        }
    }

    fn add_author(&mut self, author: &Value, by_id: &ById<'_>) {
        let author = resolved(author, by_id);
        let is_person = author
            .get("@type")
            .and_then(Value::as_str)
            .is_none_or(|kind| !kind.ends_with("Organization"));
        let names = author.as_str().map(|name| vec![name]).or_else(|| {
            let names = author.get("name")?;
            Some(
                each(names)
                    .filter_map(Value::as_str)
                    .take(MAX_NAMES)
                    .collect(),
            )
        });
        for name in names
            .into_iter()
            .flatten()
            .filter_map(|name| plain_within(name, MAX_CHARS))
        {
            if is_person {
                self.authors.push(name);
            } else {
                self.organizations.push(name);
            }
        }
    }
}

/// The thing that a reference by `@id` refers to, or the value itself.
fn resolved<'a>(value: &'a Value, by_id: &ById<'a>) -> std::borrow::Cow<'a, Value> {
    let id = value
        .get("@id")
        .and_then(Value::as_str)
        .filter(|_| value.get("name").is_none());
    match id.and_then(|id| by_id.get(id)) {
        Some(thing) => std::borrow::Cow::Owned(Value::Object((*thing).clone())),
        None => std::borrow::Cow::Borrowed(value),
    }
}

/// The members of a list, or the value alone.
fn each(value: &Value) -> std::slice::Iter<'_, Value> {
    match value {
        Value::Array(values) => values.iter(),
        other => std::slice::from_ref(other).iter(),
    }
}

fn first_text(value: &Value, limit: usize) -> Option<String> {
    each(value).find_map(|value| {
        let text = value
            .as_str()
            .or_else(|| value.get("@value").and_then(Value::as_str));
        plain_within(text?, limit)
    })
}

/// An address, or the `url` of an object.
fn address(value: &Value, by_id: &ById<'_>) -> Option<String> {
    each(value).find_map(|value| {
        let value = resolved(value, by_id);
        let address = ["url", "contentUrl", "@id"]
            .iter()
            .find_map(|key| first_text(value.get(*key)?, 4096));
        value.as_str().map(str::to_owned).or(address)
    })
}

/// Names in a list, or between commas.
fn names(value: &Value) -> Vec<String> {
    let all = each(value).filter_map(|value| {
        value
            .as_str()
            .or_else(|| value.get("name").and_then(Value::as_str))
    });
    super::names::separated(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_of_a_graph_is_described_with_its_references() {
        let described = read(&[r##"{"@graph": [
            {"@type": "WebSite", "name": "Site", "datePublished": "1999-01-01"},
            {"@type": "WebPage", "name": "Page name", "inLanguage": "en"},
            {"@type": ["Thing", "BlogPosting"], "headline": "Gulls", "datePublished": "2020-03-12",
             "author": [{"@id": "#ana"}, {"@type": "Person", "name": ["Rui", "Bo"]}], "keywords": "birds, shells", "articleSection": ["Nature"],
             "publisher": {"@id": "#site"}, "image": {"url": "https://a.example/i.jpg"}, "license": "https://cc.example/by"},
            {"@id": "#ana", "@type": "Person", "name": "Ana"}, {"@id": "#site", "@type": "Organization", "name": "Gull News"}]}"##]);
        assert_eq!(described.headline.as_deref(), Some("Gulls"));
        assert_eq!(described.authors, ["Ana", "Rui", "Bo"]);
        assert_eq!(described.published.as_deref(), Some("2020-03-12"));
        assert_eq!(
            (
                described.publisher.as_deref(),
                described.language.as_deref()
            ),
            (Some("Gull News"), Some("en"))
        );
        assert_eq!(described.image.as_deref(), Some("https://a.example/i.jpg"));
        assert_eq!(
            (described.keywords, described.section),
            (
                vec!["birds".to_owned(), "shells".into()],
                vec!["Nature".into()]
            )
        );
    }

    #[test]
    fn teasers_and_comments_are_of_others() {
        let described = read(&[
            r#"{"@type": "Article", "comment": {"@type": "Article", "datePublished": "2021-01-01"},
            "mentions": [{"@type": "NewsArticle", "headline": "Other"}], "author": {"@type": "Organization", "name": "Staff"}}"#,
        ]);
        assert_eq!((described.published, described.headline), (None, None));
        assert_eq!(
            (described.authors, described.organizations),
            (vec![], vec!["Staff".to_owned()])
        );
    }

    #[test]
    fn line_breaks_in_texts_are_read() {
        let described = read(&["{\"@type\": \"Article\", \"headline\": \"Gulls\nand\tmussels\"}"]);
        assert_eq!(described.headline.as_deref(), Some("Gulls and mussels"));
    }

    #[test]
    fn hostile_scripts_do_no_harm() {
        let deep = "[".repeat(100_000);
        let wide = format!("[{}1]", "1,".repeat(30_000));
        let circle = r##"{"@id": "#a", "@type": "Article", "author": {"@id": "#a"}}"##;
        assert!(read(&[&deep, &wide, circle, "null", ""]).authors.is_empty());
    }
}
