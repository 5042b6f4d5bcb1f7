//! Which windows show which page at this time, so that a person is told of a second one.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A window that was not heard of for this long is closed; an open one reports every five seconds.
const GONE_AFTER: Duration = Duration::from_secs(12);
/// Largest number of windows that are remembered.
const MAX_TABS: usize = 1000;
/// Longest name of a window, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// The windows that reported lately.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    seen: Mutex<FxHashMap<(usize, String), Instant>>,
}

impl Tabs {
    /// Notes that `tab` shows a page, and returns how many other windows do.
    pub(super) fn report(&self, page: usize, tab: &str, now: Instant) -> usize {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| now.saturating_duration_since(*at) < GONE_AFTER);
        let own = (page, tab.chars().take(MAX_NAME_BYTES).collect::<String>());
        let others = seen.keys().filter(|other| other.0 == page && **other != own).count();
        if seen.len() < MAX_TABS {
            seen.insert(own, now);
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_windows_on_the_page_are_counted_while_they_report() {
        let tabs = Tabs::default();
        let start = Instant::now();
        assert_eq!(tabs.report(0, "a", start), 0);
        assert_eq!(tabs.report(0, "b", start), 1);
        assert_eq!(tabs.report(1, "c", start), 0);
        assert_eq!(tabs.report(0, "a", start + Duration::from_secs(10)), 1);
        assert_eq!(tabs.report(0, "a", start + Duration::from_secs(13)), 0);
    }
}
