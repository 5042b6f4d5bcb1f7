//! Out-of-fold margins of pages, with folds by site.

use super::fit_stage::{FittedStage, StagePages, fit_stage};
use super::sample::{TrainingPage, folds};
use super::stage_options::StageOptions;
use crate::evaluate::BlockScore;
use ndarray::{Axis, CowArray, Ix2};
use rayon::prelude::*;
use vclean_core::classify::Label;
use vclean_core::error::ModelError;

/// For each page, the margin of each target, computed by the model that was fitted without the
/// page's fold.
pub(super) fn held_out_margins(
    stage_pages: &StagePages<'_>,
    fold_of: &[usize],
    fold_count: usize,
    options: &StageOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Vec<f32>>, ModelError> {
    let count = stage_pages.pages.len();
    let parts: Vec<Vec<(usize, Vec<f32>)>> = (0..fold_count)
        .into_par_iter()
        .map(|fold| {
            let (held_out, others): (Vec<usize>, Vec<usize>) =
                (0..count).partition(|&page| fold_of[page] == fold);
            let others = stage_pages.select(&others);
            let rows = others.draw(options);
            let FittedStage {
                scaler, machine, ..
            } = fit_stage(&others, options, &rows, &|_| {})?;
            let margins = |page: usize| {
                (
                    page,
                    machine.margins(
                        scaler.apply(stage_pages.inputs[page]).view(),
                        &stage_pages.pages[page].shape,
                    ),
                )
            };
            let margins = held_out.into_iter().map(margins).collect();
            progress(&format!("fold {} of {fold_count} done", fold + 1));
            Ok(margins)
        })
        .collect::<Result<_, ModelError>>()?;
    let mut margins = vec![Vec::new(); count];
    for (page, of_page) in parts.into_iter().flatten() {
        margins[page] = of_page;
    }
    Ok(margins)
}

/// Scores decisions on the labelled targets of all pages; `is_content` gets the numbers of a page
/// and of a target.
pub(super) fn block_score(
    pages: &[&TrainingPage],
    is_content: impl Fn(usize, usize) -> bool,
) -> BlockScore {
    let label = |content: bool| {
        if content {
            Label::Content
        } else {
            Label::Boilerplate
        }
    };
    let mut score = BlockScore::default();
    for (number, page) in pages.iter().enumerate() {
        score = score.plus(BlockScore::count(page.labelled().map(|target| {
            (
                label(is_content(number, target)),
                label(page.is_content(target)),
            )
        })));
    }
    score
}

/// Out-of-fold block score of one classifier on some of the columns.
pub fn crossvalidate(
    pages: &[&TrainingPage],
    stage: &StageOptions,
    fold_count: usize,
    seed: u64,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<BlockScore, ModelError> {
    stage.classifier.check()?;
    let fold_of = folds(pages, fold_count, seed)?;
    let stage = StageOptions {
        reads: Vec::new(),
        ..stage.clone()
    };
    let inputs: Vec<CowArray<'_, f32, Ix2>> = pages
        .iter()
        .map(|page| match &stage.columns {
            Some(columns) => page.rows.select(Axis(1), columns).into(),
            None => page.rows.view().into(),
        })
        .collect();
    let stage_pages = StagePages {
        pages: pages.to_vec(),
        inputs: inputs.iter().map(CowArray::view).collect(),
    };
    let margins = held_out_margins(&stage_pages, &fold_of, fold_count, &stage, progress)?;
    Ok(block_score(pages, |page, target| {
        margins[page][target] > 0.0
    }))
}
