//! A labelled passage of a page, by its two ends: the common model of all exchange formats.

use crate::annotate::block::AnnotatedBlock;
use crate::annotate::history::{History, Labelled};
use crate::annotate::label::{BlockLabel, Mark};
use crate::annotate::prepared::PreparedPage;
use serde::{Deserialize, Serialize};
use vclean_core::capture::NodeId;

/// A place in a text node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextPoint {
    /// The XPath of the text node; empty if it is very deep.
    pub xpath: String,
    /// Number of characters before it in the node.
    pub offset: usize,
}

/// A passage with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelledPassage {
    pub start: TextPoint,
    pub end: TextPoint,
    /// Its text, with white space collapsed; empty if the format has none.
    pub text: String,
    pub label: BlockLabel,
    pub mark: Option<Mark>,
}

/// The labels of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelledPage {
    /// Name of the page.
    pub id: String,
    pub url: Option<String>,
    pub annotator: String,
    /// The page as HTML, for formats that carry it.
    pub html: Option<String>,
    /// The passages, in document order.
    pub passages: Vec<LabelledPassage>,
}

/// The labelled blocks of a page as passages.
pub(super) fn passages(
    page: &PreparedPage,
    history: &History,
    marks: bool,
) -> Vec<LabelledPassage> {
    let passage = |(block, labelled): (&AnnotatedBlock, &Labelled)| {
        let nodes = &block.target.texts;
        let last = nodes[nodes.len() - 1];
        let text = |node: NodeId| page.capture.dom.text(node).unwrap_or_default();
        let xpath = |node: NodeId| page.positions.xpath(&page.capture.dom, node);
        LabelledPassage {
            start: TextPoint {
                xpath: xpath(nodes[0]),
                offset: 0,
            },
            end: TextPoint {
                xpath: xpath(last),
                offset: text(last).chars().count(),
            },
            text: block.text.clone(),
            label: labelled.label,
            mark: marks.then_some(labelled.mark),
        }
    };
    page.blocks
        .iter()
        .zip(history.blocks())
        .map(passage)
        .collect()
}

/// The numbers of the blocks that a passage covers: those with text between its ends, or, if its
/// ends are not on the page, the block with its text, if there is only one.
pub(super) fn covered(page: &PreparedPage, passage: &LabelledPassage) -> Vec<usize> {
    let find = |point: &TextPoint| page.positions.find(&page.capture.dom, &point.xpath);
    if let (Some(start), Some(end)) = (find(&passage.start), find(&passage.end)) {
        // A passage that begins after the last character of a node does not touch it.
        let length = |node: NodeId| {
            page.capture
                .dom
                .text(node)
                .map_or(0, |text| text.chars().count())
        };
        let start = if length(start) > 0 && passage.start.offset >= length(start) {
            start.index() + 1
        } else {
            start.index()
        };
        let end = if passage.end.offset == 0 {
            end.index()
        } else {
            page.capture.dom.end(end).max(end.index() + 1)
        };
        let is_in = |block: &&(usize, &AnnotatedBlock)| {
            block
                .1
                .target
                .texts
                .iter()
                .any(|node| (start..end).contains(&node.index()))
        };
        let numbered: Vec<(usize, &AnnotatedBlock)> = page.blocks.iter().enumerate().collect();
        return numbered
            .iter()
            .filter(is_in)
            .map(|(number, _)| *number)
            .collect();
    }
    let has_text = |block: &&AnnotatedBlock| !passage.text.is_empty() && block.text == passage.text;
    match page.blocks.iter().filter(has_text).count() {
        1 => page
            .blocks
            .iter()
            .position(|block| block.text == passage.text)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}
