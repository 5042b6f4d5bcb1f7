//! The state of a run: its counters, and a journal next to its output if a later run may resume it.
//!
//! The folder of a run holds the journal, `failed.jsonl` with the pages that failed and why, and
//! `summary.json` with the statistics of the last run. It is `_run` in a folder of pages (programs
//! that read such folders ignore names that begin with an underscore), and `FILE.run` next to a
//! file.

use super::corpus::Corpus;
use super::crawl::Frontier;
use super::error::RunError;
use super::inputs::PageName;
use super::journal::{
    Checkpoint, Earlier, EffectiveArguments, Failure, JOURNAL_ENDING, JOURNAL_FOLDER, Journal,
    PageOutcome, Past,
};
use super::options::RunPart;
use super::report::{ExpectedPages, Figures, MetricsFile, Summary, memory_bytes, prometheus};
use super::store::Container;
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use vclean_core::classify::PageState;
use vclean_core::error::PageError;
use vclean_core::files;

/// The journal, statistics and container of a run.
pub struct RunState {
    kept: Option<StoredState>,
    /// The filters of the run, if it has any.
    corpus: Option<Corpus>,
    counts: Arc<Counts>,
    started: Instant,
    metrics: Option<MetricsFile>,
    /// Returns the number of browsers that were started after the first.
    restarts: Box<dyn Fn() -> usize>,
    expected: ExpectedPages,
}

/// Numbers of pages by their result.
#[derive(Debug, Default)]
pub struct Counts {
    done: AtomicU64,
    failed: AtomicU64,
    /// Pages that were done or failed in earlier runs.
    skipped: AtomicU64,
    /// Pages that were rendered after the bare page was cleaned.
    pub rendered: AtomicU64,
    pub changed: AtomicU64,
    /// Pages that were cleaned, by their state.
    states: [AtomicU64; PageState::ALL.len()],
}

impl Counts {
    /// Counts a page that was cleaned.
    pub(super) fn add_state(&self, state: PageState) {
        self.states[state.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// Numbers of pages by the names of their states, without those that no page has.
    fn states(&self) -> BTreeMap<&'static str, u64> {
        let counted = PageState::ALL.into_iter().map(|state| {
            let count = self.states[state.index()].load(Ordering::Relaxed);
            (state.name(), count)
        });
        counted.filter(|(_, count)| *count > 0).collect()
    }
}

impl RunState {
    /// Creates a state that counts pages and keeps nothing on disk.
    ///
    /// # Errors
    /// If the file for the statistics cannot be written.
    pub fn unkept(metrics: Option<&Path>) -> Result<Self, RunError> {
        let mut state = Self {
            kept: None,
            corpus: None,
            counts: Arc::default(),
            started: Instant::now(),
            metrics: None,
            restarts: Box::new(|| 0),
            expected: ExpectedPages::default(),
        };
        let statistics = prometheus(&state.summary(false));
        state.metrics = metrics
            .map(|path| MetricsFile::create(path, &statistics))
            .transpose()?;
        Ok(state)
    }

    /// Opens the journal, and the container at the checkpoint that the journal names.
    ///
    /// # Errors
    /// If another run is using the folder, if the earlier run cannot be resumed, or if the file for
    /// the statistics cannot be written.
    pub fn kept(
        journal_options: JournalOptions,
        metrics: Option<&Path>,
        open: impl FnOnce(Option<Checkpoint>) -> Result<Option<Box<dyn Container>>, RunError>,
    ) -> Result<Self, RunError> {
        let JournalOptions {
            folder,
            arguments,
            earlier,
            retries,
            mut corpus,
            is_there,
        } = journal_options;
        let unkept = Self::unkept(metrics)?;
        let (journal, past) = Journal::open(&folder, &arguments, earlier)?;
        if let Some(corpus) = &mut corpus {
            let is_output = |stem: &str, bytes| {
                is_there
                    .as_ref()
                    .is_none_or(|is_there| is_there(stem, bytes))
            };
            corpus.keep(&folder, &past, &is_output)?;
        }
        files::remove_incomplete(&folder);
        let container = open(past.checkpoint)?;
        let path = folder.join("failed.jsonl");
        let cannot_write = |cause| RunError::Output {
            path: path.clone(),
            cause,
        };
        write_failures(&journal, &path).map_err(cannot_write)?;
        let failures = BufWriter::new(
            fs::OpenOptions::new()
                .append(true)
                .open(&path)
                .map_err(cannot_write)?,
        );
        let kept = StoredState {
            folder,
            journal,
            old_failures: if retries { 0 } else { past.counts().1 },
            past: Some(past),
            earlier,
            retries,
            is_there,
            frontier: None,
            container,
            committed_at: Instant::now(),
            failures,
        };
        Ok(Self {
            kept: Some(kept),
            corpus,
            ..unkept
        })
    }

    /// Stores the addresses of a crawl beside the journal, if there is one, and reads those of the
    /// run that this one resumes.
    ///
    /// # Errors
    /// If they cannot be read or written, or do not belong to the journal.
    pub(super) fn keep_frontier(&mut self, frontier: &Arc<Frontier>) -> Result<(), RunError> {
        let Some(kept) = &mut self.kept else {
            return Ok(());
        };
        let (done, failed) = kept.past.as_ref().map_or((0, 0), Past::counts);
        frontier.keep(
            &kept.folder,
            kept.earlier == Earlier::Resume,
            (done + failed) as u64,
        )?;
        kept.frontier = Some(Arc::clone(frontier));
        Ok(())
    }

    /// Adds the filters of the run.
    #[must_use]
    pub(super) fn with_corpus(self, corpus: Option<Corpus>) -> Self {
        Self { corpus, ..self }
    }

    /// The filters of the run.
    pub(super) fn corpus(&mut self) -> Option<&mut Corpus> {
        self.corpus.as_mut()
    }

    /// Counts of what the filters of the run dropped and marked, as text; `None` if nothing was.
    pub(super) fn corpus_summary(&self) -> Option<String> {
        let done = self.corpus.as_ref().and_then(Corpus::summary);
        let left_out = Some(self.expected.left_out.count()).filter(|count| *count > 0);
        let left_out = left_out
            .map(|count| format!("{count} inputs left out whose address an earlier one has"));
        let parts: Vec<String> = left_out.into_iter().chain(done).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The folder of the run, if it is kept on disk.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.kept.as_ref().map(|kept| kept.folder.as_path())
    }

    /// Sets the function that counts how often the browser was restarted.
    pub(crate) fn watch_restarts(&mut self, restarts: impl Fn() -> usize + 'static) {
        self.restarts = Box::new(restarts);
    }

    /// Sets the source of the run's number of pages.
    pub(super) fn watch_expected(&mut self, expected: ExpectedPages) {
        self.expected = expected;
    }

    /// The counters, to be shared with the workers.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Pages that failed in earlier runs and are not tried again.
    pub(crate) fn old_failures(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.old_failures)
    }

    /// Returns a function that returns true if a page must still be done. Call it once per page.
    pub fn is_due(&mut self) -> impl FnMut(&str) -> bool + Send + use<> {
        let counts = self.counts();
        let mut known = self.kept.as_mut().map(|kept| {
            let past = kept.past.take().unwrap_or_default();
            // Without a journal, a page whose output file exists counts as done.
            let trusts_files = kept.earlier == Earlier::Resume && past.checkpoint.is_none();
            (past, kept.is_there.take(), kept.retries, trusts_files)
        });
        move |stem| {
            let is_done = known
                .as_mut()
                .is_some_and(
                    |(past, is_there, retries, trusts_files)| match past.outcome(stem) {
                        Some(PageOutcome::Done(bytes)) => is_there
                            .as_ref()
                            .is_none_or(|is_there| is_there(stem, bytes)),
                        Some(PageOutcome::Dropped) => true,
                        Some(PageOutcome::Failed) => !*retries,
                        None => {
                            *trusts_files
                                && is_there
                                    .as_ref()
                                    .is_some_and(|is_there| is_there(stem, None))
                        }
                    },
                );
            if is_done {
                counts.skipped.fetch_add(1, Ordering::Relaxed);
            }
            !is_done
        }
    }

    /// The container of the run; `None` if its output is not a container.
    pub fn container(&mut self) -> Option<&mut (dyn Container + 'static)> {
        self.kept.as_mut()?.container.as_deref_mut()
    }

    /// Records that a page is done and its output is stored.
    ///
    /// # Errors
    /// If the output or the journal cannot be written.
    pub fn done(&mut self, page: &PageName, bytes: Option<u64>) -> io::Result<()> {
        self.counts.done.fetch_add(1, Ordering::Relaxed);
        if let Some(kept) = &mut self.kept {
            kept.journal.done(&page.stem, bytes);
        }
        self.commit_if_due()
    }

    /// Records that a page is done and that its document was dropped.
    ///
    /// # Errors
    /// Those of [`Self::done`].
    pub(super) fn dropped(&mut self, page: &PageName) -> io::Result<()> {
        self.counts.done.fetch_add(1, Ordering::Relaxed);
        if let Some(kept) = &mut self.kept {
            kept.journal.dropped(&page.stem);
        }
        self.commit_if_due()
    }

    /// Records that a page failed.
    ///
    /// # Errors
    /// Those of [`Self::done`].
    pub fn failed(&mut self, page: &PageName, error: PageError) -> io::Result<()> {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        if let Some(kept) = &mut self.kept {
            let failure = Failure {
                page: page.stem.clone(),
                input: page.input.clone(),
                kind: error.kind,
                cause: error.message,
            };
            write_failure(&mut kept.failures, &failure)?;
            kept.journal.failed(failure);
        }
        self.commit_if_due()
    }

    fn commit_if_due(&mut self) -> io::Result<()> {
        if let Some(kept) = self.kept.as_mut().filter(|kept| kept.is_due()) {
            kept.commit(self.corpus.as_mut())?;
        }
        self.write_metrics(None);
        Ok(())
    }

    /// Ends the run: writes everything and the summary to disk.
    ///
    /// # Errors
    /// Those of [`Self::done`].
    pub fn end(&mut self, is_complete: bool) -> io::Result<()> {
        if let Some(kept) = &mut self.kept {
            kept.commit(self.corpus.as_mut())?;
            if let Some(container) = kept.container.as_mut().filter(|_| is_complete) {
                container.finish()?;
            }
        }
        self.sum_up(is_complete)
    }

    /// Ends a run whose output could not be written: nothing is added after the last checkpoint.
    ///
    /// # Errors
    /// If the summary cannot be written either.
    pub(crate) fn give_up(&mut self) -> io::Result<()> {
        self.sum_up(false)
    }

    fn sum_up(&mut self, is_complete: bool) -> io::Result<()> {
        self.write_metrics(Some(is_complete));
        let summary = self.summary(is_complete);
        let Some(kept) = &mut self.kept else {
            return Ok(());
        };
        kept.failures.flush()?;
        write_failures(&kept.journal, &kept.folder.join("failed.jsonl"))?;
        let mut text = serde_json::to_string_pretty(&summary)?;
        text.push('\n');
        files::write_whole(&kept.folder.join("summary.json"), text.as_bytes())
            .map_err(io::Error::other)
    }

    /// The progress of the run.
    pub fn figures(&self) -> Figures {
        Figures {
            done: self.counts.done.load(Ordering::Relaxed),
            failed: self.counts.failed.load(Ordering::Relaxed),
            dropped: self.corpus.as_ref().map_or(0, Corpus::dropped),
            skipped: self.counts.skipped.load(Ordering::Relaxed),
            expected: self.expected.pages(),
            browser_restarts: (self.restarts)(),
            elapsed: self.started.elapsed(),
        }
    }

    fn summary(&self, complete: bool) -> Summary {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let figures = self.figures();
        let seconds = figures.elapsed.as_secs_f64();
        let rendered = Some(count(&self.counts.rendered)).filter(|rendered| *rendered > 0);
        Summary {
            complete,
            pages_done: figures.done,
            pages_failed: figures.failed,
            pages_dropped: figures.dropped,
            pages_skipped: figures.skipped,
            seconds,
            pages_per_second: figures.processed() as f64 / seconds.max(1e-6),
            browser_restarts: figures.browser_restarts,
            peak_memory_bytes: memory_bytes("VmHWM:"),
            rendered_for_low_expected_f: rendered,
            changed_by_rendering: rendered.map(|_| count(&self.counts.changed)),
            page_states: self.counts.states(),
        }
    }

    /// Writes the statistics at intervals and at the end. `ended` is set at the end: true if the
    /// run is complete.
    fn write_metrics(&mut self, ended: Option<bool>) {
        if self
            .metrics
            .as_ref()
            .is_none_or(|file| ended.is_none() && !file.is_due())
        {
            return;
        }
        let statistics = prometheus(&self.summary(ended.unwrap_or(false)));
        if let Some(file) = &mut self.metrics {
            file.update(&statistics);
        }
    }

    /// Takes a warning about the run as a whole that was not reported yet.
    pub(crate) fn take_warning(&mut self) -> Option<String> {
        self.metrics.as_mut().and_then(MetricsFile::take_warning)
    }
}

/// A function that returns true if the output of a page exists. It gets the name of the page and
/// the size in bytes, if that is known.
pub(super) type IsThere = Box<dyn Fn(&str, Option<u64>) -> bool + Send>;

/// Where a run keeps its journal, and how it treats earlier runs.
pub struct JournalOptions {
    /// Folder of the run.
    pub folder: PathBuf,
    /// Arguments that must be the same when a later run resumes this one.
    pub arguments: EffectiveArguments,
    /// Treatment of the results of an earlier run.
    pub earlier: Earlier,
    /// True if pages that failed are tried again.
    pub retries: bool,
    /// The filters of the run, if it has any.
    pub(super) corpus: Option<Corpus>,
    /// Checks whether a page that is done according to the journal still exists; `None` if that
    /// cannot be checked.
    pub is_there: Option<IsThere>,
}

/// The folder of a run with the output `out`, or of a part of it.
pub(super) fn folder_of(out: &Path, is_file: bool, part: Option<RunPart>) -> PathBuf {
    if is_file {
        let mut name = out.as_os_str().to_owned();
        name.push(JOURNAL_ENDING);
        return name.into();
    }
    // Parts of one run may be running at the same time.
    let name = JOURNAL_FOLDER;
    out.join(part.map_or_else(
        || name.to_owned(),
        |RunPart { index, count }| format!("{name}-{}-of-{count}", index + 1),
    ))
}

/// Finished pages are written to disk after this time, so at most this much work is repeated after
/// a power cut. Heuristic: a second of work is repeated quickly, and waiting for the disk once per
/// second costs little.
const COMMIT_AFTER: Duration = Duration::from_secs(1);

/// The parts of the state that are kept on disk.
pub(super) struct StoredState {
    pub(super) folder: PathBuf,
    pub(super) journal: Journal,
    pub(super) past: Option<Past>,
    pub(super) earlier: Earlier,
    pub(super) retries: bool,
    pub(super) is_there: Option<IsThere>,
    /// The addresses, if the run is a crawl.
    pub(super) frontier: Option<Arc<Frontier>>,
    pub(super) container: Option<Box<dyn Container>>,
    pub(super) committed_at: Instant,
    pub(super) failures: BufWriter<File>,
    pub(super) old_failures: usize,
}

impl StoredState {
    /// Returns true if finished pages should be written to disk now.
    pub(super) fn is_due(&self) -> bool {
        let is_full = self
            .container
            .as_ref()
            .is_some_and(|container| container.is_due());
        is_full || self.committed_at.elapsed() >= COMMIT_AFTER
    }

    /// Writes finished pages to disk: first their links and the memory of the filters, then the
    /// output, then the journal.
    pub(super) fn commit(&mut self, corpus: Option<&mut Corpus>) -> io::Result<()> {
        self.committed_at = Instant::now();
        if self.journal.pending() == 0 {
            return Ok(());
        }
        self.failures.flush()?;
        self.frontier
            .as_ref()
            .map_or(Ok(()), |frontier| frontier.sync())?;
        corpus.map_or(Ok(()), Corpus::commit)?;
        let checkpoint = match &mut self.container {
            Some(container) => container.sync()?,
            None => Checkpoint::default(),
        };
        self.journal.commit(checkpoint)?;
        self.container
            .as_mut()
            .map_or(Ok(()), |container| container.committed())
    }
}

/// Start of the run in seconds since 1970. A resumed run keeps the first start. `SOURCE_DATE_EPOCH`
/// sets it, so that another run produces the same bytes.
pub(super) fn began_s(state: &Path) -> Result<u64, RunError> {
    let path = state.join("started");
    if let Some(started) = std::fs::read_to_string(&path)
        .ok()
        .and_then(|text| text.trim().parse().ok())
    {
        return Ok(started);
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_secs());
    let started = env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(now);
    files::make_folder(state)?;
    files::write_whole(&path, format!("{started}\n").as_bytes())?;
    Ok(started)
}

/// Writes a line about a page that failed.
pub(super) fn write_failure(to: &mut impl Write, failure: &Failure) -> io::Result<()> {
    serde_json::to_writer(&mut *to, failure)?;
    to.write_all(b"\n")
}

/// Writes the list of failed pages from the journal.
pub(super) fn write_failures(journal: &Journal, path: &Path) -> io::Result<()> {
    let mut file = files::begin(path).map_err(io::Error::other)?;
    let mut to = BufWriter::new(file.as_file_mut());
    journal.failures(|failure| write_failure(&mut to, &failure))?;
    to.flush()?;
    drop(to);
    files::finish(file, path).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Earlier, EffectiveArguments};
    use crate::options::RunPart;
    use vclean_core::error::ErrorKind;

    fn name(stem: &str) -> PageName {
        PageName {
            input: format!("{stem}.html"),
            stem: stem.to_owned(),
        }
    }

    fn open(folder: &Path, earlier: Earlier, retries: bool) -> RunState {
        let journal_options = JournalOptions {
            folder: folder.to_path_buf(),
            arguments: EffectiveArguments::default(),
            earlier,
            retries,
            corpus: None,
            is_there: Some(Box::new(|stem, bytes| stem != "lost" && bytes == Some(3))),
        };
        RunState::kept(journal_options, None, |_| Ok(None)).unwrap()
    }

    #[test]
    fn done_pages_are_not_due_again_unless_their_output_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = open(folder.path(), Earlier::Refuse, false);
        for stem in ["one", "lost"] {
            state.done(&name(stem), Some(3)).unwrap();
        }
        state.done(&name("cut"), Some(2)).unwrap();
        state
            .failed(&name("bad"), PageError::new(ErrorKind::Limit, "time-out"))
            .unwrap();
        state.end(false).unwrap();
        drop(state);
        let due = |retries: bool| {
            let mut state = open(folder.path(), Earlier::Resume, retries);
            let mut is_due = state.is_due();
            let due: Vec<&str> = ["one", "lost", "cut", "bad", "new"]
                .into_iter()
                .filter(|stem| is_due(stem))
                .collect();
            assert_eq!(state.old_failures(), usize::from(!retries));
            due
        };
        assert_eq!(due(false), ["lost", "cut", "new"]);
        assert_eq!(due(true), ["lost", "cut", "bad", "new"]);
        let failed = fs::read_to_string(folder.path().join("failed.jsonl")).unwrap();
        assert_eq!(
            failed,
            "{\"page\":\"bad\",\"input\":\"bad.html\",\"kind\":\"limit\",\"cause\":\"time-out\"}\n"
        );
        let summary = fs::read_to_string(folder.path().join("summary.json")).unwrap();
        assert!(
            summary.contains("\"pages_done\": 3") && summary.contains("\"complete\": false"),
            "{summary}"
        );
    }

    #[test]
    fn statistics_are_written_for_prometheus() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vclean.prom");
        let mut state = RunState::unkept(Some(&path)).unwrap();
        state.watch_restarts(|| 2);
        state.done(&name("one"), None).unwrap();
        state.end(true).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for line in [
            "vclean_pages_done_total 1",
            "vclean_browser_restarts_total 2",
            "vclean_run_complete 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{text}");
        }
        assert_eq!(
            (state.figures().done, state.figures().browser_restarts),
            (1, 2)
        );
    }

    #[test]
    fn parts_of_a_run_have_separate_folders() {
        let part = Some(RunPart {
            index: 2,
            count: 100,
        });
        assert_eq!(
            folder_of(Path::new("out"), false, part),
            Path::new("out/_run-3-of-100")
        );
        assert_eq!(
            folder_of(Path::new("out"), false, None),
            Path::new("out/_run")
        );
        assert_eq!(
            folder_of(Path::new("a/x.jsonl"), true, part),
            Path::new("a/x.jsonl.run")
        );
    }
}
