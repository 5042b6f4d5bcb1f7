//! Labels that people gave to the blocks themselves, as `vclean annotate` writes them: they need no alignment.

use super::label_file::{label_rows, read_labels};
use super::labelling::Labelling;
use super::{DataError, DataSet, Row};
use crate::capture::Capture;
use crate::classify::Label;
use crate::target::Target;

/// Replaces the labels by those of `labels/ID.json`, if the set has that file and it is about these very targets. Targets
/// that are selected by another rule, or from another capture, keep the labels of the alignment.
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
    let path = set.labels_file(row);
    if !path.is_file() {
        return Ok(());
    }
    let given = read_labels(&path).map_err(|error| DataError::Read { path, cause: error.to_string() })?;
    let found = label_rows(capture, targets, labelling);
    let is_same = given.len() == found.len()
        && given.iter().zip(&found).all(|(given, found)| given.node == found.node && given.text == found.text);
    if !is_same {
        return Ok(());
    }
    let is_content: Vec<bool> = given.iter().map(|row| row.label == Some(Label::Content)).collect();
    let gold: Vec<&str> =
        texts.iter().zip(&is_content).filter(|(_, kept)| **kept).map(|(text, _)| text.as_str()).collect();
    let scores = is_content.iter().map(|&kept| f32::from(u8::from(kept))).collect();
    let comments = labelling.comments;
    *labelling = Labelling::full(texts, &is_content, scores, &gold.join("\n"), row.unit());
    labelling.comments = comments;
    labelling.labels = given.iter().map(|row| row.label).collect();
    Ok(())
}

#[cfg(all(test, feature = "experiments"))]
mod tests {
    use super::*;
    use crate::gold::label_file::write_labels;
    use crate::gold::{Alignment, label};
    use crate::page::parse;
    use crate::target::{TargetRule, select};
    use std::fs;

    #[test]
    fn given_labels_count_more_than_the_alignment_if_they_are_about_the_same_blocks() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pages", "gold", "gold_comments", "labels"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        // The same words twice: an alignment cannot know which block is meant.
        let page =
            "<body><div>The old mill</div><h1>The old mill</h1><p>It stands at the river.</p><p>Nice.</p></body>";
        fs::write(folder.path().join("pages/a.html"), page).unwrap();
        fs::write(folder.path().join("gold/a.txt"), "The old mill\nIt stands at the river.\n").unwrap();
        fs::write(folder.path().join("gold_comments/a.txt"), "Nice.\n").unwrap();
        fs::write(folder.path().join("manifest.jsonl"), "{\"id\":\"a\",\"split\":\"train\"}\n").unwrap();
        let set = DataSet::open(folder.path()).unwrap();
        let row = &set.rows[0];
        let capture = parse(&row.open().unwrap()).unwrap();
        let targets = select(&capture, TargetRule::default());
        let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
        let labels = || label(&set, row, &capture, &targets, &texts, Alignment::Words).unwrap();
        let wanted = [Some(Label::Boilerplate), Some(Label::Content), None, Some(Label::Comments)];
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
