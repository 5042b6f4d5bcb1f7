//! `vclean clean`: text from captures and bare HTML, without a browser. Holds what `render-and-clean` shares with it.

use super::method::MethodArguments;
use super::options::{BatchArguments, InputArguments, ModelArguments, OutputArguments};
use super::outputs::{Outputs, Written};
use super::pages::{self, Done};
use super::{inputs::Inputs, stages};
use crate::capture::Capture;
use crate::pipeline;
use crate::politeness::Politeness;
use crate::source::Page;
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;

/// Clean captures and bare HTML, without a browser
///
/// Reads what `vclean render` kept, HTML and MHTML files, and standard input. Bare HTML has no layout, so a model that
/// needs no picture decides there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean clean captures/ --out cleaned/          every capture, one text file each
  vclean clean page.html --format markdown       bare HTML, on standard output
  curl -s https://example.org | vclean clean -   standard input
  vclean clean page.html --method justext        by a published system; see vclean methods")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    #[command(flatten)]
    cleaning: CleaningArguments,
}

/// What both verbs that clean take.
#[derive(Debug, Args)]
pub(super) struct CleaningArguments {
    #[command(flatten)]
    pub(super) output: OutputArguments,
    #[command(flatten)]
    pub(super) method: MethodArguments,
    #[command(flatten)]
    pub(super) model: ModelArguments,
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::new(arguments.inputs)?;
    clean(inputs, &arguments.cleaning, None, |_, page| Ok(stages::parse(page)?))
}

/// Cleans every page: `see` makes the capture, where it fetches pages with `politeness`.
pub(super) fn clean(
    inputs: Inputs,
    arguments: &CleaningArguments,
    politeness: Option<Arc<Politeness>>,
    see: impl Fn(&str, &Page) -> anyhow::Result<Capture> + Send + Sync + 'static,
) -> anyhow::Result<ExitCode> {
    let outputs = Outputs::new(&arguments.output, inputs.is_one_page())?;
    let method = arguments.method.ready(&arguments.model, outputs.wants_reasons())?;
    let separator = outputs.separator();
    let work = move |stem: &str, page: &Page| {
        if outputs.is_done(stem) {
            return Ok(Done { content: String::new(), warnings: Vec::new() });
        }
        let clean = || -> anyhow::Result<Done<String>> {
            let capture = see(stem, page)?;
            let cleaned = pipeline::clean(page, &capture, &*method)?;
            let Written { text, warnings } = outputs.write(stem, &capture, &cleaned)?;
            let warnings = capture.record.warnings.into_iter().chain(warnings).collect();
            Ok(Done { content: text, warnings })
        };
        clean().map_err(|error| format!("{error:#}"))
    };
    let ended =
        pages::each(inputs, &arguments.batch, politeness, work, |_, text, console| console.print(&text, separator))?;
    Ok(ended.code(if arguments.output.out.is_some() {
        "run the same command with --resume to go on"
    } else {
        "with --out DIR a run can go on later, by --resume"
    }))
}
