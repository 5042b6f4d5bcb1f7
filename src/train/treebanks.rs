//! Reads treebank files, and measures a tagger on them.

use super::tagger::{Sentence, TaggingScore, read_treebank, test_tagger};
use crate::error::ModelError;
use crate::evaluate::Table;
use crate::language::Tagger;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A treebank.
#[derive(Debug, Clone, PartialEq)]
pub struct Treebank {
    /// The name of its file without the extension.
    pub name: String,
    /// Its words with their tags.
    pub sentences: Vec<Sentence>,
}

/// A treebank cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreebankError {
    /// The file is missing or unreadable.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error message of the system.
        cause: io::Error,
    },
    /// A line is neither a word with its tag nor empty.
    #[error("{}: {cause}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: ModelError,
    },
}

impl Treebank {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or a line is neither a word with its tag nor empty.
    pub fn read(path: &Path) -> Result<Self, TreebankError> {
        let text = fs::read_to_string(path).map_err(|cause| TreebankError::Read { path: path.to_path_buf(), cause })?;
        let sentences =
            read_treebank(&text).map_err(|cause| TreebankError::Line { path: path.to_path_buf(), cause })?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { name, sentences })
    }
}

/// How often a tagger is right: one row per treebank.
pub fn tagging_table(tagger: &Tagger, treebanks: &[Treebank]) -> Table {
    let mut table = Table::new(&["treebank", "words", "tags", "classes", "unknown", "tags of unknown"]);
    for treebank in treebanks {
        table.push(row(&treebank.name, test_tagger(tagger, &treebank.sentences)));
    }
    table
}

fn row(name: &str, score: TaggingScore) -> Vec<String> {
    let share = |part: usize, whole: usize| format!("{:.4}", part as f64 / whole.max(1) as f64);
    vec![
        name.to_owned(),
        score.words.to_string(),
        share(score.right, score.words),
        share(score.right_class, score.words),
        share(score.unknown, score.words),
        share(score.unknown_right, score.unknown),
    ]
}
