//! `vclean train`: gold text in, model out.

use super::classifier::{Beside, ClassifierArguments, beside};
use super::data::DataArguments;
use super::options::{alignment, target_rule};
use super::tables::columns_of;
use super::{SOME_FAILED, console, train_method};
use crate::evaluate::{BlockScore, Table};
use crate::features::is_in_group;
use crate::gold::Split;
use crate::gold::{Alignment, Quality, best_aligned};
use crate::language::{Keywords, tagger};
use crate::target::TargetRule;
use crate::train;
use crate::train::methods::OWN;
use crate::train::{
    Classifier, Example, ExampleOptions, Recipe, SampleOptions, StageOptions, TrainOptions, TrainingPage,
};
use anyhow::Context;
use clap::Args;
use std::collections::BTreeSet;
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
  vclean train data/wcxb --static --lang en --language-bound --out english.model    with words of English
  vclean train data/styled --out puk.model --kernel puk --sigma 16 --omega 1
  vclean train data/styled --out trees.model --classifier boosted --trees 300 --depth 5
  vclean train data/styled --out all.model --compare-groups    what do the pixels add?
  vclean train data/wcxb data/canola --static --method texrex --out texrex.model    a published system")]
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

    /// The method that learns: vclean, or a published one (see vclean methods), which learns in its own way from its own
    /// features and takes --seed only; fiasco takes --seed, --rows and --rows-per-page, the rest is as published
    #[arg(long, value_name = "NAME", default_value = "vclean", value_parser = train_method::names(), hide_possible_values = true)]
    pub(super) method: String,

    /// How gold text is laid on blocks: words (over the whole page) or dice (paragraphs and subtrees, FIASCO 5.1)
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// Learn from the best aligned share of the pages of each set only, such as 0.74 (FIASCO: 117 of 158 pages)
    #[arg(long, value_name = "SHARE", value_parser = super::align::share)]
    pub(super) best_aligned: Option<f64>,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = target_rule)]
    pub(super) targets: TargetRule,

    /// Stages: after the classifier's own, each further one is a logistic regression on the margins of the stage
    /// before, of the block and of those around it
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) stages: u8,

    /// Train on these feature groups only, such as visual or structural,text [default: all the pages have]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub(super) groups: Vec<String>,

    /// Also learn from the words: part-of-speech shares and keywords, where FIASCO 3.1 has them; the model is then bound
    /// to the languages of its pages
    #[arg(long)]
    pub(super) language_bound: bool,

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

    /// What learns
    #[command(flatten)]
    pub(super) classifier: ClassifierArguments,

    /// A second classifier that learns beside the first; the stages after them read both. Its parameters are the usual ones
    /// but for those named after a colon, as in boosted:trees=200,depth=5
    #[arg(long, value_name = "CLASSIFIER", value_parser = beside)]
    pub(super) beside: Option<Beside>,

    /// How pages are gone through
    #[command(flatten)]
    pub(super) batch: super::options::BatchArguments,
}

/// Folds by site for calibration, later stages and the figures of the summary.
const FOLDS: usize = 5;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if !OWN.contains(&arguments.method.as_str()) {
        return train_method::run(arguments);
    }
    let arguments = &train_method::settled(arguments)?;
    let classifier = arguments.classifier.classifier(arguments.seed)?;
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let Learned { mut examples, left_out, failed } = examples(
        &arguments.data,
        &arguments.batch,
        arguments.alignment,
        arguments.targets,
        arguments.language_bound,
        arguments.best_aligned.unwrap_or(1.0),
        &threads,
    )?;
    let keywords = if arguments.language_bound {
        Some(threads.install(|| train::add_keywords(&mut examples, FOLDS, arguments.seed))?)
    } else {
        None
    };
    let mut columns = choose_columns(&mut examples, &arguments.groups)?;
    if arguments.method == "fiasco" {
        train_method::take_counts(&mut examples, &mut columns);
    }
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    let options = train_options(arguments, classifier);
    let quiet = arguments.batch.quiet;
    let progress = |step: &str| {
        if !quiet {
            console::complain(step);
        }
    };
    progress(&format!(
        "{} pages, {} left out because gold and page do not fit well enough, {failed} failed",
        pages.len(),
        left_out.len()
    ));
    let mut trained = threads.install(|| train::train(&columns, &pages, &options, &progress))?;
    for set in &mut trained.model.provenance.sets {
        set.left_out = left_out.iter().filter(|name| **name == set.name).count();
    }
    if let Some(keywords) = keywords {
        let known = examples.iter().filter_map(|example| example.words.as_ref()).map(|words| words.language.as_str());
        let known: BTreeSet<&str> = known.filter(|language| is_known(language, &keywords)).collect();
        trained.model.provenance.languages = known.into_iter().map(str::to_owned).collect();
        trained.model.keywords = Some(keywords);
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

/// Whether there is a tagger or a keyword of a language.
fn is_known(language: &str, keywords: &Keywords) -> bool {
    tagger(language).is_some() || keywords.for_language(language).is_some()
}

/// Pages to learn from.
pub(super) struct Learned {
    pub(super) examples: Vec<Example>,
    /// The set of each page that was left out because its gold does not fit it.
    left_out: Vec<String>,
    /// Number of pages that could not be read or measured; each was complained of.
    pub(super) failed: usize,
}

/// Reads, measures and labels the training pages.
///
/// # Errors
/// If a folder is no data set.
pub(super) fn examples(
    data: &DataArguments,
    batch: &super::options::BatchArguments,
    alignment: Alignment,
    targets: TargetRule,
    language_bound: bool,
    share: f64,
    threads: &rayon::ThreadPool,
) -> anyhow::Result<Learned> {
    let sets = data.open()?;
    let capturing = data.capturing(&sets, batch.jobs())?;
    let options = ExampleOptions { targets, alignment, language_bound };
    let (mut examples, mut left_out, mut failed) = (Vec::new(), Vec::new(), 0);
    for set in &sets {
        let rows = set.split(Split::Train);
        let bar = super::data::bar(rows.len(), &set.name, batch.quiet);
        let (mut found, failures) = threads.install(|| train::gather(set, &rows, &capturing, options, || bar.inc(1)));
        bar.finish_and_clear();
        for (id, cause) in &failures {
            console::complain(&format!("{}/{id}: {cause}", set.name));
        }
        failed += failures.len();
        let qualities: Vec<Quality> = found.iter().map(|example| example.quality).collect();
        let mut is_kept = best_aligned(&qualities, share).into_iter();
        let offered = found.len();
        found.retain(|example| is_kept.next().unwrap_or(true) && !example.quality.is_bad);
        left_out.extend(vec![set.name.clone(); offered - found.len()]);
        examples.extend(found);
    }
    Ok(Learned { examples, left_out, failed })
}

/// Drops the columns that no chosen group has; all pages have the same columns afterwards.
pub(super) fn choose_columns(examples: &mut [Example], groups: &[String]) -> anyhow::Result<Vec<String>> {
    let all = columns_of("the data sets", examples)?;
    if let Some(unknown) = groups.iter().find(|group| !all.iter().any(|column| is_in_group(column, group))) {
        anyhow::bail!("no column is in group {unknown}; see vclean features --describe");
    }
    let is_chosen = |column: &str| groups.is_empty() || groups.iter().any(|group| is_in_group(column, group));
    let places: Vec<usize> = (0..all.len()).filter(|&index| is_chosen(&all[index])).collect();
    for example in examples {
        example.page.rows = example.page.rows.select(ndarray::Axis(1), &places);
    }
    Ok(places.into_iter().map(|index| all[index].clone()).collect())
}

fn train_options(arguments: &Arguments, classifier: Classifier) -> TrainOptions {
    let sample = SampleOptions {
        total: arguments.rows as usize,
        of_page: arguments.rows_per_page as usize,
        seed: arguments.seed,
    };
    let beside = arguments.beside.as_ref().map(|beside| beside.classifier.seeded(arguments.seed));
    let regressions = usize::from(arguments.stages) - 1;
    let recipe = Recipe { classifier, sample, beside, regressions, seed: arguments.seed };
    let stem = arguments.out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    TrainOptions {
        name: arguments.name.clone().or(stem).unwrap_or_else(|| "unnamed".to_owned()),
        stages: recipe.stages(),
        folds: FOLDS,
        seed: arguments.seed,
        target_rule: arguments.targets,
        command: command(arguments, classifier),
        ..TrainOptions::default()
    }
}

/// The command as it can be typed anywhere: data sets by name, no path of this machine.
fn command(arguments: &Arguments, classifier: Classifier) -> String {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut words = vec!["vclean train".to_owned()];
    words.extend(arguments.data.data.iter().map(name));
    words.push(format!("--out {}", name(&arguments.out)));
    if arguments.data.is_static {
        words.push("--static".to_owned());
    }
    #[cfg(feature = "rendering")]
    words.extend(arguments.data.browser.engine.map(|engine| format!("--engine {}", engine.name())));
    let is_ours = arguments.method == "vclean";
    if is_ours {
        words.push(format!("{} --stages {}", arguments.classifier.command(classifier), arguments.stages));
        words.extend(arguments.beside.iter().map(|beside| format!("--beside {}", beside.typed)));
    } else {
        words.push(format!("--method {}", arguments.method));
    }
    words.push(format!("--rows {} --rows-per-page {}", arguments.rows, arguments.rows_per_page));
    words.push(format!("--seed {}", arguments.seed));
    if !arguments.data.lang.is_empty() {
        words.push(format!("--lang {}", arguments.data.lang.join(",")));
    }
    if is_ours && arguments.language_bound {
        words.push("--language-bound".to_owned());
    }
    if let Some(share) = arguments.best_aligned {
        words.push(format!("--best-aligned {share}"));
    }
    if is_ours && !arguments.groups.is_empty() {
        words.push(format!("--groups {}", arguments.groups.join(",")));
    }
    words.join(" ")
}

fn row(name: &str, score: &BlockScore) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(score.cells(4)).collect()
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
        assert_eq!((arguments.data.data.len(), arguments.classifier.given()), (2, vec![("c", 10.0)]));
        assert_eq!((arguments.alignment, arguments.targets), (Alignment::Dice, TargetRule::Blocks));
    }

    #[test]
    fn a_command_says_what_was_learned_and_names_no_folder() {
        let arguments = parse(&["/x/a", "--out", "/y/m.model", "--classifier", "tree", "--depth", "4"]).unwrap();
        let options = train_options(&arguments, arguments.classifier.classifier(1).unwrap());
        assert!(options.command.starts_with("vclean train a --out m.model --classifier tree --depth 4 --min-leaf 20"));
        assert!(options.stages.len() == 2 && options.name == "m");
        assert!(parse(&["--out", "x"]).is_err());
    }
}
