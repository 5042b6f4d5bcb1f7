//! `vclean train`: gold text in, model out.

use super::data::{self, DataArguments};
use super::options::target_rule;
use super::{SOME_FAILED, console};
use crate::capture::Engine;
use crate::classify::{Solver, SvmOptions};
use crate::evaluate::{BlockScore, Split, Table};
use crate::features::is_in_group;
use crate::target::TargetRule;
use crate::train::{self, Example, ExampleOptions, Method, SampleOptions, StageOptions, TrainOptions, TrainingPage};
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Train a model on pages with gold text
///
/// Reads data folders (manifest.jsonl, pages/, gold/), renders their training pages, aligns gold and blocks, and writes
/// a model file. Captures are kept, so that the next run needs no browser.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean train data/styled data/canola --captures captures/ --out models/rendered.model
  vclean train data/wcxb --static --out models/static.model --c 10 --gamma 0.05
  vclean train data/styled --out all.model --compare-groups    what do the pixels add?")]
pub(super) struct Arguments {
    /// The pages, those of the `train` split
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// Model file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,

    /// Name of the model [default: the stem of FILE]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// How gold text is laid on blocks
    #[arg(long, value_name = "HOW", default_value = "words")]
    pub(super) alignment: Alignment,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = target_rule)]
    pub(super) targets: TargetRule,

    /// Penalty of a wrong training row, above 0
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 4.0)]
    pub(super) c: f64,

    /// Sharpness of the Gaussian kernel exp(-gamma |x - y|^2) on columns scaled to -1 to 1, above 0
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 0.02)]
    pub(super) gamma: f64,

    /// Stages: after the support vector machine, each further one is a logistic regression on the margins of the stage
    /// before, of the block and of those around it
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) stages: u8,

    /// Who solves: linfa (the reference) or smo (our own; the same machine in less time and memory)
    #[arg(long, value_name = "SOLVER", default_value = "linfa", value_parser = solver)]
    pub(super) solver: Solver,

    /// Train on these feature groups only, such as visual or structural,text [default: all the pages have]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub(super) groups: Vec<String>,

    /// Also measure feature groups by themselves on held-out sites: visual, the rest, and all
    #[arg(long)]
    pub(super) compare_groups: bool,

    /// Most rows to train on; more are sampled, evenly over pages
    #[arg(long, value_name = "N", default_value_t = 15_000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    pub(super) rows: u32,

    /// Most rows of one page
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) rows_per_page: u32,

    /// Seed of the sample and of the folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// How pages are gone through
    #[command(flatten)]
    pub(super) batch: super::options::BatchArguments,
}

/// How gold text is laid on blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Alignment {
    /// Word by word over the whole page
    #[default]
    Words,
    /// Dice overlap of paragraphs and subtrees (FIASCO 5.1)
    Dice,
}

/// Rows of the stages that see margins only: logistic regression is cheap.
const SMOOTHING_SAMPLE: SampleOptions = SampleOptions { total: 40_000, of_page: 150, seed: 1 };
/// Ridge a row of these stages: hardly any, for twenty columns.
const RIDGE: f64 = 1e-4;
/// Folds by site for calibration, later stages and the figures of the summary.
const FOLDS: usize = 5;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(jobs);
    let options = ExampleOptions {
        targets: arguments.targets,
        alignment: match arguments.alignment {
            Alignment::Words => train::Alignment::Words,
            Alignment::Dice => train::Alignment::Dice,
        },
    };
    let (mut examples, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let rows = set.split(Split::Train);
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let (found, failures) = threads.install(|| train::gather(set, &rows, &capturing, options, || bar.inc(1)));
        bar.finish_and_clear();
        for (id, cause) in &failures {
            console::complain(&format!("{}/{id}: {cause}", set.name));
        }
        failed += failures.len();
        examples.extend(found);
    }
    let left_out: Vec<String> =
        examples.iter().filter(|example| example.quality.is_bad).map(|example| example.page.set.clone()).collect();
    examples.retain(|example| !example.quality.is_bad);
    let columns = choose_columns(&mut examples, &arguments.groups)?;
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    let options = train_options(arguments);
    let quiet = arguments.batch.quiet;
    let progress = |step: &str| {
        if !quiet {
            console::complain(step);
        }
    };
    progress(&format!(
        "{} pages, {} left out because gold and page do not fit, {failed} failed",
        pages.len(),
        left_out.len()
    ));
    let mut trained = threads.install(|| train::train(&columns, &pages, &options, &progress))?;
    for set in &mut trained.model.provenance.sets {
        set.left_out = left_out.iter().filter(|name| **name == set.name).count();
    }
    trained.model.save(&arguments.out).with_context(|| format!("cannot write {}", arguments.out.display()))?;

    let mut table = Table::new(&[&["on held-out sites"][..], &BlockScore::COLUMNS].concat());
    for (number, score) in trained.stages.iter().enumerate() {
        table.push(row(&format!("stage {}", number + 1), score));
    }
    table.push(row("calibrated", &trained.score));
    if arguments.compare_groups {
        let compare = |name: &str, keep: &dyn Fn(&str) -> bool| -> anyhow::Result<Vec<String>> {
            let chosen = (0..columns.len()).filter(|&index| keep(&columns[index])).collect();
            let stage = StageOptions { columns: Some(chosen), ..options.stages[0].clone() };
            let score = threads.install(|| train::crossvalidate(&pages, &stage, FOLDS, options.seed, &progress))?;
            Ok(row(name, &score))
        };
        // Surroundings and kind of page are read off the other groups, so they belong to neither side.
        let is_visual = |column: &str| is_in_group(column, "visual") || is_in_group(column, "context.layout");
        table.push(compare("visual alone", &is_visual)?);
        table.push(compare("structure and text alone", &|column| !is_visual(column))?);
        table.push(compare("all, one stage", &|_| true)?);
    }
    let text = format!(
        "{}calibration error {:.4}\nsupport vectors {}\nwrote {} ({} bytes)\n",
        table.to_text(),
        trained.calibration_error,
        trained.model.support_vectors(),
        arguments.out.display(),
        trained.model.to_bytes().len()
    );
    let printed = console::print(&[&text]).is_ok();
    Ok(if failed == 0 && printed { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Drops the columns that no chosen group has; all pages have the same columns afterwards.
fn choose_columns(examples: &mut [Example], groups: &[String]) -> anyhow::Result<Vec<String>> {
    let Some(first) = examples.first() else {
        anyhow::bail!("no page of the data sets can be learned from");
    };
    let all = first.columns.clone();
    if let Some(other) = examples.iter().find(|example| example.columns != all) {
        anyhow::bail!("{} has other columns than {}; render all pages or none", other.id, examples[0].id);
    }
    let is_chosen = |column: &str| groups.is_empty() || groups.iter().any(|group| is_in_group(column, group));
    let places: Vec<usize> = (0..all.len()).filter(|&index| is_chosen(all[index])).collect();
    anyhow::ensure!(
        !places.is_empty(),
        "no column is in the groups {}; see vclean features --describe",
        groups.join(", ")
    );
    for example in examples {
        example.page.rows = example.page.rows.select(ndarray::Axis(1), &places);
    }
    Ok(places.into_iter().map(|index| all[index].to_owned()).collect())
}

fn train_options(arguments: &Arguments) -> TrainOptions {
    let svm = SvmOptions { c: arguments.c, gamma: arguments.gamma, solver: arguments.solver, ..SvmOptions::default() };
    let sample = SampleOptions {
        total: arguments.rows as usize,
        of_page: arguments.rows_per_page as usize,
        seed: arguments.seed,
    };
    let mut stages = vec![StageOptions { columns: None, method: Method::Svm(svm), sample }];
    for number in 1..arguments.stages {
        let sample = SampleOptions { seed: arguments.seed + u64::from(number), ..SMOOTHING_SAMPLE };
        stages.push(StageOptions { columns: Some(Vec::new()), method: Method::Logistic { ridge: RIDGE }, sample });
    }
    let stem = arguments.out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    TrainOptions {
        name: arguments.name.clone().or(stem).unwrap_or_else(|| "unnamed".to_owned()),
        stages,
        folds: FOLDS,
        seed: arguments.seed,
        target_rule: arguments.targets,
        engine: if arguments.data.is_static { Engine::Parser } else { Engine::Chromium },
        command: command(arguments),
        ..TrainOptions::default()
    }
}

/// The command as it can be typed anywhere: data sets by name, no path of this machine.
fn command(arguments: &Arguments) -> String {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut words = vec!["vclean train".to_owned()];
    words.extend(arguments.data.data.iter().map(name));
    words.push(format!("--out {}", name(&arguments.out)));
    if arguments.data.is_static {
        words.push("--static".to_owned());
    }
    words.push(format!("--c {} --gamma {} --stages {}", arguments.c, arguments.gamma, arguments.stages));
    words.push(format!("--rows {} --rows-per-page {}", arguments.rows, arguments.rows_per_page));
    words.push(format!("--seed {}", arguments.seed));
    if !arguments.groups.is_empty() {
        words.push(format!("--groups {}", arguments.groups.join(",")));
    }
    words.join(" ")
}

fn row(name: &str, score: &BlockScore) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(score.cells(4)).collect()
}

/// Reads a solver by its name in [`Solver::ALL`].
fn solver(name: &str) -> Result<Solver, String> {
    let found = Solver::ALL.iter().find(|(known, _)| *known == name);
    found.map(|&(_, solver)| solver).ok_or_else(|| format!("there is no solver {name}, choose linfa or smo"))
}

/// Reads a finite number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a number above 0 is needed".to_owned()),
    }
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

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Alone::try_parse_from([&["train"], words].concat()).map(|alone| alone.arguments)
    }

    #[test]
    fn the_usual_command_is_understood() {
        let arguments = parse(&["a", "b", "--out", "x.model", "--c", "10", "--alignment", "dice"]).unwrap();
        assert_eq!((arguments.data.data.len(), arguments.c, arguments.gamma), (2, 10.0, 0.02));
        assert_eq!((arguments.alignment, arguments.targets), (Alignment::Dice, TargetRule::Blocks));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for wrong in ["0", "-1", "inf", "NaN", "ten"] {
            assert!(parse(&["a", "--out", "x", "--c", wrong]).is_err(), "{wrong}");
        }
        assert!(parse(&["--out", "x"]).is_err());
    }
}
