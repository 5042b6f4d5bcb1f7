//! What a run keeps on disk: the journal, the list of failures and the container.

use super::corpus::Corpus;
use super::journal::{Checkpoint, Earlier, Journal, Past};
use super::keeping::IsThere;
use super::store::Container;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Finished pages are written to disk after this time, so at most this much work is repeated after a power cut. Heuristic:
/// a second of work is quickly repeated, and waiting for the disk once per second costs little.
const COMMIT_AFTER: Duration = Duration::from_secs(1);

/// What is kept on disk.
pub(super) struct Kept {
    pub(super) folder: PathBuf,
    pub(super) journal: Journal,
    pub(super) past: Option<Past>,
    pub(super) earlier: Earlier,
    pub(super) retries: bool,
    pub(super) is_there: Option<IsThere>,
    pub(super) container: Option<Box<dyn Container>>,
    pub(super) committed_at: Instant,
    pub(super) failures: BufWriter<File>,
    pub(super) old_failures: usize,
}

impl Kept {
    /// Whether what is finished should be written to disk now.
    pub(super) fn is_due(&self) -> bool {
        let is_full = self.container.as_ref().is_some_and(|container| container.is_due());
        is_full || self.committed_at.elapsed() >= COMMIT_AFTER
    }

    /// Writes what is finished to disk: first what documents add to the chores, then the output, then the journal.
    pub(super) fn commit(&mut self, corpus: Option<&mut Corpus>) -> io::Result<()> {
        self.committed_at = Instant::now();
        if self.journal.pending() == 0 {
            return Ok(());
        }
        self.failures.flush()?;
        corpus.map_or(Ok(()), Corpus::commit)?;
        let checkpoint = match &mut self.container {
            Some(container) => container.sync()?,
            None => Checkpoint::default(),
        };
        self.journal.commit(checkpoint)?;
        self.container.as_mut().map_or(Ok(()), |container| container.committed())
    }
}
