//! `vclean fidelity`: how well the built-in engine agrees with Chromium.

use super::data;
use super::options::{BatchArguments, split};
use super::rendering::{self, BrowserArguments};
use super::{SOME_FAILED, console};
use crate::capture::Capture;
use crate::cleaner::{ModelCleaner, ModelCleanerOptions};
use crate::emit::{EmitOptions, FORMATS};
use crate::error::Error;
use crate::evaluate::fidelity::{Correlations, PageFidelity, Paired, compare, summary};
use crate::evaluate::metrics::score_page;
use crate::evaluate::{Counts, Output, Table};
use crate::files;
use crate::gold::{Capturing, DataSet, Row, Split};
use crate::render::{EngineChoice, Fallback, RenderOptions};
use crate::report::fidelity::{Shown, fidelity};
use crate::target::TargetRule;
use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure how well the built-in engine agrees with Chromium
///
/// Renders the pages of data sets with both engines and compares: heights, where the blocks stand, every visual feature, and
/// the text that a model keeps, with the model of each engine on the captures of each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean fidelity data/styled --captures captures/ --report fidelity.html
  vclean fidelity data/styled --captures captures/ --builtin-captures builtin/ --split all")]
pub(super) struct Arguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,

    /// Folder of Chromium's captures, a folder in it for each data set; what is missing is rendered and kept there
    #[arg(long, value_name = "DIR")]
    captures: Option<PathBuf>,

    /// The same for captures of the built-in engine
    #[arg(long, value_name = "DIR")]
    builtin_captures: Option<PathBuf>,

    /// Which pages: train, dev or all [default: dev]
    #[arg(long, value_name = "SPLIT", value_parser = split)]
    split: Option<Split>,

    /// The models that are compared: one for captures of Chromium, one for those of the built-in engine
    #[arg(long, value_names = ["CHROMIUM", "BUILTIN"], num_args = 2, default_values = ["rendered", "rendered-builtin"])]
    models: Vec<String>,

    /// Write a report with pictures of the pages that the engines disagree on most
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// How many pages the report shows
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,

    #[command(flatten)]
    browser: BrowserArguments,

    #[command(flatten)]
    batch: BatchArguments,
}

/// F of words of a page: by engine (Chromium, built-in), then by model.
type Scores = [[Option<f64>; 2]; 2];

/// One page, compared.
struct Compared<'a> {
    set: &'a DataSet,
    row: &'a Row,
    paired: Paired,
    scores: Scores,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets: Vec<DataSet> = arguments.data.iter().map(|folder| DataSet::open(folder)).collect::<Result<_, _>>()?;
    let options = |engine: EngineChoice, paint: bool| RenderOptions {
        engine,
        fallback: (engine == EngineChoice::Builtin).then_some(Fallback::None),
        offline: true,
        paint,
        ..rendering::options(&arguments.browser, jobs)
    };
    let capturing = [
        Capturing::rendered(options(EngineChoice::Chromium, false), arguments.captures.clone()),
        Capturing::rendered(options(EngineChoice::Builtin, false), arguments.builtin_captures.clone()),
    ];
    for one in &capturing {
        one.check(&sets)?;
    }
    let cleaners: Vec<ModelCleaner> = arguments
        .models
        .iter()
        .map(|model| {
            ModelCleaner::new(ModelCleanerOptions {
                model: Some(model.clone()),
                any_engine: true,
                ..ModelCleanerOptions::default()
            })
        })
        .collect::<Result<_, _>>()?;
    let chosen = arguments.split.unwrap_or_default();
    let (mut compared, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let rows = set.split(chosen);
        set.check_gold(&rows)?;
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let results: Vec<Result<Compared<'_>, Error>> = threads.install(|| {
            let pages = rows.par_iter().with_max_len(1);
            pages.map(|row| compare_page(set, row, &capturing, &cleaners)).inspect(|_| bar.inc(1)).collect()
        });
        bar.finish_and_clear();
        for (row, result) in rows.iter().zip(results) {
            match result {
                Ok(page) => compared.push(page),
                Err(error) => {
                    console::complain(&format!("{}/{}: {error}", set.name, row.id));
                    failed += 1;
                }
            }
        }
    }
    let mut correlations = Correlations::default();
    for page in &compared {
        correlations.add(&page.paired, "visual");
    }
    let pages: Vec<PageFidelity> = compared.iter().map(|page| page.paired.fidelity.clone()).collect();
    let tables = [
        ("Heights and blocks", summary(&pages)),
        ("Word F, mean over pages", scores_table(&compared, &arguments.models)),
        ("Visual features, lowest correlation first", correlations.table()),
    ];
    compared.sort_by(|a, b| {
        let (a, b) = (&a.paired.fidelity, &b.paired.fidelity);
        a.share_in_place().total_cmp(&b.share_in_place()).then_with(|| a.id.cmp(&b.id))
    });
    let worst = &compared[..arguments.worst.min(compared.len())];
    let mut text: Vec<String> =
        tables.iter().map(|(heading, table)| format!("{heading}\n{}\n", table.to_text())).collect();
    text.push(format!("Worst pages\n{}", worst_table(worst).to_text()));
    let text = text.concat();
    if console::print(&[&text]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    if let Some(path) = &arguments.report {
        // What people look at is painted.
        let painted = Capturing::rendered(options(EngineChoice::Builtin, true), None);
        let captures: Vec<[Capture; 2]> = worst
            .iter()
            .map(|page| Ok([capturing[0].capture(page.set, page.row)?, painted.capture(page.set, page.row)?]))
            .collect::<Result<_, Error>>()?;
        let shown: Vec<Shown<'_>> = worst
            .iter()
            .zip(&captures)
            .map(|(page, [one, other])| Shown {
                paired: &page.paired,
                captures: [one, other],
                figures: worst_table(std::slice::from_ref(page)),
            })
            .collect();
        let html = fidelity("Chromium and the built-in engine", &tables, &shown)?;
        files::write_whole(path, html.as_bytes())?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

fn compare_page<'a>(
    set: &'a DataSet,
    row: &'a Row,
    capturing: &[Capturing; 2],
    cleaners: &[ModelCleaner],
) -> Result<Compared<'a>, Error> {
    let captures = [capturing[0].capture(set, row)?, capturing[1].capture(set, row)?];
    let paired = compare(&row.id, [&captures[0], &captures[1]], TargetRule::default())?;
    let gold = set.gold(row)?;
    let mut scores = Scores::default();
    for (capture, scores) in captures.iter().zip(&mut scores) {
        for (cleaner, score) in cleaners.iter().zip(scores) {
            let cleaned = cleaner.clean(capture)?;
            let text = (FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
            let output = Output { text: &text, marked: None, everything: None };
            *score = score_page(row, Some(output), &gold).words.map(|words| Counts::score(words).f1);
        }
    }
    Ok(Compared { set, row, paired, scores })
}

/// Mean F of words, an engine a row, a model a column.
fn scores_table(pages: &[Compared<'_>], models: &[String]) -> Table {
    let mut table = Table::new(&["captures of", &models[0], &models[1]]);
    for (engine, name) in ["Chromium", "the built-in engine"].into_iter().enumerate() {
        let mean = |model: usize| {
            let known: Vec<f64> = pages.iter().filter_map(|page| page.scores[engine][model]).collect();
            format!("{:.3}", known.iter().sum::<f64>() / known.len().max(1) as f64)
        };
        table.push(vec![name.to_owned(), mean(0), mean(1)]);
    }
    table
}

fn worst_table(pages: &[Compared<'_>]) -> Table {
    let mut table =
        Table::new(&["page", "blocks in place", "of the same size", "height ratio", "F, Chromium", "F, built-in"]);
    let f = |score: Option<f64>| score.map_or_else(String::new, |score| format!("{score:.3}"));
    for page in pages {
        let found = &page.paired.fidelity;
        let all = found.targets[0].max(found.targets[1]);
        table.push(vec![
            found.id.clone(),
            format!("{:.3}", found.share_in_place()),
            format!("{:.3}", found.same_size as f64 / all.max(1) as f64),
            format!("{:.3}", found.height_ratio()),
            f(page.scores[0][0]),
            f(page.scores[1][1]),
        ]);
    }
    table
}
