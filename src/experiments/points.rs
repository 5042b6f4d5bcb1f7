//! The journal of `tune`: what was asked, then every finished point, a line each, so that a run can go on where it ended.

use crate::experiments::Point;
use crate::files;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A journal that is open for more points.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    known: Vec<Line>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// What the points depend on, as the command line said it.
    options: String,
    /// Fingerprint of the rows.
    rows: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    /// Number of the grid.
    grid: usize,
    point: Point,
}

/// The journal's place: beside the result.
pub(crate) fn place(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

fn read(path: &Path) -> anyhow::Result<Option<(Head, Vec<Line>)>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let Some(head) = lines.next() else { return Ok(None) };
    let damaged = || format!("{} is no journal of vclean tune; remove it or give --fresh", path.display());
    let head = serde_json::from_str(head).with_context(damaged)?;
    let points = lines.map(serde_json::from_str).collect::<Result<_, _>>().with_context(damaged)?;
    Ok(Some((head, points)))
}

/// Refuses a journal of another search, before any page is read.
///
/// # Errors
/// If there is a journal and it is of other options, or is none.
pub(crate) fn check(path: &Path, options: &str) -> anyhow::Result<()> {
    let Some((head, points)) = read(path)? else { return Ok(()) };
    anyhow::ensure!(
        head.options == options,
        "{} holds {} points of another search ({}); give --fresh to begin anew, or another --out",
        path.display(),
        points.len(),
        head.options
    );
    Ok(())
}

impl Journal {
    /// Opens the journal of a search, with the points it has; `is_fresh` begins anew.
    ///
    /// # Errors
    /// If it is of another search or other rows, or cannot be written.
    pub(crate) fn open(path: PathBuf, options: &str, rows: &str, is_fresh: bool) -> anyhow::Result<Self> {
        let mut known = Vec::new();
        if !is_fresh {
            check(&path, options)?;
            if let Some((head, points)) = read(&path)? {
                anyhow::ensure!(
                    head.rows == rows,
                    "{} is of other rows (pages, captures or features changed); give --fresh to begin anew",
                    path.display()
                );
                known = points;
            }
        }
        // Written anew without the half line that an end by force may leave.
        let head = Head { options: options.to_owned(), rows: rows.to_owned() };
        let mut text = serde_json::to_string(&head)? + "\n";
        for line in &known {
            text += &(serde_json::to_string(line)? + "\n");
        }
        files::write_whole(&path, text.as_bytes())?;
        let file =
            OpenOptions::new().append(true).open(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, file: Mutex::new(file), known })
    }

    /// Points of a grid that are there already.
    pub(crate) fn known(&self, grid: usize) -> Vec<Point> {
        self.known.iter().filter(|line| line.grid == grid).map(|line| line.point.clone()).collect()
    }

    /// Adds a point.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&self, grid: usize, point: &Point) -> anyhow::Result<()> {
        let line = serde_json::to_string(&Line { grid, point: point.clone() })? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn point(accuracy: f64) -> Point {
        Point { values: vec![1.0, 0.1], accuracy, precision: 0.1, recall: 0.3, f1: 0.15, of_folds: vec![1.0 / 3.0] }
    }

    #[test]
    fn a_search_goes_on_and_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(&folder.path().join("surface.json"));
        assert!(path.ends_with("surface.json.journal"));
        let open = |options: &str, rows: &str, is_fresh| Journal::open(path.clone(), options, rows, is_fresh);
        let journal = open("--c 1", "r", false).unwrap();
        journal.add(0, &point(1.0 / 7.0)).unwrap();
        journal.add(1, &point(0.5)).unwrap();
        // As if ended by force in the middle of a line.
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"grid\":0,\"po").unwrap();
        let journal = open("--c 1", "r", false).unwrap();
        assert_eq!((journal.known(0), journal.known(1)), (vec![point(1.0 / 7.0)], vec![point(0.5)]));
        journal.add(0, &point(0.7)).unwrap();
        assert_eq!(open("--c 1", "r", false).unwrap().known(0).len(), 2);
        let error = open("--c 2", "r", false).unwrap_err().to_string();
        assert!(error.contains("3 points of another search (--c 1); give --fresh"), "{error}");
        assert!(check(&path, "--c 2").is_err() && check(&path, "--c 1").is_ok());
        assert!(open("--c 1", "s", false).unwrap_err().to_string().contains("other rows"));
        assert!(open("--c 2", "s", true).unwrap().known(0).is_empty());
        fs::write(&path, "notes\n").unwrap();
        assert!(format!("{:#}", open("--c 1", "r", false).unwrap_err()).contains("no journal"));
    }
}
