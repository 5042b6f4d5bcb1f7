//! The tables of `vclean evaluate` that train before they measure: what they share, and which table is which.

use super::align::share;
use super::data::{self, DataArguments};
use super::options::{BatchArguments, alignment, named};
use super::train_method::{Found, gold_pages};
use super::{SOME_FAILED, console, evaluate, languages, subsets};
use crate::classify::trees::BoostedOptions;
use crate::classify::{Kernel, Solver, SvmOptions};
use crate::experiments::texrex_table;
use crate::files;
use crate::gold::Alignment;
use crate::gold::{Capturing, DataSet, Split};
use crate::gold::{Quality, best_aligned};
use crate::target::TargetRule;
use crate::train;
use crate::train::methods::texrex::TexrexOptions;
use crate::train::{Classifier, Example, ExampleOptions, Recipe, SampleOptions, TrainOptions, TrainingPage};
use anyhow::Context;
use clap::Args;
use std::path::Path;
use std::process::ExitCode;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TableKind {
    /// Words and blocks of a finished model.
    #[default]
    Words,
    /// Blocks by subsets of the features, each by machines that have not seen the site.
    Subsets,
    /// Words by models that have not seen the site.
    Crossvalidated,
    /// Words and blocks by language, by a model of one language.
    Languages,
    /// texrex's features by four classifiers.
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

/// Which table, and how its models are trained.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tables that train first")]
pub(super) struct TableArguments {
    /// Which table: words (of --model), subsets (of the features: FIASCO's Tables 2 and 3), crossvalidated (words, by
    /// models that have not seen the site: FIASCO section 6), languages (a model of one language on all others), texrex
    /// (its features by four classifiers: Schäfer 2013, Table 3; takes --split and --seed only)
    #[arg(long, value_name = "TABLE", default_value = "words", value_parser = table)]
    pub(super) table: TableKind,

    /// How gold text is laid on blocks: words or dice
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// The share of pages that the second half of the table of subsets is measured on; 0.74 is FIASCO's 117 of 158
    #[arg(long, value_name = "SHARE", default_value_t = 0.74, value_parser = share)]
    pub(super) best_aligned: f64,

    /// Language that the table of languages trains on, as the manifests name it
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub(super) train_lang: String,

    /// Penalty of a wrong training row, above 0
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 4.0)]
    pub(super) c: f64,

    /// Sharpness of the kernel on all columns, above 0; on a subset it grows as the columns become fewer
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 0.01)]
    pub(super) gamma: f64,

    /// Most rows a machine learns from
    #[arg(long, value_name = "N", default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(super) rows: u32,

    /// Most rows of one page
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) rows_per_page: u32,

    /// Folds by site [default: 10 for subsets, 5 for crossvalidated, as FIASCO]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=100))]
    pub(super) folds: Option<u8>,

    /// Seed of samples and folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
}

/// All that a table needs to know.
pub(super) struct Request<'a> {
    pub(super) data: &'a DataArguments,
    /// As given; each table has its own default.
    pub(super) split: Option<Split>,
    pub(super) targets: Option<TargetRule>,
    pub(super) json: Option<&'a Path>,
    pub(super) worst: usize,
    pub(super) batch: &'a BatchArguments,
    pub(super) table: &'a TableArguments,
}

/// Makes the table, or `None` for the table of a finished model, which trains nothing.
pub(super) fn run(request: &Request<'_>) -> Option<anyhow::Result<ExitCode>> {
    match request.table.table {
        TableKind::Words => None,
        TableKind::Subsets => Some(subsets::run(request)),
        TableKind::Crossvalidated => Some(languages::run_crossvalidated(request)),
        TableKind::Languages => Some(languages::run(request)),
        TableKind::Texrex => Some(texrex(request)),
    }
}

/// texrex's Table 3 on blocks of the pages' bare HTML.
fn texrex(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(request.batch.jobs())
        .build()
        .context("cannot start the threads")?;
    let Found { pages, failed, .. } =
        gold_pages(request.data, request.split.unwrap_or(Split::All), request.batch, &threads)?;
    let progress = |step: &str| {
        if !request.batch.quiet {
            console::complain(step);
        }
    };
    let options = TexrexOptions::table().seeded(request.table.seed);
    let rows = threads.install(|| texrex_table::table3(&pages, &options, &progress))?;
    let printed = console::print(&[&texrex_table::report(&rows)]).is_ok();
    Ok(if failed == 0 && printed { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Folds by site for keywords, at most: those of a page are learned from other sites, as `vclean train` does it.
const KEYWORD_FOLDS: usize = 5;

/// Pages ready to learn from, with the columns that all of them have.
pub(super) struct Gathered {
    pub(super) columns: Vec<String>,
    pub(super) examples: Vec<Example>,
    /// Pages that could not be made ready; each was complained of.
    pub(super) failed: usize,
}

impl<'a> Request<'a> {
    /// What the user asked of `vclean evaluate`.
    pub(super) fn of(arguments: &'a evaluate::Arguments) -> Self {
        Self {
            data: &arguments.data,
            split: arguments.split,
            targets: arguments.model.targets,
            json: arguments.json.as_deref(),
            worst: arguments.worst,
            batch: &arguments.batch,
            table: &arguments.table,
        }
    }

    pub(super) fn rule(&self) -> TargetRule {
        self.targets.unwrap_or_default()
    }

    /// Says what was done, unless the user wants it quiet.
    pub(super) fn progress(&self, step: &str) {
        if !self.batch.quiet {
            console::complain(step);
        }
    }

    /// Captures, measures and labels the pages of a split of a set; with keywords and parts of speech where asked.
    ///
    /// # Errors
    /// If no page is left, or pages have different columns.
    pub(super) fn gather(
        &self,
        set: &DataSet,
        split: Split,
        capturing: &Capturing,
        language_bound: bool,
    ) -> anyhow::Result<Gathered> {
        let rows = set.split(split);
        let bar = data::bar(rows.len(), &set.name, self.batch.quiet);
        let options = ExampleOptions { targets: self.rule(), alignment: self.table.alignment, language_bound };
        let (mut examples, failures) = train::gather(set, &rows, capturing, options, || bar.inc(1));
        bar.finish_and_clear();
        for (id, cause) in &failures {
            console::complain(&format!("{}/{id}: {cause}", set.name));
        }
        if language_bound {
            let folds = self.table.folds.map_or(KEYWORD_FOLDS, |folds| usize::from(folds).min(KEYWORD_FOLDS));
            train::add_keywords(&mut examples, folds, self.table.seed)?;
        }
        let columns = columns_of(&set.name, &examples)?;
        Ok(Gathered { columns, examples, failed: failures.len() })
    }

    pub(super) fn svm(&self) -> SvmOptions {
        let kernel = Kernel::Rbf { gamma: self.table.gamma };
        SvmOptions { c: self.table.c, kernel, solver: Solver::Smo, ..SvmOptions::default() }
    }

    pub(super) fn sample(&self) -> SampleOptions {
        SampleOptions {
            total: self.table.rows as usize,
            of_page: self.table.rows_per_page as usize,
            seed: self.table.seed,
        }
    }

    /// As the built-in models are made: a support vector machine and boosted trees, then a logistic regression.
    pub(super) fn train_options(&self, folds: usize) -> TrainOptions {
        let recipe = Recipe {
            classifier: Classifier::Svm(self.svm()),
            sample: self.sample(),
            beside: Some(Classifier::Boosted(BoostedOptions { seed: self.table.seed, ..BoostedOptions::default() })),
            regressions: 1,
            seed: self.table.seed,
        };
        TrainOptions {
            stages: recipe.stages(),
            folds,
            seed: self.table.seed,
            target_rule: self.rule(),
            ..TrainOptions::default()
        }
    }

    /// Writes the figures where the user wants them.
    pub(super) fn write_json(&self, figures: &serde_json::Value) -> anyhow::Result<()> {
        if let Some(path) = self.json {
            files::write_whole(path, format!("{figures:#}\n").as_bytes())?;
        }
        Ok(())
    }
}

/// The columns that all examples have.
///
/// # Errors
/// If there is no example, or two have different columns.
pub(super) fn columns_of(set: &str, examples: &[Example]) -> anyhow::Result<Vec<String>> {
    let Some(first) = examples.first() else {
        anyhow::bail!("no page of {set} can be learned from; see the errors above, and choose another --split");
    };
    if let Some(other) = examples.iter().find(|example| example.columns != first.columns) {
        anyhow::bail!("{} has other columns than {}; render all pages or none", other.id, first.id);
    }
    Ok(first.columns.iter().map(|&column| column.to_owned()).collect())
}

/// The pages of the best aligned share of examples.
pub(super) fn best_of(examples: &[Example], share: f64) -> Vec<&TrainingPage> {
    let qualities: Vec<Quality> = examples.iter().map(|example| example.quality).collect();
    let is_kept = best_aligned(&qualities, share);
    examples.iter().zip(is_kept).filter(|(_, kept)| *kept).map(|(example, _)| &example.page).collect()
}

fn table(name: &str) -> Result<TableKind, String> {
    named("table", TableKind::ALL, name)
}

/// Reads a finite number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a number above 0 is needed".to_owned()),
    }
}
