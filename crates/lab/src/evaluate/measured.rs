//! One page of a data set, cleaned and compared with its gold: the unit that `vclean lab evaluate`
//! counts.

use super::score_page;
use crate::evaluate::{BlockScore, Output, PageScore};
use crate::gold::align::Alignment;
use crate::gold::{Capturing, Gold, label, read_gold, tells_comments};
use vclean_core::capture::Capture;
use vclean_core::classify::Label;
use vclean_core::emit::{self, EmitOptions};
use vclean_core::error::{DataError, Error};
use vclean_core::pipeline::{CleanedPage, PageCleaner};
use vclean_run::source::{DataSet, Row};

/// The scores of one page.
#[derive(Debug)]
pub struct Measured {
    /// Scores of the text of the page.
    pub score: PageScore,
    /// Scores of keeping everything: the baseline.
    pub everything: PageScore,
    /// Verdicts compared with aligned labels.
    pub blocks: BlockScore,
    /// Verdicts on readers' comments compared with the gold; `None` where the gold does not tell
    /// them apart.
    pub comments: Option<BlockScore>,
    /// Probability of content of each block that the gold labels.
    pub probabilities: Vec<f32>,
    /// For each of these blocks, true if the gold labels it content.
    pub is_content: Vec<bool>,
    /// Name of the model that was used.
    pub model: Option<String>,
    /// The error that left the page without text, if any.
    pub failure: Option<Error>,
}

/// A page, its cleaned text, and the gold labels of its blocks.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The capture of the page.
    pub capture: Capture,
    pub cleaned: CleanedPage,
    /// Texts of the blocks.
    pub texts: Vec<String>,
    /// The gold labels of the blocks; `None` if the gold does not decide.
    pub labels: Vec<Option<Label>>,
    pub text: String,
}

/// Cleans a page and writes its text as it is compared with gold text.
///
/// # Errors
/// If the page cannot be cleaned.
pub(crate) fn cleaned_text(
    cleaner: &PageCleaner,
    capture: &Capture,
) -> Result<(CleanedPage, String), Error> {
    let cleaned = cleaner.clean_capture(capture)?;
    let text = (emit::FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
    Ok((cleaned, text))
}

/// Cleans a page and labels its blocks by the gold.
///
/// # Errors
/// If the page cannot be captured or cleaned, or its gold cannot be read.
pub(crate) fn judge(
    set: &DataSet,
    row: &Row,
    capturing: &Capturing,
    alignment: Alignment,
    cleaner: &PageCleaner,
) -> Result<Judged, Error> {
    let capture = capturing.capture(set, row)?;
    let (cleaned, text) = cleaned_text(cleaner, &capture)?;
    let texts: Vec<String> = cleaned
        .targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    let labels = label(set, row, &capture, &cleaned.targets, &texts, alignment)?.labels;
    Ok(Judged {
        capture,
        cleaned,
        texts,
        labels,
        text,
    })
}

/// Cleans a page and compares it with its gold. A page that cannot be cleaned counts as one without
/// output.
///
/// # Errors
/// If the gold cannot be read.
pub fn measure(
    set: &DataSet,
    row: &Row,
    capturing: &Capturing,
    alignment: Alignment,
    cleaner: &PageCleaner,
) -> Result<Measured, DataError> {
    let gold = read_gold(set, row)?;
    let judged = match judge(set, row, capturing, alignment, cleaner) {
        Ok(judged) => judged,
        Err(error) => return Ok(failed(row, &gold, error)),
    };
    let Judged {
        capture,
        cleaned,
        texts,
        labels,
        text,
    } = &judged;
    let marked = gold
        .marked
        .as_ref()
        .and(emit::find("cleaneval"))
        .map(|format| (format.write)(&cleaned.document, &EmitOptions::default()));
    let all = texts.join("\n");
    let all_marked = gold
        .marked
        .as_ref()
        .map(|_| format!("<p>{}", texts.join("\n<p>")));
    let judgments = || {
        cleaned
            .decisions()
            .zip(labels)
            .filter_map(|(made, gold)| gold.map(|gold| (made, gold)))
    };
    let output = Output {
        text,
        marked: marked.as_deref(),
        everything: Some(&all),
    };
    let everything = Output {
        text: &all,
        marked: all_marked.as_deref(),
        everything: Some(&all),
    };
    Ok(Measured {
        score: score_page(row, Some(output), &gold),
        everything: score_page(row, Some(everything), &gold),
        blocks: BlockScore::count(judgments().map(|(made, gold)| (made.label, gold))),
        comments: tells_comments(set, row).then(|| {
            BlockScore::count_comments(judgments().map(|(made, gold)| (made.label, gold)))
        }),
        probabilities: judgments().map(|(made, _)| made.probability).collect(),
        is_content: judgments()
            .map(|(_, gold)| gold == Label::Content)
            .collect(),
        model: cleaner
            .model(capture)
            .ok()
            .flatten()
            .map(|model| model.name.clone()),
        failure: None,
    })
}

fn failed(row: &Row, gold: &Gold, error: Error) -> Measured {
    let nothing = score_page(row, None, gold);
    Measured {
        score: nothing.clone(),
        everything: nothing,
        blocks: BlockScore::default(),
        comments: None,
        probabilities: Vec::new(),
        is_content: Vec::new(),
        model: None,
        failure: Some(error),
    }
}
