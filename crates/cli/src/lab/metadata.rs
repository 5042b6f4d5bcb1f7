//! `vclean lab evaluate --metadata`: scores title, authors and date of publication of pages by their
//! gold.

use super::output::{self, Terminal};
use super::tables::Request;
use crate::options::named;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::cleaner::{Options, PageCleaner};
use vclean_lab::evaluate::metadata::{FoundBy, Half, MetadataPages, MetadataReport};
use vclean_lab::gold::metadata::{MetadataOfPages, add_lines};

/// The gold of metadata, and what is measured by it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Metadata")]
pub(super) struct MetadataArguments {
    /// Score title, authors and date of publication instead of the text, by title, author and date
    /// in the manifests
    #[arg(long, conflicts_with_all = ["structure", "methods", "table", "report", "since", "thresholds", "record_thresholds", "alignment"])]
    metadata: bool,

    /// Gold of further pages of the data sets: a JSON object per line with set, id, and title,
    /// author, date or some of them
    #[arg(long, value_name = "FILE", requires = "metadata")]
    metadata_gold: Option<PathBuf>,

    /// Score what another program found: a file like that of --metadata-gold. A page without a line
    /// has nothing
    #[arg(long, value_name = "FILE", requires = "metadata", conflicts_with_all = ["model", "captures", "is_static"])]
    found: Option<PathBuf>,

    /// Only the pages of the first or second half of the sites: for sets without a split in which
    /// rules could be chosen
    #[arg(long, value_name = "HALF", requires = "metadata", value_parser = half)]
    half: Option<Half>,
}

fn half(name: &str) -> Result<Half, String> {
    named(Half::ALL, name)
}

impl MetadataArguments {
    /// Whether metadata is to be scored.
    pub(super) fn is_requested(&self) -> bool {
        self.metadata
    }
}

/// Scores the metadata of pages cleaned with these options, or of another program.
pub(super) fn run(
    arguments: &MetadataArguments,
    request: &Request<'_>,
    options: &Options,
) -> anyhow::Result<ExitCode> {
    let (gold, found) = (
        arguments.metadata_gold.as_deref(),
        arguments.found.as_deref(),
    );
    output::refuse_inputs(&[], [gold, found].into_iter().flatten(), [request.json])?;
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let pages = MetadataPages::open(
        &sets,
        request.split.unwrap_or_default(),
        arguments.half,
        gold,
    )?;
    let progress = Terminal::new(request.batch.quiet);
    let report = if let Some(path) = found {
        let mut stated = MetadataOfPages::new();
        add_lines(&mut stated, path)?;
        let name = path
            .file_stem()
            .map_or_else(|| "found".into(), |name| name.to_string_lossy());
        MetadataReport::new(
            &name,
            threads.install(|| pages.compare(&FoundBy::Program(stated), &progress)),
        )
    } else {
        let capturing = request.data.capturing(&sets, request.batch.jobs())?;
        let system = options
            .model
            .model
            .clone()
            .unwrap_or_else(|| "vclean".to_owned());
        let cleaner = PageCleaner::new(options)?;
        let by = FoundBy::Cleaner(&cleaner, &capturing);
        MetadataReport::new(&system, threads.install(|| pages.compare(&by, &progress)))
    };
    let printed = console::print(&[&report.to_text(request.worst)]).is_ok();
    output::write_json(request.json, &report)?;
    Ok(if report.failed() == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
