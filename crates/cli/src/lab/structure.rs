//! `vclean lab evaluate --structure`: scores the Markdown of pages by Markdown that was made of them by
//! hand.

use super::output::{self, Terminal};
use super::tables::Request;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::cleaner::{Options, PageCleaner};
use vclean_lab::evaluate::structure::sets::{Made, MarkedPages};
use vclean_lab::evaluate::structure::summary::StructureReport;
use vclean_run::source::Split;

/// The gold of structure, and what is measured by it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Structure")]
pub(super) struct StructureArguments {
    /// Score the structure of the output instead of its words: text, code, formulas, tables,
    /// headings, lists and links of the Markdown, by Markdown that was made by hand of the pages
    /// named in GOLD (one JSON object per line), or of those with a file SET/ID.md in the folder
    /// GOLD. The default split is all
    #[arg(long, value_name = "GOLD", conflicts_with_all = ["methods", "table", "report", "since", "thresholds", "record_thresholds", "alignment"])]
    structure: Option<PathBuf>,

    /// Score the Markdown of another program: FOLDER holds SET/ID.md for each page, where SET is
    /// the name of the data folder. A missing file is a page without output
    #[arg(long, value_name = "FOLDER", requires = "structure", conflicts_with_all = ["model", "captures", "is_static"])]
    outputs: Option<PathBuf>,
}

impl StructureArguments {
    /// The gold, if the structure is to be scored.
    pub(super) fn gold(&self) -> Option<&Path> {
        self.structure.as_deref()
    }
}

/// Scores the pages that `gold` names, cleaned with these options or read from the folder of
/// outputs.
pub(super) fn run(
    arguments: &StructureArguments,
    gold: &Path,
    request: &Request<'_>,
    options: &Options,
) -> anyhow::Result<ExitCode> {
    output::refuse_inputs(
        &[],
        [Some(gold), arguments.outputs.as_deref()]
            .into_iter()
            .flatten(),
        [request.json],
    )?;
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let pages = MarkedPages::open(gold, &sets, request.split.unwrap_or(Split::All))?;
    let progress = Terminal::new(request.batch.quiet);
    let report = if let Some(folder) = &arguments.outputs {
        let name = folder
            .file_name()
            .map_or_else(|| "outputs".into(), |name| name.to_string_lossy());
        StructureReport::new(
            &name,
            threads.install(|| pages.measure(&Made::Outputs(folder.clone()), &progress))?,
        )
    } else {
        let capturing = request.data.capturing(&sets, request.batch.jobs())?;
        let system = options
            .model
            .model
            .clone()
            .unwrap_or_else(|| "vclean".to_owned());
        let cleaner = PageCleaner::new(options)?;
        let made = Made::Cleaned(&cleaner, &capturing);
        StructureReport::new(
            &system,
            threads.install(|| pages.measure(&made, &progress))?,
        )
    };
    let printed = console::print(&[&report.to_text(request.worst)]).is_ok();
    output::write_json(request.json, &report)?;
    Ok(if report.failed() == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
