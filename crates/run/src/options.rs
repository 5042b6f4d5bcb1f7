//! How a run processes its pages.

use super::journal::Earlier;
use super::work::{Order, Pools};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// How long the cleaning of one page may take among others unless a limit is chosen. Heuristic:
/// large pages take a second, and rendering has the same limit.
pub(super) const PAGE_LIMIT: Duration = Duration::from_mins(1);

/// A shard of a run's pages: every `count`-th page, beginning with number `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Number of the shard, from 0.
    pub index: usize,
    /// Number of shards, at least 1.
    pub count: usize,
}

/// How a run processes its pages.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Number of pages processed at once; `None` means one per processor. Results do not depend on
    /// it.
    pub jobs: Option<usize>,
    /// How long the cleaning or measuring of one page may take; a page that takes longer fails.
    /// `None` means a minute among other pages, and no limit for a page that is alone. Rendering
    /// has its own limit.
    pub page_limit: Option<Duration>,
    /// In which order results are handed over.
    pub order: Order,
    /// A file for the statistics of the run as Prometheus text, rewritten every few seconds.
    pub metrics: Option<PathBuf>,
}

impl RunOptions {
    /// Number of pages worked on at once, at least 1.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, |jobs| jobs.max(1))
    }

    /// The requested number of pages for rendering, and the number of processors for the rest of
    /// the work.
    pub fn pools(&self) -> Pools {
        Pools {
            first: self.jobs(),
            second: processors().min(self.jobs()),
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What to do with the results of an earlier run with the same output.
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
    /// Whether nothing that exists may be replaced.
    pub(super) fn is_new(self) -> bool {
        !self.resume && !self.overwrite
    }

    /// The same choice for the journal.
    pub(super) fn earlier(self) -> Earlier {
        match self {
            Self { resume: true, .. } => Earlier::Resume,
            Self {
                overwrite: true, ..
            } => Earlier::Forget,
            _ => Earlier::Refuse,
        }
    }
}
