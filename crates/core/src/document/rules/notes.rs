//! Footnotes: kept where their marks are.
//!
//! A list of notes looks like a list of links or of sources, and models drop it. A reader who sees
//! a mark wants its note.

use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;

/// Sets the decisions on the notes of content to content. Comments, margins and probabilities stay,
/// and so do blocks that are certainly not content, such as hidden ones.
pub(super) fn keep_notes(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let content = targets
        .iter()
        .zip(&*decisions)
        .filter(|(_, decision)| decision.label == Label::Content);
    let mut kept: Vec<usize> = content
        .flat_map(|(target, _)| &target.texts)
        .map(|id| id.index())
        .collect();
    kept.sort_unstable();
    let notes = page.notes().kept_notes(dom, |nodes| {
        let next = kept.partition_point(|&at| at < nodes.start);
        kept.get(next).is_some_and(|&at| at < nodes.end)
    });
    for (target, decision) in targets.iter().zip(decisions) {
        let first = target.first().index();
        let after = notes.partition_point(|nodes| nodes.start <= first);
        let is_in_note = after > 0 && notes[after - 1].contains(&first);
        if is_in_note && decision.label == Label::Boilerplate && decision.probability > 0.0 {
            decision.label = Label::Content;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    /// The kept texts of a page whose blocks the model keeps if they begin with `text`.
    fn kept(html: &str) -> Vec<String> {
        kept_if(keep_notes, html, |text| {
            if text.starts_with("text") { 0.9 } else { 0.2 }
        })
    }

    #[test]
    fn a_note_is_kept_with_its_mark() {
        let notes = "<h2>Notes</h2><ol><li id=a><p>one<sup><a href=#c>3</a></sup></p><p>more</p><li id=b>two<li id=c>three</ol>";
        let html = format!(
            "<p>text<sup><a href=#a>1</a></sup></p><p>menu<sup><a href=#b>2</a></sup></p>{notes}"
        );
        assert_eq!(kept(&html), ["text1", "one3", "more", "three"]);
        assert_eq!(
            kept("<p>text <a href=#a>more</a></p><p id=a>menu</p>"),
            ["text more"]
        );
    }
}
