//! Captions of pictures within the text: kept with the text around them.
//!
//! Annotators keep some captions and drop others, so models are unsure about them. A reader expects
//! the caption of a picture in the middle of the text.

use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;

const FIGCAPTION: Element = Element::known("figcaption");
const FIGURE: Element = Element::known("figure");

/// Sets the decisions on captions to content where the element around their figure holds content
/// before and after it. Margins and probabilities stay.
pub(super) fn keep_captions(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let first = |index: usize| targets[index].first().index();
    let content: Vec<usize> = (0..decisions.len())
        .filter(|&index| decisions[index].label == Label::Content)
        .map(first)
        .collect();
    let has_content = |from: usize, to: usize| {
        let next = content.partition_point(|&at| at < from);
        content.get(next).is_some_and(|&at| at < to)
    };
    for (target, decision) in targets
        .iter()
        .zip(decisions)
        .filter(|(_, decision)| decision.label != Label::Content)
    {
        let Some(figure) = figure_of_caption(dom, target.container) else {
            continue;
        };
        let Some(outer) = dom.parent(figure) else {
            continue;
        };
        if has_content(outer.index(), figure.index())
            && has_content(dom.end(figure), dom.end(outer))
        {
            decision.label = Label::Content;
        }
    }
    Ok(())
}

/// The figure whose caption the element is, or is in.
fn figure_of_caption(dom: &Dom, container: NodeId) -> Option<NodeId> {
    let mut around = std::iter::once(container).chain(dom.ancestors(container));
    around.find(|&id| dom.element(id) == FIGCAPTION)?;
    around.find(|&id| dom.element(id) == FIGURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    #[test]
    fn a_caption_is_kept_between_content_and_nowhere_else() {
        let html = "<figure><img><figcaption>above</figcaption></figure>\
                    <article><p>one<figure><img><figcaption><b>within</b></figcaption></figure><p>two\
                    <figure><img><figcaption>last</figcaption></figure></article>\
                    <aside><p>menu<figure><img><figcaption>aside</figcaption></figure><p>more</aside>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        let decide = |text: &String| {
            let label = if ["one", "two"].contains(&text.as_str()) {
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
        keep_captions(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
        let kept: Vec<&String> = texts
            .iter()
            .zip(&decisions)
            .filter(|(_, made)| made.label == Label::Content)
            .map(|(text, _)| text)
            .collect();
        assert_eq!(kept, ["one", "within", "two"]);
        assert_eq!(decisions[2].probability, 0.2);
    }
}
