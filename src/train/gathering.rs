//! Gathers examples of whole data sets, and selects the pages and columns to train on.

use super::error::TrainError;
use super::examples::{Example, ExampleOptions, gather};
use super::sample::TrainingPage;
use crate::features::is_in_group;
use crate::gold::{Capturing, DataSet, Progress, Quality, Row, Split, best_aligned};
use ndarray::Axis;

/// Examples of several sets.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The pages to train on.
    pub examples: Vec<Example>,
    /// The set of each page that was left out because its gold does not fit it.
    pub left_out: Vec<String>,
    /// Number of pages that could not be read or measured; each was reported to `progress`.
    pub failed: usize,
}

/// Makes examples of `rows` of a set; returns them and the number of pages that failed.
pub fn gather_rows(
    set: &DataSet,
    rows: &[&Row],
    capturing: &Capturing,
    options: ExampleOptions,
    progress: &dyn Progress,
) -> (Vec<Example>, usize) {
    progress.begin(&set.name, rows.len());
    let (examples, failures) = gather(set, rows, capturing, options, || progress.advance(1));
    progress.end();
    for (id, cause) in &failures {
        progress.page_failed(&set.name, id, &cause.to_string());
    }
    (examples, failures.len())
}

/// Makes examples of the training pages of `sets`. Keeps the best aligned `share` of each set, and only pages that match
/// their gold.
pub fn gather_training_pages(
    sets: &[DataSet],
    capturing: &Capturing,
    options: ExampleOptions,
    share: f64,
    progress: &dyn Progress,
) -> Gathered {
    let mut gathered = Gathered::default();
    for set in sets {
        let (mut found, failed) = gather_rows(set, &set.split(Split::Train), capturing, options, progress);
        let offered = found.len();
        let mut is_kept = is_best_aligned(&found, share).into_iter();
        found.retain(|example| is_kept.next().unwrap_or(true) && !example.quality.is_bad);
        gathered.left_out.extend(vec![set.name.clone(); offered - found.len()]);
        gathered.examples.extend(found);
        gathered.failed += failed;
    }
    gathered
}

fn is_best_aligned(examples: &[Example], share: f64) -> Vec<bool> {
    let qualities: Vec<Quality> = examples.iter().map(|example| example.quality).collect();
    best_aligned(&qualities, share)
}

/// The pages of the best aligned share of examples.
pub fn best_pages(examples: &[Example], share: f64) -> Vec<&TrainingPage> {
    let is_kept = is_best_aligned(examples, share);
    examples.iter().zip(is_kept).filter(|(_, kept)| *kept).map(|(example, _)| &example.page).collect()
}

/// The columns that all examples have; `sets` is the name of their sets in an error.
///
/// # Errors
/// If there is no example, or two have different columns.
pub fn columns_of(sets: &str, examples: &[Example]) -> Result<Vec<String>, TrainError> {
    let Some(first) = examples.first() else {
        return Err(TrainError::NoExample { sets: sets.to_owned() });
    };
    if let Some(other) = examples.iter().find(|example| example.columns != first.columns) {
        return Err(TrainError::OtherColumns { page: other.id.clone(), first: first.id.clone() });
    }
    Ok(first.columns.iter().map(|&column| column.to_owned()).collect())
}

/// Drops the columns that are in none of `groups` (unless `groups` is empty); returns the names of the others.
///
/// # Errors
/// As [`columns_of`], or if no column is in a group.
pub fn choose_columns(examples: &mut [Example], groups: &[String]) -> Result<Vec<String>, TrainError> {
    let all = columns_of("the data sets", examples)?;
    if let Some(unknown) = groups.iter().find(|group| !all.iter().any(|column| is_in_group(column, group))) {
        return Err(TrainError::UnknownGroup { group: unknown.clone() });
    }
    let is_chosen = |column: &str| groups.is_empty() || groups.iter().any(|group| is_in_group(column, group));
    let places: Vec<usize> = (0..all.len()).filter(|&index| is_chosen(&all[index])).collect();
    for example in examples {
        example.page.rows = example.page.rows.select(Axis(1), &places);
    }
    Ok(places.into_iter().map(|index| all[index].clone()).collect())
}
