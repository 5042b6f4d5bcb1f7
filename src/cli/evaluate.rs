//! `vclean evaluate`: the figures of a model on pages with gold text, by every measure of the field.

mod floors;
mod folder;
mod methods;

use super::data::{self, DataArguments};
use super::options::{BatchArguments, ModelArguments, split};
use super::tables::{self, Request, TableArguments};
use super::{SOME_FAILED, console};
use crate::capture::Engine;
use crate::classify::calibrate::{ReliabilityBin, calibration_error, reliability};
use crate::cleaner::{ModelCleaner, ModelCleanerOptions};
use crate::evaluate::floors::Floor;
use crate::evaluate::measured::{Measured, measure};
use crate::evaluate::metrics::SnippetCounts;
use crate::evaluate::report::macro_table;
use crate::evaluate::summary::{MacroScore, macro_scores};
use crate::evaluate::{BlockScore, Counts, PageScore, Report, Summary, Table};
use crate::files;
use crate::gold::{DataError, DataSet, Row, Split};
use crate::report::index::blocks_table;
use anyhow::Context;
use clap::Args;
use folder::Folder;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure a model on pages with gold text
///
/// Cleans the pages of data folders and compares the text with the gold, beside keeping everything: precision, recall and
/// F of words, bags of words, shingles and characters, ROUGE-LSum, Levenshtein ratio, the official scores of CLEANEVAL,
/// snippets, and blocks with the calibration of their probabilities.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean evaluate data/styled --captures captures/
  vclean evaluate data/wcxb --static --split dev --worst 10 --json wcxb.json
  vclean evaluate data/styled --captures captures/ --table subsets      what is each group of features worth?
  vclean evaluate data/styled --captures captures/ --table languages --train-lang en
  vclean evaluate data/wcxb data/canola --static --report report/    what went wrong? open report/index.html
  vclean evaluate data/wcxb --static --pin floors.json               remember these figures
  vclean evaluate data/wcxb --static --floors floors.json            are they still reached?
  vclean evaluate data/wcxb --static --methods all --markdown methods.md    how do the others do?")]
pub(super) struct Arguments {
    /// The pages
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// Which pages: train, dev or all [default: dev; all for subsets and crossvalidated]
    #[arg(long, value_name = "SPLIT", value_parser = split)]
    pub(super) split: Option<Split>,

    /// Write all figures, page by page, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,

    /// Write a report into DIR: index.html with all tables and pages, and a page each on the worst; replaces only an
    /// older report
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,

    /// Show the N worst pages of each set one by one in the report: words missed and invented, every block, the picture
    #[arg(long, value_name = "N", default_value_t = 30, requires = "report")]
    pub(super) report_pages: usize,

    /// List the N pages with the lowest F1
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Floors
    #[command(flatten)]
    floors: floors::FloorArguments,

    /// The model
    #[command(flatten)]
    pub(super) model: ModelArguments,

    /// Which table, and how its models are trained
    #[command(flatten)]
    pub(super) table: TableArguments,

    /// Which methods are compared
    #[command(flatten)]
    methods: methods::MethodsArguments,

    /// How pages are gone through
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// Seed of the bootstrap.
const SEED: u64 = 1;

/// All that was found on one set.
#[derive(Serialize)]
struct Evaluated<'a> {
    #[serde(skip)]
    set: &'a DataSet,
    #[serde(skip)]
    rows: Vec<&'a Row>,
    /// Names of the models that decided.
    models: BTreeSet<String>,
    #[serde(flatten)]
    report: Report,
    /// The baseline; as JSON without its pages.
    #[serde(serialize_with = "summaries_only")]
    everything: Report,
    /// Blocks whose gold label is known.
    blocks: BlockScore,
    /// Expected calibration error of their probabilities.
    calibration_error: f64,
    /// What their probabilities said, and what was.
    bins: [ReliabilityBin; 10],
}

fn summaries_only<S: serde::Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    report.summaries.serialize(serializer)
}

/// The JSON form.
#[derive(Serialize)]
struct Everything<'a> {
    sets: &'a [Evaluated<'a>],
    /// Means of the sets' figures.
    means: Vec<MacroScore>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.methods.is_asked() {
        return methods::run(arguments);
    }
    if let Some(done) = tables::run(&Request::of(arguments)) {
        return done;
    }
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let folder = arguments.report.as_deref().map(Folder::claim).transpose()?;
    let floor_files = floors::FloorFiles::read(&arguments.floors)?;
    let sets = arguments.data.open()?;
    let chosen = arguments.split.unwrap_or_default();
    let split = Split::ALL.iter().find(|(_, split)| *split == chosen).map_or("", |(name, _)| *name);
    for set in &sets {
        let rows = set.split(chosen);
        anyhow::ensure!(
            !rows.is_empty(),
            "set {} has no page of the split {split}; choose another with --split",
            set.name
        );
        set.check_gold(&rows)?;
    }
    let capturing = arguments.data.capturing(&sets, jobs)?;
    let system = arguments.model.model.clone().unwrap_or_else(|| "vclean".to_owned());
    let cleaner = ModelCleaner::new(ModelCleanerOptions {
        model: arguments.model.model.clone(),
        targets: arguments.model.targets,
        explain: false,
        min_precision: arguments.model.min_precision,
        any_engine: arguments.model.any_engine,
    })?;
    let (mut evaluated, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let rows = set.split(chosen);
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let measured: Vec<Measured> = threads.install(|| {
            let measure = |row: &&Row| {
                let measured = measure(set, row, &capturing, arguments.table.alignment, &cleaner);
                bar.inc(1);
                measured
            };
            rows.par_iter().with_max_len(1).map(measure).collect::<Result<_, DataError>>()
        })?;
        bar.finish_and_clear();
        for (row, page) in rows.iter().zip(&measured) {
            if let Some(cause) = &page.failure {
                console::complain(&format!("{}/{}: {cause}", set.name, row.id));
                failed += 1;
            }
        }
        let found = sum_up(set, rows, &system, measured);
        if console::print(&[&to_text(&found, arguments.worst)]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        evaluated.push(found);
    }
    let means = set_means(&evaluated);
    if !means.is_empty() && console::print(&[&macro_table(&means).to_text(), "\n"]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    if let Some(path) = &arguments.json {
        let json =
            serde_json::to_string_pretty(&Everything { sets: &evaluated, means }).context("cannot write JSON")?;
        files::write_whole(path, format!("{json}\n").as_bytes())?;
    }
    if let Some(folder) = folder {
        threads.install(|| folder.write(&evaluated, arguments, &capturing, &cleaner))?;
    }
    let kind = match capturing.engine() {
        Engine::Parser => "static",
        Engine::Builtin => "rendered-builtin",
        Engine::Chromium => "rendered",
    };
    let figures: Vec<Floor> = evaluated.iter().map(|found| found.floor(split, kind)).collect();
    let is_above = floor_files.settle(&figures)?;
    Ok(if failed == 0 && is_above { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

impl Evaluated<'_> {
    /// Its figures, to be held against those pinned before.
    fn floor(&self, split: &str, kind: &str) -> Floor {
        let models: Vec<&str> = self.models.iter().map(String::as_str).collect();
        Floor::of([&self.report.set, split, kind, &models.join("+")], self.report.all(), &self.report.pages)
    }
}

fn sum_up<'a>(set: &'a DataSet, rows: Vec<&'a Row>, system: &str, measured: Vec<Measured>) -> Evaluated<'a> {
    let blocks = measured.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
    let probabilities: Vec<f32> = measured.iter().flat_map(|page| page.probabilities.iter().copied()).collect();
    let is_content: Vec<bool> = measured.iter().flat_map(|page| page.is_content.iter().copied()).collect();
    let models = measured.iter().filter_map(|page| page.model.clone()).collect();
    let (scores, everything): (Vec<PageScore>, Vec<PageScore>) =
        measured.into_iter().map(|page| (page.score, page.everything)).unzip();
    Evaluated {
        set,
        rows,
        models,
        report: Report::new(&set.name, system, scores, SEED),
        everything: Report::new(&set.name, "everything", everything, SEED),
        blocks,
        calibration_error: calibration_error(&probabilities, &is_content),
        bins: reliability(&probabilities, &is_content),
    }
}

/// Means of the sets' figures, where there is more than one set.
fn set_means(evaluated: &[Evaluated<'_>]) -> Vec<MacroScore> {
    let all: Vec<&Summary> = evaluated.iter().map(|found| found.report.all()).collect();
    if all.len() > 1 { macro_scores(&all) } else { Vec::new() }
}

fn to_text(found: &Evaluated<'_>, worst_count: usize) -> String {
    let mut text = found.report.to_text();
    text.push('\n');
    text.push_str(&blocks_table(found.blocks, found.calibration_error).to_text());
    text.push_str("\nkeeping everything\n");
    text.push_str(&found.everything.groups_table().to_text());
    text.push_str(&worst(&found.report.pages, worst_count));
    text.push('\n');
    text
}

/// The pages with the lowest F, as a table; empty for none.
fn worst(scores: &[PageScore], count: usize) -> String {
    let mut table = Table::new(&["worst pages", "P", "R", "F"]);
    for page in PageScore::worst_first(scores).into_iter().take(count) {
        let score = page.words.map(Counts::score).or_else(|| page.snippets.map(SnippetCounts::score));
        let score = score.unwrap_or_default();
        let mut cells = vec![page.id.clone()];
        cells.extend([score.precision, score.recall, score.f1].map(|value| format!("{value:.3}")));
        table.push(cells);
    }
    if table.rows.is_empty() { String::new() } else { format!("\n{}", table.to_text()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn splits_are_those_of_the_table() {
        for (name, wanted) in Split::ALL {
            let alone = Alone::try_parse_from(["evaluate", "data", "--split", name]).unwrap();
            assert_eq!(alone.arguments.split, Some(*wanted));
        }
        assert!(Alone::try_parse_from(["evaluate", "data", "--split", "test"]).is_err());
    }

    #[test]
    fn options_that_need_another_are_refused_without() {
        for words in [&["--lower"][..], &["--report-pages", "3"]] {
            let all = [&["evaluate", "data"], words].concat();
            assert!(Alone::try_parse_from(all).is_err(), "{words:?}");
        }
        let alone = Alone::try_parse_from(["evaluate", "data", "--report", "r", "--report-pages", "3"]).unwrap();
        assert_eq!(alone.arguments.report_pages, 3);
    }
}
