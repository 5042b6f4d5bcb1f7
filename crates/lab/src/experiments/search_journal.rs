//! The journal of a parameter search: the options of the search, then one line per finished point,
//! so that a run can be resumed.

use super::tune::Point;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use vclean_core::files::{self, FileError};

/// A journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The journal that cannot be read.
        path: PathBuf,
        /// The error message of the system.
        cause: io::Error,
    },
    /// The file is not a journal.
    #[error("{} is not a journal of vclean lab tune; remove it or give `fresh`: {cause}", path.display())]
    Format {
        /// The file that was found.
        path: PathBuf,
        /// The error message of the parser.
        cause: serde_json::Error,
    },
    /// It belongs to another search.
    #[error("{} has {points} points of another search ({options}); give `fresh` to start over, or another `out`", path.display())]
    OtherSearch {
        /// The journal of the other search.
        path: PathBuf,
        /// Number of points in it.
        points: usize,
        /// Description of that search.
        options: String,
    },
    /// It belongs to other rows.
    #[error("{} was made with other rows (pages, captures or features changed); give `fresh` to start over", path.display())]
    OtherRows {
        /// The journal of the other rows.
        path: PathBuf,
    },
    /// It cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The journal that cannot be written.
        path: PathBuf,
        /// The error message of the system.
        cause: io::Error,
    },
    /// It cannot be created.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A journal that is open for appending.
#[derive(Debug)]
pub(crate) struct SearchJournal {
    path: PathBuf,
    file: Mutex<File>,
    known: Vec<Line>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// Description of the search.
    options: String,
    /// Fingerprint of the rows.
    rows: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    grid: usize,
    point: Point,
}

/// The path of the journal of the result `out`: next to it.
pub fn journal_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

fn read(path: &Path) -> Result<Option<(Head, Vec<Line>)>, JournalError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => {
            return Err(JournalError::Read {
                path: path.to_path_buf(),
                cause,
            });
        }
    };
    let mut lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let Some(head) = lines.next() else {
        return Ok(None);
    };
    let damaged = |cause| JournalError::Format {
        path: path.to_path_buf(),
        cause,
    };
    let head = serde_json::from_str(head).map_err(damaged)?;
    let points = lines
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(damaged)?;
    Ok(Some((head, points)))
}

/// Refuses a journal of another search, before any page is read; `options` is the description of
/// this search.
///
/// # Errors
/// If the file exists and has other options or is not a journal.
pub fn check(path: &Path, options: &str) -> Result<(), JournalError> {
    match read(path)? {
        Some((head, points)) if head.options != options => Err(JournalError::OtherSearch {
            path: path.to_path_buf(),
            points: points.len(),
            options: head.options,
        }),
        _ => Ok(()),
    }
}

fn to_line(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("a line has string keys only") + "\n"
}

impl SearchJournal {
    /// Opens the journal of a search with its points; `is_fresh` starts a new one.
    ///
    /// # Errors
    /// If it belongs to another search or other rows, or cannot be written.
    pub(crate) fn open(
        path: PathBuf,
        options: &str,
        rows: &str,
        is_fresh: bool,
    ) -> Result<Self, JournalError> {
        let mut known = Vec::new();
        if !is_fresh {
            check(&path, options)?;
            if let Some((head, points)) = read(&path)? {
                if head.rows != rows {
                    return Err(JournalError::OtherRows { path });
                }
                known = points;
            }
        }
        // Rewritten without the incomplete line that a killed run may leave.
        let mut text = to_line(&Head {
            options: options.to_owned(),
            rows: rows.to_owned(),
        });
        text.extend(known.iter().map(to_line));
        files::write_whole(&path, text.as_bytes())?;
        match OpenOptions::new().append(true).open(&path) {
            Ok(file) => Ok(Self {
                path,
                file: Mutex::new(file),
                known,
            }),
            Err(cause) => Err(JournalError::Write { path, cause }),
        }
    }

    /// Points of a grid that are already in the journal.
    pub(crate) fn known(&self, grid: usize) -> Vec<Point> {
        self.known
            .iter()
            .filter(|line| line.grid == grid)
            .map(|line| line.point.clone())
            .collect()
    }

    /// Appends a point to the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&self, grid: usize, point: &Point) -> Result<(), JournalError> {
        let line = to_line(&Line {
            grid,
            point: point.clone(),
        });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())
            .map_err(|cause| JournalError::Write {
                path: self.path.clone(),
                cause,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(accuracy: f64) -> Point {
        Point {
            values: vec![1.0, 0.1],
            accuracy,
            precision: 0.1,
            recall: 0.3,
            f1: 0.15,
            of_folds: vec![1.0 / 3.0],
        }
    }

    #[test]
    fn a_search_is_resumed_and_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal_path(&folder.path().join("result.json"));
        assert!(path.ends_with("result.json.journal"));
        let open = |options: &str, rows: &str, is_fresh| {
            SearchJournal::open(path.clone(), options, rows, is_fresh)
        };
        let journal = open("--c 1", "r", false).unwrap();
        journal.add(0, &point(1.0 / 7.0)).unwrap();
        journal.add(1, &point(0.5)).unwrap();
        // A run that was killed left half a line.
        fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"grid\":0,\"po")
            .unwrap();
        let journal = open("--c 1", "r", false).unwrap();
        assert_eq!(
            (journal.known(0), journal.known(1)),
            (vec![point(1.0 / 7.0)], vec![point(0.5)])
        );
        journal.add(0, &point(0.7)).unwrap();
        assert_eq!(open("--c 1", "r", false).unwrap().known(0).len(), 2);
        let error = open("--c 2", "r", false).unwrap_err().to_string();
        assert!(
            error.contains("3 points of another search (--c 1); give `fresh`"),
            "{error}"
        );
        assert!(check(&path, "--c 2").is_err() && check(&path, "--c 1").is_ok());
        assert!(
            open("--c 1", "s", false)
                .unwrap_err()
                .to_string()
                .contains("other rows")
        );
        assert!(open("--c 2", "s", true).unwrap().known(0).is_empty());
        fs::write(&path, "notes\n").unwrap();
        assert!(
            open("--c 1", "r", false)
                .unwrap_err()
                .to_string()
                .contains("not a journal")
        );
    }
}
