//! `vclean render`: what the browser saw, kept on disk as captures.

use super::inputs::Inputs;
use super::options::{BatchArguments, BrowserArguments, InputArguments, PolitenessArguments};
use super::pages::{self, Done};
use super::visits::Visits;
use super::{SOME_FAILED, stages, write};
use crate::capture;
use crate::source::{Body, Page};
use clap::Args;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Render pages and keep what the browser saw
///
/// Writes a capture for each page: a folder with the tree, boxes, styles, screenshot and node mask. Captures can be
/// cleaned, measured and trained on later, elsewhere, without a browser.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean render https://example.org/article --out captures/
  vclean render --from addresses.txt --out captures/ --resume
  vclean clean captures/                     later, without a browser")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,

    /// Folder for the captures, each a folder named after its input
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    /// Skip pages whose capture exists already
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    browser: BrowserArguments,
    #[command(flatten)]
    politeness: PolitenessArguments,
    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::new(arguments.inputs)?;
    let out = write::folder(&arguments.out)?;
    let Some(renderer) = stages::launch(&arguments.browser, arguments.batch.jobs())? else {
        return Ok(SOME_FAILED.into());
    };
    let visits = Visits::new(renderer, &arguments.politeness);
    let politeness = visits.politeness();
    let is_resumed = arguments.resume;
    let work = move |stem: &str, page: &Page| {
        let folder = out.join(stem);
        if is_resumed && capture::is_capture(&folder) {
            return Ok(Done { content: (), warnings: Vec::new() });
        }
        if matches!(page.body, Body::Capture(_)) {
            return Err("a capture is rendered already; give the page's address or file".to_owned());
        }
        let capture = visits.render(page).map_err(|error| error.to_string())?;
        capture::save(&capture, &folder).map_err(|error| error.to_string())?;
        Ok(Done { content: (), warnings: capture.record.warnings })
    };
    let ended = pages::each(inputs, &arguments.batch, Some(politeness), work, |_, (), _| ControlFlow::Continue(()))?;
    Ok(ended.code("run the same command with --resume to go on"))
}
