//! A row of the positions of a page's text.

use serde::{Deserialize, Serialize};
use vclean_core::capture::CssRect;
use vclean_core::clean::{CleanDocument, Segment, TextPosition};

/// Where a part of the text comes from; a span has a row for each of its text nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionRow {
    /// Whether it is of the separated comments.
    #[serde(default, skip_serializing_if = "is_false")]
    pub comment: bool,
    /// Index of the segment in the text, pictures not counted, or in the comments.
    pub segment: u32,
    /// Index of the span in the segment.
    pub span: u32,
    /// The characters of the range, with white space collapsed; empty for a formula.
    pub text: String,
    /// The text node, or of a formula its first element; see [`TextPosition::xpath`].
    pub xpath: String,
    /// The first character in the text node, from 0, in Unicode scalar values; `None` for a formula.
    pub start: Option<u32>,
    /// One past the last character; `None` for a formula.
    pub end: Option<u32>,
    /// Left, top, width and height in CSS px; `None` in HTML that was not rendered.
    pub rect: Option<[f32; 4]>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_false(flag: &bool) -> bool {
    !flag
}

impl PositionRow {
    /// The rows of a document, its text first; `None` if it was not located.
    pub fn from_document(document: &CleanDocument) -> Option<Vec<Self>> {
        let positions = document.positions.as_ref()?;
        let mut rows = Vec::new();
        let mut add = |segments: &[Segment], comment: bool| {
            for (segment, spans) in (0..).zip(segments.iter().map(|segment| &segment.spans)) {
                for (span, nodes) in (0..).zip(spans.iter().map(|span| &span.nodes)) {
                    rows.extend(positions.all(nodes).map(|position| Self::new(position, comment, segment, span)));
                }
            }
        };
        add(&document.segments, false);
        add(document.comments.as_ref().map_or(&[], |comments| &comments.segments), true);
        Some(rows)
    }

    fn new(position: &TextPosition, comment: bool, segment: u32, span: u32) -> Self {
        Self {
            comment,
            segment,
            span,
            text: position.text.clone(),
            xpath: position.xpath.clone(),
            start: position.start,
            end: position.end,
            rect: position.rect.map(|CssRect { x, y, width, height }| [x, y, width, height]),
        }
    }

    /// Approximate size in bytes.
    #[cfg(feature = "parquet")]
    pub(super) fn bytes(&self) -> usize {
        48 + self.text.len() + self.xpath.len()
    }

    #[cfg(test)]
    pub(super) fn sample(number: u32) -> Self {
        let is_formula = number.is_multiple_of(3);
        Self {
            comment: number == 2,
            segment: number,
            span: 0,
            text: format!("part {number}"),
            xpath: format!("/html[1]/body[1]/p[{number}]/text()[1]"),
            start: (!is_formula).then_some(number),
            end: (!is_formula).then_some(number + 6),
            rect: number.is_multiple_of(2).then_some([1.0, 2.0, 3.5, 4.0]),
        }
    }
}
