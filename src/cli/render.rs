//! `vclean render`: what the browser saw, kept on disk as captures.

use super::inputs::Inputs;
use super::ledger::{self, Keeping, Ledger};
use super::options::{BatchArguments, BrowserArguments, InputArguments, PolitenessArguments, ResumeArguments};
use super::pages::{self, Done, Fault, Rendering, Taken};
use super::visits::Visits;
use super::{SOME_FAILED, stages, write};
use crate::capture::{self, Capture};
use crate::source::{Body, Page};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

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

    #[command(flatten)]
    resuming: ResumeArguments,

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
    let is_there = {
        let out = out.clone();
        move |stem: &str, _: Option<u64>| capture::is_capture(&out.join(stem))
    };
    let keeping = Keeping {
        folder: ledger::folder_of(&out, false, inputs.shard()),
        settings: arguments.browser.settings(),
        earlier: arguments.resuming.earlier(false),
        retries: arguments.resuming.retry_failed,
        is_there: Some(Box::new(is_there)),
    };
    let mut ledger = if inputs.is_one_page() && !arguments.resuming.resume {
        Ledger::unkept(arguments.batch.metrics.as_deref())
    } else {
        Ledger::kept(keeping, arguments.batch.metrics.as_deref(), |_| Ok(None))?
    };
    let Some(renderer) = stages::launch(&arguments.browser, arguments.batch.jobs())? else {
        return Ok(SOME_FAILED.into());
    };
    let visits = Arc::new(Visits::new(renderer, &arguments.politeness));
    ledger.watch_restarts({
        let visits = Arc::clone(&visits);
        move || visits.restarts()
    });
    let politeness = visits.politeness();
    let see = move |_: &str, page: &Page| {
        if matches!(page.body, Body::Capture(_)) {
            let why = "a capture is rendered already; give the page's address or file";
            return Err(Fault::Page(why.to_owned()));
        }
        visits.render(page).map_err(|error| Fault::Page(error.to_string()))
    };
    let keep = move |stem: &str, _: &Page, seen: Capture| {
        capture::save(&seen, &out.join(stem)).map_err(|error| Fault::Output(error.to_string()))?;
        Ok(Done { content: (), warnings: seen.record.warnings })
    };
    let rendering = Rendering { pools: arguments.batch.pools(), politeness };
    let ended =
        pages::each_staged(inputs, &arguments.batch, rendering, ledger, see, keep, |_, (), _, _| Taken::Stored(None))?;
    Ok(ended.code("run the same command with --resume to go on"))
}
