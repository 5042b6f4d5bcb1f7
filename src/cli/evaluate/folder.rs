//! `--report`: a folder with a page on all pages and one on each of the worst, complete in themselves.
//!
//! Written beside its final name, then renamed. A folder that something else made is never touched.

use super::{Arguments, Evaluated, set_means};
use crate::cleaner::ModelCleaner;
use crate::evaluate::PageScore;
use crate::evaluate::measured::{Judged, judge};
use crate::gold::Alignment;
use crate::gold::{Capturing, Row};
use crate::report::GENERATOR;
use crate::report::comparison::{Compared, Outcome, comparison};
use crate::report::index::{Section, index};
use anyhow::{Context, ensure};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the folder of pages in a report.
const PAGES: &str = "pages";
/// Name of the first page.
const INDEX: &str = "index.html";

/// Where a report goes, looked at before the work begins.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Refuses a place where there is something that no earlier report left.
    pub(super) fn claim(path: &Path) -> anyhow::Result<Self> {
        let is_free = match fs::symlink_metadata(path) {
            Err(_) => true,
            Ok(found) => found.is_dir() && is_ours(path),
        };
        ensure!(is_free, "{} is there already and is no report of vclean evaluate; name a new folder", path.display());
        Ok(Self { path: path.to_path_buf() })
    }

    /// Writes the report of all sets; cleans the worst pages of each again, to show them one by one.
    pub(super) fn write(
        &self,
        evaluated: &[Evaluated<'_>],
        arguments: &Arguments,
        capturing: &Capturing,
        cleaner: &ModelCleaner,
    ) -> anyhow::Result<()> {
        let cannot = || format!("cannot write the report {}", self.path.display());
        let parent = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).with_context(cannot)?;
        let beside =
            tempfile::Builder::new().prefix(".vclean-").suffix(".part").tempdir_in(parent).with_context(cannot)?;
        let fresh = beside.path().join("report");
        fs::create_dir_all(fresh.join(PAGES)).with_context(cannot)?;
        let mut sections = Vec::new();
        let mut number = 0;
        for one in evaluated {
            let rows: BTreeMap<&str, &Row> = one.rows.iter().map(|row| (row.id.as_str(), *row)).collect();
            let worst = PageScore::worst_first(&one.report.pages);
            let named: Vec<(&PageScore, String)> = worst
                .into_iter()
                .take(arguments.report_pages)
                .map(|score| {
                    number += 1;
                    (score, format!("{PAGES}/{number:04}.html"))
                })
                .collect();
            named.par_iter().with_max_len(1).try_for_each(|(score, name)| {
                let row = rows[score.id.as_str()];
                let page = page(one, row, score, capturing, arguments.table.alignment, cleaner)?;
                fs::write(fresh.join(name), page).with_context(cannot)
            })?;
            sections.push(Section {
                report: &one.report,
                everything: &one.everything,
                blocks: one.blocks,
                calibration_error: one.calibration_error,
                bins: &one.bins,
                links: named.into_iter().map(|(score, name)| (score.id.as_str(), name)).collect(),
            });
        }
        fs::write(fresh.join(INDEX), index(&sections, &set_means(evaluated))).with_context(cannot)?;
        // What was looked at before the work began may have changed since.
        Self::claim(&self.path)?;
        if self.path.exists() {
            // Goes with the folder beside.
            fs::rename(&self.path, beside.path().join("old")).with_context(cannot)?;
        }
        fs::rename(&fresh, &self.path).with_context(cannot)
    }
}

/// Whether a folder is empty, or holds nothing but what a report has.
fn is_ours(path: &Path) -> bool {
    let names = |folder: &Path| -> Option<Vec<String>> {
        fs::read_dir(folder).ok()?.map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect()
    };
    let Some(found) = names(path) else { return false };
    if found.is_empty() {
        return true;
    }
    let is_page = |name: &str| {
        name.strip_suffix(".html").is_some_and(|stem| stem.len() >= 4 && stem.bytes().all(|byte| byte.is_ascii_digit()))
    };
    found.iter().all(|name| name == INDEX || name == PAGES)
        && names(&path.join(PAGES)).is_some_and(|pages| pages.iter().all(|name| is_page(name)))
        && fs::read_to_string(path.join(INDEX)).is_ok_and(|page| page.contains(GENERATOR))
}

fn page(
    evaluated: &Evaluated<'_>,
    row: &Row,
    score: &PageScore,
    capturing: &Capturing,
    alignment: Alignment,
    cleaner: &ModelCleaner,
) -> anyhow::Result<String> {
    let gold = evaluated.set.gold(row)?;
    let judged = judge(evaluated.set, row, capturing, alignment, cleaner).map_err(|error| error.to_string());
    let outcome = match &judged {
        Ok(Judged { capture, cleaned, texts, labels, text }) => {
            Ok(Outcome { capture, targets: &cleaned.targets, texts, decisions: &cleaned.decisions, labels, text })
        }
        Err(cause) => Err(cause.as_str()),
    };
    let url = row.url.as_deref();
    let set = &evaluated.report.set;
    Ok(comparison(&Compared { set, score, url, unit: row.unit(), gold: &gold, outcome })?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_a_report_of_ours_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("report");
        assert!(Folder::claim(&at).is_ok(), "nothing there");
        fs::create_dir_all(at.join(PAGES)).unwrap();
        assert!(Folder::claim(&at).is_err(), "pages without a first page");
        fs::write(at.join(INDEX), "<html>").unwrap();
        assert!(Folder::claim(&at).unwrap_err().to_string().contains("name a new folder"));
        fs::write(at.join(INDEX), GENERATOR).unwrap();
        fs::write(at.join("pages/0001.html"), "").unwrap();
        assert!(Folder::claim(&at).is_ok());
        fs::write(at.join("pages/notes.html"), "").unwrap();
        assert!(Folder::claim(&at).is_err(), "a file of somebody else's");
        fs::remove_file(at.join("pages/notes.html")).unwrap();
        fs::write(at.join("thesis.txt"), "").unwrap();
        assert!(Folder::claim(&at).is_err(), "a file of somebody else's");
        assert!(Folder::claim(&at.join("thesis.txt")).is_err(), "a file");
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        assert!(Folder::claim(&empty).is_ok());
    }
}
