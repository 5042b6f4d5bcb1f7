//! The addresses of a site: those that its first page links to, and those that its sitemaps
//! announce. Only the first page is loaded.

use super::crawl::{Frontier, Target, link_titles, page_description, page_title};
use super::rate_limited::RateLimitedRenderer;
use rustc_hash::FxHashMap;
use serde::Serialize;
use url::Url;
use vclean_core::capture::Capture;
use vclean_core::page::Page;

/// An address of a site, with the facts about its page that are known without loading it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteAddress {
    /// The absolute address, without fragment.
    pub url: String,
    /// Title. For the first page it is the page's own, for other pages the best text of the first
    /// page's links to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description that the first page states for itself; absent for other pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The addresses of a site.
#[derive(Debug, Default)]
pub struct SiteMap {
    /// Each address once: the first page's own, then those of sitemaps, then those of links.
    pub addresses: Vec<SiteAddress>,
    /// Error message if the first page could not be loaded.
    pub fault: Option<String>,
}

/// Loads the first page of a site and reads its sitemaps. Waiting ends soon after `is_cancelled`
/// returns true.
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

/// Like [`addresses_of_site`], with a first page that was loaded already, or the error of loading
/// it.
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
