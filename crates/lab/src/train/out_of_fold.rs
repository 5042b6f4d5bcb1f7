//! Adds columns that are themselves learned from the labels of training pages.
//!
//! A weight learned from a page fits that page too well, because its own labels selected it. So the
//! pages are divided into folds by site, and each page is measured with weights from the other
//! folds, as in stacking. The folds are those of [`learn`](super::learn), so figures of held-out
//! sites use only weights from other sites. The model gets the weights from all pages. One indirect
//! leak remains: the model fitted without a fold trains on rows that were measured with weights
//! learned from the labels of that fold.

use super::Example;
use super::sample::{TrainingPage, folds};
use ndarray::{Array2, Axis, concatenate};
use rayon::prelude::*;
use vclean_core::error::ModelError;
use vclean_core::features::{FeatureGroup, ON_REQUEST};

/// The group of learned columns with this name.
///
/// # Errors
/// If there is none.
pub(super) fn learned_group(name: &str) -> Result<&'static FeatureGroup, ModelError> {
    let group = ON_REQUEST.iter().find(|group| group.name == name);
    group.ok_or_else(|| ModelError::Training(format!("there is no group {name}")))
}

/// Appends the columns of a group to the rows of an example.
///
/// # Errors
/// If there is another number of rows.
pub(super) fn append(
    example: &mut Example,
    group: &FeatureGroup,
    added: &Array2<f32>,
) -> Result<(), ModelError> {
    example.page.rows =
        concatenate(Axis(1), &[example.page.rows.view(), added.view()]).map_err(|error| {
            ModelError::Training(format!("the rows of {} do not fit: {error}", example.id))
        })?;
    example
        .columns
        .extend(group.columns.iter().map(|column| column.name));
    Ok(())
}

/// Appends the columns of `group` to the examples: `rows` measures an example with the result of
/// `learn` on the examples of the other folds. Returns the result of `learn` on all examples.
///
/// # Errors
/// If there are fewer sites than folds, or rows of another number than an example has.
pub(super) fn add_columns<L: Send + Sync>(
    examples: &mut [Example],
    group: &FeatureGroup,
    (fold_count, seed): (usize, u64),
    learn: impl Fn(&[&Example]) -> L + Sync,
    rows: impl Fn(&Example, &L) -> Array2<f32> + Sync,
) -> Result<L, ModelError> {
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    let fold_of = folds(&pages, fold_count, seed)?;
    let all: Vec<&Example> = examples.iter().collect();
    let of_fold: Vec<L> = (0..fold_count + 1)
        .into_par_iter()
        .with_max_len(1)
        .map(|fold| {
            let others: Vec<&Example> = all
                .iter()
                .zip(&fold_of)
                .filter(|(_, held_out)| **held_out != fold)
                .map(|(one, _)| *one)
                .collect();
            learn(&others)
        })
        .collect();
    let added: Vec<Array2<f32>> = all
        .par_iter()
        .zip(&fold_of)
        .map(|(example, &fold)| rows(example, &of_fold[fold]))
        .collect();
    for (example, added) in examples.iter_mut().zip(added) {
        append(example, group, &added)?;
    }
    // No page is held out in the fold after the last.
    of_fold
        .into_iter()
        .next_back()
        .ok_or_else(|| ModelError::Training("there is no fold".to_owned()))
}
