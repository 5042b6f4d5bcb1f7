//! Answers to frequent questions and other expandable parts: kept with their summaries.

use crate::capture::NodeId;
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use std::collections::BTreeMap;

const DETAILS: Element = Element::known("details");
const SUMMARY: Element = Element::known("summary");

/// Sets the decisions on the content of each `details` to content where its summary is content, and
/// on a summary where most of the expanded content is. Comments, margins and probabilities stay.
pub(super) fn keep_details(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    // For each `details`, the targets of its summary and the others.
    let mut parts: BTreeMap<NodeId, [Vec<usize>; 2]> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        let around = || std::iter::once(target.container).chain(dom.ancestors(target.container));
        if let Some(details) = around().find(|&up| dom.element(up) == DETAILS) {
            let is_summary = around()
                .take_while(|&up| up > details)
                .any(|up| dom.element(up) == SUMMARY);
            parts.entry(details).or_default()[usize::from(!is_summary)].push(index);
        }
    }
    for [summary, content] in parts
        .into_values()
        .filter(|[summary, content]| !summary.is_empty() && !content.is_empty())
    {
        let kept = |part: &[usize]| {
            part.iter()
                .filter(|&&index| decisions[index].label == Label::Content)
                .count()
        };
        let keeps_summary = kept(&summary) > 0;
        let keeps_content = kept(&content) * 2 > content.len();
        let unfolded = if keeps_summary { content } else { Vec::new() };
        let named = if keeps_content { summary } else { Vec::new() };
        for index in unfolded.into_iter().chain(named) {
            if decisions[index].label == Label::Boilerplate && decisions[index].probability > 0.0 {
                decisions[index].label = Label::Content;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    #[test]
    fn questions_and_answers_are_kept_together() {
        let html = "<details><summary>kept question</summary><p>answer</p></details>\
                    <details><summary>question</summary><p>kept answer</p></details>\
                    <details><summary>menu</summary><p>one</p><p>two</p></details>";
        let kept = kept_if(keep_details, html, |text| {
            if text.starts_with("kept") { 0.9 } else { 0.2 }
        });
        assert_eq!(kept, ["kept question", "answer", "question", "kept answer"]);
    }
}
