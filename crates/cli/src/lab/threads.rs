//! `vclean lab evaluate --threads`: scores the posts of threads by what people read on the pages.

use super::output::{self, Terminal};
use super::tables::Request;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::clean::ReaderComments;
use vclean_core::cleaner::{Options, PageCleaner};
use vclean_lab::evaluate::threads::{ThreadPages, ThreadReport};
use vclean_run::source::Split;

/// The gold of threads.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Threads")]
pub(super) struct ThreadArguments {
    /// Score the posts of threads instead of the text: authors, dates, order and texts of the pages
    /// named in GOLD (one JSON object per line), and the texts of posts and comments of all pages
    /// of the data sets that have gold of them. The default split is all
    #[arg(long, value_name = "GOLD", conflicts_with_all = ["methods", "table", "report", "since", "thresholds", "record_thresholds", "alignment", "structure", "metadata"])]
    threads: Option<PathBuf>,
}

impl ThreadArguments {
    /// The gold, if threads are to be scored.
    pub(super) fn gold(&self) -> Option<&Path> {
        self.threads.as_deref()
    }
}

/// Scores the posts of pages cleaned with these options.
pub(super) fn run(
    gold: &Path,
    request: &Request<'_>,
    options: &Options,
) -> anyhow::Result<ExitCode> {
    output::refuse_inputs(&[], [gold], [request.json])?;
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let pages = ThreadPages::open(gold, &sets, request.split.unwrap_or(Split::All))?;
    let progress = Terminal::new(request.batch.quiet);
    let capturing = request.data.capturing(&sets, request.batch.jobs())?;
    let cleaner = PageCleaner::new(options)?;
    let measured = threads.install(|| pages.measure(&cleaner, &capturing, &progress))?;
    let mut separating = options.clone();
    separating.text.comments = ReaderComments::Separate;
    let separating = PageCleaner::new(&separating)?;
    let texts = threads.install(|| pages.measure_texts(&separating, &capturing, &progress))?;
    let report = ThreadReport::new(measured, texts);
    let printed = console::print(&[&report.to_text(request.worst)]).is_ok();
    output::write_json(request.json, &report)?;
    Ok(if report.failed() == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
