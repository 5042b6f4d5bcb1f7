//! How a run processes its pages.

use super::journal::Earlier;
use super::work::{Order, Pools};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// How long the cleaning of one page may take among others unless a limit is chosen. Heuristic:
/// large pages take a second, and rendering has the same limit.
pub(super) const PAGE_LIMIT: Duration = Duration::from_mins(1);

/// A part of a run's pages: every `count`-th page, beginning with number `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPart {
    /// Number of the part, from 0.
    pub index: usize,
    /// Number of parts, at least 1.
    pub count: usize,
}

/// How a run processes its pages.
#[derive(Debug, Clone, Default)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Batch")
)]
pub struct RunOptions {
    /// Process N pages at the same time [default: one per processor]
    ///
    /// The results do not depend on it
    #[cfg_attr(
        feature = "clap",
        arg(long, short, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=256))
    )]
    pub jobs: Option<usize>,

    /// Write pages as they finish instead of in the order of the inputs, so that a slow page does
    /// not delay the others
    #[cfg_attr(feature = "clap", arg(long))]
    pub unordered: bool,

    /// Write metrics of the run to FILE in the Prometheus text format, updated every few seconds
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub metrics: Option<PathBuf>,

    /// Time limit for cleaning or measuring one page; a page that takes longer fails. `None` means
    /// a minute among other pages, and no limit for a page that is alone. Rendering has its own
    /// limit.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub page_limit: Option<Duration>,

    /// True if pages are delivered in the order of the inputs also where one of them fails.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub is_strict: bool,
}

impl RunOptions {
    /// Number of pages worked on at once, at least 1.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, |jobs| jobs.max(1))
    }

    /// The order in which results are delivered.
    pub(super) fn order(&self) -> Order {
        match (self.unordered, self.is_strict) {
            (true, _) => Order::Finished,
            (false, true) => Order::Strict,
            (false, false) => Order::Input,
        }
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

/// Treatment of the results of an earlier run with the same output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Resuming {
    /// Continue an earlier run with the same options where it ended
    ///
    /// It may have ended in any way; finished pages are not repeated
    #[cfg_attr(
        feature = "clap",
        arg(long, requires = "out", conflicts_with = "overwrite")
    )]
    pub resume: bool,

    /// With --resume, try pages again that failed in the earlier run
    #[cfg_attr(feature = "clap", arg(long, requires = "resume"))]
    pub retry_failed: bool,

    /// Replace the results of an earlier run in --out
    ///
    /// Other files that have the names of results are replaced too; an input never is
    #[cfg_attr(feature = "clap", arg(long, requires = "out"))]
    pub overwrite: bool,
}

impl Resuming {
    /// True if no existing file may be replaced.
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
