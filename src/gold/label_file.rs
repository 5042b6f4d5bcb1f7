//! Label files: one per page with one row per target, for annotators and for comparing two labellings.

use super::Labelling;
use crate::capture::Capture;
use crate::classify::Label;
#[cfg(feature = "experiments")]
use crate::files::{self, FileError};
use crate::target::{Target, write_plain_text};
use crate::text::excerpt;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Number of characters of a target's text in its row.
const EXCERPT_CHARS: usize = 80;
/// Largest number of elements of a path that are written, innermost last; hostile pages nest 100,000 deep.
const MAX_PATH_ELEMENTS: usize = 40;

/// One target in a file of labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelRow {
    /// Number of the target on its page, from 0.
    pub index: usize,
    /// Path of its container.
    pub node: String,
    /// `content`, `comments`, `boilerplate`, or `null` if the gold does not decide.
    pub label: Option<Label>,
    /// Start of its text.
    pub text: String,
    /// Share of its words that were aligned with gold, 0 to 1.
    pub score: f32,
}

/// A file of labels cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelFileError {
    /// The file is missing or unreadable.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error message.
        cause: std::io::Error,
    },
    /// The file holds something else.
    #[error("{} is no file of labels as vclean align `labels` writes them: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The parser's error message.
        cause: serde_json::Error,
    },
}

/// The rows of a page whose targets were labelled.
pub fn label_rows(capture: &Capture, targets: &[Target], labelling: &Labelling) -> Vec<LabelRow> {
    let mut text = String::new();
    let row = |(index, target): (usize, &Target)| {
        write_plain_text(&capture.dom, &target.texts, |_, _| true, &mut text);
        LabelRow {
            index,
            node: capture.dom.path(target.container, MAX_PATH_ELEMENTS, "..."),
            label: labelling.labels[index],
            text: excerpt(&text, EXCERPT_CHARS).to_owned(),
            score: labelling.scores[index],
        }
    };
    targets.iter().enumerate().map(row).collect()
}

/// Writes the rows of a page, one per line.
#[cfg(feature = "experiments")]
pub(crate) fn write_labels(path: &Path, rows: &[LabelRow]) -> Result<(), FileError> {
    let line = |row: &LabelRow| serde_json::to_string(row).expect("a row has string keys only");
    let lines: Vec<String> = rows.iter().map(line).collect();
    let text = if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) };
    files::write_whole(path, text.as_bytes())
}

/// Reads the rows of a page.
///
/// # Errors
/// If the file cannot be read or holds something else.
pub fn read_labels(path: &Path) -> Result<Vec<LabelRow>, LabelFileError> {
    let bytes = std::fs::read(path).map_err(|cause| LabelFileError::Read { path: path.to_path_buf(), cause })?;
    serde_json::from_slice(&bytes).map_err(|cause| LabelFileError::Format { path: path.to_path_buf(), cause })
}
