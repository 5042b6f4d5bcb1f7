//! Labels the targets of a page by its gold, for all kinds of gold.

use super::align::{self, Alignment};
use super::comments;
use super::given::use_given_labels;
use super::human;
use super::labelling::Labelling;
use super::{DataSet, Row};
use crate::capture::Capture;
use crate::error::{DataError, Error};
use crate::target::Target;

/// Labels the targets of a page by its gold; targets on which a human annotator was not sure get no label. Where the set
/// tells readers' comments apart, they are labelled so; otherwise they stay boilerplate. Labels that a person gave to these
/// very targets replace those of the alignment.
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
    if let Some(gold) = &gold.comments {
        comments::by_gold(&mut labelling, texts, gold, row.unit());
    }
    use_given_labels(set, row, capture, targets, texts, &mut labelling)?;
    Ok(labelling)
}

/// The same for training: weak labels are added. Where the set does not tell, comments are labelled by the markup of well-known comment
/// systems (see [`comments`]).
///
/// # Errors
/// If the gold cannot be read.
#[cfg(feature = "experiments")]
pub fn label_for_training(
    set: &DataSet,
    row: &Row,
    capture: &Capture,
    targets: &[Target],
    texts: &[String],
    alignment: Alignment,
) -> Result<Labelling, Error> {
    let mut labelling = label(set, row, capture, targets, texts, alignment)?;
    if !set.tells_comments(row) {
        comments::weak_labels(&mut labelling, &capture.dom, targets);
    }
    Ok(labelling)
}
