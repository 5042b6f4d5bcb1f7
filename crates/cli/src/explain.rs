//! `vclean explain`: why a block of a page was kept or dropped.

use super::console::{self, Console};
use super::options::{BatchArguments, hide_others, refuse_others};
use super::rendering::{self, needs_rendering};
use crate::published::PUBLISHED;
use anyhow::Context;
use clap::Args;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use vclean_core::capture::{Capture, encode_png};
use vclean_core::error::{Error, ErrorKind, PageError, Warning, Warnings};
use vclean_core::explain::{Explanation, closeup, explain};
use vclean_core::files;
use vclean_core::pipeline::{CleanedPage, Cleaners, OURS, Options};
use vclean_render::{LoadOptions, RenderOptions};
use vclean_run::journal::EffectiveArguments;
use vclean_run::pages::Ended;
use vclean_run::{CleaningRun, DrawPage, Figures, Inputs, Observer, OutputOptions, Protected};

/// Explain why a block of a page was kept or dropped
///
/// Finds the block that has the words of --at (without regard to case and white space; the best
/// match first, or the blocks over which the words run) and tells its label, probability, margin
/// and box, the features that weighed most, its neighbors, and whether a rule changed the decision
/// after the model. Of words that are in no block, tells where they are: in a script, hidden, in an
/// attribute.
#[derive(Debug, Args)]
#[command(
    mut_args(|argument| needs_rendering(argument, "render")),
    mut_args(|argument| hide_others(argument, &TAKEN)),
    mut_arg("format", |option| option.value_parser(["text", "json"])),
)]
#[command(after_help = "\
Examples:
  vclean explain page.html --at \"some words of the block\"            from the HTML alone, as vclean clean decides
  vclean explain https://example.org/article --render --at \"Read more\"     rendered, as render-and-clean decides
  vclean explain page.mhtml --render --at \"Read more\" --picture why.png    with the block framed on the screenshot
  vclean explain crawl.warc.gz --page-name https://example.org/gulls --at \"Read more\"    a page of an archive
  vclean explain captures/page --at cookies --format json            a capture of vclean render
  vclean explain page.html --at \"Read more\" --method justext         by a published system")]
pub(super) struct Arguments {
    /// The page: an HTML or MHTML file, a capture, `-` for standard input, or with --render an
    /// http(s) address
    page: String,

    /// Words of the block
    #[arg(long, value_name = "WORDS")]
    at: String,

    /// The page of an archive or a folder: its address, its id in the output, its path, or the
    /// number of its record
    #[arg(long, value_name = "NAME")]
    page_name: Option<String>,

    /// Write the part of the screenshot around the block to FILE, with the block framed: green if
    /// it was kept, red if it was dropped; needs a rendered page
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Render the page before it is cleaned, as render-and-clean does
    #[arg(long)]
    render: bool,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    render_options: RenderOptions,
    #[command(flatten)]
    load: LoadOptions,
}

/// The options of cleaning that change what becomes of a block, and how that is written.
const TAKEN: [&str; 14] = [
    "any_engine",
    "comments",
    "drop",
    "format",
    "hidden",
    "keep",
    "method",
    "min_precision",
    "model",
    "no_tables",
    "no_title",
    "parameter",
    "site_memory",
    "targets",
];

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    refuse_others(&arguments.options, &TAKEN)?;
    let mut inputs = Inputs::new(vec![arguments.page.clone()], None, None)?;
    if let Some(name) = &arguments.page_name {
        inputs = inputs.only(name.clone());
    }
    anyhow::ensure!(
        inputs.is_one_page(),
        "{} has several pages, and explain takes one; name it with --page-name, by its address, its id in the output, its \
         path, or the number of its record",
        arguments.page
    );
    {
        let is_address = ["http://", "https://"]
            .iter()
            .any(|scheme| arguments.page.to_lowercase().starts_with(scheme));
        anyhow::ensure!(
            arguments.render || !is_address,
            "{} is on the web; add --render",
            arguments.page
        );
    }
    let is_json = arguments.options.format.as_deref() == Some("json");
    let cleaner = Cleaners::new(PUBLISHED).cleaner(&Options {
        explain: true,
        ..arguments.options.clone()
    })?;
    if let Some(picture) = &arguments.picture {
        Protected::inputs(&inputs).check(picture)?;
    }
    let found = Arc::new(Mutex::new(None));
    let batch = BatchArguments::default();
    let run = CleaningRun::new(
        inputs.clone(),
        batch.limited(arguments.render_options.limit),
        OutputOptions::default(),
        cleaner,
        Some(arguments.explaining(&found)),
        EffectiveArguments::new(),
    )?;
    let mut observer = ErrorsOnly {
        console: Console::for_run(&inputs, &batch),
        pages: 0,
    };
    let Some(ended) = arguments.run(run, &mut observer)? else {
        return Ok(super::SOME_FAILED.into());
    };
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (Some(name), None, 0) = (&arguments.page_name, &found, observer.pages) {
        anyhow::bail!(
            "no page of {} is named {name}; name it by its address, its id in the output, its path, or the number of its \
             record",
            arguments.page
        );
    }
    if let Some(explanation) = found {
        let text = if is_json {
            serde_json::to_string_pretty(&explanation)
                .context("an explanation has string keys only")?
                + "\n"
        } else {
            explanation.to_string()
        };
        if console::print(&[&text]).is_err() {
            return Ok(super::SOME_FAILED.into());
        }
    }
    Ok(console::exit_code(ended, "run the same command again"))
}

impl Arguments {
    /// Cleans the page; `None` if the browser does not start, which is reported.
    fn run(&self, run: CleaningRun, observer: &mut ErrorsOnly) -> anyhow::Result<Option<Ended>> {
        let stop = console::stop_on_interrupt();
        if self.render {
            let options = RenderOptions {
                paint: self.render_options.paint || self.picture.is_some(),
                load: self.load.clone(),
                tabs: 1,
                ..self.render_options.clone()
            };
            let Some(renderer) = rendering::launch(options)? else {
                return Ok(None);
            };
            let politeness = vclean_run::politeness::PolitenessOptions::default();
            let options = vclean_run::RenderingOptions {
                renderer,
                politeness,
                min_expected_f: None,
                follow_pages: 0,
                keep: None,
            };
            return Ok(Some(run.render_and_clean(options, &stop, observer)?));
        }
        Ok(Some(run.clean(&stop, observer)?))
    }

    /// Explains the cleaned page, and draws the picture.
    fn explaining(&self, found: &Arc<Mutex<Option<Explanation>>>) -> DrawPage {
        let (found, picture) = (Arc::clone(found), self.picture.clone());
        let method = self
            .options
            .method
            .clone()
            .unwrap_or_else(|| OURS.name.to_owned());
        let words = self.at.clone();
        Box::new(move |_: &str, capture: &Capture, cleaned: &CleanedPage| {
            let explanation = explain(capture, cleaned, &method, &words)
                .map_err(|error| PageError::new(ErrorKind::Source, error))?;
            if let Some(path) = &picture {
                let shown = closeup(capture, cleaned, &explanation)?;
                let encoded = encode_png(&shown).map_err(Error::from)?;
                let png = encoded.png().map_err(Error::from)?;
                files::write_whole(path, &png)
                    .map_err(|error| PageError::new(ErrorKind::Output, error))?;
            }
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(explanation);
            Ok(Warnings::new())
        })
    }
}

/// Prints what went wrong, and not the text of the page.
struct ErrorsOnly {
    console: Console,
    /// Number of pages that were done or failed.
    pages: usize,
}

impl Observer for ErrorsOnly {
    fn page_done(&mut self, figures: &Figures) {
        self.pages += 1;
        self.console.page_done(figures);
    }

    fn page_failed(&mut self, page: &str, cause: &str) {
        self.pages += 1;
        self.console.page_failed(page, cause);
    }

    fn page_warning(&mut self, page: &str, warning: &Warning) {
        self.console.page_warning(page, warning);
    }

    fn run_warning(&mut self, text: &str) {
        self.console.run_warning(text);
    }

    fn run_error(&mut self, text: &str) {
        self.console.run_error(text);
    }

    fn text(&mut self, _: &str, _: &str, _: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn run_done(&mut self, figures: &Figures) {
        self.console.run_done(figures);
    }
}
