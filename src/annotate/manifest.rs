//! The rows of a manifest: one per finished page; rows of other pages stay as they are.

use super::error::AnnotateError;
use crate::files::write_whole;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// A row as in the file, with all its members.
pub(in crate::annotate) type Row = Map<String, Value>;

/// The manifest of a data folder. Whoever changes it holds the lock of the folder.
#[derive(Debug)]
pub(in crate::annotate) struct Manifest {
    path: PathBuf,
    rows: Vec<Row>,
}

impl Manifest {
    /// Reads the rows; none if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is no row.
    pub(in crate::annotate) fn read(path: &Path) -> Result<Self, AnnotateError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(cause) => return Err(AnnotateError::Read { path: path.to_path_buf(), cause }),
        };
        let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
        let rows = lines.map(|(index, line)| {
            serde_json::from_slice(line).map_err(|error| {
                let cause = format!("{} has no row in line {}: {error}; repair the line", path.display(), index + 1);
                AnnotateError::Input(cause)
            })
        });
        Ok(Self { path: path.to_path_buf(), rows: rows.collect::<Result<_, _>>()? })
    }

    /// All rows, in order.
    pub(in crate::annotate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a page.
    pub(in crate::annotate) fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| is_of(row, id))
    }

    /// Replaces the row of a page, or adds it at the end.
    pub(in crate::annotate) fn set(&mut self, id: &str, row: Row) {
        match self.rows.iter_mut().find(|row| is_of(row, id)) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }

    /// Removes the row of a page.
    pub(in crate::annotate) fn remove(&mut self, id: &str) {
        self.rows.retain(|row| !is_of(row, id));
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(in crate::annotate) fn write(&self) -> Result<(), AnnotateError> {
        let line = |row: &Row| serde_json::to_string(row).expect("a row has string keys") + "\n";
        let text: String = self.rows.iter().map(line).collect();
        Ok(write_whole(&self.path, text.as_bytes())?)
    }
}

fn is_of(row: &Row, id: &str) -> bool {
    row.get("id").and_then(Value::as_str) == Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_rows_and_their_members_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.jsonl");
        assert!(Manifest::read(&path).unwrap().row("a").is_none());
        std::fs::write(&path, "{\"id\":\"a\",\"mine\":[1]}\n\n{\"id\":\"b\"}\n").unwrap();
        let mut manifest = Manifest::read(&path).unwrap();
        let row = |value: Value| value.as_object().unwrap().clone();
        manifest.set("b", row(json!({"id": "b", "split": "train"})));
        manifest.set("c", row(json!({"id": "c"})));
        manifest.write().unwrap();
        let mut manifest = Manifest::read(&path).unwrap();
        assert_eq!(manifest.row("a").unwrap()["mine"], json!([1]));
        assert_eq!(manifest.row("b").unwrap()["split"], "train");
        manifest.remove("a");
        manifest.write().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"id\":\"b\",\"split\":\"train\"}\n{\"id\":\"c\"}\n");
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.jsonl");
        std::fs::write(&path, "{\"id\":\"a\"}\nno row\n").unwrap();
        assert!(Manifest::read(&path).unwrap_err().to_string().contains("line 2"));
    }
}
