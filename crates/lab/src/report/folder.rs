//! The folder of an evaluation report: one HTML page on all pages, and one on each of the worst
//! pages.
//!
//! It is written under a temporary name next to its final name, then renamed. Folders that are not
//! reports are never changed.

use super::GENERATOR;
use super::comparison::{Compared, Outcome, comparison};
use super::index::{Section, index};
use crate::evaluate::PageScore;
use crate::evaluate::measured::{Judged, judge};
use crate::evaluate::sets::{EvaluateOptions, EvaluatedSet, set_means};
use crate::gold::{TokenUnit, read_gold};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use vclean_core::error::{DataError, Error};
use vclean_run::source::Row;

/// Name of the folder of pages in a report.
const PAGES: &str = "pages";
/// Name of the first page.
const INDEX: &str = "index.html";

/// The folder for a report, checked before the work begins.
#[derive(Debug)]
pub struct ReportFolder {
    path: PathBuf,
}

/// A report cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Something else exists under this name.
    #[error("{} already exists and is not a report of vclean lab evaluate; name a new folder", path.display())]
    Occupied {
        /// The occupied path of the report.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write the report {}: {cause}", path.display())]
    Write {
        /// The path of the report.
        path: PathBuf,
        /// The error message of the system.
        cause: io::Error,
    },
    /// The gold of a page cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A page's pictures cannot be shown.
    #[error(transparent)]
    Page(#[from] Error),
}

impl ReportFolder {
    /// Refuses a path at which something exists that is not an earlier report.
    ///
    /// # Errors
    /// If something else exists there.
    pub fn claim(path: &Path) -> Result<Self, ReportError> {
        let is_free = match fs::symlink_metadata(path) {
            Err(_) => true,
            Ok(found) => found.is_dir() && is_ours(path),
        };
        let path = path.to_path_buf();
        if is_free {
            Ok(Self { path })
        } else {
            Err(ReportError::Occupied { path })
        }
    }

    /// Writes the report of all sets; cleans the `shown` worst pages of each again, to show them in
    /// detail.
    ///
    /// # Errors
    /// If gold can no longer be read, or the report cannot be written.
    pub fn write(
        &self,
        evaluated: &[EvaluatedSet<'_>],
        shown: usize,
        options: &EvaluateOptions<'_>,
    ) -> Result<(), ReportError> {
        let cannot = |cause: io::Error| ReportError::Write {
            path: self.path.clone(),
            cause,
        };
        let parent = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(cannot)?;
        let beside = tempfile::Builder::new()
            .prefix(".vclean-")
            .suffix(".part")
            .tempdir_in(parent)
            .map_err(cannot)?;
        let fresh = beside.path().join("report");
        self.write_files(&fresh, evaluated, shown, options)?;
        // The folder may have changed since the check before the work.
        Self::claim(&self.path)?;
        if self.path.exists() {
            // Removed together with the temporary folder.
            fs::rename(&self.path, beside.path().join("old")).map_err(cannot)?;
        }
        fs::rename(&fresh, &self.path).map_err(cannot)
    }

    fn write_files(
        &self,
        fresh: &Path,
        evaluated: &[EvaluatedSet<'_>],
        shown: usize,
        options: &EvaluateOptions<'_>,
    ) -> Result<(), ReportError> {
        let cannot = |cause: io::Error| ReportError::Write {
            path: self.path.clone(),
            cause,
        };
        fs::create_dir_all(fresh.join(PAGES)).map_err(cannot)?;
        let mut sections = Vec::new();
        let mut number = 0;
        for one in evaluated {
            let rows: BTreeMap<&str, &Row> =
                one.rows.iter().map(|row| (row.id.as_str(), *row)).collect();
            let mut named: Vec<(&PageScore, String)> = Vec::new();
            for score in PageScore::worst_first(&one.report.pages)
                .into_iter()
                .take(shown)
            {
                number += 1;
                named.push((score, format!("{PAGES}/{number:04}.html")));
            }
            named
                .par_iter()
                .with_max_len(1)
                .try_for_each(|(score, name)| {
                    let page = page(one, rows[score.id.as_str()], score, options)?;
                    fs::write(fresh.join(name), page).map_err(cannot)
                })?;
            sections.push(Section {
                report: &one.report,
                everything: &one.everything,
                blocks: one.blocks,
                calibration_error: one.calibration_error,
                bins: &one.bins,
                links: named
                    .into_iter()
                    .map(|(score, name)| (score.id.as_str(), name))
                    .collect(),
            });
        }
        fs::write(fresh.join(INDEX), index(&sections, &set_means(evaluated))).map_err(cannot)
    }
}

/// True if a folder is empty, or contains only files of a report.
fn is_ours(path: &Path) -> bool {
    let names = |folder: &Path| -> Option<Vec<String>> {
        fs::read_dir(folder)
            .ok()?
            .map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect()
    };
    let Some(found) = names(path) else {
        return false;
    };
    if found.is_empty() {
        return true;
    }
    let is_page = |name: &str| {
        name.strip_suffix(".html")
            .is_some_and(|stem| stem.len() >= 4 && stem.bytes().all(|byte| byte.is_ascii_digit()))
    };
    found.iter().all(|name| name == INDEX || name == PAGES)
        && names(&path.join(PAGES)).is_some_and(|pages| pages.iter().all(|name| is_page(name)))
        && fs::read_to_string(path.join(INDEX)).is_ok_and(|page| page.contains(GENERATOR))
}

fn page(
    evaluated: &EvaluatedSet<'_>,
    row: &Row,
    score: &PageScore,
    options: &EvaluateOptions<'_>,
) -> Result<String, ReportError> {
    let gold = read_gold(evaluated.set, row)?;
    let judged = judge(
        evaluated.set,
        row,
        options.capturing,
        options.alignment,
        options.cleaner,
    );
    let judged = judged.map_err(|error| error.to_string());
    let outcome = match &judged {
        Ok(Judged {
            capture,
            cleaned,
            texts,
            labels,
            text,
        }) => Ok(Outcome {
            capture,
            targets: &cleaned.targets,
            texts,
            reports: &cleaned.document.targets,
            labels,
            text,
        }),
        Err(cause) => Err(cause.as_str()),
    };
    let url = row.url.as_deref();
    let set = &evaluated.report.set;
    Ok(comparison(&Compared {
        set,
        score,
        url,
        unit: TokenUnit::from_language(&row.lang),
        gold: &gold,
        outcome,
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_earlier_report_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("report");
        assert!(ReportFolder::claim(&at).is_ok(), "nothing exists there");
        fs::create_dir_all(at.join(PAGES)).unwrap();
        assert!(
            ReportFolder::claim(&at).is_err(),
            "pages without a first page"
        );
        fs::write(at.join(INDEX), "<html>").unwrap();
        assert!(
            ReportFolder::claim(&at)
                .unwrap_err()
                .to_string()
                .contains("name a new folder")
        );
        fs::write(at.join(INDEX), GENERATOR).unwrap();
        fs::write(at.join("pages/0001.html"), "").unwrap();
        assert!(ReportFolder::claim(&at).is_ok());
        fs::write(at.join("pages/notes.html"), "").unwrap();
        assert!(
            ReportFolder::claim(&at).is_err(),
            "a file that is not of a report"
        );
        fs::remove_file(at.join("pages/notes.html")).unwrap();
        fs::write(at.join("thesis.txt"), "").unwrap();
        assert!(
            ReportFolder::claim(&at).is_err(),
            "a file that is not of a report"
        );
        assert!(
            ReportFolder::claim(&at.join("thesis.txt")).is_err(),
            "a file"
        );
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        assert!(ReportFolder::claim(&empty).is_ok());
    }
}
