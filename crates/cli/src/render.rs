//! `vclean render`: writes captures of pages to disk.

use super::SOME_FAILED;
use super::console::{self, Console};
use super::options::{BatchArguments, InputArguments};
use super::rendering;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_render::{LoadOptions, RenderOptions};
use vclean_run::politeness::PolitenessOptions;
use vclean_run::{RenderingRun, Resuming};

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
    resuming: Resuming,

    #[command(flatten)]
    render: RenderOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    politeness: PolitenessOptions,
    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = arguments.inputs.open()?;
    let mut console = Console::for_run(&inputs, &arguments.batch);
    let options = RenderOptions {
        load: arguments.load,
        tabs: arguments.batch.jobs(),
        ..arguments.render
    };
    let run = RenderingRun::new(
        inputs,
        arguments.batch.run,
        &arguments.out,
        arguments.resuming,
        options.effective(),
    )?;
    let Some(renderer) = rendering::launch(options)? else {
        return Ok(SOME_FAILED.into());
    };
    let ended = run.render(
        renderer,
        arguments.politeness,
        &console::stop_on_interrupt(),
        &mut console,
    )?;
    Ok(console::exit_code(
        ended,
        "run the same command with --resume to continue",
    ))
}
