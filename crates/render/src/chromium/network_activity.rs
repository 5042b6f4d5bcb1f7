//! Which requests of a page have not ended yet, and since when there are none.

use super::connection::Event;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of requests that are followed; a page with more at once is not silent soon.
const MAX_REQUESTS: usize = 10_000;
/// Kinds of requests that last as long as the page, or that it does not wait for.
const LASTING: [&str; 4] = ["EventSource", "WebSocket", "Ping", "Media"];

/// The requests of a page that have not ended.
#[derive(Debug, Default)]
pub(super) struct NetworkActivity {
    open: BTreeSet<String>,
    /// When a request began or ended last.
    changed: Option<Instant>,
}

impl NetworkActivity {
    /// Records an event of the network; `begins_page` is whether it is the request for another
    /// document of the main frame, which ends those of the document before it.
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

    /// For how long there was no request; `None` if there is one.
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
        // What the document before it had asked for does not count.
        activity.record(&event("requestWillBeSent", "4", "Image"), false);
        activity.record(&event("requestWillBeSent", "5", "Document"), true);
        activity.record(&event("loadingFinished", "5", ""), false);
        assert!(activity.silent_for().is_some());
    }
}
