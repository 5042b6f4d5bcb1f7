//! `vclean clean`: text from captures and bare HTML, without a browser. Holds what `render-and-clean` shares with it.

use super::ledger::Ledger;
use super::method::MethodArguments;
use super::options::{BatchArguments, InputArguments, ModelArguments, OutputArguments};
use super::outputs::{Outputs, Product};
use super::pages::{self, Done, Fault};
use super::pictures::Pictures;
use super::{inputs::Inputs, stages};
use crate::batch::journal::Settings;
use crate::capture::Capture;
use crate::error::Error;
use crate::method::{CleanPage, Cleaned};
use crate::pipeline;
use crate::source::Page;
use clap::Args;
use std::process::ExitCode;

/// Clean captures and bare HTML, without a browser
///
/// Reads what `vclean render` kept, HTML and MHTML files, archives, Parquet files, JSON lines, and standard input. Bare HTML
/// has no layout, so a model that needs no picture decides there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean clean captures/ --out cleaned/          every capture, one text file each
  vclean clean page.html --format markdown       bare HTML, on standard output
  curl -s https://example.org | vclean clean -   standard input
  vclean clean page.html --method justext        by a published system; see vclean methods
  vclean clean crawl.warc.gz --out cleaned.parquet --resume    many pages into one output; goes on after any end")]
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
    let run = Run::new(&inputs, &arguments.cleaning, Settings::default())?;
    let (cleaner, outputs) = (run.cleaner, run.outputs);
    let work = move |stem: &str, page: &Page| {
        let capture = stages::parse(page).map_err(Error::from)?;
        cleaner.clean(stem, page, capture)
    };
    let ended = pages::each(inputs, &arguments.cleaning.batch, run.ledger, work, |page, product, console, ledger| {
        outputs.store(page, product, console, ledger)
    })?;
    Ok(ended.code(how_to_go_on(&arguments.cleaning)))
}

/// What an interrupted run says.
pub(super) fn how_to_go_on(arguments: &CleaningArguments) -> &'static str {
    if arguments.output.out.is_some() {
        "run the same command with --resume to go on"
    } else {
        "with --out DIR a run can go on later, by --resume"
    }
}

/// What both verbs that clean set up.
pub(super) struct Run {
    pub(super) cleaner: PageCleaner,
    pub(super) outputs: Outputs,
    pub(super) ledger: Ledger,
}

impl Run {
    /// Reads the model and opens the output; `settings` are those of the verb, beside those of cleaning.
    ///
    /// # Errors
    /// If options do not go together, the model cannot be read, or the output cannot be opened.
    pub(super) fn new(inputs: &Inputs, arguments: &CleaningArguments, mut settings: Settings) -> anyhow::Result<Self> {
        let outputs = Outputs::new(&arguments.output, inputs.is_one_page())?;
        let pictures = Pictures::new(&arguments.output, inputs.is_one_page())?;
        let explain = outputs.wants_reasons() || pictures.wants_reasons();
        let method = arguments.method.ready(&arguments.model, explain)?;
        settings.extend(arguments.method.settings());
        settings.extend(arguments.model.settings()?);
        let ledger = outputs.ledger(&arguments.output, inputs, settings, arguments.batch.metrics.as_deref())?;
        Ok(Self { cleaner: PageCleaner { method, pictures, outputs: outputs.clone() }, outputs, ledger })
    }
}

/// From a capture to what is stored of it.
pub(super) struct PageCleaner {
    pub(super) method: Box<dyn CleanPage>,
    pictures: Pictures,
    outputs: Outputs,
}

impl PageCleaner {
    /// Cleans a page and draws what is to be drawn of it.
    ///
    /// # Errors
    /// If it cannot be cleaned, or its pictures cannot be written.
    pub(super) fn clean(&self, stem: &str, page: &Page, capture: Capture) -> Result<Done<Product>, Fault> {
        let cleaned = pipeline::clean(page, &capture, &*self.method)?;
        self.finish(stem, page, capture, cleaned)
    }

    /// The same for a page that is cleaned already.
    ///
    /// # Errors
    /// As [`Self::clean`].
    pub(super) fn finish(
        &self,
        stem: &str,
        page: &Page,
        capture: Capture,
        cleaned: Cleaned,
    ) -> Result<Done<Product>, Fault> {
        let drawn = self.pictures.draw(stem, &capture, &cleaned)?;
        let content = self.outputs.product(stem, page, &capture, cleaned);
        Ok(Done { content, warnings: capture.record.warnings.into_iter().chain(drawn).collect() })
    }
}
