//! The tables of `vclean lab evaluate` that train models before they measure.

use super::data::{DataArguments, alignment, share};
use super::output::{self, Terminal};
use crate::options::{BatchArguments, named};
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::Path;
use std::process::ExitCode;
use vclean_core::target::TargetRule;
use vclean_lab::gold::{Alignment, Capturing, Progress};
use vclean_lab::train::SampleOptions;
use vclean_rivals::tables::{
    ExperimentError, TableOptions, TableResult, crossvalidated, language_table, subset_table,
    texrex_table,
};
use vclean_run::source::{DataSet, Split};

/// The kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TableKind {
    /// Words and blocks of an existing model.
    #[default]
    Words,
    /// Blocks, by subsets of the features, out-of-fold.
    Subsets,
    /// Words of the pages, out-of-fold.
    Crossvalidated,
    /// Words and blocks by language, with a model trained on one language.
    Languages,
    /// The features of texrex with three classifiers.
    Texrex,
}

impl TableKind {
    const ALL: &[(&str, Self)] = &[
        ("words", Self::Words),
        ("subsets", Self::Subsets),
        ("crossvalidated", Self::Crossvalidated),
        ("languages", Self::Languages),
        ("texrex", Self::Texrex),
    ];
}

/// The table, and how its models are trained.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tables that train first")]
pub(super) struct TableArguments {
    /// Table to print: words (of --model), subsets (blocks by subsets of the features, out-of-fold:
    /// FIASCO's Tables 2 and 3), crossvalidated (words, out-of-fold with folds by site: FIASCO
    /// section 6), languages (a model trained on one language, measured on the others), texrex (its
    /// features with three classifiers: Schäfer 2013, Table 3; uses only --split and --seed)
    #[arg(long, value_name = "TABLE", default_value = "words", value_parser = table)]
    pub(super) table: TableKind,

    /// How gold text is aligned with blocks: words or dice
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// For subsets: the second half of the table uses only this best aligned share of the pages;
    /// 0.74 is FIASCO's 117 of 158
    #[arg(long, value_name = "SHARE", default_value_t = 0.74, value_parser = share)]
    pub(super) best_aligned: f64,

    /// For languages: the language to train on, as given in the manifests
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub(super) train_lang: String,

    /// Penalty for a misclassified training row (C of the support vector machine), above 0
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 4.0)]
    pub(super) c: f64,

    /// Gamma of the kernel for all columns, above 0; for a subset, the product of gamma and the
    /// number of columns stays the same
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 0.01)]
    pub(super) gamma: f64,

    /// Maximum number of training rows (blocks) of a model; time and memory grow with the square
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(super) rows: u32,

    /// Maximum number of rows from one page
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) rows_per_page: u32,

    /// Number of folds; all pages of a site are in one fold [default: 10 for subsets, 5 for
    /// crossvalidated, as FIASCO]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=100))]
    pub(super) folds: Option<u8>,

    /// Random seed for samples and folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
}

/// The arguments that a table needs.
pub(super) struct Request<'a> {
    pub(super) data: &'a DataArguments,
    /// Split from the command line; each table has its own default.
    pub(super) split: Option<Split>,
    pub(super) targets: Option<TargetRule>,
    pub(super) json: Option<&'a Path>,
    pub(super) worst: usize,
    pub(super) batch: &'a BatchArguments,
    pub(super) table: &'a TableArguments,
}

impl Request<'_> {
    fn options(&self) -> TableOptions {
        let table = self.table;
        TableOptions {
            split: self.split,
            targets: self.targets.unwrap_or_default(),
            alignment: table.alignment,
            best_aligned: table.best_aligned,
            train_lang: table.train_lang.clone(),
            c: table.c,
            gamma: table.gamma,
            sample: SampleOptions {
                total: table.rows as usize,
                of_page: table.rows_per_page as usize,
                seed: table.seed,
                pages_alike: false,
            },
            folds: table.folds.map(usize::from),
            seed: table.seed,
            worst: self.worst,
        }
    }
}

/// Makes the table, or `None` for the table of an existing model, which trains nothing.
pub(super) fn run(request: &Request<'_>) -> Option<anyhow::Result<ExitCode>> {
    match request.table.table {
        TableKind::Words => None,
        TableKind::Subsets => Some(each_set(request, subset_table::measure_set)),
        TableKind::Crossvalidated => Some(each_set(request, crossvalidated::measure_set)),
        TableKind::Languages => Some(languages(request)),
        TableKind::Texrex => Some(texrex(request)),
    }
}

/// Makes the table of one set.
type MeasureSet =
    fn(&DataSet, &Capturing, &TableOptions, &dyn Progress) -> Result<TableResult, ExperimentError>;

/// Prints one table per set, and writes the figures of all sets to one file.
fn each_set(request: &Request<'_>, measure: MeasureSet) -> anyhow::Result<ExitCode> {
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let capturing = request.data.capturing(&sets, request.batch.jobs())?;
    let (options, progress) = (request.options(), Terminal::new(request.batch.quiet));
    let (mut figures, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let table = threads.install(|| measure(set, &capturing, &options, &progress))?;
        if console::print(&[&table.text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        failed += table.failed;
        figures.push(table.figures);
    }
    output::write_json(request.json, &figures)?;
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn languages(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let capturing = request.data.capturing(&sets, request.batch.jobs())?;
    let (options, progress) = (request.options(), Terminal::new(request.batch.quiet));
    let table =
        threads.install(|| language_table::measure_sets(&sets, &capturing, &options, &progress))?;
    let printed = console::print(&[&table.text]).is_ok();
    output::write_json(request.json, &table.figures)?;
    Ok(if table.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Table 3 of texrex, on the blocks of pages that are not rendered.
fn texrex(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let threads = request.batch.threads()?;
    let sets = request.data.open()?;
    let split = request.split.unwrap_or(Split::All);
    let progress = Terminal::new(request.batch.quiet);
    let table = threads
        .install(|| texrex_table::measure_sets(&sets, split, request.table.seed, &progress))?;
    let printed = console::print(&[&table.text]).is_ok();
    Ok(if table.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn table(name: &str) -> Result<TableKind, String> {
    named(TableKind::ALL, name)
}

/// Parses a finite number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("the number must be above 0".to_owned()),
    }
}
