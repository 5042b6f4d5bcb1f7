//! `vclean render`: writes captures of pages to disk.

use super::SOME_FAILED;
use super::console::{self, Console};
use super::options::{BatchArguments, InputArguments, PolitenessArguments, ResumeArguments};
use super::rendering::{self, BrowserArguments};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_render::LoadOptions;
use vclean_run::RenderingRun;

/// Render pages and save captures of them
///
/// Writes a capture of each page: a folder with its element tree, boxes, styles, screenshot and
/// node mask. Captures can later be cleaned, measured and used for training, also on other
/// machines, without rendering again. By default, addresses are rendered in Chromium, saved pages
/// and archives by the built-in engine; see --engine.
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

    /// Folder for the captures; each capture is a folder in it, named after its input
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    resuming: ResumeArguments,

    #[command(flatten)]
    browser: BrowserArguments,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    politeness: PolitenessArguments,
    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = arguments.inputs.open()?;
    let mut console = Console::for_run(&inputs, &arguments.batch);
    let (options, resuming) = (arguments.batch.run_options(), arguments.resuming.resuming());
    let mut effective = arguments.browser.effective();
    effective.extend(arguments.load.chosen());
    let run = RenderingRun::new(inputs, options, &arguments.out, resuming, effective)?;
    let Some(renderer) =
        rendering::launch(&arguments.browser, &arguments.load, arguments.batch.jobs())?
    else {
        return Ok(SOME_FAILED.into());
    };
    let ended = run.render(
        renderer,
        arguments.politeness.options(),
        &console::stop_on_interrupt(),
        &mut console,
    )?;
    Ok(console::exit_code(
        ended,
        "run the same command with --resume to continue",
    ))
}
