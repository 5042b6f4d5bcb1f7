//! Labels the targets of a page by its gold, for all kinds of gold.

use super::align::{self, Alignment};
use super::human;
use super::labelling::Labelling;
use super::{DataSet, Row};
use crate::capture::Capture;
use crate::error::{DataError, Error};
use crate::target::Target;

/// Labels the targets of a page by its gold; targets on which a human annotator was not sure get no label.
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
    let gold = set.gold(row)?;
    let mut labelling = match (&gold.text, &gold.snippets) {
        (Some(text), _) => match alignment {
            Alignment::Words => align::words(texts, text, row.unit()),
            Alignment::Dice => align::dice(&capture.dom, targets, texts, text, row.unit()),
        },
        (None, Some(snippets)) => align::snippets(texts, snippets),
        (None, None) => return Err(DataError::NeitherTextNorSnippets.into()),
    };
    if let Some(human) = human::read_opinions(set, row, texts)? {
        human::leave_unsure(&mut labelling, &human);
    }
    Ok(labelling)
}
