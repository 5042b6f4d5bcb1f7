//! The reports of a run: to its observer while it is running, and as statistics in its summary and
//! for Prometheus. The command line prints the reports to the observer; a service or a library user
//! may handle them in another way.

use super::corpus::LeftOut;
use super::error::RunError;
use super::options::RunPart;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use vclean_core::error::{Warning, WarningKind};
use vclean_core::files;

/// Receives the reports of a run, in the order in which results are delivered.
pub trait Observer {
    /// One more page was processed, successfully or not.
    fn page_done(&mut self, figures: &Figures);
    /// A page could not be processed.
    fn page_failed(&mut self, page: &str, cause: &str);
    /// Something is wrong with a page that was processed nevertheless.
    fn page_warning(&mut self, page: &str, warning: &Warning);
    /// Something the user should know about the whole run, which does not stop it.
    fn run_warning(&mut self, text: &str);
    /// A fact about the run that is reported at its end, such as the files of a folder that were
    /// left out.
    fn run_note(&mut self, _text: &str) {}
    /// Something went wrong with the whole run.
    fn run_error(&mut self, text: &str);
    /// The text of a page, if the run has no other output. Write `head` before the first text and
    /// `separator` between two texts. Return `Break` if no more texts are wanted.
    fn text(&mut self, text: &str, head: &str, separator: &str) -> ControlFlow<()>;
    /// All texts were given. Write `foot` after the last one, if there was any.
    fn texts_done(&mut self, _foot: &str) {}
    /// Returns true if a text that was accepted could not be written.
    fn has_lost_output(&self) -> bool {
        false
    }
    /// The run has ended, complete or not.
    fn run_done(&mut self, figures: &Figures) {
        let _ = figures;
    }
}

/// Numbers of pages of a run, and its time so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Pages that were processed in this run and did not fail.
    pub done: u64,
    /// Pages that failed in this run.
    pub failed: u64,
    /// Pages among those done whose documents the filters of the run dropped.
    pub dropped: u64,
    /// Pages that this run leaves out because earlier runs processed them, successfully or not.
    pub skipped: u64,
    /// Pages of all inputs, including those above, as far as they are known: the number grows when
    /// a folder is opened. `None` if an input does not state its number of pages, like most
    /// archives.
    pub expected: Option<u64>,
    /// Browsers that were started after the first.
    pub browser_restarts: usize,
    /// Time since the run started.
    pub elapsed: Duration,
}

impl Figures {
    /// Pages that this run has processed.
    pub fn processed(&self) -> u64 {
        self.done + self.failed
    }

    /// Pages that this run has to process, as far as they are known.
    pub fn to_process(&self) -> Option<u64> {
        self.expected
            .map(|expected| expected.saturating_sub(self.skipped).max(self.processed()))
    }

    /// Remark to show beside the number of pages, such as failures; may be empty.
    pub fn remark(&self) -> String {
        let mut words = Vec::new();
        if self.skipped > 0 {
            words.push(format!("{} done before", self.skipped));
        }
        if self.failed > 0 {
            words.push(format!("{} failed", self.failed));
        }
        if self.browser_restarts > 0 {
            words.push(format!("{} browser restarts", self.browser_restarts));
        }
        words.join(", ")
    }
}

/// Placeholder for an unknown number of pages.
const UNKNOWN: u64 = u64::MAX;

/// The number of pages of all inputs. Each input counts as one page until it is opened; then it
/// counts as the pages that it says it has. Shared by the thread that opens the inputs and the one
/// that reports.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected(Arc<AtomicU64>);

impl Expected {
    /// Uses a number that is counted elsewhere.
    pub(super) fn counted(count: Arc<AtomicU64>) -> Self {
        Self(count)
    }

    /// Starts with inputs that are not opened yet.
    pub(super) fn from_input_count(count: usize) -> Self {
        Self(Arc::new(AtomicU64::new(count as u64)))
    }

    /// Records that an input with this number of pages was opened; `None` if it does not state it.
    pub(super) fn opened(&self, pages: Option<usize>) {
        // Only the thread that opens the inputs writes the number.
        let before = self.0.load(Ordering::Relaxed);
        let after = match pages {
            Some(pages) if before != UNKNOWN => {
                before.saturating_sub(1).saturating_add(pages as u64)
            }
            _ => UNKNOWN,
        };
        self.0.store(after, Ordering::Relaxed);
    }

    /// Records that a page of an opened input is left out.
    pub(super) fn left_out(&self) {
        let before = self.0.load(Ordering::Relaxed);
        if before != UNKNOWN {
            self.0.store(before.saturating_sub(1), Ordering::Relaxed);
        }
    }

    /// The number of pages of a part, or of all inputs without one; `None` if an input did not
    /// state it.
    fn pages(&self, part: Option<RunPart>) -> Option<u64> {
        let pages = Some(self.0.load(Ordering::Relaxed)).filter(|pages| *pages != UNKNOWN)?;
        let RunPart { index, count } = part.unwrap_or(RunPart { index: 0, count: 1 });
        Some(pages.saturating_sub(index as u64).div_ceil(count as u64))
    }
}

/// The number of pages of a run, which may work on a part of its inputs.
#[derive(Debug, Default)]
pub(super) struct ExpectedPages {
    pub(super) expected: Expected,
    pub(super) part: Option<RunPart>,
    /// Number of pages that were left out and do not count.
    pub(super) left_out: LeftOut,
}

impl ExpectedPages {
    /// The number, as far as it is known now.
    pub(super) fn pages(&self) -> Option<u64> {
        self.expected.pages(self.part)
    }
}

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
    pub(super) rendered_for_low_expected_f: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed_by_rendering: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) page_states: BTreeMap<&'static str, u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde requires.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The statistics in the text exposition format of Prometheus, version 0.0.4.
pub(super) fn prometheus(summary: &Summary) -> String {
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: f64| {
        let _ = write!(
            text,
            "# HELP vclean_{name} {help}\n# TYPE vclean_{name} {kind}\nvclean_{name} {value}\n"
        );
    };
    add(
        "pages_done_total",
        "counter",
        "Pages that were cleaned in this run.",
        summary.pages_done as f64,
    );
    add(
        "pages_failed_total",
        "counter",
        "Pages that failed in this run.",
        summary.pages_failed as f64,
    );
    add(
        "pages_skipped_total",
        "counter",
        "Pages that earlier runs had done.",
        summary.pages_skipped as f64,
    );
    let restarts = summary.browser_restarts as f64;
    add(
        "browser_restarts_total",
        "counter",
        "Browsers that were started after the first.",
        restarts,
    );
    add(
        "run_seconds",
        "gauge",
        "Time since the run started.",
        summary.seconds,
    );
    add(
        "pages_per_second",
        "gauge",
        "Pages a second since the run started.",
        summary.pages_per_second,
    );
    if let Some(bytes) = memory_bytes("VmRSS:") {
        add(
            "resident_memory_bytes",
            "gauge",
            "Memory of the program without its browser.",
            bytes as f64,
        );
    }
    add(
        "run_complete",
        "gauge",
        "1 when the run has come to its end.",
        f64::from(u8::from(summary.complete)),
    );
    text
}

/// A memory figure of this process from `/proc/self/status`, in bytes; `None` on systems other than
/// Linux.
pub(super) fn memory_bytes(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}

/// Time between two updates.
const UPDATE_AFTER: Duration = Duration::from_secs(5);

/// The file of statistics for Prometheus, which is replaced with each update.
#[derive(Debug)]
pub(super) struct MetricsFile {
    path: PathBuf,
    updated_at: Instant,
    /// A warning that the user has not received yet.
    warning: Option<String>,
    has_warned: bool,
}

impl MetricsFile {
    /// Creates the file and writes the first statistics.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn create(path: &Path, statistics: &str) -> Result<Self, RunError> {
        files::write_whole(path, statistics.as_bytes())?;
        Ok(Self {
            path: path.to_path_buf(),
            updated_at: Instant::now(),
            warning: None,
            has_warned: false,
        })
    }

    /// Returns true if it is time for an update.
    pub(super) fn is_due(&self) -> bool {
        self.updated_at.elapsed() >= UPDATE_AFTER
    }

    pub(super) fn update(&mut self, statistics: &str) {
        self.updated_at = Instant::now();
        if let Err(error) = files::write_whole(&self.path, statistics.as_bytes())
            && !self.has_warned
        {
            self.has_warned = true;
            self.warning = Some(format!("the metrics are no longer up to date: {error}"));
        }
    }

    /// Takes the warning that the user has not received yet.
    pub(super) fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }
}

/// Number of warnings of one kind that are shown; further ones are only counted. Heuristic: three
/// show whether one page, one site or every page is affected.
const SHOWN: u64 = 3;
/// Largest number of groups of [`WarningKind::Other`], to limit memory. All further texts are one
/// group.
const MAX_GROUPS: usize = 200;

/// The warnings of a run.
#[derive(Debug, Default)]
pub struct WarningCounts {
    shows_all: bool,
    /// Groups in the order of their first warnings.
    groups: Vec<Group>,
    total: u64,
}

/// Warnings with the same meaning.
#[derive(Debug)]
struct Group {
    kind: WarningKind,
    /// For [`WarningKind::Other`], the text of the first warning without its digits; empty in the
    /// group of all further texts.
    pattern: String,
    summary: String,
    first_page: String,
    last_page: String,
    pages: u64,
    warnings: u64,
}

impl WarningCounts {
    /// Starts without warnings. With `shows_all`, each warning is shown.
    pub fn new(shows_all: bool) -> Self {
        Self {
            shows_all,
            ..Self::default()
        }
    }

    /// Counts a warning about `page`. Returns true if it is to be shown.
    pub fn add(&mut self, page: &str, warning: &Warning) -> bool {
        self.total += 1;
        let shows_all = self.shows_all_of(warning.kind);
        let group = self.group(page, warning);
        group.warnings += 1;
        if group.pages == 0 || group.last_page != page {
            group.pages += 1;
            page.clone_into(&mut group.last_page);
        }
        shows_all || group.warnings <= SHOWN
    }

    /// Returns true if each warning of a kind is shown. Those about hidden text always are, because
    /// the user asked for them.
    fn shows_all_of(&self, kind: WarningKind) -> bool {
        self.shows_all || kind == WarningKind::HiddenText
    }

    /// The group of a warning, which is created if it does not exist.
    fn group(&mut self, page: &str, warning: &Warning) -> &mut Group {
        let kind = warning.kind;
        let mut pattern = match kind {
            WarningKind::Other => warning
                .chars()
                .filter(|char| !char.is_ascii_digit())
                .collect(),
            _ => String::new(),
        };
        let mut summary = if pattern.is_empty() {
            kind.summary().to_owned()
        } else {
            warning.text.clone()
        };
        let position = |groups: &[Group], pattern: &str| {
            groups
                .iter()
                .position(|group| group.kind == kind && group.pattern == pattern)
        };
        let mut at = position(&self.groups, &pattern);
        if at.is_none() && self.groups.len() >= MAX_GROUPS {
            pattern.clear();
            kind.summary().clone_into(&mut summary);
            at = position(&self.groups, &pattern);
        }
        let at = at.unwrap_or_else(|| {
            let (first_page, last_page) = (page.to_owned(), page.to_owned());
            self.groups.push(Group {
                kind,
                pattern,
                summary,
                first_page,
                last_page,
                pages: 0,
                warnings: 0,
            });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// Counts a warning about the whole run.
    pub fn add_of_run(&mut self) {
        self.total += 1;
    }

    /// Number of warnings counted so far, including those that were not shown.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// One line for each kind of which some warnings were not shown.
    pub fn closing_lines(&self) -> Vec<String> {
        let is_cut = |group: &&Group| !self.shows_all_of(group.kind) && group.warnings > SHOWN;
        let line = |group: &Group| {
            let pages = if group.pages == 1 {
                "1 page".to_owned()
            } else {
                format!("{} pages", group.pages)
            };
            format!(
                "{pages}: {} (first: {}); `verbose` shows each",
                group.summary, group.first_page
            )
        };
        self.groups.iter().filter(is_cut).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_earlier_runs_are_not_to_be_processed() {
        let figures = Figures {
            done: 3,
            failed: 1,
            skipped: 10,
            expected: Some(20),
            ..Figures::default()
        };
        assert_eq!((figures.processed(), figures.to_process()), (4, Some(10)));
        assert_eq!(figures.remark(), "10 done before, 1 failed");
        assert_eq!(
            Figures {
                expected: Some(2),
                ..figures
            }
            .to_process(),
            Some(4)
        );
        assert_eq!(
            Figures {
                expected: None,
                ..figures
            }
            .to_process(),
            None
        );
        assert_eq!(
            Figures {
                browser_restarts: 2,
                ..Figures::default()
            }
            .remark(),
            "2 browser restarts"
        );
    }

    #[test]
    fn an_input_counts_as_one_page_until_it_is_opened() {
        let expected = Expected::from_input_count(3);
        assert_eq!(expected.pages(None), Some(3));
        expected.opened(Some(10));
        assert_eq!(expected.pages(None), Some(12));
        let of_parts = (0..5).filter_map(|index| expected.pages(Some(RunPart { index, count: 5 })));
        assert_eq!(of_parts.collect::<Vec<_>>(), [3, 3, 2, 2, 2]);
        expected.opened(None);
        expected.opened(Some(1));
        assert_eq!(expected.pages(None), None);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_first_and_a_warning_later() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let path = gone.join("x.prom");
        assert!(
            MetricsFile::create(&path, "")
                .unwrap_err()
                .to_string()
                .contains("x.prom")
        );
        std::fs::create_dir(&gone).unwrap();
        let mut file = MetricsFile::create(&path, "pages 0").unwrap();
        assert!(!file.is_due());
        std::fs::remove_dir_all(&gone).unwrap();
        file.update("pages 1");
        assert!(file.take_warning().unwrap().contains("x.prom"));
        file.update("pages 2");
        assert_eq!(file.take_warning(), None, "told once");
    }

    fn font(letters: u32) -> Warning {
        Warning::new(
            WarningKind::MissingFont,
            format!("{letters} letters are in no installed font"),
        )
    }

    #[test]
    fn a_kind_is_shown_a_few_times_and_counted_then() {
        let mut counts = WarningCounts::new(false);
        let shown: Vec<bool> = (0..96)
            .map(|page| counts.add(&format!("{page}.html"), &font(page)))
            .collect();
        assert_eq!(shown.iter().filter(|shown| **shown).count(), 3);
        assert!(shown[0] && shown[2] && !shown[3]);
        assert!(counts.add(
            "0.html",
            &Warning::new(WarningKind::TooTall, "the page is 9 px tall")
        ));
        assert_eq!(
            counts.closing_lines(),
            ["96 pages: missing glyphs (first: 0.html); `verbose` shows each"]
        );
        assert_eq!(counts.total(), 97);
    }

    #[test]
    fn all_are_shown_on_request_and_then_none_is_counted_again() {
        let mut counts = WarningCounts::new(true);
        assert!((0..50).all(|page| counts.add(&page.to_string(), &font(1))));
        assert!(counts.closing_lines().is_empty());
    }

    #[test]
    fn hidden_text_is_shown_whole() {
        let mut counts = WarningCounts::new(false);
        let hidden = Warning::new(WarningKind::HiddenText, "hidden text (covered): x");
        assert!((0..50).all(|_| counts.add("a.html", &hidden)));
        assert!(counts.closing_lines().is_empty());
    }

    #[test]
    fn warnings_without_a_kind_are_grouped_by_their_words() {
        let mut counts = WarningCounts::new(false);
        for page in 0..10 {
            counts.add("a.html", &format!("{page} frames are lost").into());
            counts.add("b.html", &"another problem".into());
        }
        let lines = counts.closing_lines();
        assert!(
            lines[0].starts_with("1 page: 0 frames are lost (first: a.html)"),
            "{lines:?}"
        );
        assert!(
            lines[1].starts_with("1 page: another problem (first: b.html)"),
            "{lines:?}"
        );
    }

    #[test]
    fn hostile_texts_do_not_fill_the_memory() {
        let mut counts = WarningCounts::new(false);
        for number in 0..2_000_u32 {
            let letters: String = (0..11)
                .map(|bit| if number >> bit & 1 == 1 { 'x' } else { 'y' })
                .collect();
            counts.add(&letters, &letters.as_str().into());
        }
        assert!(counts.groups.len() <= MAX_GROUPS + 1);
        assert!(counts.closing_lines()[0].contains("pages: other warnings"));
    }
}
