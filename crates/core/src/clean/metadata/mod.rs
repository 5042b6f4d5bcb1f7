//! The metadata of a page: title, authors, dates, language, site, address, description and more, and where each comes from.
//!
//! Sources, the most trusted first: Open Graph and other `<meta>` tags, JSON-LD (schema.org), microdata and `rel` attributes,
//! bylines and datelines, short lines beside the headline, the address; for the date also its last change. What stands in lists of other pages, in comments and in footers is not the page's.

mod date;
mod headline;
mod json_ld;
mod names;
mod raw;

use super::document::{Metadata, Segment, SegmentKind};
use super::page::PageParts;
use crate::language::{guess_language, language_tag};
use crate::text::collapse_within;
pub(super) use date::read_date;

use date::{date_of_address, read_relative};
use headline::HeadlineLines;
use json_ld::Described;
use raw::{MAX_CHARS, Raw, Sourced};

/// Length of the kept text from which the language is detected, in bytes.
const LANGUAGE_BYTES: usize = 20_000;

/// Names of `<meta>` tags, the most trusted first.
const PUBLISHED: &[&str] = &[
    "article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "pubdate",
    "publishdate",
    "publish_date",
    "publish-date",
    "sailthru.date",
    "parsely-pub-date",
    "article.published",
    "article_date_original",
    "published_date",
];
const MODIFIED: &[&str] = &[
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
];
const AUTHORS: &[&str] = &[
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "article:author_name",
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "article.author",
    "byl",
    "dc.contributor",
];
const SITES: &[&str] =
    &["og:site_name", "application-name", "dc.publisher", "citation_journal_title", "twitter:site_name"];
const TITLES: &[&str] = &["citation_title", "og:title", "twitter:title", "dc.title", "dcterms.title", "parsely-title"];
const DESCRIPTIONS: &[&str] =
    &["og:description", "description", "twitter:description", "dc.description", "dcterms.description"];
const IMAGES: &[&str] = &["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"];
const TAGS: &[&str] = &["article:tag", "parsely-tags", "news_keywords", "keywords", "dc.subject", "citation_keywords"];
const SECTIONS: &[&str] = &["article:section", "parsely-section", "category"];

/// Reads the metadata of a page; `segments` are its kept text.
pub(super) fn read(page: &PageParts<'_>, segments: &[Segment]) -> Metadata {
    let PageParts { capture, targets, addresses, .. } = page;
    let raw = Raw::collect(&capture.dom);
    let described = json_ld::read(&raw.scripts);
    let language = language(&raw, &described, segments);
    let site = site(&raw, &described);
    let site_name = site.as_ref().map(|(name, _)| name.as_str());
    let url = raw
        .canonical
        .as_deref()
        .and_then(|href| addresses.resolve_page(href))
        .map(|url| (url, "canonical"))
        .or_else(|| Some((addresses.resolve_page(&raw.meta(&["og:url"])?.0)?, "og:url")))
        .or_else(|| Some((capture.address()?.to_owned(), "address")));
    let host = url
        .as_ref()
        .map(|(url, _)| url.as_str())
        .or(capture.address())
        .and_then(|url| url::Url::parse(url).ok())
        .and_then(|url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned()));
    let title = title(&raw, &described, segments, site_name);
    let tag = language.as_ref().map(|(tag, _)| tag.as_str());
    let first_kept = segments.first().map_or(0, |segment| segment.target);
    let headline_lines = headline::read(capture, targets, first_kept, tag);
    let authors = authors(&raw, &described, &headline_lines, site_name);
    let modified = raw
        .meta(MODIFIED)
        .or_else(|| sourced(described.modified.as_deref(), "json-ld"))
        .or_else(|| raw.modified.clone())
        .and_then(|(date, source)| Some((read_date(&date, tag)?, source)))
        .or_else(|| sourced(headline_lines.modified.as_deref(), "headline"));
    let relative = || read_relative(raw.relative.as_deref()?, capture.record.captured_at_s?);
    let date = date(&raw, &described, tag)
        .or_else(|| sourced(relative().as_deref(), "dateline"))
        .or_else(|| sourced(headline_lines.date.as_deref(), "headline"))
        .or_else(|| Some((date_of_address(&url.as_ref()?.0)?, "address")))
        .or_else(|| published(&raw, &described))
        .or_else(|| sourced(Some(&modified.as_ref()?.0), "modified"));
    let description = raw.meta(DESCRIPTIONS).or_else(|| sourced(described.description.as_deref(), "json-ld"));
    let image = raw.meta(IMAGES).or_else(|| sourced(described.image.as_deref(), "json-ld"));
    let image = image.and_then(|(address, source)| Some((addresses.resolve_picture(&address)?, source)));
    let license =
        sourced(raw.license.as_deref(), "rel=license").or_else(|| sourced(described.license.as_deref(), "json-ld"));
    let license = license.and_then(|(address, source)| Some((addresses.resolve(&address)?, source)));
    let site = site.or_else(|| host.map(|host| (host, "address")));

    let mut metadata = Metadata::default();
    let mut take = |name: &'static str, value: Option<Sourced>| {
        let (value, source) = value?;
        metadata.sources.insert(name.to_owned(), source.to_owned());
        Some(value)
    };
    let [title, author, date, modified] =
        [("title", title), ("author", authors), ("date", date), ("modified", modified)]
            .map(|(name, value)| take(name, value));
    let [language, site, url, description] =
        [("language", language), ("site", site), ("url", url), ("description", description)]
            .map(|(name, value)| take(name, value));
    let [image, license] = [("image", image), ("license", license)].map(|(name, value)| take(name, value));
    let (tags, categories) = (tags(&raw, &described), categories(&raw, &described));
    Metadata {
        title,
        author,
        date,
        language,
        site,
        url,
        description,
        modified,
        image,
        license,
        tags,
        categories,
        ..metadata
    }
}

fn sourced(value: Option<&str>, source: &'static str) -> Option<Sourced> {
    Some((value?.to_owned(), source))
}

fn title(raw: &Raw<'_>, described: &Described, segments: &[Segment], site: Option<&str>) -> Option<Sourced> {
    let heading = segments.iter().find(|segment| segment.kind == SegmentKind::Heading { level: 1 });
    let heading = heading.and_then(|segment| collapse_within(&segment.text(), MAX_CHARS));
    raw.meta(TITLES)
        .map(|(title, source)| (without_site(&title, site), source))
        .or_else(|| sourced(heading.as_deref(), "h1"))
        .or_else(|| sourced(described.headline.as_deref(), "json-ld"))
        .or_else(|| Some((cut_title(raw.title.as_deref()?, site), "title")))
        .or_else(|| sourced(raw.headline.as_deref(), "h1"))
}

/// Longest title, in characters, from which nothing but the site is cut, and shortest part of a longer one. Heuristic.
const MAX_TITLE_CHARS: usize = 120;
const MIN_TITLE_CHARS: usize = 15;

/// The title without the name of the site at its end, as in `Gulls | Site`.
fn without_site(title: &str, site: Option<&str>) -> String {
    let cut = SEPARATORS.iter().find_map(|separator| {
        let site = site?;
        let (rest, last) = title.rsplit_once(separator)?;
        (last.trim().eq_ignore_ascii_case(site.trim()) && !rest.trim().is_empty()).then(|| rest.trim().to_owned())
    });
    let title = cut.unwrap_or_else(|| title.to_owned());
    if title.chars().count() <= MAX_TITLE_CHARS {
        return title;
    }
    // A long title has a description of the site behind it.
    let first = SEPARATORS.iter().filter_map(|separator| title.split_once(separator)).map(|(first, _)| first.trim());
    let shortest = first.filter(|first| first.chars().count() >= MIN_TITLE_CHARS).min_by_key(|first| first.len());
    shortest.map_or_else(|| title.clone(), str::to_owned)
}

/// The names of the authors, with commas between them.
fn authors(
    raw: &Raw<'_>,
    described: &Described,
    headline_lines: &HeadlineLines,
    site: Option<&str>,
) -> Option<Sourced> {
    let is_other = |name: &String| site.is_none_or(|site| !name.eq_ignore_ascii_case(site));
    let join = |names: Vec<String>, source: &'static str| {
        let names: Vec<String> = names.into_iter().filter(is_other).collect();
        (!names.is_empty()).then(|| (names.join(", "), source))
    };
    let each = |texts: &[String]| names::all_authors(texts);
    join(each(&described.authors), "json-ld")
        .or_else(|| {
            // A tag of that name may hold the address of an account, and the next one the name.
            AUTHORS.iter().find_map(|name| {
                let (texts, source) = raw.all_meta(&[*name])?;
                join(each(texts), source)
            })
        })
        .or_else(|| raw.authors.clone().and_then(|(names, source)| join(names, source)))
        .or_else(|| join(headline_lines.authors.clone(), "headline"))
        .or_else(|| join(described.organizations.clone(), "json-ld"))
}

/// The date of publication as the page writes it.
fn published(raw: &Raw<'_>, described: &Described) -> Option<Sourced> {
    raw.meta(PUBLISHED).or_else(|| sourced(described.published.as_deref(), "json-ld"))
}

fn date(raw: &Raw<'_>, described: &Described, language: Option<&str>) -> Option<Sourced> {
    let readable = |(date, source): Sourced| Some((read_date(&date, language)?, source));
    PUBLISHED
        .iter()
        .find_map(|name| raw.meta(&[*name]).and_then(readable))
        .or_else(|| sourced(described.published.as_deref(), "json-ld").and_then(readable))
        .or_else(|| raw.date.clone().and_then(readable))
}

fn site(raw: &Raw<'_>, described: &Described) -> Option<Sourced> {
    raw.meta(SITES)
        .filter(|(name, _)| !name.contains("://"))
        .or_else(|| sourced(described.publisher.as_deref(), "json-ld"))
}

fn language(raw: &Raw<'_>, described: &Described, segments: &[Segment]) -> Option<Sourced> {
    let tag = |(value, source): Sourced| Some((language_tag(&value)?, source));
    sourced(raw.language.as_deref(), "html")
        .and_then(tag)
        .or_else(|| raw.meta(&["og:locale", "content-language", "language", "dc.language"]).and_then(tag))
        .or_else(|| sourced(described.language.as_deref(), "json-ld").and_then(tag))
        .or_else(|| Some((language_of(segments)?, "text")))
}

fn tags(raw: &Raw<'_>, described: &Described) -> Vec<String> {
    let declared = raw.all_meta(TAGS).map(|(texts, _)| names::separated(texts.iter().map(String::as_str)));
    let lists = [Some(raw.tags.clone()), declared, Some(described.keywords.clone())];
    lists.into_iter().flatten().find(|list| !list.is_empty()).unwrap_or_default()
}

fn categories(raw: &Raw<'_>, described: &Described) -> Vec<String> {
    let declared = raw.all_meta(SECTIONS).map(|(texts, _)| names::separated(texts.iter().map(String::as_str)));
    let lists = [declared, Some(described.section.clone()), Some(raw.categories.clone())];
    lists.into_iter().flatten().find(|list| !list.is_empty()).unwrap_or_default()
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

/// What separates the name of the site from a title.
const SEPARATORS: &[&str] = &[" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", "｜", "_"];

/// The page's own part of `<title>`: the longest piece between separators that is not the name of the site.
fn cut_title(title: &str, site: Option<&str>) -> String {
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
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::clean::Span;
    use crate::html::parse_html;

    fn metadata(html: &str) -> Metadata {
        let capture =
            Capture::parsed(parse_html(html), Record::parsed("x", Some("https://www.a.example/p?x=1".into())));
        read(&PageParts::find(&capture, &[]), &[])
    }

    #[test]
    fn declared_metadata_is_read() {
        let found = metadata(
            "<html lang=pt_br><head><title>A long title of it | Site</title><link rel=canonical href=/page>\
             <meta property=og:site_name content=Site><meta name=description content=' about\n it '>\
             <script type='application/ld+json'>{\"@graph\":[{\"@type\":\"Article\",\"datePublished\":\"2020-03-12T10:00:00Z\",\
             \"author\":[{\"@type\":\"Person\",\"name\":\"Ana\"},\"Rui\"]}]}</script>",
        );
        let expected = [
            ("title", &found.title, "A long title of it", "title"),
            ("author", &found.author, "Ana, Rui", "json-ld"),
            ("date", &found.date, "2020-03-12", "json-ld"),
            ("language", &found.language, "pt-BR", "html"),
            ("site", &found.site, "Site", "og:site_name"),
            ("url", &found.url, "https://www.a.example/page", "canonical"),
            ("description", &found.description, "about it", "description"),
        ];
        for (name, value, expected, source) in expected {
            assert_eq!((value.as_deref(), found.sources.get(name).map(String::as_str)), (Some(expected), Some(source)));
        }
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
        let segment = Segment::new(SegmentKind::Paragraph, spans, 0);
        assert_eq!(language_of(&[segment]).as_deref(), Some("de"));
    }

    #[test]
    fn bylines_and_datelines_of_the_text_are_read_and_those_of_others_are_not() {
        let found = metadata(
            "<aside><p class=author>By Other One</p><time datetime=2001-01-01>then</time></aside>\
             <article><h1>Gulls</h1><p class=byline>By Ann Lee and Bo Olsen</p><p class=entry-date>12 de marzo de 2020</p>\
             <a rel=tag href=/t>birds</a> <a rel='category tag' href=/c>Nature</a>\
             <a rel=license href=https://creativecommons.org/licenses/by/4.0/>CC BY</a></article>\
             <div class=related-posts><time datetime=1999-01-01>then</time></div>",
        );
        assert_eq!((found.author.as_deref(), found.sources["author"].as_str()), (Some("Ann Lee, Bo Olsen"), "byline"));
        assert_eq!((found.date.as_deref(), found.sources["date"].as_str()), (Some("2020-03-12"), "dateline"));
        assert_eq!((found.tags, found.categories), (vec!["birds".to_owned()], vec!["Nature".to_owned()]));
        assert_eq!(found.license.as_deref(), Some("https://creativecommons.org/licenses/by/4.0/"));
    }

    #[test]
    fn a_dateline_in_numbers_is_read_in_the_language_of_the_page() {
        let date = |language: &str| metadata(&format!("<html lang={language}><p class=date>03/04/2020</p>")).date;
        assert_eq!(date("fr").as_deref(), Some("2020-04-03"));
        assert_eq!(date("EN-us"), None);
    }

    #[test]
    fn the_name_of_the_site_at_the_end_of_a_title_is_cut() {
        let titled = |title: &str| {
            metadata(&format!(
                "<meta property=og:site_name content='The Gull'><meta property=og:title content='{title}'>"
            ))
            .title
        };
        assert_eq!(titled("Mussels | The Gull").as_deref(), Some("Mussels"));
        assert_eq!(titled("Mussels - a long story").as_deref(), Some("Mussels - a long story"));
        assert_eq!(titled("The Gull").as_deref(), Some("The Gull"));
    }

    #[test]
    fn an_address_of_an_account_is_no_author() {
        let found = metadata(
            "<meta name=author content=admin><meta property=article:author content=https://b.example/ann>\
             <meta name=parsely-author content='Ann Lee'>",
        );
        assert_eq!(found.author.as_deref(), Some("Ann Lee"));
    }

    #[test]
    fn hostile_json_does_no_harm() {
        let deep = format!("<script type=application/ld+json>{}", "[".repeat(100_000));
        assert_eq!(metadata(&deep).author, None);
        assert_eq!(language_tag("xx-é"), Some("xx".into()));
        assert_eq!(language_tag("english"), None);
    }
}
