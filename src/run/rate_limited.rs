//! Rate-limited rendering: pages that have an address wait for the turn of their host, others are rendered at once.

use super::pages::RunWarning;
use super::politeness::{Again, Answer, Failure, MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS};
use super::politeness::{Politeness, PolitenessOptions, Refused};
use crate::capture::Capture;
use crate::error::RenderError;
use crate::net::FetchLimits;
use crate::render::Renderer;
use crate::source::{Body, Page};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Limits of a `robots.txt`. Heuristic for the time: a page of a server that takes longer would not load either.
const ROBOTS: FetchLimits =
    FetchLimits { max_bytes: MAX_ROBOTS_BYTES, redirects: MAX_ROBOTS_REDIRECTS, timeout: Duration::from_secs(20) };

/// A renderer that keeps the rate limits of hosts and obeys `robots.txt`.
pub(super) struct RateLimitedRenderer {
    renderer: Renderer,
    politeness: Arc<Politeness>,
}

impl RateLimitedRenderer {
    /// With nothing known of any host yet.
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

    /// Fetches the bare page of an address when its host's turn has come; `None` where that gives no page: the cause
    /// shows when it is rendered.
    pub(super) fn fetch(&self, page: &Page) -> Option<Page> {
        let Body::Address(address) = &page.body else { return None };
        let url = Url::parse(address).ok()?;
        let found = self.visit(&url, || self.renderer.fetch(&url, FetchLimits::default())).ok()?;
        found.into_page(&page.input).ok()
    }

    /// Renders a page; one with an address waits for its turn before it takes a tab. `bare` is what [`Self::fetch`] gave.
    ///
    /// # Errors
    /// [`Refused`], where it may not be rendered or cannot be.
    pub(super) fn render(&self, page: &Page, bare: Option<&Page>) -> Result<Capture, Refused<RenderError>> {
        let render = || self.renderer.render_found(page, bare).map(|rendered| rendered.capture);
        let address = match &page.body {
            Body::Address(address) => Url::parse(address).ok(),
            _ => None,
        };
        match address {
            Some(url) => self.visit(&url, render),
            // Also what should be an address and is none: that is for the renderer to say.
            None => render().map_err(Refused::Failed),
        }
    }

    /// Does `work` at an address when the turn of its host has come, again where it failed for the moment.
    fn visit<T>(&self, url: &Url, mut work: impl FnMut() -> Result<T, RenderError>) -> Result<T, Refused<RenderError>> {
        let fetch = |robots: &Url| match self.renderer.fetch(robots, ROBOTS) {
            Ok(found) => answer(found.status, found.body, found.retry_after_s),
            Err(error) => Err(Failure { again: again(&error), error: error.to_string() }),
        };
        self.politeness.visit(url, fetch, || work().map_err(|error| Failure { again: again(&error), error }))
    }
}

/// A server in trouble is asked again; its last answer counts.
fn answer(status: u16, body: Vec<u8>, retry_after_s: Option<u64>) -> Result<Answer, Failure<String>> {
    if !matches!(status, 429 | 500..=599) {
        return Ok(Answer { status, body });
    }
    Err(Failure {
        error: format!("the server answered {status} for robots.txt; try again later"),
        again: Some(Again { after: retry_after_s.map(Duration::from_secs) }),
    })
}

/// Whether what went wrong may go well later.
fn again(error: &RenderError) -> Option<Again> {
    match error {
        RenderError::Later { after_s, .. } => Some(Again { after: after_s.map(Duration::from_secs) }),
        RenderError::TimeOut { .. } => Some(Again::default()),
        _ => None,
    }
}
