//! The figures of an earlier run of `vclean lab evaluate`, compared page by page with those of this
//! run.

use super::PageScore;
use super::bootstrap::show_difference;
use super::differences::{Compared, differences};
use super::report::Report;
use super::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;
use vclean_run::source::DataSet;

/// Earlier figures cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EarlierError {
    /// The file cannot be read.
    #[error("cannot read earlier figures from {}: {cause}; make the file with vclean lab evaluate `json`", path.display())]
    Read {
        /// The file of earlier figures.
        path: PathBuf,
        /// The error message of the system or the parser.
        cause: String,
    },
    /// The file has no figures of a set.
    #[error("{} has no figures of set {set}, it has {known}; evaluate the same sets with `json` first", path.display())]
    NoSet {
        /// The file of earlier figures.
        path: PathBuf,
        /// Name of the missing set.
        set: String,
        /// Names of the sets in the file.
        known: String,
    },
}

#[derive(Debug, Deserialize)]
struct EarlierSet {
    set: String,
    pages: Vec<PageScore>,
}

#[derive(Debug, Deserialize)]
struct EarlierSets {
    sets: Vec<EarlierSet>,
}

/// A file of earlier figures.
#[derive(Debug)]
pub struct Earlier {
    path: PathBuf,
    sets: Vec<EarlierSet>,
}

/// The present figures minus the earlier ones, on the pages that both have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Name of the file of the earlier figures.
    pub from: String,
    /// Number of pages that both have.
    pub pages: usize,
    /// Number of pages that only one of them has.
    pub not_compared: usize,
    /// One entry per compared score.
    pub figures: Vec<Compared>,
}

impl Earlier {
    /// Reads a file, which must have figures of all of `sets`.
    ///
    /// # Errors
    /// If it cannot be read, or has no figures of one of them.
    pub fn read(path: &Path, sets: &[DataSet]) -> Result<Self, EarlierError> {
        let fail = |cause: String| EarlierError::Read {
            path: path.to_path_buf(),
            cause,
        };
        let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
        let EarlierSets { sets: found } =
            serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
        if let Some(missing) = sets
            .iter()
            .find(|set| found.iter().all(|earlier| earlier.set != set.name))
        {
            let known: Vec<&str> = found.iter().map(|earlier| earlier.set.as_str()).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            return Err(EarlierError::NoSet {
                path: path.to_path_buf(),
                set: missing.name.clone(),
                known,
            });
        }
        Ok(Self {
            path: path.to_path_buf(),
            sets: found,
        })
    }

    /// The changes of a set since then; pages are matched by their names.
    pub fn change(&self, report: &Report, seed: u64) -> Change {
        let of_set = self
            .sets
            .iter()
            .filter(|earlier| earlier.set == report.set)
            .flat_map(|earlier| &earlier.pages);
        let before: BTreeMap<&str, &PageScore> =
            of_set.map(|page| (page.id.as_str(), page)).collect();
        let (now, then): (Vec<&PageScore>, Vec<&PageScore>) = report
            .pages
            .iter()
            .filter_map(|page| Some((page, *before.get(page.id.as_str())?)))
            .unzip();
        let from = self
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let not_compared = report.pages.len() + before.len() - 2 * now.len();
        Change {
            from,
            pages: now.len(),
            not_compared,
            figures: differences(&now, &then, seed),
        }
    }
}

impl Change {
    /// The change as a table: one row per figure.
    pub fn table(&self) -> Table {
        let first = match self.not_compared {
            0 => format!("since {}", self.from),
            others => format!(
                "since {}, without {others} pages that only one has",
                self.from
            ),
        };
        let mut table = Table::new(&[&first, "n", "before", "now", "difference (95 %)"]);
        for figure in &self.figures {
            let [before, now] = [figure.other, figure.one].map(|value| format!("{value:.3}"));
            let difference = show_difference(figure.difference, figure.interval);
            table.push(vec![
                figure.score.to_owned(),
                figure.pages.to_string(),
                before,
                now,
                difference,
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::page::samples::row;
    use crate::evaluate::{Output, score_page};
    use crate::gold::{Gold, Snippets};

    fn report(ids: &[&str], text: &'static str) -> Report {
        let snippets = Some(Snippets {
            with: vec!["a".into()],
            without: vec!["x".into()],
        });
        let gold = Gold {
            text: Some("a b c d".into()),
            snippets,
            marked: Some("<p>a b c d".into()),
            ..Gold::default()
        };
        let output = Output {
            text,
            marked: Some(text),
            everything: Some("a b c d e"),
        };
        Report::new(
            "set",
            "model",
            ids.iter()
                .map(|id| score_page(&row(id), Some(output), &gold))
                .collect(),
            1,
        )
    }

    #[test]
    fn written_figures_are_read_and_compared_by_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("before.json");
        let before = report(&["1", "2", "3", "4", "5", "6"], "a x");
        fs::write(
            &path,
            format!("{{\"sets\": [{}], \"means\": []}}", before.to_json()),
        )
        .unwrap();
        let earlier = Earlier::read(&path, &[]).unwrap();
        assert_eq!(
            earlier.sets[0].pages, before.pages,
            "every score is read back"
        );
        let change = earlier.change(&report(&["2", "3", "4", "5", "6", "7"], "a b c d"), 1);
        assert_eq!((change.pages, change.not_compared), (5, 2));
        let text = change.table().to_text();
        assert!(
            text.starts_with("since before.json, without 2 pages that only one has"),
            "{text}"
        );
        let cells = |name: &str| {
            change
                .table()
                .rows
                .into_iter()
                .find(|row| row[0] == name)
                .unwrap()
        };
        assert_eq!(cells("words")[1..4], ["5", "0.333", "1.000"]);
        assert_eq!(cells("words F < .5")[4], "-1.000");
    }

    #[test]
    fn a_file_without_the_set_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("before.json");
        let error = Earlier::read(&path, &[]).unwrap_err().to_string();
        assert!(
            error.contains("before.json") && error.contains("`json`"),
            "{error}"
        );
        fs::write(&path, "{\"sets\": []}").unwrap();
        let set = DataSet {
            name: "harbor".into(),
            folder: folder.path().into(),
            rows: Vec::new(),
        };
        let error = Earlier::read(&path, &[set]).unwrap_err().to_string();
        assert!(
            error.contains("no figures of set harbor, it has none"),
            "{error}"
        );
    }
}
