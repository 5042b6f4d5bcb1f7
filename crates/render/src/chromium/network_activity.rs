//! Tracks the pending requests of a page, and the time since there are none.

use super::connection::Event;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Maximum number of tracked requests; a page with more at once is not silent soon.
const MAX_REQUESTS: usize = 10_000;
/// Types of requests that last as long as the page, or that it does not wait for.
const LASTING: [&str; 4] = ["EventSource", "WebSocket", "Ping", "Media"];

/// The pending requests of a page.
#[derive(Debug, Default)]
pub(super) struct NetworkActivity {
    open: BTreeSet<String>,
    /// Time at which a request last started or ended.
    changed: Option<Instant>,
}

impl NetworkActivity {
    /// Records a network event. `begins_page` is set for the request for another document of the
    /// main frame, which ends the requests of the previous document.
    pub(super) fn record(&mut self, event: &Event, begins_page: bool) {
        let text = |name: &str| event.params[name].as_str().unwrap_or_default();
        match event.method.as_str() {
            "Network.requestWillBeSent" if !LASTING.contains(&text("type")) => {
                if begins_page {
                    self.open.clear();
                }
                if self.open.len() < MAX_REQUESTS {
                    self.open.insert(text("requestId").to_owned());
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                self.open.remove(text("requestId"));
            }
            _ => return,
        }
        self.changed = Some(Instant::now());
    }

    /// Returns the time without a request; `None` if one is pending.
    pub(super) fn silent_for(&self) -> Option<Duration> {
        let since = self
            .changed
            .map_or(Duration::MAX, |changed| changed.elapsed());
        self.open.is_empty().then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(method: &str, id: &str, kind: &str) -> Event {
        Event {
            method: format!("Network.{method}"),
            params: json!({ "requestId": id, "type": kind }),
        }
    }

    #[test]
    fn a_page_is_silent_while_it_has_no_request() {
        let mut activity = NetworkActivity::default();
        assert_eq!(activity.silent_for(), Some(Duration::MAX));
        activity.record(&event("requestWillBeSent", "1", "Image"), false);
        activity.record(&event("requestWillBeSent", "2", "Fetch"), false);
        activity.record(&event("loadingFinished", "1", ""), false);
        assert_eq!(activity.silent_for(), None);
        activity.record(&event("loadingFailed", "2", ""), false);
        assert!(activity.silent_for().unwrap() < Duration::from_secs(9));
        activity.record(&event("requestWillBeSent", "3", "EventSource"), false);
        assert!(activity.silent_for().is_some());
        // Requests of the previous document do not count.
        activity.record(&event("requestWillBeSent", "4", "Image"), false);
        activity.record(&event("requestWillBeSent", "5", "Document"), true);
        activity.record(&event("loadingFinished", "5", ""), false);
        assert!(activity.silent_for().is_some());
    }
}
