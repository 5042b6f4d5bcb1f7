//! How a run goes through its pages.

use super::journal::Earlier;
use super::pool::{Order, Pools};
use std::path::PathBuf;
use std::thread;

/// A part of the pages of a run: every `count`-th page, beginning with number `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: usize,
    /// How many parts, at least 1.
    pub count: usize,
}

/// How a run goes through its pages.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Pages worked on at once; `None` takes one for each processor. Results do not depend on it.
    pub jobs: Option<usize>,
    /// In which order results are handed over.
    pub order: Order,
    /// A file for the figures of the run as Prometheus text, written anew every few seconds.
    pub metrics: Option<PathBuf>,
}

impl RunOptions {
    /// Number of pages worked on at once, at least 1.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, |jobs| jobs.max(1))
    }

    /// Renderers for as many pages as were asked for, and the processors for the rest of the work.
    pub fn pools(&self) -> Pools {
        Pools { first: self.jobs(), second: processors().min(self.jobs()) }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What becomes of the results of an earlier run on the same output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resuming {
    /// Continue where the earlier run ended: its pages are not repeated.
    pub resume: bool,
    /// With `resume`, repeat pages that failed before.
    pub retry_failed: bool,
    /// Replace the earlier results.
    pub overwrite: bool,
}

impl Resuming {
    /// As the journal takes it; `is_protected` says that results are never overwritten without being asked.
    pub(super) fn earlier(self, is_protected: bool) -> Earlier {
        match self {
            Self { resume: true, .. } => Earlier::Resume,
            Self { overwrite: false, .. } if is_protected => Earlier::Refuse,
            _ => Earlier::Forget,
        }
    }
}
