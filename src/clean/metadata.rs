//! The metadata of a page: title, author, date, language, site, address, description.
//!
//! Sources, the most trusted first: Open Graph and `<meta>` tags, JSON-LD (schema.org), microdata and `rel` attributes,
//! other elements. One walk over the tree; all sizes are limited, because pages may be hostile.

use super::address::Addresses;
use super::date::read_date;
use super::document::{Metadata, Segment, SegmentKind};
use crate::capture::{Capture, Dom, NodeId};
use crate::language::{guess_language, language_tag};
use crate::text::collapse_within;
use serde_json::Value;
use std::collections::BTreeMap;

/// Largest number of JSON-LD scripts that are read, and their largest size in bytes.
const MAX_SCRIPTS: usize = 32;
const MAX_SCRIPT_BYTES: usize = 1 << 20;

/// Largest number of values that are examined in one JSON-LD script.
const MAX_VALUES: usize = 20_000;

/// Longest value that is kept, in characters: of a description, and of other metadata.
const MAX_DESCRIPTION_CHARS: usize = 1000;
const MAX_CHARS: usize = 300;

/// Length of the kept text from which the language is detected, in bytes.
const LANGUAGE_BYTES: usize = 20_000;

/// Names of `<meta>` tags that hold the date of publication, the most trusted first.
const DATES: &[&str] = &[
    "article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.date",
    "pubdate",
    "publishdate",
    "parsely-pub-date",
];

/// The raw values found on the walk: the first of each name.
#[derive(Debug, Default)]
struct RawMetadata {
    /// `<meta>` by `property` or `name`, lower case.
    meta: BTreeMap<String, String>,
    /// JSON-LD by key.
    json: BTreeMap<&'static str, String>,
    title: Option<String>,
    language: Option<String>,
    canonical: Option<String>,
    author: Option<String>,
    date: Option<String>,
    time: Option<String>,
}

impl RawMetadata {
    /// The value of the first of these `<meta>` tags that exists.
    fn meta(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.meta.get(*name).cloned())
    }

    /// Stores the value of a `<meta>` tag, unless an earlier one has the same name.
    fn add_meta(&mut self, dom: &Dom, id: NodeId) {
        let name = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| dom.attribute(id, key));
        let is_description = name.is_some_and(|name| name.ends_with("description"));
        let limit = if is_description { MAX_DESCRIPTION_CHARS } else { MAX_CHARS };
        let content = dom.attribute(id, "content").and_then(|content| collapse_within(content, limit));
        if let (Some(name), Some(content)) = (name, content)
            && name.len() <= 64
        {
            self.meta.entry(name.trim().to_ascii_lowercase()).or_insert(content);
        }
    }
}

/// Reads the metadata of a page; `segments` are its kept text.
pub(super) fn read(capture: &Capture, segments: &[Segment]) -> Metadata {
    let found = walk(&capture.dom);
    let addresses = Addresses::for_capture(capture);
    let meta = |names: &[&str]| found.meta(names);
    let json = |name: &str| found.json.get(name).cloned();
    let heading = segments
        .iter()
        .find(|segment| segment.kind == SegmentKind::Heading { level: 1 })
        .and_then(|segment| collapse_within(&segment.text(), MAX_CHARS));
    let site = meta(&["og:site_name"]);
    let title = meta(&["og:title"])
        .or(heading)
        .or_else(|| found.title.as_deref().map(|title| cut_title(title, site.as_deref())))
        .or_else(|| json("headline"));
    let url = found
        .canonical
        .as_deref()
        .and_then(|href| addresses.resolve_page(href))
        .or_else(|| meta(&["og:url"]).and_then(|address| addresses.resolve_page(&address)))
        .or_else(|| capture.address().map(str::to_owned));
    let author = meta(&["author", "article:author", "dc.creator", "parsely-author", "sailthru.author"])
        .filter(|author| !author.starts_with("http"))
        .or_else(|| json("author"))
        .or_else(|| found.author.clone());
    let date = meta(DATES)
        .or_else(|| json("datePublished"))
        .or_else(|| found.date.clone())
        .or_else(|| found.time.clone())
        .map(|date| read_date(&date).unwrap_or(date));
    let host = url
        .as_deref()
        .or(capture.address())
        .and_then(|url| url::Url::parse(url).ok())
        .and_then(|url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned()));
    Metadata {
        title,
        author,
        date,
        language: found
            .language
            .as_deref()
            .and_then(language_tag)
            .or_else(|| meta(&["og:locale", "content-language", "language"]).as_deref().and_then(language_tag))
            .or_else(|| language_of(segments)),
        site: site.or(host),
        url,
        description: found
            .meta
            .get("og:description")
            .or_else(|| found.meta.get("description"))
            .cloned()
            .or_else(|| json("description")),
    }
}

/// The detected language of the kept text, if the detection is reliable.
fn language_of(segments: &[Segment]) -> Option<String> {
    let mut text = String::new();
    for segment in segments.iter().filter(|segment| !matches!(segment.kind, SegmentKind::Code { .. })) {
        if text.len() > LANGUAGE_BYTES {
            break;
        }
        text.push_str(&segment.text());
        text.push('\n');
    }
    guess_language(&text).map(str::to_owned)
}

fn walk(dom: &Dom) -> RawMetadata {
    let mut found = RawMetadata::default();
    let mut scripts = 0;
    // Frames contain other pages, and pictures contain other titles.
    let mut skip_until = 0;
    for id in dom.ids() {
        if id.index() < skip_until {
            continue;
        }
        match dom.tag(id) {
            "iframe" | "frame" | "svg" | "object" => skip_until = dom.end(id),
            "html" if found.language.is_none() => {
                let language = dom.attribute(id, "lang").or_else(|| dom.attribute(id, "xml:lang"));
                found.language = language.map(str::to_owned);
            }
            "title" if found.title.is_none() => found.title = text_below(dom, id),
            "meta" => found.add_meta(dom, id),
            "link" if found.canonical.is_none() && has_word(dom, id, "rel", "canonical") => {
                found.canonical = dom.attribute(id, "href").map(str::to_owned);
            }
            "script" if scripts < MAX_SCRIPTS => {
                let kind = dom.attribute(id, "type").unwrap_or("");
                if kind.trim().to_ascii_lowercase().starts_with("application/ld+json") {
                    scripts += 1;
                    if let Some(text) = dom.children(id).find_map(|child| dom.text(child)) {
                        read_json(text, &mut found.json);
                    }
                }
            }
            "" => {}
            tag => {
                if found.author.is_none()
                    && (has_word(dom, id, "itemprop", "author") || (tag == "a" && has_word(dom, id, "rel", "author")))
                {
                    found.author = named_below(dom, id);
                }
                if found.date.is_none() && has_word(dom, id, "itemprop", "datePublished") {
                    let date = dom.attribute(id, "datetime").or_else(|| dom.attribute(id, "content"));
                    found.date = date.and_then(|date| collapse_within(date, MAX_CHARS)).or_else(|| text_below(dom, id));
                }
                if tag == "time" && found.time.is_none() {
                    let date = dom.attribute(id, "datetime").and_then(|date| collapse_within(date, MAX_CHARS));
                    found.time = date.filter(|date| read_date(date).is_some());
                }
            }
        }
    }
    found
}

fn has_word(dom: &Dom, id: NodeId, attribute: &str, word: &str) -> bool {
    dom.attribute(id, attribute)
        .is_some_and(|value| value.split_ascii_whitespace().any(|own| own.eq_ignore_ascii_case(word)))
}

/// The text of a small element.
fn text_below(dom: &Dom, id: NodeId) -> Option<String> {
    let texts: Vec<&str> = dom.descendants(id).take(50).filter_map(|below| dom.text(below)).collect();
    collapse_within(&texts.concat(), MAX_CHARS)
}

/// The name in an author's microdata: its `itemprop="name"`, or its whole text if that is short.
fn named_below(dom: &Dom, id: NodeId) -> Option<String> {
    let name = dom.descendants(id).take(50).find(|&below| has_word(dom, below, "itemprop", "name"));
    let content = dom.attribute(name.unwrap_or(id), "content").and_then(|content| collapse_within(content, MAX_CHARS));
    content.or_else(|| text_below(dom, name.unwrap_or(id))).filter(|name| name.chars().count() <= 80)
}

/// Reads the first author, date of publication, headline and description of a JSON-LD script.
fn read_json(text: &str, found: &mut BTreeMap<&'static str, String>) {
    if text.len() > MAX_SCRIPT_BYTES {
        return;
    }
    // serde_json limits the nesting.
    let Ok(root) = serde_json::from_str::<Value>(text.trim().trim_end_matches(';')) else { return };
    let mut open = vec![&root];
    let mut seen = 0;
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            return;
        }
        match value {
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(object) => {
                for key in ["datePublished", "headline", "description"] {
                    let value = object.get(key).and_then(Value::as_str);
                    let limit = if key == "description" { MAX_DESCRIPTION_CHARS } else { MAX_CHARS };
                    if let Some(value) = value.and_then(|value| collapse_within(value, limit)) {
                        found.entry(key).or_insert(value);
                    }
                }
                if let Some(name) = object.get("author").and_then(author_name) {
                    found.entry("author").or_insert(name);
                }
                open.extend(object.values().filter(|value| value.is_object() || value.is_array()));
            }
            _ => {}
        }
    }
}

/// `"name"`, `{"name": "name"}` or a list of either.
fn author_name(value: &Value) -> Option<String> {
    let one = |value: &Value| {
        let name = value.as_str().or_else(|| value.get("name").and_then(Value::as_str))?;
        collapse_within(name, MAX_CHARS).filter(|name| !name.starts_with("http"))
    };
    match value {
        Value::Array(values) => {
            let names: Vec<_> = values.iter().take(10).filter_map(one).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        _ => one(value),
    }
}

/// The page's own part of `<title>`: the longest piece between separators that is not the name of the site.
fn cut_title(title: &str, site: Option<&str>) -> String {
    const SEPARATORS: &[&str] = &[" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", "｜", "_"];
    let Some(separator) = SEPARATORS.iter().find(|&&separator| title.contains(separator)) else {
        return title.to_owned();
    };
    let pieces: Vec<&str> = title.split(separator).map(str::trim).filter(|piece| !piece.is_empty()).collect();
    let other = |piece: &&&str| site.is_none_or(|site| !piece.eq_ignore_ascii_case(site));
    // The earliest of the longest.
    let longest = pieces.iter().filter(other).rev().max_by_key(|piece| piece.chars().count());
    longest.map_or_else(|| title.to_owned(), |piece| (*piece).to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::clean::Span;
    use crate::html::parse_html;

    fn metadata(html: &str) -> Metadata {
        let capture =
            Capture::parsed(parse_html(html), Record::parsed("x", Some("https://www.a.example/p?x=1".into())));
        read(&capture, &[])
    }

    #[test]
    fn declared_metadata_is_read() {
        let found = metadata(
            "<html lang=pt_br><head><title>A long title of it | Site</title><link rel=canonical href=/page>\
             <meta property=og:site_name content=Site><meta name=description content=' about\n it '>\
             <script type='application/ld+json'>{\"@graph\":[{\"datePublished\":\"2020-03-12T10:00:00Z\",\
             \"author\":[{\"@type\":\"Person\",\"name\":\"Ana\"},\"Rui\"]}]}</script>",
        );
        assert_eq!(
            found,
            Metadata {
                title: Some("A long title of it".into()),
                author: Some("Ana, Rui".into()),
                date: Some("2020-03-12".into()),
                language: Some("pt-BR".into()),
                site: Some("Site".into()),
                url: Some("https://www.a.example/page".into()),
                description: Some("about it".into()),
            }
        );
    }

    #[test]
    fn missing_metadata_is_guessed_or_none() {
        let found = metadata(
            "<p>x<time datetime=2021-01-02>yesterday</time><span itemprop=author><b itemprop=name>Bo</b></span>",
        );
        assert_eq!(found.title, None);
        assert_eq!(found.site.as_deref(), Some("a.example"));
        assert_eq!(found.date.as_deref(), Some("2021-01-02"));
        assert_eq!(found.author.as_deref(), Some("Bo"));
        let text =
            "Dies ist ein längerer deutscher Text, in dem es um nichts weiter geht als darum, erkannt zu werden.";
        let spans = vec![Span { text: text.into(), ..Span::default() }];
        let segment = Segment { kind: SegmentKind::Paragraph, spans, target: 0 };
        assert_eq!(language_of(&[segment]).as_deref(), Some("de"));
    }

    #[test]
    fn hostile_json_does_no_harm() {
        let deep = format!("<script type=application/ld+json>{}", "[".repeat(100_000));
        assert_eq!(metadata(&deep).author, None);
        assert_eq!(language_tag("xx-é"), Some("xx".into()));
        assert_eq!(language_tag("english"), None);
    }
}
