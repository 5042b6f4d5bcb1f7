//! `vclean evaluate`: word and block figures of a model on pages with gold text.

use super::data::{self, DataArguments};
use super::options::{BatchArguments, ModelArguments, named};
use super::tables::{self, Request, TableArguments};
use super::{SOME_FAILED, console, write};
use crate::classify::Label;
use crate::emit::{self, EmitOptions};
use crate::error::Error;
use crate::evaluate::metrics::score_page;
use crate::evaluate::{BlockScore, Capturing, DataSet, PageScore, Report, Row, Split, Table};
use crate::pipeline::{Cleaner, CleanerOptions};
use crate::train::{Alignment, label};
use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure a model on pages with gold text
///
/// Cleans the pages of data folders and compares the text with the gold: word precision, recall and F1, mean over
/// pages, beside keeping everything.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean evaluate data/styled --captures captures/
  vclean evaluate data/wcxb --static --split dev --worst 10 --json wcxb.json
  vclean evaluate data/styled --captures captures/ --table subsets      what is each group of features worth?
  vclean evaluate data/styled --captures captures/ --table languages --train-lang en")]
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

    /// List the N pages with the lowest F1
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// The model
    #[command(flatten)]
    pub(super) model: ModelArguments,

    /// Which table, and how its models are trained
    #[command(flatten)]
    pub(super) table: TableArguments,

    /// How pages are gone through
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// Seed of the bootstrap.
const SEED: u64 = 1;

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(done) = tables::run(&Request::of(&arguments)) {
        return done;
    }
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(jobs);
    let system = arguments.model.model.clone().unwrap_or_else(|| "vclean".to_owned());
    let cleaner = Cleaner::new(CleanerOptions {
        model: arguments.model.model,
        targets: arguments.model.targets,
        explain: false,
        min_precision: arguments.model.min_precision,
    })?;
    let (mut reports, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let rows = set.split(arguments.split.unwrap_or_default());
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let measured: Vec<Measured> = threads.install(|| {
            let measure = |row: &&Row| {
                let measured = measure(set, row, &capturing, &cleaner);
                bar.inc(1);
                measured
            };
            rows.par_iter().with_max_len(1).map(measure).collect::<anyhow::Result<_>>()
        })?;
        bar.finish_and_clear();
        for (row, page) in rows.iter().zip(&measured) {
            if let Some(cause) = &page.failure {
                console::complain(&format!("{}/{}: {cause}", set.name, row.id));
                failed += 1;
            }
        }
        let blocks = measured.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
        let all = measured.iter().map(|page| page.everything.clone()).collect();
        let scores: Vec<PageScore> = measured.into_iter().map(|page| page.score).collect();
        let mut text = Report::new(&set.name, &system, scores.clone(), SEED).to_text();
        text.push_str(&blocks_line(blocks));
        text.push_str(&Report::new(&set.name, "everything", all, SEED).to_text());
        text.push_str(&worst(&scores, arguments.worst));
        text.push('\n');
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        reports.push(Report::new(&set.name, &system, scores, SEED));
    }
    if let Some(path) = &arguments.json {
        let json: Vec<String> = reports.iter().map(Report::to_json).collect();
        write::whole(path, format!("[{}]\n", json.join(",\n")).as_bytes())?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// One page, measured.
struct Measured {
    score: PageScore,
    /// With everything kept: the baseline.
    everything: PageScore,
    blocks: BlockScore,
    failure: Option<Error>,
}

/// Cleans a page and compares it with its gold. A page that cannot be cleaned counts as one without output.
fn measure(set: &DataSet, row: &Row, capturing: &Capturing, cleaner: &Cleaner) -> anyhow::Result<Measured> {
    let gold = set.gold(row)?;
    let cleaned = capturing.capture(set, row).and_then(|capture| cleaner.clean(&capture).map(|done| (capture, done)));
    let (capture, cleaned) = match cleaned {
        Ok(done) => done,
        Err(error) => {
            let nothing = score_page(row, None, &gold);
            return Ok(Measured {
                score: nothing.clone(),
                everything: nothing,
                blocks: BlockScore::default(),
                failure: Some(error),
            });
        }
    };
    let text = (emit::FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
    let texts: Vec<String> = cleaned.targets.iter().map(|target| target.text(&capture.dom)).collect();
    let labelling = label(set, row, &capture, &cleaned.targets, &texts, Alignment::Words)?;
    let judged = cleaned.decisions.iter().zip(&labelling.labels);
    let pairs = judged.filter_map(|(decision, gold)| gold.map(|gold: Label| (decision.label, gold)));
    Ok(Measured {
        score: score_page(row, Some(&text), &gold),
        everything: score_page(row, Some(&texts.join("\n")), &gold),
        blocks: BlockScore::count(pairs),
        failure: None,
    })
}

fn blocks_line(blocks: BlockScore) -> String {
    let content = blocks.score();
    format!(
        "blocks {}: accuracy {:.3}, content P {:.3} R {:.3} F {:.3}\n",
        blocks.blocks(),
        blocks.accuracy(),
        content.precision,
        content.recall,
        content.f1
    )
}

/// The pages with the lowest F, as a table; empty for none.
fn worst(scores: &[PageScore], count: usize) -> String {
    let mut pages: Vec<(&PageScore, crate::evaluate::WordScore)> =
        scores.iter().filter_map(|page| page.words.map(|counts| (page, counts.score()))).collect();
    pages.sort_by(|one, other| one.1.f1.total_cmp(&other.1.f1).then_with(|| one.0.id.cmp(&other.0.id)));
    let mut table = Table::new(&["worst pages", "P", "R", "F"]);
    for (page, score) in pages.iter().take(count) {
        let mut cells = vec![page.id.clone()];
        cells.extend([score.precision, score.recall, score.f1].map(|value| format!("{value:.3}")));
        table.push(cells);
    }
    if table.rows.is_empty() { String::new() } else { table.to_text() }
}

/// Reads a split by its name in [`Split::ALL`].
fn split(name: &str) -> Result<Split, String> {
    named("split", Split::ALL, name)
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
}
