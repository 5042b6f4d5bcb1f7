//! The statistics of a run: for its summary, and for Prometheus.

use serde::Serialize;
use std::fmt::Write;
use std::fs;

/// The statistics of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Summary {
    pub(super) complete: bool,
    pub(super) pages_done: u64,
    pub(super) pages_failed: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) pages_dropped: u64,
    pub(super) pages_skipped: u64,
    pub(super) seconds: f64,
    pub(super) pages_per_second: f64,
    pub(super) browser_restarts: usize,
    pub(super) peak_memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rendered_for_low_confidence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed_by_rendering: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The statistics in the text exposition format of Prometheus, version 0.0.4.
pub(super) fn prometheus(summary: &Summary) -> String {
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: f64| {
        let _ = write!(text, "# HELP vclean_{name} {help}\n# TYPE vclean_{name} {kind}\nvclean_{name} {value}\n");
    };
    add("pages_done_total", "counter", "Pages that were cleaned in this run.", summary.pages_done as f64);
    add("pages_failed_total", "counter", "Pages that failed in this run.", summary.pages_failed as f64);
    add("pages_skipped_total", "counter", "Pages that earlier runs had done.", summary.pages_skipped as f64);
    let restarts = summary.browser_restarts as f64;
    add("browser_restarts_total", "counter", "Browsers that were started after the first.", restarts);
    add("run_seconds", "gauge", "Time since the run began.", summary.seconds);
    add("pages_per_second", "gauge", "Pages a second since the run began.", summary.pages_per_second);
    if let Some(bytes) = memory_bytes("VmRSS:") {
        add("resident_memory_bytes", "gauge", "Memory of the program without its browser.", bytes as f64);
    }
    add("run_complete", "gauge", "1 when the run has come to its end.", f64::from(u8::from(summary.complete)));
    text
}

/// A memory figure of this process from `/proc/self/status`, in bytes; `None` on systems other than Linux.
pub(super) fn memory_bytes(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
