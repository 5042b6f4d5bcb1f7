//! Labels the targets of a page by its gold, for all kinds of gold, and the files of labels: one
//! per page with one row per target, for annotators and for comparing two labellings.

use super::align::{self, Alignment};
use super::labelling::Labelling;
use super::read::{labels_file, read_gold, tells_comments};
use super::words::TokenUnit;
use super::{comments, human};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use vclean_core::capture::Capture;
use vclean_core::classify::Label;
use vclean_core::document::{PageParts, find_headline};
use vclean_core::error::{DataError, Error};
use vclean_core::files::{self, FileError};
use vclean_core::target::{Target, write_plain_text};
use vclean_core::text::excerpt;
use vclean_run::source::{DataSet, Row};

/// Labels the targets of a page by its gold; targets on which a human annotator was not sure get no
/// label. Where the set tells readers' comments apart, they are labelled so; otherwise they stay
/// boilerplate. Labels that a person gave to these very targets replace those of the alignment.
///
/// # Errors
/// If the gold cannot be read.
pub fn label(
    set: &DataSet,
    row: &Row,
    capture: &Capture,
    targets: &[Target],
    texts: &[String],
    alignment: Alignment,
) -> Result<Labelling, Error> {
    let gold = read_gold(set, row)?;
    let mut labelling = match (&gold.text, &gold.snippets) {
        (Some(text), _) => match alignment {
            Alignment::Words => align::words(texts, text, TokenUnit::from_language(&row.lang)),
            Alignment::Dice => align::dice(
                &capture.dom,
                targets,
                texts,
                text,
                TokenUnit::from_language(&row.lang),
            ),
        },
        (None, Some(snippets)) => align::snippets(texts, snippets),
        (None, None) => return Err(DataError::NeitherTextNorSnippets.into()),
    };
    if let Some(human) = human::read_opinions(set, row, texts)? {
        human::leave_unsure(&mut labelling, &human);
    }
    if let Some(gold) = &gold.comments {
        comments::by_gold(
            &mut labelling,
            texts,
            gold,
            TokenUnit::from_language(&row.lang),
        );
    }
    use_given_labels(set, row, capture, targets, texts, &mut labelling)?;
    Ok(labelling)
}

/// The labels to learn from: where the set does not tell readers' comments apart, they are labelled
/// by the markup of well-known comment systems (see [`comments`]), a weak label; and a headline
/// that the gold lacks has no label, because gold standards differ in whether it is text, and a
/// rule decides on it.
///
/// # Errors
/// If the gold cannot be read.
pub(crate) fn label_for_training(
    set: &DataSet,
    row: &Row,
    capture: &Capture,
    targets: &[Target],
    texts: &[String],
    alignment: Alignment,
) -> Result<Labelling, Error> {
    let mut labelling = label(set, row, capture, targets, texts, alignment)?;
    if !tells_comments(set, row) {
        comments::weak_labels(&mut labelling, &capture.dom, targets);
    }
    let first = labelling
        .labels
        .iter()
        .position(|label| *label == Some(Label::Content));
    if let Some(headline) =
        first.and_then(|first| find_headline(&PageParts::new(capture, targets), first))
        && labelling.labels[headline] == Some(Label::Boilerplate)
    {
        labelling.labels[headline] = None;
    }
    Ok(labelling)
}

/// Replaces the labels by those of `labels/ID.json`, if the set has that file and it is about these
/// very targets. Targets that are selected by another rule, or from another capture, keep the
/// labels of the alignment.
///
/// # Errors
/// If the file is damaged.
pub(super) fn use_given_labels(
    set: &DataSet,
    row: &Row,
    capture: &Capture,
    targets: &[Target],
    texts: &[String],
    labelling: &mut Labelling,
) -> Result<(), DataError> {
    let path = labels_file(set, row);
    if !path.is_file() {
        return Ok(());
    }
    let given = read_labels(&path).map_err(|error| DataError::Read {
        path,
        cause: error.to_string(),
    })?;
    let found = label_rows(capture, targets, labelling);
    let is_same = given.len() == found.len()
        && given
            .iter()
            .zip(&found)
            .all(|(given, found)| given.node == found.node && given.text == found.text);
    if !is_same {
        return Ok(());
    }
    let is_content: Vec<bool> = given
        .iter()
        .map(|row| row.label == Some(Label::Content))
        .collect();
    let gold: Vec<&str> = texts
        .iter()
        .zip(&is_content)
        .filter(|(_, kept)| **kept)
        .map(|(text, _)| text.as_str())
        .collect();
    let scores = is_content
        .iter()
        .map(|&kept| f32::from(u8::from(kept)))
        .collect();
    let comments = labelling.comments;
    *labelling = Labelling::full(
        texts,
        &is_content,
        scores,
        &gold.join("\n"),
        TokenUnit::from_language(&row.lang),
    );
    labelling.comments = comments;
    labelling.labels = given.iter().map(|row| row.label).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::{Alignment, label};
    use std::fs;
    use vclean_core::page::parse;
    use vclean_core::target::{TargetRule, select};
    use write_labels;

    #[test]
    fn given_labels_count_more_than_the_alignment_if_they_are_about_the_same_blocks() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pages", "gold", "gold_comments", "labels"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        // The same words twice: an alignment cannot know which block is meant.
        let page = "<body><div>The old mill</div><h1>The old mill</h1><p>It stands at the river.</p><p>Nice.</p></body>";
        fs::write(folder.path().join("pages/a.html"), page).unwrap();
        fs::write(
            folder.path().join("gold/a.txt"),
            "The old mill\nIt stands at the river.\n",
        )
        .unwrap();
        fs::write(folder.path().join("gold_comments/a.txt"), "Nice.\n").unwrap();
        fs::write(
            folder.path().join("manifest.jsonl"),
            "{\"id\":\"a\",\"split\":\"train\"}\n",
        )
        .unwrap();
        let set = DataSet::open(folder.path()).unwrap();
        let row = &set.rows[0];
        let capture = parse(&row.open().unwrap()).unwrap();
        let targets = select(&capture, TargetRule::default());
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        let labels = || label(&set, row, &capture, &targets, &texts, Alignment::Words).unwrap();
        let wanted = [
            Some(Label::Boilerplate),
            Some(Label::Content),
            None,
            Some(Label::Comments),
        ];
        assert_ne!(labels().labels, wanted);
        let mut rows = label_rows(&capture, &targets, &labels());
        for (row, label) in rows.iter_mut().zip(wanted) {
            row.label = label;
        }
        let path = folder.path().join("labels/a.json");
        write_labels(&path, &rows).unwrap();
        let found = labels();
        assert_eq!(found.labels, wanted);
        assert!(found.quality.oracle.f1 > 0.999 && found.comments.is_known());
        "another text".clone_into(&mut rows[0].text);
        write_labels(&path, &rows).unwrap();
        assert_ne!(labels().labels, wanted);
    }
}

/// Number of characters of a target's text in its row.
const EXCERPT_CHARS: usize = 80;
/// Largest number of elements of a path that are written, innermost last; hostile pages nest
/// 100,000 deep.
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
        /// The file of labels that cannot be read.
        path: PathBuf,
        /// The system's error message.
        cause: std::io::Error,
    },
    /// The file holds something else.
    #[error("{} is no file of labels as vclean lab align `labels` writes them: {cause}", path.display())]
    Format {
        /// The file in another format.
        path: PathBuf,
        /// The parser's error message.
        cause: serde_json::Error,
    },
}

/// The rows of a page whose targets were labelled.
pub(crate) fn label_rows(
    capture: &Capture,
    targets: &[Target],
    labelling: &Labelling,
) -> Vec<LabelRow> {
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
pub(crate) fn write_labels(path: &Path, rows: &[LabelRow]) -> Result<(), FileError> {
    let line = |row: &LabelRow| serde_json::to_string(row).expect("a row has string keys only");
    let lines: Vec<String> = rows.iter().map(line).collect();
    let text = if lines.is_empty() {
        "[]\n".to_owned()
    } else {
        format!("[\n{}\n]\n", lines.join(",\n"))
    };
    files::write_whole(path, text.as_bytes())
}

/// Reads the rows of a page.
///
/// # Errors
/// If the file cannot be read or holds something else.
pub fn read_labels(path: &Path) -> Result<Vec<LabelRow>, LabelFileError> {
    let bytes = std::fs::read(path).map_err(|cause| LabelFileError::Read {
        path: path.to_path_buf(),
        cause,
    })?;
    serde_json::from_slice(&bytes).map_err(|cause| LabelFileError::Format {
        path: path.to_path_buf(),
        cause,
    })
}
