//! Raw metadata in the tree of a page, collected in one walk; all sizes are limited, because pages
//! may be hostile.

use super::date::{is_of_change, read_date};
use super::names;
use crate::capture::json_ld::is_json_ld;
use crate::capture::{Dom, NodeId};
use crate::document::class_words::class_words;
use crate::document::segments::heading_text::heading_text;
use crate::text::collapse_within;
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::BitOr;
use std::sync::LazyLock;

/// Longest value that is kept, in characters: of a description, and of other metadata.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 1000;
pub(super) const MAX_CHARS: usize = 300;

/// Largest number of JSON-LD scripts that are read, and of values of one `<meta>` name.
const MAX_SCRIPTS: usize = 32;
const MAX_VALUES: usize = 20;

/// A part of the addresses of Creative Commons licenses.
static LICENSES: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("creativecommons.org/licenses/"));

/// Largest number of headlines that are kept.
const MAX_HEADLINES: usize = 8;

/// Longest text of a dateline, in characters, and largest number of visible dates that are read.
const MAX_DATELINE_CHARS: usize = 80;
const MAX_SHOWN_DATES: usize = 4;

/// Sources of marked dates of the text, the most trusted first.
const MARKED_DATES: &[&str] = &["datePublished", "time", "dateline"];

/// Longest relative date, in characters.
const MAX_RELATIVE_CHARS: usize = 40;

/// Most words of a name in a byline.
const MAX_BYLINE_WORDS: usize = 4;

/// A value, and where it was found.
pub(super) type Sourced = (String, &'static str);

/// A value with where it was found, if there is one.
pub(super) fn sourced(value: Option<&str>, source: &'static str) -> Option<Sourced> {
    Some((value?.to_owned(), source))
}

/// Tags that name the site.
pub(super) const SITES: &[&str] = &[
    "og:site_name",
    "application-name",
    "dc.publisher",
    "citation_journal_title",
    "twitter:site_name",
];

/// The raw values found on the walk: the first of each kind.
#[derive(Debug, Default)]
pub(super) struct Raw<'a> {
    /// The values of `<meta>` by `property`, `name` or `itemprop`, lower case.
    meta: BTreeMap<String, Vec<String>>,
    /// The contents of the JSON-LD scripts, in document order.
    pub(super) scripts: Vec<&'a str>,
    pub(super) title: Option<String>,
    /// The first different texts of `h1`.
    pub(super) headlines: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) canonical: Option<String>,
    pub(super) license: Option<String>,
    pub(super) authors: Option<(Vec<String>, &'static str)>,
    pub(super) date: Option<Sourced>,
    pub(super) modified: Option<Sourced>,
    /// The first dates of publication as readers see them, regardless of attributes.
    pub(super) shown_dates: Vec<String>,
    /// A short text in the position of a date that is not a date by itself, such as `3 days ago`.
    pub(super) relative: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) categories: Vec<String>,
}

impl<'a> Raw<'a> {
    /// Walks a tree; `text` is an element of the page's text, so that the elements around it do not
    /// count as parts about other pages, whatever their classes are.
    pub(super) fn collect(dom: &'a Dom, text: Option<NodeId>) -> Self {
        let mut raw = Self::default();
        let mut classes = ClassParts::default();
        // Frames contain other pages, and pictures contain other titles.
        let mut skip_until = 0;
        let mut elsewhere_until = 0;
        let mut apart_until = 0;
        for id in dom.ids() {
            if id.index() < skip_until || !dom.is_element(id) {
                continue;
            }
            match dom.tag(id) {
                "iframe" | "frame" | "svg" | "object" | "template" => skip_until = dom.end(id),
                "script" => raw.add_script(dom, id),
                tag if raw.add_head(dom, id, tag) => {}
                // Widgets and teasers use the classes of whole pages too, so only elements show
                // that a headline belongs to something else.
                "h1" if id.index() >= apart_until => raw.add_headline(dom, id),
                "aside" | "footer" | "nav" if id.index() >= apart_until => {
                    apart_until = dom.end(id);
                    if id.index() >= elsewhere_until
                        && is_elsewhere(dom, id, classes.read_element(dom, id))
                    {
                        elsewhere_until = apart_until;
                    }
                }
                _ if id.index() < elsewhere_until => {}
                tag => {
                    let parts = classes.read_element(dom, id);
                    if is_elsewhere(dom, id, parts) && !is_around(dom, id, text) {
                        elsewhere_until = dom.end(id);
                    } else {
                        raw.add_visible(dom, id, tag, parts);
                    }
                }
            }
        }
        raw
    }

    /// The value of the first of these `<meta>` tags that exists, with its name.
    pub(super) fn meta(&self, names: &[&'static str]) -> Option<Sourced> {
        names
            .iter()
            .find_map(|name| Some((self.meta.get(*name)?.first()?.clone(), *name)))
    }

    /// All values of the first of these `<meta>` tags that exists, with its name.
    pub(super) fn all_meta(&self, names: &[&'static str]) -> Option<(&[String], &'static str)> {
        names
            .iter()
            .find_map(|name| Some((self.meta.get(*name)?.as_slice(), *name)))
    }

    fn add_script(&mut self, dom: &'a Dom, id: NodeId) {
        if is_json_ld(dom, id) && self.scripts.len() < MAX_SCRIPTS {
            self.scripts
                .extend(dom.children(id).find_map(|child| dom.text(child)));
        }
    }

    /// Adds the values of an element of a page's head; returns false for another element.
    fn add_head(&mut self, dom: &Dom, id: NodeId, tag: &str) -> bool {
        match tag {
            "html" => {
                let language = dom
                    .attribute(id, "lang")
                    .or_else(|| dom.attribute(id, "xml:lang"));
                self.language = self.language.take().or_else(|| language.map(str::to_owned));
            }
            "title" => self.title = self.title.take().or_else(|| text_below(dom, id)),
            "meta" => self.add_meta(dom, id),
            "link" => {
                let href = || dom.attribute(id, "href").map(str::to_owned);
                if has_word(dom, id, "rel", "canonical") {
                    self.canonical = self.canonical.take().or_else(href);
                }
                if has_word(dom, id, "rel", "license") {
                    self.license = self.license.take().or_else(href);
                }
            }
            _ => return false,
        }
        true
    }

    /// Stores the value of a `<meta>` tag.
    fn add_meta(&mut self, dom: &Dom, id: NodeId) {
        let name = ["property", "name", "itemprop", "http-equiv"]
            .iter()
            .find_map(|key| dom.attribute(id, key));
        let is_description = name.is_some_and(|name| name.ends_with("description"));
        let limit = if is_description {
            MAX_DESCRIPTION_CHARS
        } else {
            MAX_CHARS
        };
        let content = dom
            .attribute(id, "content")
            .and_then(|content| plain_within(content, limit));
        if let (Some(name), Some(content)) = (name, content)
            && name.len() <= 64
        {
            let values = self
                .meta
                .entry(name.trim().to_ascii_lowercase())
                .or_default();
            if values.len() < MAX_VALUES {
                values.push(content);
            }
        }
    }

    fn add_headline(&mut self, dom: &Dom, id: NodeId) {
        let text = heading_text(dom, id);
        let has_room = self.headlines.len() < MAX_HEADLINES;
        self.headlines
            .extend(text.filter(|text| has_room && !self.headlines.contains(text)));
    }

    /// Adds the values that readers see: byline, dates, tags, license.
    fn add_visible(&mut self, dom: &Dom, id: NodeId, tag: &str, parts: Parts) {
        let properties = dom.attribute(id, "itemprop");
        let property = |name| properties.is_some_and(|value| contains_word(value, name));
        if self
            .authors
            .as_ref()
            .is_none_or(|(_, source)| *source == "byline")
        {
            let is_marked =
                property("author") || (tag == "a" && has_word(dom, id, "rel", "author"));
            let leads_to_author =
                || tag == "a" && dom.attribute(id, "href").is_some_and(is_of_author);
            if is_marked
                || (self.authors.is_none() && (parts.has(Parts::BYLINE) || leads_to_author()))
            {
                self.add_byline(dom, id, is_marked);
            }
        }
        if property("datePublished") || property("dateCreated") {
            self.add_date(dom, id, "datePublished");
        } else if property("dateModified") {
            self.add_change(dom, id, "dateModified");
        } else if parts.has(Parts::CHANGED) && !parts.has(Parts::PUBLISHED) {
            self.add_change(dom, id, "dateline");
        } else if tag == "time" {
            self.add_date(dom, id, "time");
        } else if parts.has(Parts::DATE) {
            self.add_date(dom, id, "dateline");
        }
        if tag == "a" {
            let rel = dom.attribute(id, "rel").unwrap_or("");
            if contains_word(rel, "tag") && self.tags.len() < MAX_VALUES {
                let is_category = contains_word(rel, "category");
                let list = if is_category {
                    &mut self.categories
                } else {
                    &mut self.tags
                };
                list.extend(text_below(dom, id).filter(|name| !list.contains(name)));
            }
            let href = dom.attribute(id, "href").unwrap_or("");
            let is_license =
                || contains_word(rel, "license") || LICENSES.find(href.as_bytes()).is_some();
            if self.license.is_none() && is_license() {
                self.license = Some(href.to_owned());
            }
        }
    }

    fn add_byline(&mut self, dom: &Dom, id: NodeId, is_marked: bool) {
        let text = named_below(dom, id).unwrap_or_default();
        let names = names::authors(&text);
        // A byline is found by its class alone, which may be that of other text too.
        let is_name = |name: &String| {
            let words = name.split_whitespace().count();
            let least = if names::has_arrow(&text) { 2 } else { 1 };
            (least..=MAX_BYLINE_WORDS).contains(&words)
                && !name.contains(':')
                && names::is_plausible(name)
        };
        let is_control = || {
            matches!(
                dom.tag(id),
                "button" | "label" | "form" | "select" | "option" | "h1" | "h2"
            )
        };
        let is_certain = is_marked && (!names::has_arrow(&text) || names.iter().all(is_name));
        if !names.is_empty() && (is_certain || names.iter().all(is_name) && !is_control()) {
            self.authors = Some((names, if is_marked { "author" } else { "byline" }));
        }
    }

    /// Adds the date of a change unless one is there.
    fn add_change(&mut self, dom: &Dom, id: NodeId, source: &'static str) {
        if self.modified.is_none() {
            self.modified =
                written_date(dom, id, self.language.as_deref()).map(|date| (date, source));
        }
    }

    /// Adds a date unless a better marked one is there.
    fn add_date(&mut self, dom: &Dom, id: NodeId, source: &'static str) {
        let shown =
            || text_below(dom, id).filter(|text| text.chars().count() <= MAX_DATELINE_CHARS);
        if self.shown_dates.len() < MAX_SHOWN_DATES
            && let Some(text) = shown()
        {
            if source != "datePublished" && is_of_change(&text) {
                return self.add_change(dom, id, source);
            }
            self.shown_dates
                .extend(read_date(&text, self.language.as_deref()));
        }
        let rank = |source: &str| MARKED_DATES.iter().position(|known| *known == source);
        if self
            .date
            .as_ref()
            .is_some_and(|(_, known)| rank(known) <= rank(source))
        {
            return;
        }
        if let Some(date) = written_date(dom, id, self.language.as_deref()) {
            self.date = Some((date, source));
        } else if self.relative.is_none() {
            self.relative =
                text_below(dom, id).filter(|text| text.chars().count() <= MAX_RELATIVE_CHARS);
        }
    }
}

/// The date that an element gives, as it is written, if it can be read on a page in that language.
fn written_date(dom: &Dom, id: NodeId, language: Option<&str>) -> Option<String> {
    let attribute = ["datetime", "content", "title"]
        .iter()
        .filter_map(|key| dom.attribute(id, key));
    let attribute = attribute
        .filter_map(|date| collapse_within(date, MAX_CHARS))
        .find(|date| read_date(date, language).is_some());
    // A text longer than a dateline is running text with a date in it.
    attribute.or_else(|| {
        text_below(dom, id).filter(|date| {
            date.chars().count() <= MAX_DATELINE_CHARS && read_date(date, language).is_some()
        })
    })
}

/// Returns true for the address of a page about an author, such as `/author/ann-lee`.
fn is_of_author(href: &str) -> bool {
    ["/author/", "/authors/", "/autor/", "/autoren/", "/auteur/"]
        .iter()
        .any(|part| href.contains(part))
}

/// Returns true if an element is in a part that is about other pages, or written by readers.
pub(in crate::document) fn is_in_elsewhere(dom: &Dom, id: NodeId, text: Option<NodeId>) -> bool {
    std::iter::once(id)
        .chain(dom.ancestors(id))
        .any(|id| is_elsewhere(dom, id, parts_of_element(dom, id)) && !is_around(dom, id, text))
}

/// Returns true if an element contains the element of the page's text, if that is known.
fn is_around(dom: &Dom, id: NodeId, text: Option<NodeId>) -> bool {
    text.is_some_and(|text| dom.contains(id, text))
}

/// Returns true if an element holds content about other pages, or by readers.
fn is_elsewhere(dom: &Dom, id: NodeId, parts: Parts) -> bool {
    match dom.tag(id) {
        "body" | "html" | "main" | "article" => false,
        "aside" | "nav" => true,
        tag => {
            parts.has(Parts::ELSEWHERE)
                || (tag == "footer" || parts.has(Parts::FOOTER)) && !is_of_entry(dom, id, parts)
        }
    }
}

/// Returns true if a footer belongs to an entry and not to the page.
fn is_of_entry(dom: &Dom, id: NodeId, parts: Parts) -> bool {
    let holds_entry =
        |id: NodeId| dom.tag(id) == "article" || parts_of_element(dom, id).has(Parts::ENTRY);
    parts.has(Parts::ENTRY)
        || dom
            .parent(id)
            .is_some_and(|parent| dom.tag(parent) != "body" && holds_entry(parent))
}

/// The meaning of an element's class and id, computed without the cache of [`ClassParts`].
fn parts_of_element(dom: &Dom, id: NodeId) -> Parts {
    let attributes = dom.attributes(id);
    let values = ["class", "id"]
        .into_iter()
        .filter_map(|name| attributes.get(name));
    values
        .filter(|value| value.len() <= MAX_BYTES)
        .fold(Parts::default(), |parts, value| parts | parts_of(value))
}

fn has_word(dom: &Dom, id: NodeId, attribute: &str, word: &str) -> bool {
    dom.attribute(id, attribute)
        .is_some_and(|value| contains_word(value, word))
}

fn contains_word(value: &str, word: &str) -> bool {
    value
        .split_ascii_whitespace()
        .any(|own| own.eq_ignore_ascii_case(word))
}

/// The text, shorter than `limit` characters, in plain characters: text that has passed through two
/// programs often has references such as `&amp;quot;`, of which the parser decoded the outer ones.
pub(super) fn plain_within(text: &str, limit: usize) -> Option<String> {
    let is_encoded = text
        .split_once('&')
        .is_some_and(|(_, after)| after.contains(';'));
    if is_encoded {
        collapse_within(&html_escape::decode_html_entities(text), limit)
    } else {
        collapse_within(text, limit)
    }
}

/// The text of a small element. Names and dates are in elements of their own, often without white
/// space between them.
fn text_below(dom: &Dom, id: NodeId) -> Option<String> {
    let texts: Vec<&str> = dom
        .descendants(id)
        .take(50)
        .filter_map(|below| dom.text(below))
        .collect();
    collapse_within(&texts.join(" "), MAX_CHARS)
}

/// The name in an author's microdata: its `itemprop="name"`, or its whole text.
fn named_below(dom: &Dom, id: NodeId) -> Option<String> {
    let name = dom
        .descendants(id)
        .take(50)
        .find(|&below| has_word(dom, below, "itemprop", "name"));
    let content = dom
        .attribute(name.unwrap_or(id), "content")
        .and_then(|content| collapse_within(content, MAX_CHARS));
    content.or_else(|| text_below(dom, name.unwrap_or(id)))
}

/// Parts of classes and ids of elements that are not about the page's text, but about other pages,
/// or written by readers.
const ELSEWHERE_PARTS: &[&str] = &[
    "comment",
    "related",
    "recommend",
    "sidebar",
    "teaser",
    "widget",
    "popular",
    "trending",
    "more-",
    "respond",
    "tweet",
];
/// Parts of classes of the end of the page, or of an entry, which may name its author and date.
const FOOTER_PARTS: &[&str] = &["footer"];
/// Parts of classes of entries.
const ENTRY_PARTS: &[&str] = &["entry", "article", "asset", "post-", "post_"];
/// Whole words in classes of a byline, and of a date: `authorization` and `update` indicate
/// neither.
const BYLINE_WORDS: &str = "byline bylines author authors autor autors autores autoren autori auteur auteurs \
     writer writers verfasser redacteur zuozhe authorname authorlink authored postauthor storybyline bydate";
const DATE_WORDS: &str = "date dateline datetime datestamp dateblock datebar pubdate publishdate postdate \
     newsdate publishtime pubtime posttime entrytime published posted timestamp timestamps datum newsdatum fecha";
/// Words of classes of the date of a change, and of the date of publication, which may be that of
/// the last change too.
const CHANGED_WORDS: &str =
    "updated modified lastmod lastupdate lastupdated lastmodified updatedate updatetime";
const PUBLISHED_WORDS: &str =
    "published publish publishdate publishtime posted entrydate pubdate pubtime";

/// The meanings of the words of the four lists.
static PARTS_OF_WORD: LazyLock<FxHashMap<&str, Parts>> = LazyLock::new(|| {
    let lists = [
        (Parts::BYLINE, BYLINE_WORDS),
        (Parts::DATE, DATE_WORDS),
        (Parts::CHANGED, CHANGED_WORDS),
        (Parts::PUBLISHED, PUBLISHED_WORDS),
    ];
    let mut meanings: FxHashMap<&str, Parts> = FxHashMap::default();
    for (meaning, words) in lists {
        for word in words.split(' ') {
            let known = meanings.entry(word).or_default();
            *known = *known | meaning;
        }
    }
    meanings
});

/// Longest class or id that is read, in bytes; longer ones are lists of settings.
const MAX_BYTES: usize = 200;

/// Number of values that are remembered; pages repeat a few hundred.
const MAX_KNOWN: usize = 4096;

/// Meanings of a class or an id; several may apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts(u8);

impl Parts {
    /// It is about other pages, or written by readers.
    const ELSEWHERE: Self = Self(1);
    const BYLINE: Self = Self(2);
    pub(super) const DATE: Self = Self(4);
    /// It is the date of a change.
    const CHANGED: Self = Self(8);
    /// It is the date of publication.
    const PUBLISHED: Self = Self(16);
    const FOOTER: Self = Self(32);
    const ENTRY: Self = Self(64);

    pub(super) fn has(self, part: Self) -> bool {
        self.0 & part.0 != 0
    }
}

impl BitOr for Parts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Meanings of the classes and ids of a page, each computed once.
#[derive(Debug, Default)]
pub(super) struct ClassParts<'a> {
    known: FxHashMap<&'a str, Parts>,
}

impl<'a> ClassParts<'a> {
    /// Meaning of an element's class and id, with known values from the cache.
    pub(super) fn read_element(&mut self, dom: &'a Dom, id: NodeId) -> Parts {
        let attributes = dom.attributes(id);
        let values = ["class", "id"]
            .into_iter()
            .filter_map(|name| attributes.get(name));
        values.fold(Parts::default(), |parts, value| {
            parts | self.read_value(value)
        })
    }

    fn read_value(&mut self, value: &'a str) -> Parts {
        if let Some(&parts) = self.known.get(value) {
            return parts;
        }
        let parts = if value.len() <= MAX_BYTES {
            parts_of(value)
        } else {
            Parts::default()
        };
        if self.known.len() < MAX_KNOWN {
            self.known.insert(value, parts);
        }
        parts
    }
}

fn parts_of(value: &str) -> Parts {
    let lower = value.to_ascii_lowercase();
    let has_part = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let of_parts = [
        (Parts::ELSEWHERE, ELSEWHERE_PARTS),
        (Parts::FOOTER, FOOTER_PARTS),
        (Parts::ENTRY, ENTRY_PARTS),
    ]
    .into_iter()
    .filter(|(_, parts)| has_part(parts))
    .map(|(meaning, _)| meaning);
    let words = class_words(value);
    let of_words = words
        .iter()
        .filter_map(|word| PARTS_OF_WORD.get(word.as_str()).copied());
    of_parts
        .chain(of_words)
        .fold(Parts::default(), BitOr::bitor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_and_the_parts_of_other_places_are_found_anywhere() {
        assert_eq!(
            parts_of("entryDate"),
            Parts::DATE | Parts::PUBLISHED | Parts::ENTRY
        );
        assert_eq!(
            parts_of("x_authors more-posted"),
            Parts::ELSEWHERE | Parts::BYLINE | Parts::DATE | Parts::PUBLISHED
        );
        assert_eq!(parts_of("dat e comm\u{e9}nt"), Parts::default());
        assert_eq!(
            parts_of("authorization updateCandidate validate"),
            Parts::default()
        );
        assert!(
            ELSEWHERE_PARTS
                .iter()
                .all(|part| parts_of(&format!("a-{part}s")).has(Parts::ELSEWHERE))
        );
    }

    #[test]
    fn the_footer_of_an_entry_is_its_own() {
        let date = |html: &str| {
            Raw::collect(&crate::html::parse_html(html), None)
                .date
                .map(|(date, _)| date)
        };
        let time = "<time datetime=2020-03-12>then</time>";
        assert_eq!(
            date(&format!(
                "<article><p>x</p><footer>{time}</footer></article>"
            ))
            .as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(
            date(&format!(
                "<div class=article><div class=footer>{time}</div></div>"
            ))
            .as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(
            date(&format!("<div class=entry-footer>{time}</div>")).as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(
            date(&format!(
                "<footer>{time}</footer><div class=footer>{time}</div>"
            )),
            None
        );
    }

    #[test]
    fn what_is_around_the_text_is_not_of_other_pages() {
        let html = "<div class='widget'><i class=author>Ann Lee</i><p>Text</p><div class=widget><i class=author>Bo</i></div></div>";
        let dom = crate::html::parse_html(html);
        let text = dom.ids().find(|&id| dom.tag(id) == "p");
        assert_eq!(Raw::collect(&dom, None).authors, None);
        assert_eq!(
            Raw::collect(&dom, text).authors,
            Some((vec!["Ann Lee".to_owned()], "byline"))
        );
        let inner = dom
            .ids()
            .filter(|&id| dom.tag(id) == "i")
            .collect::<Vec<_>>();
        assert_eq!(
            [0, 1].map(|at| is_in_elsewhere(&dom, inner[at], text)),
            [false, true]
        );
    }

    #[test]
    fn both_attributes_count_and_long_ones_do_not() {
        let html = format!(
            "<p class=byline id=date><p class='date {}'>",
            "x".repeat(MAX_BYTES)
        );
        let dom = crate::html::parse_html(&html);
        let mut parts = ClassParts::default();
        let found: Vec<Parts> = dom
            .ids()
            .filter(|&id| dom.tag(id) == "p")
            .map(|id| parts.read_element(&dom, id))
            .collect();
        assert_eq!(found, [Parts::BYLINE | Parts::DATE, Parts::default()]);
    }
}
