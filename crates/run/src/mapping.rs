//! The addresses of a site: those that its first page links to and its sitemaps announce. Only the first page is loaded.

use super::crawl::{Frontier, Target};
use super::rate_limited::RateLimitedRenderer;
use url::Url;
use vclean_core::capture::Capture;
use vclean_core::page::Page;

/// The addresses of a site.
#[derive(Debug, Default)]
pub struct SiteMap {
    /// Each once, the first page's own first, then those of sitemaps, then those of links.
    pub addresses: Vec<String>,
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
    let loaded = renderer.render(&page, None).map_err(|error| error.to_string());
    map_site(renderer, frontier, loaded, is_cancelled)
}

/// [`addresses_of_site`] with a first page that was loaded already, or not.
pub fn map_site(
    renderer: &RateLimitedRenderer,
    frontier: &Frontier,
    loaded: Result<Capture, String>,
    is_cancelled: impl Fn() -> bool,
) -> SiteMap {
    let Some(first) = frontier.next() else { return SiteMap::default() };
    let announced = renderer.announced(frontier, is_cancelled);
    let checked = loaded.and_then(|capture| match capture.address().map(Url::parse) {
        Some(Ok(address)) if frontier.arrived(&first.url, &address) == Target::Outside => {
            Err(format!("it redirects to {address}, which is of another site; begin there"))
        }
        _ => Ok(capture),
    });
    let (links, fault) = match checked {
        Ok(capture) => (renderer.links(frontier, &capture, true), None),
        Err(cause) => (Vec::new(), Some(cause)),
    };
    frontier.finished(&first.stem, announced, links);
    let mut addresses = vec![first.url.to_string()];
    while let Some(visit) = frontier.next() {
        frontier.finished(&visit.stem, Vec::new(), Vec::new());
        addresses.push(visit.url.into());
    }
    SiteMap { addresses, fault }
}
