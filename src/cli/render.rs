//! `vclean render`: what a reader would see, kept on disk as captures.

use super::inputs::Inputs;
use super::ledger::{self, Keeping, Ledger};
use super::options::{BatchArguments, InputArguments, PolitenessArguments, ResumeArguments};
use super::pages::{self, Done, Fault, Rendering, Taken};
use super::rendering::{self, BrowserArguments};
use super::visits::Visits;
use super::{SOME_FAILED, write};
use crate::capture::{self, Capture};
use crate::source::{Body, Page};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Render pages and keep what is seen of them
///
/// Writes a capture for each page: a folder with the tree, boxes, styles, screenshot and node mask. Captures can be
/// cleaned, measured and trained on later, elsewhere, without rendering. Addresses are rendered in Chromium, saved pages and
/// archives by the built-in engine, unless --engine says otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean render https://example.org/article --out captures/
  vclean render --from addresses.txt --out captures/ --resume
  vclean render crawl.warc.gz --out captures/                      by the built-in engine: no browser
  vclean render saved.mhtml --engine chromium --out captures/      in the browser
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
    let Some(renderer) = rendering::launch(&arguments.browser, arguments.batch.jobs())? else {
        return Ok(SOME_FAILED.into());
    };
    let visits = Arc::new(Visits::new(renderer, &arguments.politeness));
    ledger.watch_restarts({
        let visits = Arc::clone(&visits);
        move || visits.restarts()
    });
    let (politeness, notice) = (visits.politeness(), Visits::notice(&visits));
    let see = move |_: &str, page: &Page| {
        if matches!(page.body, Body::Capture(_)) {
            let why = "a capture is rendered already; give the page's address or file";
            return Err(Fault::Page(why.to_owned()));
        }
        visits.render(page, None).map_err(|error| Fault::Page(error.to_string()))
    };
    let keep = move |stem: &str, _: &Page, seen: Capture| {
        capture::save(&seen, &out.join(stem)).map_err(|error| Fault::Output(error.to_string()))?;
        Ok(Done { content: (), warnings: seen.record.warnings })
    };
    let rendering = Rendering { pools: arguments.batch.pools(), politeness, notice };
    let ended =
        pages::each_staged(inputs, &arguments.batch, rendering, ledger, see, keep, |_, (), _, _| Taken::Stored(None))?;
    Ok(ended.code("run the same command with --resume to go on"))
}
