//! Fits one stage: a classifier of rows to a sample of rows, a network to whole pages.

use super::classifier::Classifier;
use super::sample::{RowPosition, TrainingPage, draw, draw_unsure, gather, page_weights};
use super::stage_options::StageOptions;
use crate::classify::model::Machine;
use crate::classify::smooth::MAX_MARGIN;
use crate::classify::{Scaler, Sequence, SequenceOptions, SequencePage};
use crate::error::ModelError;
use ndarray::{ArrayView2, Axis};

/// What a stage learned.
pub(super) struct FittedStage {
    pub(super) scaler: Scaler,
    /// Mean of each scaled input over the sample.
    pub(super) means: Vec<f32>,
    pub(super) machine: Machine,
}

/// Pages with what one stage reads of them.
pub(super) struct StagePages<'a> {
    pub(super) pages: Vec<&'a TrainingPage>,
    /// Unscaled inputs of the stage, one matrix a page.
    pub(super) inputs: Vec<ArrayView2<'a, f32>>,
    /// Out-of-fold margins of the stage that [`StageOptions::unsure_of`] names, one list a page.
    pub(super) unsure: Option<Vec<&'a [f32]>>,
}

impl<'a> StagePages<'a> {
    /// Only these pages.
    pub(super) fn select(&self, numbers: &[usize]) -> Self {
        let unsure: Option<&Vec<&'a [f32]>> = self.unsure.as_ref();
        Self {
            pages: numbers.iter().map(|&page| self.pages[page]).collect(),
            inputs: numbers.iter().map(|&page| self.inputs[page]).collect(),
            unsure: unsure.map(|margins| numbers.iter().map(|&page| margins[page]).collect()),
        }
    }

    /// The rows that a stage learns from.
    pub(super) fn draw(&self, stage: &StageOptions) -> Vec<RowPosition> {
        match &self.unsure {
            Some(margins) => draw_unsure(&self.pages, margins, &stage.sample),
            None => draw(&self.pages, &stage.sample),
        }
    }
}

/// Fits a stage with this classifier. `rows` is the sample: the rows that a classifier of rows is fitted to, or that the
/// scaling of a network is learned from.
pub(super) fn fit_stage(
    of: &StagePages<'_>,
    stage: &StageOptions,
    classifier: &Classifier,
    rows: &[RowPosition],
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FittedStage, ModelError> {
    match classifier {
        Classifier::Sequence(options) => fit_pages(of, stage, options, rows, progress),
        _ => fit_rows(of, stage, classifier, rows),
    }
}

fn fit_rows(
    of: &StagePages<'_>,
    stage: &StageOptions,
    classifier: &Classifier,
    positions: &[RowPosition],
) -> Result<FittedStage, ModelError> {
    let (rows, labels) = gather(&of.pages, &of.inputs, positions);
    let weights = stage.sample.pages_alike.then(|| page_weights(&of.pages, positions));
    let (scaler, scaled, machine) = classifier.fit(rows, &labels, weights.as_deref())?;
    let means = scaled.mean_axis(Axis(0)).map(|means| means.to_vec()).unwrap_or_default();
    Ok(FittedStage { scaler, means, machine })
}

fn fit_pages(
    of: &StagePages<'_>,
    stage: &StageOptions,
    options: &SequenceOptions,
    positions: &[RowPosition],
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FittedStage, ModelError> {
    let (rows, _) = gather(&of.pages, &of.inputs, positions);
    let mut scaler = Scaler::fit(rows.view());
    // Margins have a known range, which a sample of them need not fill.
    scaler.set_last(stage.reads.len(), -MAX_MARGIN, MAX_MARGIN);
    let means = scaler.apply_owned(rows).mean_axis(Axis(0)).map(|means| means.to_vec()).unwrap_or_default();
    let labels: Vec<Vec<Option<bool>>> = of.pages.iter().map(|page| page.truths()).collect();
    let pages: Vec<SequencePage<'_>> = of
        .pages
        .iter()
        .zip(&of.inputs)
        .zip(&labels)
        .map(|((page, inputs), labels)| SequencePage {
            inputs: inputs.view(),
            shape: &page.shape,
            labels,
            is_whole: page.is_whole,
            kind: page.kind,
        })
        .collect();
    let network = Sequence::fit(&pages, &scaler, options, progress)?;
    Ok(FittedStage { scaler, means, machine: Machine::Sequence(network) })
}
