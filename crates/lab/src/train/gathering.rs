//! Gathers examples of whole data sets, and selects the pages and columns to train on.

use super::error::TrainError;
use super::examples::{Example, ExampleOptions, Failure, gather};
use super::sample::TrainingPage;
use crate::gold::read::check_split;
use crate::gold::{Capturing, Progress, Quality, best_aligned};
use ndarray::Axis;
use vclean_core::features::is_in_group;
use vclean_run::source::{DataSet, Row, Split};

/// Examples of several sets.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The pages to train on.
    pub examples: Vec<Example>,
    /// The pages that were left out because their gold does not fit them.
    pub left_out: Vec<LeftOut>,
    /// Number of pages that could not be read or measured; each was reported to `progress`.
    pub failed: usize,
}

/// A page that was left out because its gold does not fit it.
#[derive(Debug, Clone)]
pub struct LeftOut {
    /// Name of the set.
    pub set: String,
    /// Name of the page in the set.
    pub id: String,
    /// F of the blocks that were labelled content, measured against the gold text, 0 to 1.
    pub f1: f64,
}

/// Makes examples of `rows` of a set; returns them, and the pages that failed, which are reported
/// to `progress`.
pub fn gather_rows(
    set: &DataSet,
    rows: &[&Row],
    capturing: &Capturing,
    options: ExampleOptions,
    progress: &dyn Progress,
) -> (Vec<Example>, Vec<Failure>) {
    progress.begin(&set.name, rows.len());
    let (examples, failures) = gather(set, rows, capturing, options, || progress.advance(1));
    progress.end();
    for (id, cause) in &failures {
        progress.page_failed(&set.name, id, &cause.to_string());
    }
    (examples, failures)
}

/// Makes examples of the training pages of `sets`. Keeps the best aligned `share` of each set, and
/// only pages that match their gold.
///
/// # Errors
/// If no page is left; the error says why.
pub(crate) fn gather_training_pages(
    sets: &[DataSet],
    capturing: &Capturing,
    options: ExampleOptions,
    share: f64,
    progress: &dyn Progress,
) -> Result<Gathered, TrainError> {
    check_split(sets, Split::Train)?;
    let mut gathered = Gathered::default();
    let mut first_failure = None;
    for set in sets {
        let mut rows = set.split(Split::Train);
        rows.retain(|row| row.has_text_gold());
        if rows.is_empty() {
            progress.step(&format!(
                "no row of manifest.jsonl in {} has \"split\": \"train\" and gold for its text; it is not used",
                set.name
            ));
        }
        let (found, failures) = gather_rows(set, &rows, capturing, options, progress);
        gathered.failed += failures.len();
        first_failure = first_failure.or(failures.into_iter().next());
        let mut is_kept = is_best_aligned(&found, share).into_iter();
        for example in found {
            if is_kept.next().unwrap_or(true) && !example.quality.is_bad {
                gathered.examples.push(example);
            } else {
                let f1 = example.quality.oracle.f1;
                gathered.left_out.push(LeftOut {
                    set: set.name.clone(),
                    id: example.id,
                    f1,
                });
            }
        }
    }
    if gathered.examples.is_empty() {
        let sets: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        let cause = why_none(&gathered.left_out, gathered.failed, first_failure);
        return Err(TrainError::NoExample {
            sets: sets.join(", "),
            cause,
        });
    }
    Ok(gathered)
}

/// Why no page is left to learn from.
fn why_none(left_out: &[LeftOut], failed: usize, first_failure: Option<Failure>) -> String {
    let mut causes = Vec::new();
    if let Some((id, cause)) = first_failure {
        causes.push(format!("{failed} cannot be used, such as {id}: {cause}"));
    }
    if let Some(LeftOut { id, f1, .. }) = left_out.first() {
        causes.push(format!(
            "the gold text of {} does not fit the page, such as {id} (F {f1:.2}); compare gold and page, vclean lab align says \
             how well they fit",
            left_out.len()
        ));
    }
    causes.join("; ")
}

fn is_best_aligned(examples: &[Example], share: f64) -> Vec<bool> {
    let qualities: Vec<Quality> = examples.iter().map(|example| example.quality).collect();
    best_aligned(&qualities, share)
}

/// The pages of the best aligned share of examples.
pub fn best_pages(examples: &[Example], share: f64) -> Vec<&TrainingPage> {
    let is_kept = is_best_aligned(examples, share);
    examples
        .iter()
        .zip(is_kept)
        .filter(|(_, kept)| *kept)
        .map(|(example, _)| &example.page)
        .collect()
}

/// The columns that all examples have; `sets` is the name of their sets in an error, and `failures`
/// are pages of which no example could be made.
///
/// # Errors
/// If there is no example, or two have different columns.
pub fn columns_of(
    sets: &str,
    examples: &[Example],
    failures: Vec<Failure>,
) -> Result<Vec<String>, TrainError> {
    let Some(first) = examples.first() else {
        let cause = why_none(&[], failures.len(), failures.into_iter().next());
        return Err(TrainError::NoExample {
            sets: sets.to_owned(),
            cause,
        });
    };
    if let Some(other) = examples
        .iter()
        .find(|example| example.columns != first.columns)
    {
        return Err(TrainError::OtherColumns {
            page: other.id.clone(),
            first: first.id.clone(),
        });
    }
    Ok(first
        .columns
        .iter()
        .map(|&column| column.to_owned())
        .collect())
}

/// Drops the columns that are in none of `groups` (unless `groups` is empty); returns the names of
/// the others.
///
/// # Errors
/// If the columns of the pages differ, or no column is in a group.
pub(crate) fn choose_columns(
    examples: &mut [Example],
    groups: &[String],
) -> Result<Vec<String>, TrainError> {
    let all = columns_of("the data sets", examples, Vec::new())?;
    if let Some(unknown) = groups
        .iter()
        .find(|group| !all.iter().any(|column| is_in_group(column, group)))
    {
        return Err(TrainError::UnknownGroup {
            group: unknown.clone(),
        });
    }
    let is_chosen =
        |column: &str| groups.is_empty() || groups.iter().any(|group| is_in_group(column, group));
    let places: Vec<usize> = (0..all.len())
        .filter(|&index| is_chosen(&all[index]))
        .collect();
    for example in examples {
        example.page.rows = example.page.rows.select(Axis(1), &places);
    }
    Ok(places.into_iter().map(|index| all[index].clone()).collect())
}
