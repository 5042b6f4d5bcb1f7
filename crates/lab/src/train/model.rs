//! Trains a model of vclean's own kind on data sets: the work of `vclean lab train`.

use super::classifier::Classifier;
use super::error::TrainError;
use super::examples::{Example, ExampleOptions};
use super::gathering::{Gathered, LeftOut, choose_columns, gather_training_pages};
use super::held_out::crossvalidate;
use super::held_out_pages::{held_out_pages, pages_table};
use super::keywords::add_keywords;
use super::learn::{StageOptions, TrainOptions, Trained, train};
use super::markup::{MARKUP, add_markup};
use super::sample::TrainingPage;
use crate::evaluate::{BlockScore, Table};
use crate::gold::{Capturing, Progress};
use std::collections::BTreeSet;
use vclean_core::error::ModelError;
use vclean_core::features::{describe, is_in_group};
use vclean_core::language::{Keywords, tagger};
use vclean_run::source::DataSet;

/// How a model is trained.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// How targets are selected and labelled, and whether words are used.
    pub examples: ExampleOptions,
    /// The best aligned share of the pages of each set to train on, 1 for all.
    pub best_aligned: f64,
    /// The feature groups to train on; empty for all that the pages have.
    pub groups: Vec<String>,
    /// Set if columns that are logarithms of counts are replaced by the counts, as in FIASCO.
    pub takes_counts: bool,
    /// Set if groups of features are also measured separately.
    pub compares_groups: bool,
    /// Options for fitting: stages, folds, names.
    pub train: TrainOptions,
}

/// A model and its figures.
#[derive(Debug)]
pub struct TrainedModel {
    /// The model with its figures.
    pub trained: Trained,
    /// The figures as a table: one row per stage, one for the calibrated model, and one per feature
    /// group if requested.
    pub table: Table,
    /// Page F and the shares of pages with a low one, on held-out sites: one row per set, and one
    /// for all.
    pub pages: Table,
    /// Number of pages that could not be used; each was reported to `progress`.
    pub failed: usize,
}

/// Trains a model on the training pages of `sets`.
///
/// # Errors
/// If no page is left, pages have different columns, or the options do not fit them.
pub fn train_model(
    sets: &[DataSet],
    capturing: &Capturing,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<TrainedModel, TrainError> {
    let reads_markup = options.groups.is_empty()
        || options
            .groups
            .iter()
            .any(|group| is_in_group(group, MARKUP));
    let of_examples = ExampleOptions {
        markup: reads_markup,
        ..options.examples
    };
    let Gathered {
        mut examples,
        left_out,
        failed,
    } = gather_training_pages(sets, capturing, of_examples, options.best_aligned, progress)?;
    let TrainOptions { folds, seed, .. } = options.train;
    let keywords = if options.examples.language_bound {
        Some(add_keywords(&mut examples, folds, seed)?)
    } else {
        None
    };
    let markup = reads_markup
        .then(|| add_markup(&mut examples, folds, seed))
        .transpose()?;
    let mut columns = choose_columns(&mut examples, &options.groups)?;
    if options.takes_counts {
        take_counts(&mut examples, &mut columns);
    }
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    progress.step(&format!(
        "{} pages, {} left out because gold and page do not fit well enough{}, {failed} failed",
        pages.len(),
        left_out.len(),
        named(&left_out)
    ));
    let mut train_options = options.train.clone();
    limit_svm(&mut train_options.stages, &columns);
    let mut trained = train(&columns, &pages, &train_options, &|step| {
        progress.step(step);
    })?;
    for set in &mut trained.model.provenance.sets {
        set.left_out = left_out.iter().filter(|page| page.set == set.name).count();
    }
    if let Some(keywords) = keywords {
        let known = examples
            .iter()
            .filter_map(|example| example.words.as_ref())
            .map(|words| words.language.as_str());
        let known: BTreeSet<&str> = known
            .filter(|language| is_known(language, &keywords))
            .collect();
        trained.model.provenance.languages = known.into_iter().map(str::to_owned).collect();
        trained.model.keywords = Some(keywords);
    }
    trained.model.markup = markup;
    let mut table = figures(&trained);
    if options.compares_groups {
        compare_groups(&mut table, &columns, &pages, &options.train, progress)?;
    }
    let decided = held_out_pages(
        &pages,
        &trained.held_out,
        trained.model.platt,
        trained.model.threshold,
    );
    Ok(TrainedModel {
        trained,
        table,
        pages: pages_table(&decided),
        failed,
    })
}

/// The worst of the pages that were left out, in parentheses; empty if there are none.
fn named(left_out: &[LeftOut]) -> String {
    const MAX_NAMED: usize = 3;
    let mut worst: Vec<&LeftOut> = left_out.iter().collect();
    worst.sort_by(|one, other| one.f1.total_cmp(&other.f1));
    let names: Vec<String> = worst
        .iter()
        .take(MAX_NAMED)
        .map(|page| format!("{}/{} with F {:.2}", page.set, page.id, page.f1))
        .collect();
    let more = if worst.len() > MAX_NAMED {
        ", and others"
    } else {
        ""
    };
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({}{more})", names.join(", "))
    }
}

/// True if there is a tagger for the language, or keywords of it.
fn is_known(language: &str, keywords: &Keywords) -> bool {
    tagger(language).is_some() || keywords.for_language(language).is_some()
}

/// How the sources of FIASCO's columns begin.
const FIASCO: &str = "Bauer et al. 2007";

/// Leaves FIASCO's and the visual columns to a support vector machine that has another classifier
/// of columns beside it, which reads all.
fn limit_svm(stages: &mut [StageOptions], columns: &[String]) {
    let is_svm = |stage: &StageOptions| matches!(stage.classifier, Classifier::Svm(_));
    if stages
        .iter()
        .all(|stage| is_svm(stage) || stage.columns.is_some())
    {
        return;
    }
    let known: BTreeSet<&str> = describe()
        .filter(|(group, column)| group.needs_layout || column.source.starts_with(FIASCO))
        .map(|(_, column)| column.name)
        .collect();
    let chosen: Vec<usize> = (0..columns.len())
        .filter(|&index| known.contains(columns[index].as_str()))
        .collect();
    for stage in stages.iter_mut().filter(|stage| is_svm(stage)) {
        stage.columns = Some(chosen.clone());
    }
}

/// Replaces logarithms of counts by the counts, also in the column names.
fn take_counts(examples: &mut [Example], columns: &mut [String]) {
    for (index, name) in columns.iter_mut().enumerate() {
        if let Some(count) = name.strip_suffix("_log").map(str::to_owned) {
            for example in examples.iter_mut() {
                example
                    .page
                    .rows
                    .column_mut(index)
                    .mapv_inplace(f32::exp_m1);
            }
            *name = count;
        }
    }
}

fn figures(trained: &Trained) -> Table {
    let mut table = Table::new(&[&["on held-out sites"][..], &BlockScore::COLUMNS].concat());
    for (number, score) in trained.stages.iter().enumerate() {
        table.push(row(&format!("stage {}", number + 1), *score));
    }
    table.push(row("calibrated", trained.score));
    if let Some(score) = trained.comments {
        table.push(row("comments among the rest", score));
    }
    table
}

/// Adds the score of the first stage on the visual columns, on the others and on all.
fn compare_groups(
    table: &mut Table,
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TrainOptions,
    progress: &dyn Progress,
) -> Result<(), ModelError> {
    let mut compare = |name: &str, keep: &dyn Fn(&str) -> bool| -> Result<(), ModelError> {
        let chosen = (0..columns.len())
            .filter(|&index| keep(&columns[index]))
            .collect();
        let stage = StageOptions {
            columns: Some(chosen),
            ..options.stages[0].clone()
        };
        let score = crossvalidate(pages, &stage, options.folds, options.seed, &|step| {
            progress.step(step);
        })?;
        table.push(row(name, score));
        Ok(())
    };
    // The context and page columns are computed from the other groups, so they belong to neither
    // side.
    let is_visual =
        |column: &str| is_in_group(column, "visual") || is_in_group(column, "context.layout");
    compare("visual alone", &is_visual)?;
    compare("structure and text alone", &|column| !is_visual(column))?;
    compare("all, one stage", &|_| true)
}

fn row(name: &str, score: BlockScore) -> Vec<String> {
    std::iter::once(name.to_owned())
        .chain(score.cells(4))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleOptions;
    use super::*;
    use crate::fitting::{SequenceOptions, SvmOptions};

    #[test]
    fn a_support_vector_machine_beside_others_reads_fiascos_and_the_visual_columns() {
        let columns: Vec<String> = describe()
            .map(|(_, column)| column.name.to_owned())
            .collect();
        let stage = |classifier, columns| StageOptions {
            columns,
            reads: Vec::new(),
            classifier,
            sample: SampleOptions::default(),
        };
        let svm = || stage(Classifier::Svm(SvmOptions::default()), None);
        let mut alone = [
            svm(),
            stage(Classifier::Logistic { ridge: 1.0 }, Some(Vec::new())),
        ];
        limit_svm(&mut alone, &columns);
        assert_eq!(alone[0].columns, None);
        let network = Classifier::Sequence(SequenceOptions::default());
        let mut beside = [svm(), stage(network, None)];
        limit_svm(&mut beside, &columns);
        let chosen = beside[0].columns.as_ref().unwrap();
        let has = |name: &str| chosen.iter().any(|&index| columns[index] == name);
        assert!(has("text.characters_log") && has("visual.blob.solidity_1"));
        assert!(
            !has("hint.role") && chosen.len() < columns.len() / 2,
            "{}",
            chosen.len()
        );
        assert_eq!(beside[1].columns, None);
    }
}
