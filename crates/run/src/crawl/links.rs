//! The links of a page that a crawl may follow.

use rustc_hash::FxHashSet;
use url::Url;
use vclean_core::capture::{Capture, Dom, NodeId};

/// Largest number of links of a page that are read. Heuristic: pages written for people have far
/// fewer.
const MAX_LINKS: usize = 20_000;
/// Longest reference that is resolved, in bytes; a longer one contains data.
const MAX_REFERENCE_BYTES: usize = 4096;

/// Largest number of feeds of a page that are read. Heuristic: one for texts and one for comments,
/// in two formats.
const MAX_FEEDS: usize = 4;
/// Media types of feeds.
const FEED_TYPES: [&str; 4] = [
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/feed+json",
];

/// The http and https addresses that a page links to, without fragments, each once, in the order of
/// the page. With `obeys_nofollow`, links marked `nofollow` are left out, and pages that ask robots
/// not to follow their links have none.
pub fn links(capture: &Capture, obeys_nofollow: bool) -> Vec<Url> {
    let dom = &capture.dom;
    if obeys_nofollow && dom.ids().any(|id| forbids_following(dom, id)) {
        return Vec::new();
    }
    let Some(base) = base(capture) else {
        return Vec::new();
    };
    let mut seen = FxHashSet::default();
    let references = dom
        .ids()
        .filter_map(|id| reference(dom, id, obeys_nofollow));
    let resolved = references
        .take(MAX_LINKS)
        .filter_map(|reference| base.join(reference).ok());
    resolved
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .filter_map(|mut url| {
            url.set_fragment(None);
            seen.insert(url.clone()).then_some(url)
        })
        .collect()
}

/// The address that the references of a page are relative to; `None` for a page without an address.
pub(super) fn base(capture: &Capture) -> Option<Url> {
    let dom = &capture.dom;
    let own = capture
        .address()
        .and_then(|address| Url::parse(address).ok())?;
    let named = dom
        .ids()
        .filter(|&id| dom.tag(id) == "base")
        .find_map(|id| dom.attribute(id, "href"));
    Some(
        named
            .and_then(|named| own.join(named.trim()).ok())
            .unwrap_or(own),
    )
}

/// The addresses of the feeds that a page names in its `link` elements.
pub fn feeds(capture: &Capture) -> Vec<Url> {
    let dom = &capture.dom;
    let Some(base) = base(capture) else {
        return Vec::new();
    };
    let is_feed = |media_type: &str| {
        FEED_TYPES
            .iter()
            .any(|known| media_type.trim().eq_ignore_ascii_case(known))
    };
    let named = dom.ids().filter(|&id| {
        dom.tag(id) == "link"
            && dom.attribute(id, "rel").is_some_and(|rel| {
                rel.split_whitespace()
                    .any(|word| word.eq_ignore_ascii_case("alternate"))
            })
            && dom.attribute(id, "type").is_some_and(is_feed)
    });
    let references = named
        .filter_map(|id| dom.attribute(id, "href"))
        .filter(|text| text.len() <= MAX_REFERENCE_BYTES);
    references
        .filter_map(|reference| base.join(reference.trim()).ok())
        .take(MAX_FEEDS)
        .collect()
}

/// The reference in a node, if it is a link to another page.
pub(super) fn reference(dom: &Dom, id: NodeId, obeys_nofollow: bool) -> Option<&str> {
    let name = match dom.tag(id) {
        "a" | "area" => "href",
        "frame" => "src",
        _ => return None,
    };
    let has_word = |attribute: &str, word: &str| {
        dom.attribute(id, attribute).is_some_and(|words| {
            words
                .split_whitespace()
                .any(|found| found.eq_ignore_ascii_case(word))
        })
    };
    let is_left =
        obeys_nofollow && has_word("rel", "nofollow") || dom.attribute(id, "download").is_some();
    let reference = dom.attribute(id, name)?.trim();
    (!is_left && !reference.starts_with('#') && reference.len() <= MAX_REFERENCE_BYTES)
        .then_some(reference)
}

/// Returns true if a node is a `<meta name=robots>` that asks not to follow the links of its page.
fn forbids_following(dom: &Dom, id: NodeId) -> bool {
    let is_robots = |name: &str| {
        name.trim().eq_ignore_ascii_case("robots") || name.trim().eq_ignore_ascii_case("vclean")
    };
    dom.tag(id) == "meta"
        && dom.attribute(id, "name").is_some_and(is_robots)
        && dom.attribute(id, "content").is_some_and(|content| {
            content.split(',').map(str::trim).any(|word| {
                word.eq_ignore_ascii_case("nofollow") || word.eq_ignore_ascii_case("none")
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::Record;
    use vclean_core::html::parse_html;

    fn found(html: &str, obeys: bool) -> Vec<String> {
        let record = Record::parsed("x", Some("https://a.example/dir/page".into()));
        links(&Capture::parsed(parse_html(html), record), obeys)
            .into_iter()
            .map(String::from)
            .collect()
    }

    #[test]
    fn links_are_absolute_and_without_fragments() {
        let page = "<a href='x#one'>1</a><a href='x#two'>2</a><a href='#here'>3</a><a href=' //b.example '>4</a><a>5</a>
            <a href='javascript:go()'>6</a><a href='file' download>7</a><map><area href='/area'></map><a href='http://[bad'>8</a>";
        assert_eq!(
            found(page, true),
            [
                "https://a.example/dir/x",
                "https://b.example/",
                "https://a.example/area"
            ]
        );
        assert_eq!(
            found("<base href='/other/'><a href=y>", true),
            ["https://a.example/other/y"]
        );
    }

    #[test]
    fn feeds_are_those_that_the_page_names() {
        let html = "<link rel='Alternate nofollow' type='Application/RSS+xml' href='feed#x'><link rel=alternate type=text/html href=/de>
            <link rel=stylesheet type=application/atom+xml href=b><link rel=alternate type=application/atom+xml href='//b.example/'>";
        let record = Record::parsed("x", Some("https://a.example/dir/page".into()));
        let found: Vec<String> = feeds(&Capture::parsed(parse_html(html), record))
            .into_iter()
            .map(String::from)
            .collect();
        assert_eq!(
            found,
            ["https://a.example/dir/feed#x", "https://b.example/"]
        );
        let html = "<base href='/other/'><link rel=alternate type=application/feed+json href=feed>";
        let record = Record::parsed("x", Some("https://a.example/dir/page".into()));
        assert_eq!(
            feeds(&Capture::parsed(parse_html(html), record))[0].path(),
            "/other/feed"
        );
    }

    #[test]
    fn links_that_robots_may_not_follow_are_left_out_unless_that_is_ignored() {
        let page = "<a href=a rel='external NoFollow'>1</a><a href=b>2</a>";
        assert_eq!((found(page, true).len(), found(page, false).len()), (1, 2));
        let page = "<meta name=Robots content='noindex, nofollow'><a href=b>2</a>";
        assert_eq!((found(page, true).len(), found(page, false).len()), (0, 1));
    }
}
