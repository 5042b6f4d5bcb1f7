//! How visits are paid: pauses, pages at the same time, retries.

use std::time::Duration;

/// The name that `robots.txt` calls us by (RFC 9309, 2.2.1).
pub const AGENT: &str = "vclean";

/// Longest wait for one host's turn once its other visits are over: a server that asks for more is not visited now.
/// Taste: the worker that waits does nothing else.
pub(super) const MAX_WAIT: Duration = Duration::from_mins(2);

/// How visits are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolitenessOptions {
    /// Whether `robots.txt` is asked for and obeyed.
    pub robots: bool,
    /// Pause between two pages of one host; a longer `Crawl-delay` (up to 30 s) goes before it.
    pub delay: Duration,
    /// Pages of one host at the same time, at least 1.
    pub per_host: usize,
    /// How often a page that failed for the moment is tried again.
    pub retries: u32,
}

impl Default for PolitenessOptions {
    fn default() -> Self {
        Self { robots: true, delay: Duration::from_secs(1), per_host: 1, retries: 2 }
    }
}
