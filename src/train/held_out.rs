//! Out-of-fold margins of pages, with folds by site.

use super::sample::{TrainingPage, draw, folds, gather};
use super::stage_options::StageOptions;
use crate::classify::Label;
use crate::error::ModelError;
use crate::evaluate::BlockScore;
use ndarray::{Array2, Axis};
use rayon::prelude::*;

/// For each page, the margin of each target, computed by the model that was fitted without the page's fold.
pub(super) fn held_out_margins(
    pages: &[&TrainingPage],
    inputs: &[Array2<f32>],
    fold_of: &[usize],
    fold_count: usize,
    options: &StageOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Vec<f32>>, ModelError> {
    let parts: Vec<Vec<(usize, Vec<f32>)>> = (0..fold_count)
        .into_par_iter()
        .map(|fold| {
            let others: Vec<usize> = (0..pages.len()).filter(|&page| fold_of[page] != fold).collect();
            let other_pages: Vec<&TrainingPage> = others.iter().map(|&page| pages[page]).collect();
            let other_inputs: Vec<&Array2<f32>> = others.iter().map(|&page| &inputs[page]).collect();
            let positions = draw(&other_pages, &options.sample);
            let (rows, labels) = gather(&other_pages, &other_inputs, &positions);
            let (scaler, _, machine) = options.classifier.quick().fit(&rows, &labels)?;
            let held_out = (0..pages.len()).filter(|&page| fold_of[page] == fold);
            let margins =
                held_out.map(|page| (page, machine.margins(scaler.apply(inputs[page].view()).view()))).collect();
            progress(&format!("fold {} of {fold_count} done", fold + 1));
            Ok(margins)
        })
        .collect::<Result<_, ModelError>>()?;
    let mut margins = vec![Vec::new(); pages.len()];
    for (page, of_page) in parts.into_iter().flatten() {
        margins[page] = of_page;
    }
    Ok(margins)
}

/// Scores decisions on the labelled targets of all pages; `is_content` gets the numbers of a page and of a target.
pub(super) fn block_score(pages: &[&TrainingPage], is_content: impl Fn(usize, usize) -> bool) -> BlockScore {
    let label = |content: bool| if content { Label::Content } else { Label::Boilerplate };
    let mut score = BlockScore::default();
    for (number, page) in pages.iter().enumerate() {
        score = score.plus(BlockScore::count(
            page.labelled().map(|target| (label(is_content(number, target)), label(page.is_content(target)))),
        ));
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
    let inputs: Vec<Array2<f32>> = pages
        .iter()
        .map(|page| match &stage.columns {
            Some(columns) => page.rows.select(Axis(1), columns),
            None => page.rows.clone(),
        })
        .collect();
    let margins = held_out_margins(pages, &inputs, &fold_of, fold_count, stage, progress)?;
    Ok(block_score(pages, |page, target| margins[page][target] > 0.0))
}
