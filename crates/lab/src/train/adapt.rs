//! Adapts a model to a user's own pages: training of its last stage, the network that reads whole
//! pages, continues on them; the rest of the model does not change. This needs neither the pages
//! that the model learned from nor pages of many sites.
//!
//! The benefit is measured on pages that were held out, in folds of single pages: the adapted model
//! is meant for pages of the same sites.

use super::error::TrainError;
use super::examples::ExampleOptions;
use super::gathering::{Gathered, gather_training_pages};
use super::held_out_pages::{HeldOutPage, PageFigures};
use super::markup::add_markup_of;
use super::model::ModelOptions;
use super::sample::{TrainingPage, page_folds};
use crate::evaluate::Table;
use crate::fitting::{SequenceOptions, SequencePage, sequence};
use crate::gold::{Capturing, Progress};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use vclean_core::classify::model::{Machine, Stage};
use vclean_core::classify::sequence::Sequence;
use vclean_core::classify::{Model, SetUse};
use vclean_core::error::ModelError;
use vclean_run::source::DataSet;

/// Fewest pages to adapt to: with fewer, held-out figures are chance.
pub const MIN_PAGES: usize = 10;
/// Number of folds in the measurement.
const FOLDS: usize = 5;
/// Options for refining the network. Heuristic: a quarter of the rate of training, no weight decay,
/// so that nothing is forgotten, and more rounds over fewer pages.
fn refining(seed: u64) -> SequenceOptions {
    SequenceOptions {
        epochs: 20,
        batch: 4,
        rate: 5e-4,
        decay: 0.0,
        seed,
        ..SequenceOptions::default()
    }
}

/// An adapted model and its figures on held-out pages.
#[derive(Debug)]
pub struct AdaptedModel {
    /// Copy of the model with the refined network.
    pub model: Model,
    /// Figures of held-out pages before and after.
    pub table: Table,
    /// Mean F of held-out pages before and after, 0 to 1.
    pub f1: [f64; 2],
    /// Number of pages that could not be used; each was reported.
    pub failed: usize,
}

/// Adapts `model` to the training pages of data sets.
///
/// # Errors
/// If the model has no network as its last stage or is for another engine, or there are fewer than
/// [`MIN_PAGES`] pages.
pub fn adapt_model(
    mut model: Model,
    sets: &[DataSet],
    capturing: &Capturing,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<AdaptedModel, TrainError> {
    model.check_engine(capturing.engine())?;
    let of_examples = ExampleOptions {
        markup: model.markup.is_some(),
        ..options.examples
    };
    let Gathered {
        mut examples,
        left_out,
        failed,
    } = gather_training_pages(sets, capturing, of_examples, options.best_aligned, progress)?;
    if let Some(words) = &model.markup {
        add_markup_of(&mut examples, words)?;
    }
    for example in &mut examples {
        example.page.rows = columns_of_model(&model, &example.columns, &example.page.rows)?;
    }
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    progress.step(&format!(
        "{} pages, {} left out because gold and page do not fit",
        pages.len(),
        left_out.len()
    ));
    if pages.len() < MIN_PAGES {
        let cause = format!(
            "{} pages can be used, and {MIN_PAGES} are needed to tell whether it helps; label more",
            pages.len()
        );
        return Err(ModelError::Training(cause).into());
    }
    let network = network(&model)?.clone();
    let refinement = Refinement::prepare(&model, &pages, refining(options.train.seed));
    let fold_of = page_folds(pages.len(), FOLDS, options.train.seed)?;
    let before: Vec<Vec<f32>> = (0..pages.len())
        .map(|page| refinement.margins(&network, page))
        .collect();
    let after = refinement.held_out(&network, &fold_of)?;
    let figures = [&before, &after].map(|margins| figures(&model, &pages, margins));
    let mut table = Table::new(&[
        "pages held out",
        "pages",
        "page F",
        "F < .5",
        "F < .8",
        "pooled F",
    ]);
    for (name, figures) in ["before", "adapted"].into_iter().zip(&figures) {
        table.push(row(name, figures));
    }
    let all: Vec<usize> = (0..pages.len()).collect();
    let refined = refinement.refine(&network, &all)?;
    if let Some(stage) = model.stages.last_mut() {
        stage.machine = Machine::Sequence(refined);
    }
    model.name.clone_from(&options.train.name);
    model.provenance.command.clone_from(&options.train.command);
    for set in sets {
        let used = pages.iter().filter(|page| page.set == set.name).count();
        let left_out = left_out.iter().filter(|page| page.set == set.name).count();
        model.provenance.sets.push(SetUse {
            name: set.name.clone(),
            pages: used,
            left_out,
            rows: 0,
        });
    }
    Ok(AdaptedModel {
        model,
        table,
        f1: figures.map(|figures| figures.f1.0),
        failed,
    })
}

/// The model's columns of the rows of a page, in its order.
fn columns_of_model(
    model: &Model,
    columns: &[&str],
    rows: &Array2<f32>,
) -> Result<Array2<f32>, ModelError> {
    let place = |wanted: &String| {
        columns
            .iter()
            .position(|known| known == wanted)
            .ok_or_else(|| ModelError::Column {
                model: model.name.clone(),
                column: wanted.clone(),
                remedy: "adapt a model for the engine that made the pages".to_owned(),
            })
    };
    let places: Vec<usize> = model.columns.iter().map(place).collect::<Result<_, _>>()?;
    Ok(rows.select(Axis(1), &places))
}

/// The last stage of a model, which must be a network.
fn network(model: &Model) -> Result<&Sequence, ModelError> {
    match model.stages.last().map(|stage| &stage.machine) {
        Some(Machine::Sequence(network)) => Ok(network),
        _ => Err(ModelError::Training(format!(
            "model {} has no network as its last stage, which could go on learning; adapt a built-in model, or train one with \
             the stage sequence",
            model.name
        ))),
    }
}

/// Pages with the inputs of the last stage of a model.
struct Refinement<'a> {
    pages: &'a [&'a TrainingPage],
    stage: Stage,
    inputs: Vec<Array2<f32>>,
    labels: Vec<Vec<Option<bool>>>,
    options: SequenceOptions,
}

impl<'a> Refinement<'a> {
    /// A model that was trained has a last stage.
    fn prepare(model: &Model, pages: &'a [&'a TrainingPage], options: SequenceOptions) -> Self {
        let stage = model.stages.last().expect("a model has a stage").clone();
        let inputs = pages
            .par_iter()
            .map(|page| model.inputs_of_last_stage(page.rows.view(), &page.shape))
            .collect();
        let labels = pages.iter().map(|page| page.truths()).collect();
        Self {
            pages,
            stage,
            inputs,
            labels,
            options,
        }
    }

    fn refine(&self, network: &Sequence, numbers: &[usize]) -> Result<Sequence, ModelError> {
        let page = |&number: &usize| SequencePage {
            inputs: self.inputs[number].view(),
            columns: self.stage.columns.len(),
            shape: &self.pages[number].shape,
            labels: &self.labels[number],
            is_whole: self.pages[number].is_whole,
            kind: self.pages[number].kind,
        };
        let pages: Vec<SequencePage<'_>> = numbers.iter().map(page).collect();
        sequence::refine(network, &pages, &self.stage.scaler, &self.options, &|_| {})
    }

    fn margins(&self, network: &Sequence, page: usize) -> Vec<f32> {
        network.margins(
            self.stage.scaler.apply(self.inputs[page].view()).view(),
            &self.pages[page].shape,
        )
    }

    /// The margins of each page by a network that was refined without the page's fold.
    fn held_out(&self, network: &Sequence, fold_of: &[usize]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut margins = vec![Vec::new(); fold_of.len()];
        for fold in 0..FOLDS {
            let (held_out, others): (Vec<usize>, Vec<usize>) =
                (0..fold_of.len()).partition(|&page| fold_of[page] == fold);
            let refined = self.refine(network, &others)?;
            for page in held_out {
                margins[page] = self.margins(&refined, page);
            }
        }
        Ok(margins)
    }
}

fn figures(model: &Model, pages: &[&TrainingPage], margins: &[Vec<f32>]) -> PageFigures {
    let decided: Vec<HeldOutPage> = pages
        .iter()
        .zip(margins)
        .map(|(page, margins)| HeldOutPage::decide(page, margins, model.platt, model.threshold))
        .collect();
    PageFigures::summarize(&decided.iter().collect::<Vec<_>>())
}

fn row(name: &str, figures: &PageFigures) -> Vec<String> {
    let shares = [
        figures.f1.0,
        figures.under_half.0,
        figures.under_four_fifths.0,
        figures.pooled,
    ];
    let mut row = vec![name.to_owned(), figures.pages.to_string()];
    row.extend(shares.map(|share| format!("{share:.3}")));
    row
}
