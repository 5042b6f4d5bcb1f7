//! Turns the decisions of a published method into a document.
//!
//! A method that works on the tree gives the text nodes of each passage; its passages become
//! targets with decisions, so that they can be drawn and explained like ours. A method that works
//! on the source gives only text.

use vclean_core::capture::{Capture, Dom, NodeId};
use vclean_core::classify::{Decision, Label};
use vclean_core::document::{self, SegmentKind};
use vclean_core::elements::heading_level;
use vclean_core::features::FeatureTable;
use vclean_core::pipeline::CleanedPage;
use vclean_core::target::Target;

/// A passage of text with a decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passage {
    pub kind: SegmentKind,
    /// Its text, on one line.
    pub text: String,
    /// Its position in the tree; `None` if the method works on the source.
    pub place: Option<Target>,
    pub is_content: bool,
    /// Confidence of the method, in its own unit; above 0 means content. 0 if the method gives
    /// none.
    pub margin: f32,
}

/// Makes a document of passages, in their order. Passages without text are left out; those with a
/// position in the tree must be in document order and share no text node.
pub(crate) fn document(capture: &Capture, passages: Vec<Passage>) -> CleanedPage {
    let (mut targets, mut decisions, mut segments) = (Vec::new(), Vec::new(), Vec::new());
    let is_placed = passages.iter().any(|passage| passage.place.is_some());
    for passage in passages
        .into_iter()
        .filter(|passage| !passage.text.trim().is_empty())
    {
        let Passage {
            kind,
            text,
            place,
            is_content,
            margin,
        } = passage;
        if is_content {
            segments.push(document::plain_segment(kind, text, targets.len()));
        }
        if let Some(place) = place {
            let label = if is_content {
                Label::Content
            } else {
                Label::Boilerplate
            };
            targets.push(place);
            let probability = f32::from(u8::from(is_content));
            decisions.push(Decision {
                margin,
                probability,
                label,
                comments: None,
            });
        }
    }
    let document = if is_placed {
        document::document_of(capture, &targets, &decisions, segments)
    } else {
        document::document_of_text(capture, segments)
    };
    let table = FeatureTable::without_columns(targets.len());
    CleanedPage::new(targets, table, document)
}

/// The kind of text in an element: a heading, a list item, or a paragraph.
pub(crate) fn kind_of(dom: &Dom, container: NodeId) -> SegmentKind {
    for id in std::iter::once(container).chain(dom.ancestors(container)) {
        if let Some(level) = heading_level(dom.tag(id)) {
            return SegmentKind::Heading { level };
        }
        match dom.tag(id) {
            "li" | "dd" | "dt" => {
                return SegmentKind::ListItem {
                    depth: 0,
                    number: None,
                    continues: false,
                    checked: None,
                };
            }
            "p" | "div" | "td" | "th" | "blockquote" | "body" | "section" | "article" => {
                return SegmentKind::Paragraph;
            }
            _ => {}
        }
    }
    SegmentKind::Paragraph
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::emit::{EmitOptions, find};
    use vclean_core::page::{Body, Page, parse};
    use vclean_core::target::{TargetRule, select};

    fn capture(html: &str) -> Capture {
        let body = Body::html(html);
        parse(&Page::new("x", body)).unwrap()
    }

    fn written(cleaned: &CleanedPage, format: &str) -> String {
        (find(format).unwrap().write)(&cleaned.document, &EmitOptions::default())
    }

    #[test]
    fn passages_in_the_tree_become_targets_and_a_pruned_tree() {
        let capture = capture("<h2>Gulls</h2><ul><li>Herring gull</ul><div>Imprint</div>");
        let targets = select(&capture, TargetRule::Blocks);
        let passages = targets.into_iter().map(|target| Passage {
            kind: kind_of(&capture.dom, target.container),
            text: target.text(&capture.dom),
            is_content: target.text(&capture.dom) != "Imprint",
            place: Some(target),
            margin: 0.0,
        });
        let cleaned = document(&capture, passages.collect());
        assert_eq!(cleaned.targets.len(), 3);
        assert_eq!(cleaned.document.targets[2].text, "Imprint");
        assert_eq!(
            written(&cleaned, "cleaneval"),
            "<h>Gulls\n<l>Herring gull\n"
        );
        let html = written(&cleaned, "html");
        assert!(
            html.contains("<h2>Gulls</h2>") && !html.contains("Imprint"),
            "{html}"
        );
    }

    #[test]
    fn passages_without_positions_become_a_document() {
        let capture = capture("<title>T</title>x");
        let passage = |kind, text: &str| Passage {
            kind,
            text: text.into(),
            place: None,
            is_content: true,
            margin: 0.0,
        };
        let passages = vec![
            passage(SegmentKind::Heading { level: 2 }, "One & two"),
            passage(SegmentKind::Paragraph, "Three"),
            passage(SegmentKind::Paragraph, " "),
        ];
        let cleaned = document(&capture, passages);
        assert!(cleaned.targets.is_empty());
        assert_eq!(written(&cleaned, "text"), "One & two\nThree\n");
        assert!(written(&cleaned, "html").contains("<h2>One &amp; two</h2>\n<p>Three</p>"));
        assert_eq!(cleaned.document.metadata.title.as_deref(), Some("T"));
    }
}
