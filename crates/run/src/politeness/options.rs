//! The options of rate limits: pauses, pages at the same time, retries.

use std::time::Duration;

/// Our user agent in `robots.txt` (RFC 9309, 2.2.1).
pub const AGENT: &str = "vclean";

/// Longest wait for a host with no running request: the page fails if the server demands a longer pause.
/// Heuristic: a waiting worker does nothing else.
pub(super) const MAX_WAIT: Duration = Duration::from_mins(2);

/// Rate limits and retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolitenessOptions {
    /// Whether `robots.txt` is fetched and obeyed.
    pub robots: bool,
    /// Pause between two pages of one host; a longer `Crawl-delay` (up to 30 s) replaces it.
    pub delay: Duration,
    /// Number of pages of one host at the same time, at least 1.
    pub per_host: usize,
    /// How often a page with a temporary failure is tried again.
    pub retries: u32,
}

impl Default for PolitenessOptions {
    fn default() -> Self {
        Self { robots: true, delay: Duration::from_secs(1), per_host: 1, retries: 2 }
    }
}
