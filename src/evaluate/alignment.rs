//! How well gold text is aligned with the targets of its pages: the output of `vclean align`.

use super::BlockScore;
use crate::error::{DataError, Error};
use crate::files::{self, FileError};
use crate::gold::human::read_opinions;
use crate::gold::labels::{LabelRow, label_rows, write_labels};
use crate::gold::{
    Alignment, Capturing, Coverage, Progress, Quality, best_aligned, each_page, gold_without_row, label, read_gold,
};
use crate::source::{DataSet, Row, Split};
use crate::target::{self, TargetRule};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How pages are aligned.
#[derive(Debug, Clone, Default)]
pub struct AlignOptions {
    /// Which pages.
    pub split: Split,
    /// How gold text is aligned with targets.
    pub alignment: Alignment,
    /// How targets are selected.
    pub targets: TargetRule,
    /// The share of the pages of each set that is kept, the best aligned ones; `None` for all.
    pub best_aligned: Option<f64>,
    /// Folder for files of labels, with one folder per set.
    pub labels: Option<PathBuf>,
}

/// One page and how well its gold is aligned with it.
#[derive(Debug, Serialize)]
pub struct AlignedPage {
    /// Name of its set.
    pub set: String,
    /// Its name in the set.
    pub id: String,
    /// How much of the gold the labelled targets contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// How well the labels reproduce the gold.
    pub quality: Quality,
    /// Why the alignment of the page is bad, if it is.
    pub trouble: Option<String>,
    /// Scores of each alignment by name, compared with the human's labels, if there are any.
    pub human: Vec<(&'static str, BlockScore)>,
    #[serde(skip)]
    labels: Vec<LabelRow>,
}

/// The pages of one set.
#[derive(Debug)]
pub struct AlignedSet {
    /// Its name.
    pub name: String,
    /// Its pages that are kept.
    pub pages: Vec<AlignedPage>,
    /// Number of pages left out because others are aligned better.
    pub left_out: usize,
    /// Number of pages that could not be aligned, plus gold files without a page; each was reported to `progress`.
    pub failed: usize,
}

/// Pages of data sets cannot be aligned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlignError {
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file of labels cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Aligns the pages of a set, and writes their labels if a folder is given.
///
/// # Errors
/// If the folder of gold cannot be read, or labels cannot be written.
pub fn align_set(
    set: &DataSet,
    capturing: &Capturing,
    options: &AlignOptions,
    progress: &dyn Progress,
) -> Result<AlignedSet, AlignError> {
    let without_row = gold_without_row(set)?;
    for id in &without_row {
        progress.page_failed(&set.name, id, "there is gold but no row in manifest.jsonl");
    }
    let rows = set.split(options.split);
    let found: Vec<Result<AlignedPage, Error>> =
        each_page(set, &rows, progress, |row| align_page(set, row, capturing, options));
    let mut aligned = AlignedSet { name: set.name.clone(), pages: Vec::new(), left_out: 0, failed: without_row.len() };
    for (row, page) in rows.iter().zip(found) {
        match page {
            Ok(page) => aligned.pages.push(page),
            Err(cause) => {
                progress.page_failed(&set.name, &row.id, &cause.to_string());
                aligned.failed += 1;
            }
        }
    }
    if let Some(share) = options.best_aligned {
        let all = aligned.pages.len();
        let qualities: Vec<Quality> = aligned.pages.iter().map(|page| page.quality).collect();
        let mut is_kept = best_aligned(&qualities, share).into_iter();
        aligned.pages.retain(|_| is_kept.next().unwrap_or(false));
        aligned.left_out = all - aligned.pages.len();
    }
    if let Some(folder) = &options.labels {
        write_all_labels(&folder.join(&set.name), &aligned.pages)?;
    }
    Ok(aligned)
}

fn align_page(set: &DataSet, row: &Row, capturing: &Capturing, options: &AlignOptions) -> Result<AlignedPage, Error> {
    let capture = capturing.capture(set, row)?;
    let targets = target::select(&capture, options.targets);
    let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
    let labelling = label(set, row, &capture, &targets, &texts, options.alignment)?;
    let unreadable = |error: DataError| Error::Limit(error.to_string());
    let gold = read_gold(set, row).map_err(unreadable)?;
    let gold = gold.text.or(gold.snippets.map(|snippets| snippets.with.join("\n"))).unwrap_or_default();
    let coverage = Coverage::measure(&texts, &labelling, &gold);
    let mut human = Vec::new();
    if let Some(labels) = read_opinions(set, row, &texts).map_err(unreadable)? {
        for &(name, alignment) in Alignment::ALL {
            let score = if alignment == options.alignment {
                BlockScore::against_human(&labelling, &labels)
            } else {
                BlockScore::against_human(&label(set, row, &capture, &targets, &texts, alignment)?, &labels)
            };
            human.push((name, score));
        }
    }
    Ok(AlignedPage {
        set: set.name.clone(),
        id: row.id.clone(),
        trouble: coverage.trouble(labelling.quality),
        coverage,
        quality: labelling.quality,
        human,
        labels: if options.labels.is_some() { label_rows(&capture, &targets, &labelling) } else { Vec::new() },
    })
}

fn write_all_labels(folder: &Path, pages: &[AlignedPage]) -> Result<(), FileError> {
    files::make_folder(folder)?;
    pages.iter().try_for_each(|page| write_labels(&folder.join(format!("{}.json", page.id)), &page.labels))
}
