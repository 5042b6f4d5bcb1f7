//! The metadata of a page: title, authors, dates, language, site, address, description and more,
//! and where each comes from.
//!
//! Sources, the most trusted first: Open Graph and other `<meta>` tags, JSON-LD (schema.org),
//! microdata and `rel` attributes, bylines and datelines, short lines beside the headline, the
//! address; for the date also its last change. Lists of other pages, comments and footers are not
//! sources.

mod date;
mod headline;
mod json_ld;
mod names;
mod next_part;
mod raw;
mod title;

use super::page::PageParts;
use crate::capture::{archived_address, site_host};
use crate::document::content::{Metadata, Segment, SegmentKind};
use crate::document::segments::heading_text::heading_text;
use crate::language::{guess_language, language_tag};
pub(super) use date::{date_within, read_date, read_relative};
pub(super) use raw::is_in_elsewhere;

use date::{date_of_address, is_local_day, is_universal, names_year};
use headline::HeadlineLines;
use json_ld::Described;
use raw::{Raw, SITES, Sourced, sourced};
use title::SiteNames;

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
/// The first ones of these tags are trusted more than JSON-LD, and the others less: `dc.date` may
/// be the day when a text was begun.
const BEFORE_JSON_LD: usize = 3;
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
const DESCRIPTIONS: &[&str] = &[
    "og:description",
    "description",
    "twitter:description",
    "dc.description",
    "dcterms.description",
];
const IMAGES: &[&str] = &[
    "og:image:secure_url",
    "og:image",
    "og:image:url",
    "twitter:image",
    "twitter:image:src",
];
const TAGS: &[&str] = &[
    "article:tag",
    "parsely-tags",
    "news_keywords",
    "keywords",
    "dc.subject",
    "citation_keywords",
];
const SECTIONS: &[&str] = &["article:section", "parsely-section", "category"];

/// Returns true if a line names the author of the text, as `By Ann Lee` does.
pub(super) fn is_byline(line: &str) -> bool {
    !names::byline(line).is_empty()
}

/// Reads the metadata of a page; `segments` are its kept text.
pub(super) fn read(page: &PageParts<'_>, segments: &[Segment]) -> Metadata {
    let PageParts {
        capture,
        targets,
        addresses,
        ..
    } = page;
    let kept = segments
        .get(segments.len() / 2)
        .and_then(|segment| targets.get(segment.target));
    let kept = kept.map(|target| target.container);
    let raw = Raw::collect(&capture.dom, kept);
    let described = json_ld::read(&raw.scripts);
    let language = language(&raw, &described, segments);
    let site = site(&raw, &described);
    let url = raw
        .canonical
        .as_deref()
        .and_then(|href| addresses.resolve_page(href))
        .map(|url| (url, "canonical"))
        .or_else(|| Some((addresses.resolve_page(&raw.meta(&["og:url"])?.0)?, "og:url")))
        .or_else(|| Some((capture.address()?.to_owned(), "address")));
    let url = url.map(|(url, source)| match archived_address(&url) {
        Some((page, _)) => (page.to_owned(), source),
        None => (url, source),
    });
    let host = url
        .as_ref()
        .map(|(url, _)| url.as_str())
        .or(capture.address())
        .and_then(site_host);
    let heading = page.site_heading();
    let site_names = SiteNames::collect(&raw, &described, host.as_deref(), heading.name.as_deref());
    let own = heading.own.and_then(|own| {
        let source = if capture.dom.tag(own) == "h1" {
            "h1"
        } else {
            "heading"
        };
        Some((heading_text(&capture.dom, own)?, source))
    });
    let title = title::read(&raw, &described, segments, &site_names, own);
    let tag = language.as_ref().map(|(tag, _)| tag.as_str());
    let first_kept = segments.first().map_or(0, |segment| segment.target);
    let headline_lines = headline::read(page, first_kept, tag);
    let authors = authors(&raw, &described, &headline_lines, &site_names);
    let modified = raw
        .meta(MODIFIED)
        .or_else(|| sourced(described.modified.as_deref(), "json-ld"))
        .or_else(|| raw.modified.clone())
        .and_then(|(date, source)| Some((read_date(&date, tag)?, source)))
        .or_else(|| sourced(headline_lines.modified.as_deref(), "headline"));
    let relative = || read_relative(raw.relative.as_deref()?, capture.record.captured_at_s?);
    let address_date = url.as_ref().and_then(|(url, _)| date_of_address(url));
    let shown = raw.shown_dates.iter().chain(&headline_lines.date);
    let date = date(&raw, &described, address_date.as_ref(), shown, tag)
        .or_else(|| sourced(relative().as_deref(), "dateline"))
        .or_else(|| sourced(headline_lines.date.as_deref(), "headline"))
        .or_else(|| sourced(address_date.as_deref(), "address"))
        .or_else(|| {
            sourced(
                headline::date_block(capture, targets, first_kept, kept, tag).as_deref(),
                "text",
            )
        })
        .or_else(|| declared_dates(&raw, &described).find(|(date, _)| names_year(date)))
        .or_else(|| sourced(Some(&modified.as_ref()?.0), "modified"));
    let description = raw
        .meta(DESCRIPTIONS)
        .or_else(|| sourced(described.description.as_deref(), "json-ld"));
    let image = raw
        .meta(IMAGES)
        .or_else(|| sourced(described.image.as_deref(), "json-ld"));
    let image =
        image.and_then(|(address, source)| Some((addresses.resolve_picture(&address)?, source)));
    let license = sourced(raw.license.as_deref(), "rel=license")
        .or_else(|| sourced(described.license.as_deref(), "json-ld"));
    let license =
        license.and_then(|(address, source)| Some((addresses.resolve(&address)?, source)));
    let site = site.or_else(|| host.map(|host| (host, "address")));

    let mut metadata = Metadata::default();
    let mut take = |name: &'static str, value: Option<Sourced>| {
        let (value, source) = value?;
        metadata.sources.insert(name.to_owned(), source.to_owned());
        Some(value)
    };
    let [title, author, date, modified] = [
        ("title", title),
        ("author", authors),
        ("date", date),
        ("modified", modified),
    ]
    .map(|(name, value)| take(name, value));
    let [language, site, url, description] = [
        ("language", language),
        ("site", site),
        ("url", url),
        ("description", description),
    ]
    .map(|(name, value)| take(name, value));
    let [image, license] =
        [("image", image), ("license", license)].map(|(name, value)| take(name, value));
    let (tags, categories) = (tags(&raw, &described), categories(&raw, &described));
    let here = capture.address().or(url.as_deref());
    let next = here.and_then(|here| next_part::find(&capture.dom, here));
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
        next,
        tags,
        categories,
        ..metadata
    }
}

/// The names of the authors, with commas between them. The site itself is the author only where the
/// page names nobody else.
fn authors(
    raw: &Raw<'_>,
    described: &Described,
    headline_lines: &HeadlineLines,
    site: &SiteNames,
) -> Option<Sourced> {
    let join_all = |names: Vec<String>, source: &'static str| {
        (!names.is_empty()).then(|| (names.join(", "), source))
    };
    let join = |names: Vec<String>, source| {
        join_all(
            names.into_iter().filter(|name| !site.has(name)).collect(),
            source,
        )
    };
    let each = |texts: &[String]| names::all_authors(texts);
    // A tag of that name may hold the address of an account, and the next one the name.
    let tags = || AUTHORS.iter().filter_map(|name| raw.all_meta(&[*name]));
    let shown = || {
        let marked = raw
            .authors
            .clone()
            .and_then(|(names, source)| join(names, source));
        marked.or_else(|| join(headline_lines.authors.clone(), "headline"))
    };
    let declared = join(each(&described.authors), "json-ld");
    if let Some((first, _)) = &declared {
        // JSON-LD often has the first author alone.
        let more = tags()
            .filter_map(|(texts, source)| join(each(texts), source))
            .chain(shown());
        if let Some(found) = more
            .into_iter()
            .find(|(names, _)| names::adds_to(names, first))
        {
            return Some(found);
        }
    }
    declared
        .or_else(|| tags().find_map(|(texts, source)| join(each(texts), source)))
        .or_else(shown)
        .or_else(|| join(described.organizations.clone(), "json-ld"))
        .or_else(|| join_all(each(&described.authors), "json-ld"))
        .or_else(|| join_all(described.organizations.clone(), "json-ld"))
        .or_else(|| tags().find_map(|(texts, source)| join_all(each(texts), source)))
}

/// The dates of publication that a page declares, as it writes them, the most trusted first.
fn declared_dates<'a>(
    raw: &'a Raw<'_>,
    described: &'a Described,
) -> impl Iterator<Item = Sourced> + 'a {
    let (before, after) = PUBLISHED.split_at(BEFORE_JSON_LD);
    let declared =
        |names: &'static [&'static str]| names.iter().filter_map(|name| raw.meta(&[*name]));
    declared(before)
        .chain(sourced(described.published.as_deref(), "json-ld"))
        .chain(declared(after))
}

/// The declared date, or the one that is marked in the text. For a moment in Universal Time, the
/// result is the local day: that of another declared date with a zone, of the address, or of the
/// dates that readers see (`shown`).
fn date<'a>(
    raw: &Raw<'_>,
    described: &Described,
    address_date: Option<&String>,
    shown: impl Iterator<Item = &'a String>,
    language: Option<&str>,
) -> Option<Sourced> {
    let readable = |(date, source): Sourced| Some((read_date(&date, language)?, date, source));
    let mut all = declared_dates(raw, described)
        .chain(raw.date.clone())
        .filter_map(readable);
    let (day, moment, source) = all.next()?;
    if !is_universal(&moment) {
        return Some((day, source));
    }
    let may_be = |other: &String| *other == day || is_local_day(&moment, other);
    let has_zone = |written: &String| written.contains(':') && !is_universal(written);
    let zoned = all
        .filter(|(_, written, _)| has_zone(written))
        .map(|(day, ..)| day);
    if let Some(local) = zoned.chain(address_date.cloned()).find(may_be) {
        return Some((local, source));
    }
    // Readers see dates of today and of other pages too.
    let shown: Vec<&String> = shown.filter(|other| may_be(other)).collect();
    let local = if shown.contains(&&day) {
        None
    } else {
        shown.first().map(|other| (*other).clone())
    };
    Some((local.unwrap_or(day), source))
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
        .or_else(|| {
            raw.meta(&["og:locale", "content-language", "language", "dc.language"])
                .and_then(tag)
        })
        .or_else(|| sourced(described.language.as_deref(), "json-ld").and_then(tag))
        .or_else(|| Some((language_of(segments)?, "text")))
}

fn tags(raw: &Raw<'_>, described: &Described) -> Vec<String> {
    let declared = raw
        .all_meta(TAGS)
        .map(|(texts, _)| names::separated(texts.iter().map(String::as_str)));
    let lists = [
        Some(raw.tags.clone()),
        declared,
        Some(described.keywords.clone()),
    ];
    lists
        .into_iter()
        .flatten()
        .find(|list| !list.is_empty())
        .unwrap_or_default()
}

fn categories(raw: &Raw<'_>, described: &Described) -> Vec<String> {
    let declared = raw
        .all_meta(SECTIONS)
        .map(|(texts, _)| names::separated(texts.iter().map(String::as_str)));
    let lists = [
        declared,
        Some(described.section.clone()),
        Some(raw.categories.clone()),
    ];
    lists
        .into_iter()
        .flatten()
        .find(|list| !list.is_empty())
        .unwrap_or_default()
}

/// The detected language of the kept text, if the detection is reliable.
fn language_of(segments: &[Segment]) -> Option<String> {
    let mut text = String::new();
    for segment in segments
        .iter()
        .filter(|segment| !matches!(segment.kind, SegmentKind::Code { .. }))
    {
        if text.len() > LANGUAGE_BYTES {
            break;
        }
        text.push_str(&segment.text());
        text.push('\n');
    }
    guess_language(&text).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::document::Span;
    use crate::html::parse_html;

    /// The metadata of a page whose text is not given.
    pub(super) fn metadata(html: &str) -> Metadata {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://www.a.example/p?x=1".into())),
        );
        read(&PageParts::new(&capture, &[]), &[])
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
            assert_eq!(
                (
                    value.as_deref(),
                    found.sources.get(name).map(String::as_str)
                ),
                (Some(expected), Some(source))
            );
        }
    }

    #[test]
    fn the_address_of_a_copy_in_an_archive_is_that_of_the_page() {
        let found = metadata(
            "<link rel=canonical href=https://web.archive.org/web/20200102030405/https://b.example/c>",
        );
        assert_eq!(found.url.as_deref(), Some("https://b.example/c"));
        assert_eq!(found.site.as_deref(), Some("b.example"));
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
        let text = "Dies ist ein längerer deutscher Text, in dem es um nichts weiter geht als darum, erkannt zu werden.";
        let spans = vec![Span {
            text: text.into(),
            ..Span::default()
        }];
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
        assert_eq!(
            (found.author.as_deref(), found.sources["author"].as_str()),
            (Some("Ann Lee, Bo Olsen"), "byline")
        );
        assert_eq!(
            (found.date.as_deref(), found.sources["date"].as_str()),
            (Some("2020-03-12"), "dateline")
        );
        assert_eq!(
            (found.tags, found.categories),
            (vec!["birds".to_owned()], vec!["Nature".to_owned()])
        );
        assert_eq!(
            found.license.as_deref(),
            Some("https://creativecommons.org/licenses/by/4.0/")
        );
    }

    #[test]
    fn a_dateline_in_numbers_is_read_in_the_language_of_the_page() {
        let date = |language: &str| {
            metadata(&format!(
                "<html lang={language}><p class=date>03/04/2020</p>"
            ))
            .date
        };
        assert_eq!(date("fr").as_deref(), Some("2020-04-03"));
        assert_eq!(date("EN-us"), None);
    }

    #[test]
    fn the_day_of_a_moment_is_the_local_one() {
        let declared = "<meta property=article:published_time content=2020-03-12T03:22:07Z>";
        let date = |text: &str| metadata(&format!("{declared}{text}")).date;
        assert_eq!(date("").as_deref(), Some("2020-03-12"));
        assert_eq!(
            date("<time>March 11, 2020</time>").as_deref(),
            Some("2020-03-11")
        );
        assert_eq!(
            date("<time>March 11, 2020</time><time>March 12, 2020</time>").as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(
            date("<time>March 10, 2020</time>").as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(
            date("<link rel=canonical href=/2020/03/11/gulls><time>March 12, 2020</time>")
                .as_deref(),
            Some("2020-03-11")
        );
        let zoned = "<meta name=sailthru.date content='2020-03-11T22:22:07-05:00'>";
        assert_eq!(date(zoned).as_deref(), Some("2020-03-11"));
    }

    #[test]
    fn the_day_of_a_change_is_not_that_of_publication() {
        let found = metadata(
            "<time>Updated 4 May 2020</time><p class=last-modified-date>5 May 2020</p><p class=date>3 May 2020</p>",
        );
        assert_eq!(
            (found.date.as_deref(), found.modified.as_deref()),
            (Some("2020-05-03"), Some("2020-05-04"))
        );
    }

    #[test]
    fn further_authors_are_added_to_the_first() {
        let first = "<script type=application/ld+json>{\"@type\": \"Article\", \"author\": \"Ann Lee\"}</script>";
        let author = |text: &str| metadata(&format!("{first}{text}")).author;
        assert_eq!(
            author("<p class=byline>By Ann Lee and Bo Olsen</p>").as_deref(),
            Some("Ann Lee, Bo Olsen")
        );
        assert_eq!(
            author("<p class=byline>By Cy Day</p>").as_deref(),
            Some("Ann Lee")
        );
        assert_eq!(
            author("<meta name=author content='Ann Lee,Bo Olsen'>").as_deref(),
            Some("Ann Lee, Bo Olsen")
        );
    }

    #[test]
    fn the_site_is_the_author_where_nobody_else_is_named() {
        let site =
            "<meta property=og:site_name content='The Gull'><meta name=author content='The Gull'>";
        assert_eq!(metadata(site).author.as_deref(), Some("The Gull"));
        let found = metadata(&format!("{site}<p><a href=/author/ann>Ann Lee</a></p>"));
        assert_eq!(
            (found.author.as_deref(), found.sources["author"].as_str()),
            (Some("Ann Lee"), "byline")
        );
    }

    #[test]
    fn numbers_of_running_text_are_no_dates() {
        for text in [
            "<main><h1>Manual</h1><p>Available in 2.4.26 and later. Listen 192.0.2.5:8000</p>",
            "<h1>Manual</h1><p>See section 3.4.15.</p>",
            "<h1>Manual</h1><p class=candidate>3 May 2020</p>",
            "<h1>Manual</h1><p class=update-validator>12.03.2020</p>",
            "<meta property=article:published_time content=0001-01-01T00:00:00Z>",
            "<meta name=date content='192.0.2.5:8000'><time datetime=8000-01-01>8000</time>",
        ] {
            let found = metadata(text);
            assert_eq!(
                (found.date, found.sources.get("date")),
                (None, None),
                "{text}"
            );
        }
        assert_eq!(
            metadata("<meta name=date content='Spring 2020'>")
                .date
                .as_deref(),
            Some("Spring 2020")
        );
    }

    #[test]
    fn classes_with_auth_in_them_are_no_bylines() {
        for html in [
            "<h2 id=authorization>Authorization</h2>",
            "<p class=authority>Ann Lee</p>",
            "<div class=author-box><a class=author href=#>Write a customer review</a></div>",
            "<a class=author href=/next>Euroslavia »</a>",
            "<span class=author>Seagulls are birds</span>",
            "<h2 id=authors>About gulls</h2>",
            "<button class=author>Ann Lee</button>",
        ] {
            assert_eq!(metadata(html).author, None, "{html}");
        }
        for html in [
            "<p class=entryAuthor>Print David Lassman</p>",
            "<p id=post_author>By David Lassman »</p>",
        ] {
            assert_eq!(
                metadata(html).author.as_deref(),
                Some("David Lassman"),
                "{html}"
            );
        }
        assert_eq!(
            metadata("<p class=autor>Ludwig van Beethoven</p>")
                .author
                .as_deref(),
            Some("Ludwig van Beethoven")
        );
        assert_eq!(
            metadata("<p class=author>王小明</p>").author.as_deref(),
            Some("王小明")
        );
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
