//! A page that another program has open in a browser: it is captured through that program's connection, and left as it was.

use crate::capture::Capture;
use crate::error::RenderError;

/// A connection to an open page by the Chrome DevTools Protocol, such as the CDP session of Playwright or Selenium.
pub trait PageConnection: Send {
    /// Calls `method` with `params` (a JSON object) and waits for its result, which is a JSON object too.
    ///
    /// # Errors
    /// The message of the browser or of the connection.
    fn call(&mut self, method: &str, params: &str) -> Result<String, String>;
}

/// How an open page is captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPageOptions {
    /// Whether to scroll through the page once, so that what loads when it comes into view is loaded. The page is scrolled
    /// back.
    pub scroll: bool,
    /// Time limit for the page to become stable, in ms; a page that is not is captured as it is.
    pub settle_ms: u64,
    /// Time limit for everything, in ms.
    pub timeout_ms: u64,
}

impl Default for OpenPageOptions {
    fn default() -> Self {
        Self { scroll: true, settle_ms: 3_000, timeout_ms: 60_000 }
    }
}

/// Captures an open page. Its scripts are paused meanwhile, and everything that the capture changes is put back: styles, style
/// sheets, highlights, the scroll position and animations that run for ever; animations that end have ended. The pictures
/// have the page's own viewport, and one pixel for each CSS pixel.
///
/// # Errors
/// If the connection fails, the page is over a limit, or takes too long. Also then the page is put back, if the connection
/// still works.
pub fn capture_open_page(
    connection: Box<dyn PageConnection>,
    options: &OpenPageOptions,
) -> Result<Capture, RenderError> {
    super::chromium::capture_open_page(connection, options)
}
