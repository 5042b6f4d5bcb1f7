//! The log and the metrics of the service, for its operators.
//!
//! The log is one JSON object per line on standard error, or elsewhere in tests. The metrics are
//! for Prometheus. Neither ever holds content or addresses of pages, nor tokens.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Upper bounds of the histogram of durations, in seconds: from bare HTML to a slow page in the
/// browser.
const BUCKETS_S: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0,
];

tokio::task_local! {
    /// The id of the request on which the current task works.
    pub(super) static REQUEST_ID: String;
}

/// The id of a request, for tasks that are started for it.
#[derive(Debug, Clone)]
pub(super) struct RequestId(pub(super) String);

/// The log and the stream to which it is written.
pub(super) struct Log(Mutex<Box<dyn Write + Send>>);

/// The fields of a log entry about a request.
pub(super) struct RequestEntry<'a> {
    pub(super) id: &'a str,
    pub(super) method: &'a str,
    /// The path of the endpoint, without the query.
    pub(super) path: &'a str,
    pub(super) status: u16,
    pub(super) duration_ms: u64,
    pub(super) client: String,
    /// Reason if there is no result.
    pub(super) reason: Option<&'static str>,
    /// For a batch, its number of pages, and the number without a result.
    pub(super) pages: Option<(usize, usize)>,
}

impl Log {
    /// Writes the log to standard error.
    pub(super) fn standard_error() -> Self {
        Self(Mutex::new(Box::new(std::io::stderr())))
    }

    fn write(&self, mut entry: Value) {
        let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        entry["time"] = time.into();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An error of the log itself cannot be reported anywhere.
        let _ = writeln!(out, "{entry}").and_then(|()| out.flush());
    }

    /// Logs information about the service.
    pub(super) fn note(&self, text: &str) {
        self.write(json!({ "level": "info", "message": text }));
    }

    /// Logs a request that was answered.
    pub(super) fn request(&self, entry: &RequestEntry<'_>) {
        let RequestEntry {
            id,
            method,
            path,
            status,
            duration_ms,
            client,
            reason,
            pages,
        } = entry;
        let mut line = json!({
            "level": if *status >= 500 { "warn" } else { "info" }, "message": "request", "id": id, "method": method,
            "path": path, "status": status, "duration_ms": duration_ms, "client": client,
        });
        if let Some(reason) = reason {
            line["reason"] = (*reason).into();
        }
        if let Some((pages, failed)) = pages {
            line["pages"] = (*pages).into();
            line["failed"] = (*failed).into();
        }
        self.write(line);
    }

    /// Logs a page of a batch or tool that has no result, with the id of its request.
    pub(super) fn failure(&self, status: u16, reason: &str) {
        let id = REQUEST_ID.try_with(Clone::clone).unwrap_or_default();
        self.write(json!({ "level": "info", "message": "page failed", "id": id, "status": status, "reason": reason }));
    }

    /// Logs a fault of the program, with the id of the request in which it occurred.
    pub(super) fn fault(&self, cause: &str) {
        let id = REQUEST_ID.try_with(Clone::clone).unwrap_or_default();
        self.write(json!({ "level": "error", "message": "fault", "id": id, "cause": cause }));
    }
}

/// Labels of the counter of answered requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    /// Path of the endpoint.
    path: &'static str,
    /// Status of the response.
    status: u16,
}

/// Label with the endpoint of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PathLabel {
    path: &'static str,
}

/// Label with the reason why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Counts an item in a gauge until this is dropped.
pub(super) struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The metrics of the service.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<PathLabel, Histogram, fn() -> Histogram>,
    /// Requests whose client hung up.
    cancelled: Counter,
    /// Pages of batches, which do not count as requests.
    batch_pages: Counter,
    failures: Family<ReasonLabel, Counter>,
    batches: Gauge,
    /// Pages that have begun: those that are worked on, and those that wait.
    begun: Gauge,
    running: Gauge,
    waiting: Gauge,
    browser_restarts: Gauge,
}

/// Values that are read when the metrics are requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gauges {
    pub(super) running: usize,
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
            failures: Family::default(),
            batches: Gauge::default(),
            begun: Gauge::default(),
            running: Gauge::default(),
            waiting: Gauge::default(),
            browser_restarts: Gauge::default(),
        };
        let registry = &mut this.registry;
        registry.register(
            "requests",
            "Requests that were answered",
            this.requests.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "Time from a request to its answer",
            Unit::Seconds,
            this.durations.clone(),
        );
        registry.register(
            "requests_cancelled",
            "Requests whose client hung up",
            this.cancelled.clone(),
        );
        registry.register(
            "batch_pages",
            "Pages of batches that were answered",
            this.batch_pages.clone(),
        );
        let doc = "Requests, pages of batches and calls of tools without a result";
        registry.register("failures", doc, this.failures.clone());
        registry.register(
            "batches_running",
            "Batches that are not answered completely",
            this.batches.clone(),
        );
        registry.register("pages_running", "Pages in work", this.running.clone());
        registry.register("pages_waiting", "Pages that wait", this.waiting.clone());
        registry.register(
            "browser_restarts",
            "Browsers that died and were replaced",
            this.browser_restarts.clone(),
        );
        this
    }

    /// Counts a request that was answered.
    pub(super) fn count_request(&self, path: &'static str, status: u16, duration: Duration) {
        self.requests
            .get_or_create(&RequestLabels { path, status })
            .inc();
        self.durations
            .get_or_create(&PathLabel { path })
            .observe(duration.as_secs_f64());
    }

    /// Counts a request whose client hung up.
    pub(super) fn count_cancelled(&self) {
        self.cancelled.inc();
    }

    /// Counts a request, a page of a batch or a call of a tool that has no result.
    pub(super) fn count_failure(&self, reason: &'static str) {
        self.failures.get_or_create(&ReasonLabel { reason }).inc();
    }

    /// Counts a page as begun until the result is dropped.
    pub(super) fn begin_page(&self) -> Counted {
        Counted::new(&self.begun)
    }

    /// Counts a batch as running until the result is dropped.
    pub(super) fn begin_batch(&self) -> Counted {
        Counted::new(&self.batches)
    }

    /// Counts a page of a batch.
    pub(super) fn count_batch_page(&self) {
        self.batch_pages.inc();
    }

    /// The metrics in the text format of OpenMetrics.
    pub(super) fn text(&self, gauges: Gauges) -> String {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let running = number(gauges.running);
        self.running.set(running);
        self.waiting.set((self.begun.get() - running).max(0));
        self.browser_restarts.set(number(gauges.browser_restarts));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn entries_are_lines_of_json_with_the_id_of_the_request() {
        let buffer = Buffer::default();
        let log = Log(Mutex::new(Box::new(buffer.clone())));
        REQUEST_ID.sync_scope("a1".to_owned(), || log.fault("line one\nline two"));
        log.note("started");
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            (lines.len(), &lines[0]["id"], &lines[1]["message"]),
            (2, &"a1".into(), &"started".into())
        );
        assert!(lines[0]["time"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn requests_are_counted_by_endpoint_and_status() {
        let metrics = Metrics::new();
        metrics.count_request("/v1/clean", 200, Duration::from_millis(30));
        metrics.count_request("/v1/clean", 200, Duration::from_millis(300));
        metrics.count_request("/v1/clean", 503, Duration::ZERO);
        metrics.count_cancelled();
        metrics.count_batch_page();
        metrics.count_failure("robots");
        let _pages = [
            metrics.begin_page(),
            metrics.begin_page(),
            metrics.begin_page(),
        ];
        drop(metrics.begin_page());
        let _batch = metrics.begin_batch();
        let text = metrics.text(Gauges {
            running: 1,
            browser_restarts: 2,
        });
        for line in [
            "vclean_requests_total{path=\"/v1/clean\",status=\"200\"} 2",
            "vclean_requests_total{path=\"/v1/clean\",status=\"503\"} 1",
            "vclean_request_duration_seconds_bucket{le=\"0.05\",path=\"/v1/clean\"} 2",
            "vclean_requests_cancelled_total 1",
            "vclean_batch_pages_total 1",
            "vclean_failures_total{reason=\"robots\"} 1",
            "vclean_batches_running 1",
            "vclean_pages_running 1",
            "vclean_pages_waiting 2",
            "vclean_browser_restarts 2",
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is missing in {text}"
            );
        }
    }
}
