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
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    #[test]
    fn questions_and_answers_are_kept_together() {
        let html = "<details><summary>kept question</summary><p>answer</p></details>\
                    <details><summary>question</summary><p>kept answer</p></details>\
                    <details><summary>menu</summary><p>one</p><p>two</p></details>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        let decide = |text: &String| {
            let label = if text.starts_with("kept") {
                Label::Content
            } else {
                Label::Boilerplate
            };
            Decision {
                margin: -1.0,
                probability: 0.2,
                label,
                comments: None,
            }
        };
        let mut decisions: Vec<Decision> = texts.iter().map(decide).collect();
        keep_details(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
        let kept = texts
            .iter()
            .zip(&decisions)
            .filter(|(_, made)| made.label == Label::Content);
        let kept: Vec<&str> = kept.map(|(text, _)| text.as_str()).collect();
        assert_eq!(kept, ["kept question", "answer", "question", "kept answer"]);
    }
}
