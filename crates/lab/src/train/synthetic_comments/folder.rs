//! The data folder of pages with comments. It is written under a temporary name next to it and then
//! renamed, and replaces nothing but an earlier one.

use super::page::SyntheticPage;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tempfile::TempDir;
use vclean_core::error::DataError;
use vclean_core::files::{self, FileError};
use vclean_run::source::{DataSet, GoldKind, Row};

const MANIFEST: &str = "manifest.jsonl";
/// The folders in it; `node_labels` only where the set of a page has it.
const PAGES: &str = "pages";
const GOLD: &str = "gold";
const COMMENTS: &str = "gold_comments";
const NODE_LABELS: &str = "node_labels";
/// Member of the manifest's rows that tells made pages from published ones.
const MARK: &str = "grafted";

/// The rows of a manifest by id, with all their members.
pub(super) type ManifestRows = BTreeMap<String, Map<String, Value>>;

/// The place of the folder, checked before the work begins.
#[derive(Debug, Clone)]
pub struct SyntheticFolder {
    path: PathBuf,
}

/// The folder while it is written.
#[derive(Debug)]
pub(super) struct Writing {
    place: SyntheticFolder,
    /// Holds the new folder until it is complete; removed at the end.
    beside: TempDir,
    fresh: PathBuf,
}

impl SyntheticFolder {
    /// Refuses a path at which something exists that is not an earlier folder of this kind, or that
    /// is one of `sets` or holds one of them.
    ///
    /// # Errors
    /// If it is refused.
    pub fn claim(path: &Path, sets: &[DataSet]) -> Result<Self, SyntheticError> {
        if let Ok(whole) = path.canonicalize() {
            let holds = |set: &DataSet| {
                set.folder
                    .canonicalize()
                    .is_ok_and(|folder| folder.starts_with(&whole))
            };
            if sets.iter().any(holds) {
                return Err(SyntheticError::Input(path.to_path_buf()));
            }
        }
        let place = Self {
            path: path.to_path_buf(),
        };
        place.check()?;
        Ok(place)
    }

    fn check(&self) -> Result<(), SyntheticError> {
        let is_free = match fs::symlink_metadata(&self.path) {
            Err(_) => true,
            Ok(found) => found.is_dir() && is_ours(&self.path),
        };
        if is_free {
            Ok(())
        } else {
            Err(SyntheticError::Occupied(self.path.clone()))
        }
    }

    /// Begins to write.
    pub(super) fn begin(&self) -> Result<Writing, SyntheticError> {
        let parent = files::folder_of(&self.path);
        files::make_folder(parent)?;
        let beside = tempfile::Builder::new()
            .prefix(".vclean-")
            .suffix(".part")
            .tempdir_in(parent);
        let beside = beside.map_err(|cause| FileError::Folder {
            path: self.path.clone(),
            cause,
        })?;
        let fresh = beside.path().join("folder");
        for name in [PAGES, GOLD, COMMENTS] {
            files::make_folder(&fresh.join(name))?;
        }
        Ok(Writing {
            place: self.clone(),
            beside,
            fresh,
        })
    }
}

impl Writing {
    /// Writes a page that was made from `row` of `set`, with its gold; returns its row of the
    /// manifest. `members` are those of the row it was made from.
    pub(super) fn add(
        &self,
        set: &DataSet,
        row: &Row,
        members: &Map<String, Value>,
        page: &SyntheticPage,
    ) -> Result<String, SyntheticError> {
        // Captures are kept by id, so the id of another page must be another one.
        let id = format!(
            "{}-{}-{:08x}",
            set.name,
            row.id,
            vclean_core::hash::text_key(&page.html) as u32
        );
        let path =
            |folder: &str, ending: &str| self.fresh.join(folder).join(format!("{id}.{ending}"));
        files::write_whole(&path(PAGES, "html"), page.html.as_bytes())?;
        files::write_whole(&path(COMMENTS, "txt"), page.comments.as_bytes())?;
        let source = |folder: &str, ending: &str| {
            set.folder.join(folder).join(format!("{}.{ending}", row.id))
        };
        copy(&source(GOLD, "txt"), &path(GOLD, "txt"))?;
        let snippets = source(GOLD, "json");
        if row.gold_kind == GoldKind::Snippets {
            files::write_whole(&path(GOLD, "json"), &with_others(&snippets, &page.others)?)?;
        } else {
            copy(&snippets, &path(GOLD, "json"))?;
        }
        let labels = source(NODE_LABELS, "json");
        if labels.is_file() {
            files::make_folder(&self.fresh.join(NODE_LABELS))?;
            copy(&labels, &path(NODE_LABELS, "json"))?;
        }
        let mut members = members.clone();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("id", id.into());
        put("host", row.host.clone().into());
        put("encoding", "utf-8".into());
        put(MARK, true.into());
        put("grafted_from", format!("{}/{}", set.name, row.id).into());
        put("has_comments", true.into());
        Ok(format!("{}\n", Value::Object(members)))
    }

    /// Writes the manifest and moves the folder to its place.
    pub(super) fn finish(self, rows: &[String]) -> Result<(), SyntheticError> {
        files::write_whole(&self.fresh.join(MANIFEST), rows.concat().as_bytes())?;
        // It may have changed since the check before the work.
        self.place.check()?;
        let path = &self.place.path;
        let cannot = |cause| SyntheticError::Move {
            path: path.clone(),
            cause,
        };
        if path.exists() {
            // Removed together with the temporary folder.
            fs::rename(path, self.beside.path().join("old")).map_err(cannot)?;
        }
        fs::rename(&self.fresh, path).map_err(cannot)
    }
}

/// Reads the rows of a set's manifest with all their members.
pub(super) fn manifest_rows(set: &DataSet) -> Result<ManifestRows, DataError> {
    let text = read(&set.folder.join(MANIFEST))?;
    let mut rows = ManifestRows::new();
    for (index, line) in text
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.trim_ascii().is_empty())
    {
        let row: Map<String, Value> =
            serde_json::from_slice(line).map_err(|error| DataError::Manifest {
                set: set.name.clone(),
                line: index + 1,
                cause: error.to_string(),
            })?;
        let id = row
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned();
        rows.insert(id, row);
    }
    Ok(rows)
}

fn read(path: &Path) -> Result<Vec<u8>, DataError> {
    fs::read(path).map_err(|error| DataError::Read {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })
}

/// Copies a file if it exists.
fn copy(from: &Path, to: &Path) -> Result<(), SyntheticError> {
    if from.is_file() {
        files::write_whole(to, &read(from)?)?;
    }
    Ok(())
}

/// A file of snippets with further ones that must not appear.
fn with_others(path: &Path, others: &[String]) -> Result<Vec<u8>, DataError> {
    let damaged = |cause: String| DataError::Read {
        path: path.to_path_buf(),
        cause,
    };
    let text = read(path)?;
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    let mut snippets: Map<String, Value> =
        serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
    let without = snippets
        .entry("without")
        .or_insert_with(|| Value::Array(Vec::new()));
    let list = without
        .as_array_mut()
        .ok_or_else(|| damaged("without is not a list".to_owned()))?;
    list.extend(others.iter().cloned().map(Value::from));
    Ok(Value::Object(snippets).to_string().into_bytes())
}

/// Whether a folder is empty, or holds only what [`Writing`] wrote.
fn is_ours(path: &Path) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return false;
    };
    let names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if names.is_empty() {
        return true;
    }
    let is_marked = |line: &str| {
        serde_json::from_str::<Value>(line)
            .is_ok_and(|row| row.get(MARK).and_then(Value::as_bool) == Some(true))
    };
    names
        .iter()
        .all(|name| [MANIFEST, PAGES, GOLD, COMMENTS, NODE_LABELS].contains(&name.as_str()))
        && fs::read_to_string(path.join(MANIFEST)).is_ok_and(|text| text.lines().all(is_marked))
}

/// Pages with comments cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something else exists where the folder is to be written.
    #[error("{} exists already and was not made by vclean lab graft-comments; name a new folder", .0.display())]
    Occupied(PathBuf),
    /// The folder to be written is one of the data sets, or contains one.
    #[error("{} is a data set that is read; name another folder for the output", .0.display())]
    Input(PathBuf),
    /// The finished folder cannot be moved to its place.
    #[error("cannot write {}: {cause}", path.display())]
    Move {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// Two data sets have the same name, by which their pages are named.
    #[error("two data sets are called {0}; rename the folder of one of them")]
    SameName(String),
    /// No page can be made.
    #[error(
        "no training page of {sets} can be given comments; they must be saved as HTML, have gold text that matches them, \
         and be no listings, collections or forums"
    )]
    NoPage {
        /// The names of the sets.
        sets: String,
    },
}
