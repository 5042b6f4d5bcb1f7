//! `vclean lab evaluate`: scores a model on pages with gold text, by all common measures.

use super::data::{DataArguments, split};
use super::methods_table::{self, MethodsArguments};
use super::output::{self, Terminal};
use super::tables::{self, TableArguments};
use super::thresholds::ThresholdArguments;
use crate::options::{BatchArguments, hide_others, refuse_others};
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_lab::evaluate::earlier::Earlier;
use vclean_lab::evaluate::report::macro_table;
use vclean_lab::evaluate::sets::{
    EvaluateOptions, EvaluatedSets, check_sets, evaluate_set, set_means,
};
use vclean_lab::evaluate::thresholds::ThresholdFiles;
use vclean_lab::report::folder::ReportFolder;
use vclean_run::source::Split;

/// Measure a model on pages with gold text
///
/// Cleans the pages of data folders and compares the text with the gold text. Reports precision,
/// recall and F score of words, bags of words, shingles and characters, ROUGE-LSum, Levenshtein
/// ratio, the official scores of CLEANEVAL, snippets, and blocks with the calibration of their
/// probabilities; the share of pages with a word F under .5 and under .8; and, as a baseline, the
/// scores of keeping all text. Intervals hold 95 % of the figures of resampled sites.
#[derive(Debug, Clone, Args)]
#[command(mut_args(|argument| hide_others(argument, &TAKEN)))]
#[command(after_help = "\
Examples:
  vclean lab evaluate data/styled --captures captures/
  vclean lab evaluate data/wcxb --static --split dev --worst 10 --json wcxb.json
  vclean lab evaluate data/styled --captures captures/ --table subsets      what is each group of features worth?
  vclean lab evaluate data/styled --captures captures/ --table languages --train-lang en
  vclean lab evaluate data/wcxb data/canola --static --report report/    what went wrong? open report/index.html
  vclean lab evaluate data/wcxb --static --model new.model --since wcxb.json    is the new model better?
  vclean lab evaluate data/scrapinghub --static --no-title               where the gold lacks the headlines
  vclean lab evaluate data/wcxb --static --record-thresholds figures.json    remember these figures
  vclean lab evaluate data/wcxb --static --thresholds figures.json           are they still reached?
  vclean lab evaluate data/wcxb --static --methods all --markdown methods.md    how do the others do?")]
pub(crate) struct Arguments {
    /// Which pages: train, dev or all [default: dev; all for subsets and crossvalidated]
    #[arg(long, value_name = "SPLIT", value_parser = split)]
    pub(super) split: Option<Split>,

    /// Write all figures of every page as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,

    /// Write a report into DIR: index.html with all tables and pages, and a separate page for each
    /// of the worst pages. DIR must be new, empty or an older report
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,

    /// Show the N worst pages of each set in detail in the report: missing and wrong words, every
    /// block, the screenshot
    #[arg(long, value_name = "N", default_value_t = 30, requires = "report")]
    pub(super) report_pages: usize,

    /// List the N pages with the lowest F score, with their precision, recall, page type, words
    /// kept and words of gold
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Compare with the figures of an earlier run, page by page: FILE is what --json wrote then.
    /// The differences have intervals by resampled sites
    #[arg(long, value_name = "FILE", conflicts_with_all = ["methods", "table"])]
    pub(super) since: Option<PathBuf>,

    /// The data sets to measure
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// The regression thresholds to compare with
    #[command(flatten)]
    thresholds: ThresholdArguments,

    /// The model, and the parts of a page that belong to the text
    #[command(flatten)]
    pub(super) options: Options,

    /// Which table, and how its models are trained
    #[command(flatten)]
    pub(super) table: TableArguments,

    /// Which methods are compared
    #[command(flatten)]
    pub(super) methods: MethodsArguments,

    /// How pages are processed
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// The options of cleaning that change what is evaluated.
const TAKEN: [&str; 9] = [
    "any_engine",
    "comments",
    "hidden",
    "min_precision",
    "model",
    "no_tables",
    "no_title",
    "site_memory",
    "targets",
];

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    refuse_others(&arguments.options, &TAKEN)?;
    arguments.data.protect([
        arguments.json.as_deref(),
        arguments.thresholds.recorded(),
        arguments.methods.file(),
    ])?;
    if arguments.methods.is_requested() {
        return methods_table::run(
            &arguments.methods,
            &arguments.request(),
            arguments.options.any_engine,
        );
    }
    if let Some(done) = tables::run(&arguments.request()) {
        return done;
    }
    evaluate(arguments)
}

impl Arguments {
    /// The arguments that a table needs.
    fn request(&self) -> tables::Request<'_> {
        tables::Request {
            data: &self.data,
            split: self.split,
            targets: self.options.targets,
            json: self.json.as_deref(),
            worst: self.worst,
            batch: &self.batch,
            table: &self.table,
        }
    }
}

fn evaluate(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let threads = arguments.batch.threads()?;
    let folder = arguments
        .report
        .as_deref()
        .map(ReportFolder::claim)
        .transpose()?;
    let thresholds = ThresholdFiles::read(arguments.thresholds.options())?;
    let sets = arguments.data.open()?;
    let split = arguments.split.unwrap_or_default();
    check_sets(&sets, split)?;
    let earlier = arguments
        .since
        .as_deref()
        .map(|path| Earlier::read(path, &sets))
        .transpose()?;
    let capturing = arguments.data.capturing(&sets, arguments.batch.jobs())?;
    let system = arguments.options.model.as_deref().unwrap_or("vclean");
    let cleaner = PageCleaner::new(&arguments.options)?;
    let alignment = arguments.table.alignment;
    let options = EvaluateOptions {
        split,
        capturing: &capturing,
        alignment,
        cleaner: &cleaner,
        system,
    };
    let progress = Terminal::new(arguments.batch.quiet);
    let (mut evaluated, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let mut found = threads.install(|| evaluate_set(set, &options, &progress))?;
        if let Some(earlier) = &earlier {
            found.compare_with(earlier);
        }
        if console::print(&[&found.to_text(arguments.worst)]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        failed += found.failed;
        evaluated.push(found);
    }
    let means = set_means(&evaluated);
    if !means.is_empty() && console::print(&[&macro_table(&means).to_text(), "\n"]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    output::write_json(
        arguments.json.as_deref(),
        &EvaluatedSets {
            sets: &evaluated,
            means,
        },
    )?;
    if let Some(folder) = folder {
        let painted = arguments.data.painted(arguments.batch.jobs())?;
        let options = EvaluateOptions {
            capturing: painted.as_ref().unwrap_or(&capturing),
            ..options
        };
        threads.install(|| folder.write(&evaluated, arguments.report_pages, &options))?;
    }
    let figures: Vec<_> = evaluated
        .iter()
        .map(|set| set.set_thresholds(split, capturing.engine()))
        .collect();
    let is_above = super::thresholds::compare_and_record(thresholds, &figures)?;
    Ok(if failed == 0 && is_above {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn all_splits_in_the_table_are_accepted() {
        for (name, wanted) in Split::ALL {
            let alone = Alone::try_parse_from(["evaluate", "data", "--split", name]).unwrap();
            assert_eq!(alone.arguments.split, Some(*wanted));
        }
        assert!(Alone::try_parse_from(["evaluate", "data", "--split", "test"]).is_err());
    }

    #[test]
    fn options_that_require_another_are_refused_without_it() {
        for words in [&["--lower"][..], &["--report-pages", "3"]] {
            let all = [&["evaluate", "data"], words].concat();
            assert!(Alone::try_parse_from(all).is_err(), "{words:?}");
        }
        let alone =
            Alone::try_parse_from(["evaluate", "data", "--report", "r", "--report-pages", "3"])
                .unwrap();
        assert_eq!(alone.arguments.report_pages, 3);
    }
}
