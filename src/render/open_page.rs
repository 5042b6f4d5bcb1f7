//! A page that another program has open in a browser: it is captured through that program's connection, and left as it was.

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
