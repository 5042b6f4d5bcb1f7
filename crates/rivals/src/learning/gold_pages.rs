//! Pages with full gold text, and the training of published methods on them.

use super::{GoldPage, Learn, LearnOptions, Learned};
use vclean_core::error::{DataError, Error};
use vclean_lab::gold::read::check_split;
use vclean_lab::gold::{Progress, each_page};
use vclean_lab::train::TrainError;
use vclean_run::source::{DataSet, Split};

/// Pages with full gold text.
#[derive(Debug)]
pub(crate) struct GoldPages {
    /// The pages, at least one.
    pub pages: Vec<GoldPage>,
    /// Number of pages that could not be read; each was reported to `progress`.
    pub failed: usize,
}

/// Reads the pages of a split that have full gold text, without rendering them.
///
/// # Errors
/// If no page has full gold text.
pub(crate) fn read_gold_pages(
    sets: &[DataSet],
    split: Split,
    progress: &dyn Progress,
) -> Result<GoldPages, DataError> {
    check_split(sets, split)?;
    let (mut pages, mut failed, mut rows_read) = (Vec::new(), 0, 0);
    let mut first_failure = None;
    for set in sets {
        let rows = set.split(split);
        let found: Vec<Result<Option<GoldPage>, Error>> =
            each_page(set, &rows, progress, |row| GoldPage::read(set, row));
        rows_read += rows.len();
        for (row, page) in rows.iter().zip(found) {
            match page {
                Ok(page) => pages.extend(page),
                Err(cause) => {
                    let cause = cause.to_string();
                    progress.page_failed(&set.name, &row.id, &cause);
                    failed += 1;
                    first_failure.get_or_insert_with(|| format!("{}: {cause}", row.id));
                }
            }
        }
    }
    if !pages.is_empty() {
        return Ok(GoldPages { pages, failed });
    }
    let cause = match first_failure {
        Some(failure) => format!("{failed} cannot be read, such as {failure}"),
        None => "they have snippets only (gold_kind in manifest.jsonl)".to_owned(),
    };
    Err(DataError::NoFullGold {
        rows: rows_read,
        cause,
    })
}

/// Trains a published method on the training pages of `sets`; returns the result and the number of
/// pages that could not be read. `command` and the number of pages are stored in the model file.
///
/// # Errors
/// If no page has full gold text, or a model cannot be trained on them.
pub fn learn_from_sets(
    learn: Learn,
    sets: &[DataSet],
    seed: u64,
    command: &str,
    progress: &dyn Progress,
) -> Result<(Learned, usize), TrainError> {
    let GoldPages { pages, failed } = read_gold_pages(sets, Split::Train, progress)?;
    let options = LearnOptions {
        seed,
        provenance: format!("{command}: {} pages", pages.len()),
    };
    Ok((
        learn(&pages, &options, &|step| progress.step(step))?,
        failed,
    ))
}
