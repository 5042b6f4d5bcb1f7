//! Loads the pages of a crawl: passes their links to the frontier, and records where they were
//! loaded from.

use super::crawl::{Frontier, Target};
use super::rate_limited::RateLimitedRenderer;
use std::sync::Arc;
use url::Url;
use vclean_core::capture::Capture;
use vclean_core::error::{ErrorKind, PageError};
use vclean_core::page::{Body, Page};

/// Connects the loading of pages to the frontier of a crawl.
pub(super) struct Following {
    frontier: Arc<Frontier>,
    renderer: Arc<RateLimitedRenderer>,
}

/// A page that is being loaded. When this is dropped, even by a panic, the page is finished.
struct Loading<'a> {
    frontier: &'a Frontier,
    stem: &'a str,
    announced: Vec<Url>,
    links: Vec<Url>,
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.frontier.finished(
            self.stem,
            std::mem::take(&mut self.announced),
            std::mem::take(&mut self.links),
        );
    }
}

impl Following {
    pub(super) fn new(frontier: Arc<Frontier>, renderer: Arc<RateLimitedRenderer>) -> Self {
        frontier.set_per_host(renderer.per_host());
        Self { frontier, renderer }
    }

    /// Loads a page with `load`. Also returns true if the page is left out, because it redirects to
    /// another page of the crawl or to another site.
    ///
    /// # Errors
    /// Those of `load`, and an error if the first address leads to another site.
    pub(super) fn load<R>(
        &self,
        stem: &str,
        page: &Page,
        load: impl FnOnce() -> Result<R, PageError>,
        capture: impl Fn(&R) -> &Capture,
    ) -> Result<(R, bool), PageError> {
        let (frontier, renderer) = (&*self.frontier, &*self.renderer);
        let mut loading = Loading {
            frontier,
            stem,
            announced: Vec::new(),
            links: Vec::new(),
        };
        let Body::Address(requested) = &page.body else {
            return load().map(|loaded| (loaded, false));
        };
        let requested =
            Url::parse(requested).map_err(|error| PageError::new(ErrorKind::Source, error))?;
        let is_first = requested == frontier.options().start;
        let loaded = load();
        if is_first {
            loading.announced = renderer.announced(frontier, || false);
        }
        let loaded = loaded?;
        let address = capture(&loaded)
            .address()
            .and_then(|address| Url::parse(address).ok());
        let address = address.unwrap_or_else(|| requested.clone());
        match frontier.arrived(&requested, &address) {
            Target::Outside if is_first => {
                let message =
                    format!("it redirects to {address}, which is of another site; begin there");
                return Err(PageError::new(ErrorKind::Policy, message));
            }
            Target::Outside | Target::Duplicate => return Ok((loaded, true)),
            Target::New => {}
        }
        loading.links = renderer.links(frontier, capture(&loaded), is_first);
        Ok((loaded, false))
    }
}
