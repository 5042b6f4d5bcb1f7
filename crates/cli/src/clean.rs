//! `vclean clean`: extracts text from captures and HTML without rendering. `render-and-clean` uses
//! parts of this file.

use super::console::{self, Console, Summary};
use super::options::{
    BatchArguments, InputArguments, effective as effective_options, in_short_help,
};
use super::pictures::{PictureArguments, Pictures};
use crate::published::PUBLISHED;
use clap::Args;
use std::process::ExitCode;
use std::sync::PoisonError;
use vclean_core::capture::Capture;
use vclean_core::classify::LikelyState;
use vclean_core::document::ReaderComments;
use vclean_core::error::Warnings;
use vclean_core::pipeline::{CleanedPage, Cleaners, Options};
use vclean_render::TimeLimit;
use vclean_run::journal::EffectiveArguments;
use vclean_run::{CleaningRun, DrawPage, Inputs, OutputOptions};

/// Extract text from captures and HTML files, without rendering
///
/// Reads captures made by `vclean render`, HTML and MHTML files, archives, Parquet files, JSON
/// lines, and standard input. HTML that was not rendered has no layout, so a model that needs no
/// layout (`static`) classifies its blocks.
#[derive(Debug, Args)]
#[command(mut_arg("inputs", |inputs| inputs.help(INPUTS)))]
#[command(mut_args(in_short_help))]
#[command(after_help = "\
Examples:
  vclean clean captures/ --out cleaned/          every capture, one text file each
  vclean clean page.html --format markdown       bare HTML, on standard output
  curl -s https://example.org | vclean clean -   standard input
  vclean clean page.html --method justext        by a published system; see vclean lab methods
  vclean clean crawl.warc.gz --out cleaned.parquet --resume    many pages into one output; goes on after any end
  vclean clean pages/ --out corpus.vert        all pages in one file, for Sketch Engine; also .conllu, .tei, .csv
  vclean clean crawl.warc.gz --out corpus.jsonl --languages de --min-words 50 --near-duplicates drop    a corpus")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    #[command(flatten)]
    cleaning: CleaningArguments,
    #[command(flatten)]
    limit: TimeLimit,
}

/// The inputs; addresses have to be rendered.
const INPUTS: &str = "Pages to process: HTML and MHTML files, captures, folders of any of these, WARC, ARC and WACZ archives, \
                      Parquet files and JSON lines with a column `html`, or `-` for standard input";

/// Options of both verbs that clean.
#[derive(Debug, Args)]
pub(super) struct CleaningArguments {
    #[command(flatten)]
    pub(super) output: OutputOptions,
    #[command(flatten)]
    pub(super) pictures: PictureArguments,
    #[command(flatten)]
    pub(super) options: Options,
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = arguments.inputs.open()?;
    let mut console = Console::for_run(&inputs, &arguments.cleaning.batch);
    let run = arguments.cleaning.open(
        inputs,
        arguments.limit,
        EffectiveArguments::new(),
        console.summary(),
    )?;
    let ended = run.clean(&console::stop_on_interrupt(), &mut console)?;
    Ok(console::exit_code(
        ended,
        arguments.cleaning.how_to_resume(),
    ))
}

impl CleaningArguments {
    /// Reads the model and opens the output. Cleaning a page may take `limit`;
    /// `effective` are the verb's other arguments that must be repeated on resume.
    ///
    /// # Errors
    /// If options contradict each other, the model cannot be read, or the output cannot be opened.
    pub(super) fn open(
        &self,
        inputs: Inputs,
        limit: TimeLimit,
        mut effective: EffectiveArguments,
        summary: Option<Summary>,
    ) -> anyhow::Result<CleaningRun> {
        anyhow::ensure!(
            self.options.comments != ReaderComments::Only || !self.output.corpus.looks_at_text(),
            "--comments only leaves no text for --near-duplicates, --duplicate-paragraphs, --site-lines, --languages, \
             --min-words and --max-words to look at; leave one of the two out"
        );
        let outputs = self.output.clone().with_format(&self.options)?;
        let pictures = Pictures::new(&self.pictures, &inputs)?;
        effective.extend(effective_options(&self.options)?);
        if let Some(base_url) = inputs.base_url() {
            effective.insert("base_url".to_owned(), base_url.to_string());
        }
        // The metadata name the next part of a text.
        let needs_metadata = effective.contains_key("follow_pages");
        let mut options = self.options.clone();
        options.explain = outputs.format.holds_reasons || pictures.wants_reasons();
        let draw = with_summary(pictures.into_hook(), summary);
        options.text_only = draw.is_none() && !needs_metadata && outputs.is_text_alone();
        let cleaner = Cleaners::new(PUBLISHED).cleaner(&options)?;
        Ok(CleaningRun::new(
            inputs,
            self.batch.limited(limit),
            outputs,
            cleaner,
            draw,
            effective,
        )?)
    }

    /// The hint that an interrupted run prints.
    pub(super) fn how_to_resume(&self) -> &'static str {
        if self.output.out.is_some() {
            "run the same command with --resume to continue"
        } else {
            "a run with --out DIR can be continued later with --resume"
        }
    }
}

/// A hook that also notes what became of the page, where somebody wants to know it.
fn with_summary(draw: Option<DrawPage>, summary: Option<Summary>) -> Option<DrawPage> {
    let Some(summary) = summary else { return draw };
    Some(Box::new(move |stem, capture, cleaned| {
        let line = summarize(capture, cleaned);
        *summary.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
        draw.as_ref()
            .map_or_else(|| Ok(Warnings::new()), |draw| draw(stem, capture, cleaned))
    }))
}

/// One line about a page that was cleaned, and what else the program can do with it.
fn summarize(capture: &Capture, cleaned: &CleanedPage) -> String {
    let (kept, all) = (cleaned.kept().count(), cleaned.decisions().len());
    let how = capture.record.engine.describe();
    let expected_f = cleaned.expected_f();
    if let Some(why) = cleaned.state().and_then(LikelyState::describe) {
        return format!("{why}; kept {kept} of {all} blocks of {how}, expected F {expected_f:.2}");
    }
    format!(
        "kept {kept} of {all} blocks of {how}, expected F {expected_f:.2}; `format` markdown keeps headings and lists, \
         `overlay` FILE.png shows what was kept, and `vclean explain` tells why"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vclean_core::page::{Page, parse};

    #[test]
    fn a_page_is_summarized_in_one_line() {
        let html = "<nav><a href=/>Home</a></nav><p>Herring gulls drop mussels on rocks.</p>";
        let capture = parse(&Page::from_html("x", html)).unwrap();
        let cleaner = Cleaners::new(PUBLISHED)
            .cleaner(&Options::default())
            .unwrap();
        let cleaned = cleaner.clean_capture(&capture).unwrap();
        let summary = Summary::default();
        let hook = with_summary(None, Some(Arc::clone(&summary))).unwrap();
        hook("x", &capture, &cleaned).unwrap();
        let line = summary.lock().unwrap().take().unwrap();
        assert!(
            line.starts_with("kept 1 of 2 blocks of the HTML alone, expected F 0."),
            "{line}"
        );
        assert!(with_summary(None, None).is_none());
    }
}
