//! Rate-limited rendering: pages with an address wait until their host may be used, others are
//! rendered at once. Shared by runs over many pages and by services.

use super::crawl::{
    Announced, Frontier, MAX_SITEMAP_BYTES, OutOfScope, SitemapUse, announced, announced_in_feeds,
    feeds, links,
};
use super::pages::RunWarning;
use super::politeness::{
    Failure, MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS, Politeness, PolitenessOptions, Refused, Retry,
    RobotsError, RobotsResponse,
};
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use vclean_core::capture::{Capture, Engine};
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page, parse};
use vclean_render::net::{FetchLimits, Fetched};
use vclean_render::{Cancel, PageOptions, Renderer, address};

/// Limits for fetching a `robots.txt`. The time is heuristic: pages of a slower server would not
/// load either.
const ROBOTS: FetchLimits = FetchLimits {
    max_bytes: MAX_ROBOTS_BYTES,
    redirects: MAX_ROBOTS_REDIRECTS,
    timeout: Duration::from_secs(20),
};

/// Limits for fetching a sitemap. The time is heuristic: that of the largest file at 1 MB/s.
const SITEMAP: FetchLimits = FetchLimits {
    max_bytes: MAX_SITEMAP_BYTES,
    redirects: 5,
    timeout: Duration::from_mins(1),
};

/// A renderer that keeps the rate limits of hosts and obeys `robots.txt`.
pub struct RateLimitedRenderer {
    renderer: Renderer,
    politeness: Arc<Politeness>,
}

/// A page that was loaded for a caller with a limited number of places.
#[derive(Debug)]
pub struct Loaded<P> {
    /// The page as rendered or parsed.
    pub capture: Capture,
    /// The document fetched from the address; `None` if the page was rendered.
    pub fetched: Option<Page>,
    /// The place in which the page was loaded, as returned by `admit`.
    pub place: P,
}

impl RateLimitedRenderer {
    /// Limits the requests of `renderer`; nothing is known of any host yet.
    pub fn new(renderer: Renderer, options: PolitenessOptions) -> Self {
        Self {
            renderer,
            politeness: Arc::new(Politeness::new(options)),
        }
    }

    /// The rate limits, for the queue of the pages.
    pub(super) fn politeness(&self) -> Arc<Politeness> {
        Arc::clone(&self.politeness)
    }

    /// A message to show once, if pages meant for Chromium were rendered without it.
    pub fn notice(&self) -> Option<String> {
        self.renderer.notice()
    }

    /// Prevents pages from reaching a port of this machine, under any policy.
    pub fn protect(&self, port: u16) {
        self.renderer.protect(port);
    }

    /// Sends a body by POST, without waiting for the host; see [`Renderer::post`].
    ///
    /// # Errors
    /// Those of [`Renderer::post`].
    pub fn post(
        &self,
        url: &Url,
        headers: &[(String, String)],
        body: &[u8],
        timeout: Duration,
    ) -> Result<u16, RenderError> {
        self.renderer.post(url, headers, body, timeout)
    }

    /// Number of browsers that died and were replaced.
    pub fn restarts(&self) -> usize {
        self.renderer.restarts()
    }

    /// Returns a function that gives the renderer's warning about the whole run, once there is one.
    pub(super) fn warning(this: &Arc<Self>) -> RunWarning {
        let this = Arc::clone(this);
        Box::new(move || this.renderer.notice())
    }

    /// Returns a function that counts how often the browser died and was replaced.
    pub(super) fn restart_counter(this: &Arc<Self>) -> impl Fn() -> usize + 'static {
        let this = Arc::clone(this);
        move || this.renderer.restarts()
    }

    /// Largest number of pages of a host that are loaded at the same time.
    pub fn per_host(&self) -> usize {
        self.politeness.per_host()
    }

    /// The addresses that the sitemaps of a site announce and that belong to its crawl. Waits for
    /// the host before each file, until `is_cancelled` returns true.
    pub fn announced(&self, frontier: &Frontier, is_cancelled: impl Fn() -> bool) -> Vec<Url> {
        let options = frontier.options();
        if options.sitemap == SitemapUse::Skip {
            return Vec::new();
        }
        let named = self
            .politeness
            .sitemaps(&options.start, |robots| self.fetch_robots(robots));
        let admits = |url: &Url| self.admits(frontier, url);
        let fetch = |url: &Url| self.fetch_announced(url, &is_cancelled);
        noted(
            announced(&options.start, named, options.max_pages, admits, fetch),
            frontier,
        )
    }

    fn fetch_announced(
        &self,
        url: &Url,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Fetched, String> {
        self.request(url, is_cancelled, || self.renderer.fetch(url, SITEMAP))
            .map_err(|error| error.to_string())
    }

    /// The addresses that the feeds of a site's first page announce and that belong to its crawl.
    fn in_feeds(&self, frontier: &Frontier, first: &Capture) -> Vec<Url> {
        let options = frontier.options();
        if options.sitemap == SitemapUse::Skip {
            return Vec::new();
        }
        let feeds: Vec<Url> = feeds(first)
            .into_iter()
            .filter(|url| self.is_feed_of(frontier, url))
            .collect();
        let admits = |url: &Url| self.admits(frontier, url);
        let fetch = |url: &Url| self.fetch_announced(url, || false);
        noted(
            announced_in_feeds(feeds, options.max_pages, admits, fetch),
            frontier,
        )
    }

    /// Returns true if a feed may be read: it is on the site, and `robots.txt` allows it.
    fn is_feed_of(&self, frontier: &Frontier, url: &Url) -> bool {
        frontier.is_of_site(url)
            && self
                .politeness
                .allows(url, |robots| self.fetch_robots(robots))
    }

    /// The links of a page and, for the first page, of its feeds that belong to the crawl.
    pub fn links(&self, frontier: &Frontier, capture: &Capture, is_first: bool) -> Vec<Url> {
        let mut found = if is_first {
            self.in_feeds(frontier, capture)
        } else {
            Vec::new()
        };
        if frontier.options().sitemap != SitemapUse::Only {
            let links = links(capture, self.politeness.obeys_robots());
            found.extend(links.into_iter().filter(|url| self.admits(frontier, url)));
        }
        found
    }

    /// Returns true if an address belongs to a crawl, is not known to it yet and may be loaded.
    fn admits(&self, frontier: &Frontier, url: &Url) -> bool {
        if !frontier.is_wanted(url) {
            return false;
        }
        let is_allowed = self
            .politeness
            .allows(url, |robots| self.fetch_robots(robots));
        if !is_allowed {
            frontier.leave_out(url, OutOfScope::Robots);
        }
        is_allowed
    }

    /// Fetches the bare page of an address once its host may be used; `None` if this fails, because
    /// rendering the page will report the cause.
    pub(super) fn fetch(&self, page: &Page) -> Option<Page> {
        let Body::Address(address) = &page.body else {
            return None;
        };
        let url = Url::parse(address).ok()?;
        let found = self
            .request(
                &url,
                || false,
                || {
                    self.renderer.fetch_document(
                        &url,
                        FetchLimits::default(),
                        None,
                        &Cancel::default(),
                    )
                },
            )
            .ok()?;
        found.into_page(&page.input).ok()
    }

    /// Fetches a file that a page loads, like its browser: without waiting for its host.
    pub(super) fn fetch_file(&self, url: &Url, limits: FetchLimits) -> Option<Fetched> {
        self.renderer.fetch(url, limits).ok()
    }

    /// Renders a page. A page with an address waits for its host before it takes a tab. `bare` is
    /// the result of [`Self::fetch`].
    ///
    /// # Errors
    /// [`Refused`], if it may not be rendered or cannot be.
    pub(super) fn render(
        &self,
        page: &Page,
        bare: Option<&Page>,
    ) -> Result<Capture, Refused<RenderError>> {
        let options = PageOptions::default();
        let render = || {
            self.renderer
                .render_fetched(page, bare, &options)
                .map(|rendered| rendered.capture)
        };
        let address = match &page.body {
            Body::Address(address) => Url::parse(address).ok(),
            _ => None,
        };
        match address {
            Some(url) => self.request(&url, || false, render),
            // Also for an invalid address: the renderer reports it.
            None => render().map_err(Refused::Failed),
        }
    }

    /// Renders a page with options of its own, or, if not `is_rendered`, only fetches and parses
    /// it. `admit` is called once its host may be used, and returns the place in which the page is
    /// worked on. Pages that wait for a host occupy no place, nor do pages that are being fetched
    /// without a browser.
    ///
    /// # Errors
    /// Those of [`Renderer::render`], an error if the page may not be loaded, and the error of
    /// `admit`.
    pub fn load<P>(
        &self,
        page: &Page,
        options: &PageOptions,
        is_rendered: bool,
        admit: impl Fn() -> Result<P, RenderError>,
    ) -> Result<Loaded<P>, Refused<RenderError>> {
        let load = || {
            let needs_browser =
                is_rendered && self.renderer.engine_of(page, options) == Engine::Chromium;
            let fetched = if needs_browser {
                None
            } else {
                self.fetch_document(page, options)?
            };
            let place = admit()?;
            let capture = if is_rendered {
                self.renderer
                    .render_fetched(page, fetched.as_ref(), options)?
                    .capture
            } else {
                parse(fetched.as_ref().unwrap_or(page))?
            };
            // A rendered page needs no fetched document.
            Ok(Loaded {
                capture,
                fetched: fetched.filter(|_| !is_rendered),
                place,
            })
        };
        let address = match &page.body {
            Body::Address(address) => Url::parse(address).ok().filter(Url::has_host),
            _ => None,
        };
        match address {
            Some(url) => self.request(&url, || options.cancel.is_set(), load),
            // Also for an invalid address: the renderer reports it.
            None => load().map_err(Refused::Failed),
        }
    }

    /// Fetches the document at the address of a page; `None` if the page has no address.
    fn fetch_document(
        &self,
        page: &Page,
        options: &PageOptions,
    ) -> Result<Option<Page>, RenderError> {
        let Body::Address(text) = &page.body else {
            return Ok(None);
        };
        let url = address(text)?;
        let usual = FetchLimits::default();
        let timeout = options.timeout_ms.map_or(usual.timeout, |ms| {
            Duration::from_millis(ms).min(usual.timeout)
        });
        let limits = FetchLimits { timeout, ..usual };
        let fetched =
            self.renderer
                .fetch_document(&url, limits, options.load.as_ref(), &options.cancel)?;
        Ok(Some(fetched.into_page(&page.input)?))
    }

    /// Calls `work` for an address once its host may be used, with retries after temporary
    /// failures.
    fn request<T>(
        &self,
        url: &Url,
        is_cancelled: impl Fn() -> bool,
        mut work: impl FnMut() -> Result<T, RenderError>,
    ) -> Result<T, Refused<RenderError>> {
        let fetch = |robots: &Url| self.fetch_robots(robots);
        let work = || {
            work().map_err(|error| Failure {
                retry: retry_after(&error),
                error,
            })
        };
        self.politeness
            .request_unless(url, is_cancelled, fetch, work)
    }

    fn fetch_robots(&self, robots: &Url) -> Result<RobotsResponse, Failure<RobotsError>> {
        match self.renderer.fetch(robots, ROBOTS) {
            Ok(found) => robots_response(found.status, found.body, found.retry_after_s),
            Err(RenderError::Forbidden(cause)) => Err(Failure {
                retry: None,
                error: cause.into(),
            }),
            Err(error) => Err(Failure {
                retry: retry_after(&error),
                error: RobotsError::Unreachable(error.to_string()),
            }),
        }
    }
}

/// The announced addresses; files that could not be read become notes of the frontier.
fn noted(Announced { addresses, notes }: Announced, frontier: &Frontier) -> Vec<Url> {
    for note in notes {
        frontier.note(note);
    }
    addresses
}

/// The response to a request for `robots.txt`; a server error is retried.
fn robots_response(
    status: u16,
    body: Vec<u8>,
    retry_after_s: Option<u64>,
) -> Result<RobotsResponse, Failure<RobotsError>> {
    if !matches!(status, 429 | 500..=599) {
        return Ok(RobotsResponse { status, body });
    }
    Err(Failure {
        error: RobotsError::Unreachable(format!(
            "the server answered {status} for robots.txt; try again later"
        )),
        retry: Some(Retry {
            after: retry_after_s.map(Duration::from_secs),
        }),
    })
}

/// When to retry after an error; `None` if the failure is permanent.
fn retry_after(error: &RenderError) -> Option<Retry> {
    match error {
        RenderError::Later { after_s, .. } => Some(Retry {
            after: after_s.map(Duration::from_secs),
        }),
        RenderError::TimeOut { .. } => Some(Retry::default()),
        _ => None,
    }
}
