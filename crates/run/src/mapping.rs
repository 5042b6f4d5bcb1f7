//! The addresses of a site: those that its first page links to and its sitemaps announce. Only the
//! first page is loaded.

use super::crawl::{Frontier, Target, link_titles, page_description, page_title};
use super::rate_limited::RateLimitedRenderer;
use rustc_hash::FxHashMap;
use serde::Serialize;
use url::Url;
use vclean_core::capture::Capture;
use vclean_core::page::Page;

/// An address of a site, and what is known of its page without loading it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteAddress {
    /// The address.
    pub url: String,
    /// The title of the first page; of another one the most telling text of the first page's links
    /// to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description that the first page has of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The addresses of a site.
#[derive(Debug, Default)]
pub struct SiteMap {
    /// Each once, the first page's own first, then those of sitemaps, then those of links.
    pub addresses: Vec<SiteAddress>,
    /// Why the first page could not be loaded.
    pub fault: Option<String>,
}

/// Loads the first page of a site and reads its sitemaps; waiting ends when `is_cancelled`.
pub fn addresses_of_site(
    renderer: &RateLimitedRenderer,
    frontier: &Frontier,
    is_cancelled: impl Fn() -> bool,
) -> SiteMap {
    let page = Page::from_url(frontier.options().start.as_str());
    let loaded = renderer
        .render(&page, None)
        .map_err(|error| error.to_string());
    map_site(renderer, frontier, loaded, is_cancelled)
}

/// [`addresses_of_site`] with a first page that was loaded already, or not.
pub fn map_site(
    renderer: &RateLimitedRenderer,
    frontier: &Frontier,
    loaded: Result<Capture, String>,
    is_cancelled: impl Fn() -> bool,
) -> SiteMap {
    let Some(first) = frontier.next() else {
        return SiteMap::default();
    };
    let announced = renderer.announced(frontier, is_cancelled);
    let checked = loaded.and_then(|capture| match capture.address().map(Url::parse) {
        Some(Ok(address)) if frontier.arrived(&first.url, &address) == Target::Outside => Err(
            format!("it redirects to {address}, which is of another site; begin there"),
        ),
        _ => Ok(capture),
    });
    let mut own = SiteAddress {
        url: first.url.to_string(),
        ..SiteAddress::default()
    };
    let (mut titles, mut links, mut fault) = (FxHashMap::default(), Vec::new(), None);
    match checked {
        Ok(capture) => {
            titles = link_titles(&capture);
            links = renderer.links(frontier, &capture, true);
            (own.title, own.description) = (page_title(&capture), page_description(&capture));
        }
        Err(cause) => fault = Some(cause),
    }
    frontier.finished(&first.stem, announced, links);
    let mut addresses = vec![own];
    while let Some(visit) = frontier.next() {
        frontier.finished(&visit.stem, Vec::new(), Vec::new());
        let title = titles.remove(&visit.url);
        addresses.push(SiteAddress {
            url: visit.url.into(),
            title,
            description: None,
        });
    }
    SiteMap { addresses, fault }
}
