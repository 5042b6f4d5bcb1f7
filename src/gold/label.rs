//! Labels the targets of a page by its gold, whichever kind of gold the page has.

use super::align::{self, Alignment, Labelling};
use super::human;
use super::{DataError, DataSet, Row};
use crate::capture::Capture;
use crate::error::Error;
use crate::target::Target;

/// Labels the targets of a page by its gold; those that a human who labelled text nodes was not sure of stay without.
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
    let unreadable = |error: DataError| Error::Limit(error.to_string());
    let gold = set.gold(row).map_err(unreadable)?;
    let mut labelling = match (&gold.text, &gold.snippets) {
        (Some(text), _) => match alignment {
            Alignment::Words => align::words(texts, text, row.unit()),
            Alignment::Dice => align::dice(&capture.dom, targets, texts, text, row.unit()),
        },
        (None, Some(snippets)) => align::snippets(texts, snippets),
        (None, None) => return Err(Error::Limit("the page has no gold".to_owned())),
    };
    if let Some(human) = human::read_opinions(set, row, texts).map_err(unreadable)? {
        human::leave_unsure(&mut labelling, &human);
    }
    Ok(labelling)
}
