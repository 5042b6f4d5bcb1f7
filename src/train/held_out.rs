//! Margins of pages by machines that have not seen the page's site.

use super::options::StageOptions;
use super::sample::{TrainingPage, draw, folds, gather};
use crate::classify::Label;
use crate::error::ModelError;
use crate::evaluate::BlockScore;
use ndarray::{Array2, Axis};
use rayon::prelude::*;

/// Margins of every page's targets by machines that have not seen the page's site.
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
            let places = draw(&other_pages, &options.sample);
            let (rows, labels) = gather(&other_pages, &other_inputs, &places);
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

/// Counts verdicts on the labelled targets of all pages; `verdict` is given a page's and a target's number.
pub(super) fn block_score(pages: &[&TrainingPage], verdict: impl Fn(usize, usize) -> bool) -> BlockScore {
    let label = |content: bool| if content { Label::Content } else { Label::Boilerplate };
    let mut score = BlockScore::default();
    for (number, page) in pages.iter().enumerate() {
        score = score.plus(BlockScore::count(
            page.labelled().map(|target| (label(verdict(number, target)), label(page.is_content(target)))),
        ));
    }
    score
}

/// Block score of one machine on a choice of columns, each page judged by a machine that has not seen its site.
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
