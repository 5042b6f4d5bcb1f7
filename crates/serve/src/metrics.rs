//! The figures of the service, for Prometheus.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

/// Limits of the classes of durations, in seconds: from bare HTML to a slow page in the browser.
const BUCKETS_S: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// What a request was answered with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    /// Path of the endpoint.
    path: &'static str,
    /// Status of the response.
    status: u16,
}

/// The endpoint of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    path: &'static str,
}

/// The figures of the service.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    durations: Family<Asked, Histogram, fn() -> Histogram>,
    /// Requests whose client hung up.
    cancelled: Counter,
    /// Pages of batches, which are no requests.
    batch_pages: Counter,
    running: Gauge,
    waiting: Gauge,
    browser_restarts: Gauge,
}

/// What is read when the figures are requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) running: usize,
    pub(super) admitted: usize,
    pub(super) browser_restarts: usize,
}

fn durations() -> Histogram {
    Histogram::new(BUCKETS_S)
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut this = Self {
            registry: Registry::with_prefix("vclean"),
            requests: Family::default(),
            durations: Family::new_with_constructor(durations),
            cancelled: Counter::default(),
            batch_pages: Counter::default(),
            running: Gauge::default(),
            waiting: Gauge::default(),
            browser_restarts: Gauge::default(),
        };
        let registry = &mut this.registry;
        registry.register("requests", "Requests that were answered", this.requests.clone());
        registry.register_with_unit(
            "request_duration",
            "Time from a request to its answer",
            Unit::Seconds,
            this.durations.clone(),
        );
        registry.register("requests_cancelled", "Requests whose client hung up", this.cancelled.clone());
        registry.register("batch_pages", "Pages of batches that were answered", this.batch_pages.clone());
        registry.register("pages_running", "Pages in work", this.running.clone());
        registry.register("pages_waiting", "Pages that wait", this.waiting.clone());
        registry.register("browser_restarts", "Browsers that died and were replaced", this.browser_restarts.clone());
        this
    }

    /// Counts a request that was answered.
    pub(super) fn answered(&self, path: &'static str, status: u16, duration: Duration) {
        self.requests.get_or_create(&Answered { path, status }).inc();
        self.durations.get_or_create(&Asked { path }).observe(duration.as_secs_f64());
    }

    /// Counts a request whose client hung up.
    pub(super) fn cancelled(&self) {
        self.cancelled.inc();
    }

    /// Counts a page of a batch.
    pub(super) fn batch_page(&self) {
        self.batch_pages.inc();
    }

    /// The figures in the text format of OpenMetrics.
    pub(super) fn text(&self, now: Now) -> String {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.running.set(number(now.running));
        self.waiting.set(number(now.admitted.saturating_sub(now.running)));
        self.browser_restarts.set(number(now.browser_restarts));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_endpoint_and_status() {
        let metrics = Metrics::new();
        metrics.answered("/v1/clean", 200, Duration::from_millis(30));
        metrics.answered("/v1/clean", 200, Duration::from_millis(300));
        metrics.answered("/v1/clean", 503, Duration::ZERO);
        metrics.cancelled();
        metrics.batch_page();
        let text = metrics.text(Now { running: 1, admitted: 3, browser_restarts: 2 });
        for line in [
            "vclean_requests_total{path=\"/v1/clean\",status=\"200\"} 2",
            "vclean_requests_total{path=\"/v1/clean\",status=\"503\"} 1",
            "vclean_request_duration_seconds_bucket{le=\"0.05\",path=\"/v1/clean\"} 2",
            "vclean_requests_cancelled_total 1",
            "vclean_batch_pages_total 1",
            "vclean_pages_running 1",
            "vclean_pages_waiting 2",
            "vclean_browser_restarts 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in {text}");
        }
    }
}
