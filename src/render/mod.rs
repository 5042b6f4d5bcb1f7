//! Renders pages: takes a [`Page`], gives a [`Capture`] with tree, boxes, styles, screenshot and node mask.
//!
//! A page is hostile. It sees no file of ours and no private address (`proxy`, `address`, `saved`), nothing but its
//! archive where it comes from one (`archived`), runs in the browser's sandbox, ends after its time is up, and takes
//! nothing down with it but its own tab (`chromium`).

mod address;
mod archived;
#[cfg(feature = "builtin")]
#[allow(dead_code)]
mod builtin;
mod chromium;
mod doctor;
mod fetch;
mod head;
mod proxy;
mod saved;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use chromium::find_browser;
pub use doctor::{Check, diagnose};
pub use fetch::{FetchLimits, Fetched, Fetcher};

use crate::capture::Capture;
use crate::error::RenderError;
use crate::source::Page;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// The browser; `None` looks for one, see [`find_browser`].
    pub browser: Option<PathBuf>,
    /// Without the browser's sandbox; for trusted pages only.
    pub no_sandbox: bool,
    /// Viewport in CSS px, width and height. Models are trained at 1280 x 1024.
    pub viewport_px: [u32; 2],
    /// Time limit for loading a page, in ms; what is there by then is taken.
    pub page_timeout_ms: u64,
    /// Time limit for each stage of settling (quiet, scroll, quiet again), in ms.
    pub settle_ms: u64,
    /// Height at which the pictures of a page end, in px.
    pub max_height_px: u32,
    /// Pages may reach loopback, private and link-local addresses.
    pub allow_private: bool,
    /// Pages may reach nothing on the network.
    pub offline: bool,
    /// Whether the pages' scripts run; `None` runs them for addresses and not for saved pages.
    pub scripts: Option<bool>,
    /// Tabs, hence pages rendered at the same time, at least 1.
    pub tabs: usize,
    /// Pages after which a browser is replaced by a new one, at least 1.
    pub pages_per_browser: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            browser: None,
            no_sandbox: false,
            viewport_px: [1280, 1024],
            page_timeout_ms: 60_000,
            settle_ms: 3_000,
            max_height_px: 30_000,
            allow_private: false,
            offline: false,
            scripts: None,
            tabs: 2,
            pages_per_browser: 200,
        }
    }
}

/// Wall time of each stage of one page, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timings {
    /// From the address to the load event.
    pub navigate_ms: f64,
    /// Until the page stays as it is.
    pub settle_ms: f64,
    /// Tree, boxes and styles, by the browser.
    pub snapshot_ms: f64,
    /// The same as [`crate::capture::Dom`] and [`crate::capture::Layout`], by us.
    pub convert_ms: f64,
    /// The screenshot.
    pub screenshot_ms: f64,
    /// Coloring and second screenshot.
    pub mask_ms: f64,
    /// All of it.
    pub total_ms: f64,
}

/// A rendered page and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The page.
    pub capture: Capture,
    /// Where the time went.
    pub timings: Timings,
}

/// Renders pages. Many threads may call it at once: each takes a free tab, or waits for one.
///
/// Dropping it ends the browser and removes its folder; so does the end of the process, however it comes.
pub struct Renderer {
    engine: chromium::Chromium,
    fetcher: Fetcher,
}

impl Renderer {
    /// Starts the browser.
    ///
    /// # Errors
    /// [`RenderError::Browser`] when there is none, when it does not start, or when its sandbox does not work here.
    pub fn launch(options: RenderOptions) -> Result<Self, RenderError> {
        let policy = proxy::Policy { allow_private: options.allow_private, offline: options.offline };
        let proxy = proxy::Proxy::start(policy)
            .map_err(|error| RenderError::Browser(format!("cannot listen on the loopback interface: {error}")))?;
        // Pages of archives get nothing from the network, whatever the others may.
        let wall = proxy::Proxy::start(proxy::Policy { allow_private: false, offline: true })
            .map_err(|error| RenderError::Browser(format!("cannot listen on the loopback interface: {error}")))?;
        let proxy = Arc::new(proxy);
        let fetcher = Fetcher::through(Arc::clone(&proxy))?;
        Ok(Self { engine: chromium::Chromium::launch(options, proxy, wall)?, fetcher })
    }

    /// Renders one page.
    ///
    /// # Errors
    /// [`RenderError`], naming cause and remedy; a page whose tab or browser died is tried once more before.
    pub fn render(&self, page: &Page) -> Result<Capture, RenderError> {
        self.render_timed(page).map(|rendered| rendered.capture)
    }

    /// Renders one page and says what it took.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_timed(&self, page: &Page) -> Result<Rendered, RenderError> {
        self.engine.render(page)
    }

    /// Fetches one document without the browser, under the same policy; needs no tab.
    ///
    /// # Errors
    /// As [`Fetcher::fetch`].
    pub fn fetch(&self, url: &Url, limits: FetchLimits) -> Result<Fetched, RenderError> {
        self.fetcher.fetch(url, limits)
    }

    /// Product and version of the browser, such as `HeadlessChrome/140.0.0.0`; `None` while one is being replaced.
    pub fn browser_version(&self) -> Option<String> {
        self.engine.version()
    }

    /// How often a browser died and was replaced.
    pub fn restarts(&self) -> usize {
        self.engine.restarts()
    }

    /// CPU time of the browsers so far, in ms: all processes of their groups, dead ones included.
    pub fn browser_cpu_ms(&self) -> u64 {
        self.engine.cpu_ms()
    }
}

/// Trial.
#[cfg(feature = "builtin")]
pub fn trial(options: RenderOptions, page: &Page) -> Result<Rendered, RenderError> {
    builtin::Builtin::new(options).render(page)
}
