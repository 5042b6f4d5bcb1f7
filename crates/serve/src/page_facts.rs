//! Facts that a page states about itself, and the addresses in it.

use super::cleaned::Cleaned;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use url::{Host, Url};
use vclean_core::capture::{Capture, Dom};
use vclean_core::document::Metadata;

/// The metadata of a page that was requested at `url`, with Firecrawl's names.
pub(super) fn metadata(cleaned: &Cleaned, url: &str) -> Value {
    let Metadata {
        title,
        author,
        date,
        language,
        site,
        description,
        ..
    } = &cleaned.page.document.metadata;
    // The page may state the time of the day as well.
    let dom = &cleaned.capture.dom;
    let published = open_graph(dom, "article:published_time")
        .filter(|time| date.as_ref().is_some_and(|date| time.starts_with(date)));
    let is_address = |site: &str| matches!(Host::parse(site), Ok(Host::Ipv4(_) | Host::Ipv6(_)));
    let mut metadata = json!({
        "title": title, "description": description, "language": language, "author": author,
        "publishedTime": published.or(date.as_deref()), "publishedTimeSource": cleaned.page.document.metadata.date_source(),
        "ogSiteName": site.as_deref().filter(|site| !is_address(site)), "sourceURL": url,
        "url": cleaned.capture.address().unwrap_or(url), "statusCode": 200, "contentType": "text/html",
    });
    for (property, name) in OPEN_GRAPH {
        let found = open_graph(&cleaned.capture.dom, property);
        if let Some(found) = found {
            let is_picture = property == "og:image";
            let absolute = is_picture
                .then(|| base(&cleaned.capture)?.join(found).ok())
                .flatten();
            metadata[name] = absolute.map_or_else(|| found.into(), |url| String::from(url).into());
        }
    }
    metadata
}

/// Properties of the Open Graph protocol, and their names in the metadata.
const OPEN_GRAPH: [(&str, &str); 6] = [
    ("og:title", "ogTitle"),
    ("og:description", "ogDescription"),
    ("og:url", "ogUrl"),
    ("og:image", "ogImage"),
    ("og:locale", "ogLocale"),
    ("og:site_name", "ogSiteName"),
];

/// The first value of a property on a page.
fn open_graph<'a>(dom: &'a Dom, property: &str) -> Option<&'a str> {
    let is_property =
        |name: Option<&str>| name.is_some_and(|name| name.trim().eq_ignore_ascii_case(property));
    let named = dom.ids().filter(|&id| {
        dom.tag(id) == "meta"
            && (is_property(dom.attribute(id, "property"))
                || is_property(dom.attribute(id, "name")))
    });
    named
        .filter_map(|id| dom.attribute(id, "content"))
        .map(str::trim)
        .find(|content| !content.is_empty())
}

/// The address to which the links of a page are relative.
fn base(capture: &Capture) -> Option<Url> {
    let dom = &capture.dom;
    let page = capture
        .address()
        .and_then(|address| Url::parse(address).ok());
    let named = dom
        .ids()
        .filter(|id| dom.tag(*id) == "base")
        .find_map(|id| dom.attribute(id, "href"));
    match (&page, named) {
        (Some(page), Some(named)) => page.join(named).ok().or(Some(page.clone())),
        _ => page,
    }
}

/// The http and https addresses in an attribute of a kind of element, each once, in their order.
pub(super) fn addresses(capture: &Capture, tag: &str, attribute: &str) -> Vec<String> {
    let (dom, base) = (&capture.dom, base(capture));
    let mut seen = BTreeSet::new();
    let targets = dom
        .ids()
        .filter(|id| dom.tag(*id) == tag)
        .filter_map(|id| dom.attribute(id, attribute));
    let absolute = targets.filter_map(|target| match &base {
        Some(base) => base.join(target.trim()).ok(),
        None => Url::parse(target.trim()).ok(),
    });
    let found = absolute
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .map(String::from);
    found
        .filter(|address| seen.insert(address.clone()))
        .collect()
}
