//! Rate-limited rendering: pages with an address wait until their host may be used, others are rendered at once.

use super::pages::RunWarning;
use super::politeness::{Failure, MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS, Retry, RobotsResponse};
use super::politeness::{Politeness, PolitenessOptions, Refused};
use crate::capture::Capture;
use crate::error::RenderError;
use crate::net::FetchLimits;
use crate::render::Renderer;
use crate::source::{Body, Page};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Limits for fetching a `robots.txt`. Heuristic for the time: pages of a slower server would not load either.
const ROBOTS: FetchLimits =
    FetchLimits { max_bytes: MAX_ROBOTS_BYTES, redirects: MAX_ROBOTS_REDIRECTS, timeout: Duration::from_secs(20) };

/// A renderer that keeps the rate limits of hosts and obeys `robots.txt`.
pub(super) struct RateLimitedRenderer {
    renderer: Renderer,
    politeness: Arc<Politeness>,
}

impl RateLimitedRenderer {
    /// Starts without knowledge of any host.
    pub(super) fn new(renderer: Renderer, options: PolitenessOptions) -> Self {
        Self { renderer, politeness: Arc::new(Politeness::new(options)) }
    }

    /// The rate limits, for the queue of the pages.
    pub(super) fn politeness(&self) -> Arc<Politeness> {
        Arc::clone(&self.politeness)
    }

    /// Gives the renderer's warning about the whole run, once there is one.
    pub(super) fn warning(this: &Arc<Self>) -> RunWarning {
        let this = Arc::clone(this);
        Box::new(move || this.renderer.notice())
    }

    /// Counts how often the browser died and was replaced.
    pub(super) fn restart_counter(this: &Arc<Self>) -> impl Fn() -> usize + 'static {
        let this = Arc::clone(this);
        move || this.renderer.restarts()
    }

    /// Fetches the bare page of an address once its host may be used; `None` if that gives no page: rendering the page
    /// will report the cause.
    pub(super) fn fetch(&self, page: &Page) -> Option<Page> {
        let Body::Address(address) = &page.body else { return None };
        let url = Url::parse(address).ok()?;
        let found = self.request(&url, || self.renderer.fetch(&url, FetchLimits::default())).ok()?;
        found.into_page(&page.input).ok()
    }

    /// Renders a page; one with an address waits for its host before it takes a tab. `bare` is the result of
    /// [`Self::fetch`].
    ///
    /// # Errors
    /// [`Refused`], if it may not be rendered or cannot be.
    pub(super) fn render(&self, page: &Page, bare: Option<&Page>) -> Result<Capture, Refused<RenderError>> {
        let render = || self.renderer.render_found(page, bare).map(|rendered| rendered.capture);
        let address = match &page.body {
            Body::Address(address) => Url::parse(address).ok(),
            _ => None,
        };
        match address {
            Some(url) => self.request(&url, render),
            // Also for an invalid address: the renderer reports it.
            None => render().map_err(Refused::Failed),
        }
    }

    /// Calls `work` for an address once its host may be used, with retries after temporary failures.
    fn request<T>(
        &self,
        url: &Url,
        mut work: impl FnMut() -> Result<T, RenderError>,
    ) -> Result<T, Refused<RenderError>> {
        let fetch = |robots: &Url| match self.renderer.fetch(robots, ROBOTS) {
            Ok(found) => robots_response(found.status, found.body, found.retry_after_s),
            Err(error) => Err(Failure { retry: retry_after(&error), error: error.to_string() }),
        };
        self.politeness.request(url, fetch, || work().map_err(|error| Failure { retry: retry_after(&error), error }))
    }
}

/// The response to a request for `robots.txt`; a server error is retried.
fn robots_response(status: u16, body: Vec<u8>, retry_after_s: Option<u64>) -> Result<RobotsResponse, Failure<String>> {
    if !matches!(status, 429 | 500..=599) {
        return Ok(RobotsResponse { status, body });
    }
    Err(Failure {
        error: format!("the server answered {status} for robots.txt; try again later"),
        retry: Some(Retry { after: retry_after_s.map(Duration::from_secs) }),
    })
}

/// When to retry after an error; `None` if the failure is permanent.
fn retry_after(error: &RenderError) -> Option<Retry> {
    match error {
        RenderError::Later { after_s, .. } => Some(Retry { after: after_s.map(Duration::from_secs) }),
        RenderError::TimeOut { .. } => Some(Retry::default()),
        _ => None,
    }
}
