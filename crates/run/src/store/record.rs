//! The record of a page: its text, its metadata, and the decisions on its blocks.

use crate::corpus::CorpusNote;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vclean_core::capture::CssRect;
use vclean_core::classify::{Label, LikelyKind, LikelyState};
use vclean_core::document::{Document, Metadata, Segment, TextPosition};
use vclean_core::emit::PostText;
use vclean_core::features::FeatureTable;

/// A cleaned page, as it is stored in a container.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the page, unique within a run.
    pub id: String,
    /// The input as the user named it.
    pub input: String,
    /// The sender's name for the page: the `id` of a line of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<Value>,
    /// Identifier of its record in the web archive that it came from, such as `urn:uuid:...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Date of that record in the format of RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_date: Option<String>,
    /// When the page was captured or saved, in the format of RFC 3339; as the record in its archive
    /// says, or the program that saved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<String>,
    /// Address of the page, if it is known.
    pub url: Option<String>,
    /// The text in the requested format; empty if the page has none.
    pub text: String,
    /// The comments of the page's readers in the requested format, if they are separated from the
    /// text; empty if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// The posts, if the page is a thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub posts: Vec<PostText>,
    /// The text with `<p>`, `<h>` or `<l>` before each paragraph, heading and list item, as in
    /// CLEANEVAL.
    pub marked: String,
    /// Title, author and other metadata.
    pub metadata: Metadata,
    /// Kind of page, if the model classifies pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_kind: Option<LikelyKind>,
    /// Text, or why the page has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_state: Option<LikelyState>,
    /// True if the page was rendered.
    pub rendered: bool,
    /// Expected F of the text, 0 to 1; see [`vclean_core::pipeline::CleanedPage::expected_f`].
    pub expected_f: f32,
    /// Problems that did not prevent the cleaning.
    pub warnings: Vec<String>,
    /// Findings of the filters of the run, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<CorpusNote>,
    /// Names of the features of every block, if they are stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The decision on every block, kept or not, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<BlockRow>>,
    /// Where the text comes from, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<PositionRow>>,
}

/// A row of the block table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    /// Text of the block, with white space collapsed.
    pub text: String,
    /// Path of tags from the root, such as `html/body/div/p`.
    pub path: String,
    /// True if the block is kept as content.
    pub content: bool,
    /// True if the block is a reader's comment.
    #[serde(default, skip_serializing_if = "is_false")]
    pub comment: bool,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// Distance from the decision boundary; positive for content.
    pub margin: f32,
    /// Left, top, width and height in CSS px; `None` for bare HTML.
    pub rect: Option<[f32; 4]>,
    /// One value for each of [`Record::columns`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<f32>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde requires.
fn is_false(flag: &bool) -> bool {
    !flag
}

impl BlockRow {
    /// The block table of a page, with the features in `table` if given.
    pub(crate) fn from_document(document: &Document, table: Option<&FeatureTable>) -> Vec<Self> {
        let row = |(index, target): (usize, &vclean_core::document::TargetReport)| Self {
            text: target.text.clone(),
            path: target.path.clone(),
            content: target.decision.label == Label::Content,
            comment: target.decision.label == Label::Comments,
            probability: target.decision.probability,
            margin: target.decision.margin,
            rect: target
                .rect
                .map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            features: table
                .map(|table| table.rows.row(index).to_vec())
                .unwrap_or_default(),
        };
        document.targets.iter().enumerate().map(row).collect()
    }
}

impl Record {
    /// Approximate size in bytes, which decides when a file is full. It is the same on every
    /// machine.
    #[cfg(feature = "parquet")]
    pub(super) fn bytes(&self) -> usize {
        let block = |row: &BlockRow| 32 + row.text.len() + row.path.len() + 4 * row.features.len();
        let blocks = self.blocks.iter().flatten().map(block).sum::<usize>();
        let positions = self
            .positions
            .iter()
            .flatten()
            .map(PositionRow::bytes)
            .sum::<usize>();
        let posts = self.posts.iter().map(PostText::bytes).sum::<usize>();
        200 + positions
            + posts
            + self.text.len()
            + self.comments.as_ref().map_or(0, String::len)
            + self.marked.len()
            + blocks
    }

    #[cfg(test)]
    pub(super) fn sample(number: usize) -> Self {
        use crate::corpus::DropReason;
        let block = |index: usize| BlockRow {
            text: format!("block {index}"),
            path: "html/body/p".to_owned(),
            content: index.is_multiple_of(2),
            comment: index == 1,
            probability: 0.1 + index as f32 / 7.0,
            margin: -1.0 / 3.0,
            rect: index.is_multiple_of(2).then_some([1.0, 2.0, 3.5, 4.0]),
            features: vec![0.1, index as f32],
        };
        let columns = ["structural.depth_log", "text.letters"]
            .map(str::to_owned)
            .to_vec();
        let title = number
            .is_multiple_of(3)
            .then(|| format!("Title “{number}”"));
        Self {
            id: format!("page-{number}"),
            input: "crawl.warc.gz".to_owned(),
            source_id: number.is_multiple_of(4).then(|| Value::from(number)),
            record_id: number
                .is_multiple_of(2)
                .then(|| format!("urn:uuid:{number}")),
            record_date: number
                .is_multiple_of(2)
                .then(|| "2020-01-02T03:04:05Z".to_owned()),
            captured: number
                .is_multiple_of(3)
                .then(|| "2020-01-02T03:04:05+01:00".to_owned()),
            url: (number != 5).then(|| format!("https://example.org/{number}?a=ü b")),
            text: format!("Text of page {number}.\nSecond line.\n"),
            page_state: number.is_multiple_of(3).then(|| LikelyState {
                state: vclean_core::classify::PageState::Login,
                probability: 0.75,
                reason: "title \"Log in\"".to_owned(),
            }),
            page_kind: number.is_multiple_of(2).then_some(LikelyKind {
                kind: vclean_core::classify::PageKind::Forum,
                probability: 0.5,
            }),
            comments: number
                .is_multiple_of(3)
                .then(|| format!("Comment on {number}.\n")),
            posts: (0..number as u32 % 5).map(sample_post).collect(),
            marked: format!("<p>Text of page {number}.\n"),
            metadata: Metadata {
                title,
                modified: number.is_multiple_of(2).then(|| "2020-01-02".to_owned()),
                tags: (0..number % 3)
                    .map(|tag| format!("tag {number}.{tag}"))
                    .collect(),
                sources: (0..number % 3)
                    .map(|at| (format!("name{at}"), format!("source {number}.{at}")))
                    .collect(),
                ..Metadata::default()
            },
            rendered: number.is_multiple_of(2),
            expected_f: 1.0 / (1.0 + number as f32),
            warnings: vec!["a warning".to_owned(); number % 3],
            corpus: number.is_multiple_of(2).then(|| CorpusNote {
                dropped: number
                    .is_multiple_of(4)
                    .then_some(DropReason::NearDuplicate),
                duplicate_of: number.is_multiple_of(4).then(|| "page-0".to_owned()),
                similarity: number.is_multiple_of(4).then_some(0.875),
                ..CorpusNote::default()
            }),
            columns,
            blocks: Some((0..number % 4).map(block).collect()),
            positions: Some((0..number as u32 % 5).map(PositionRow::sample).collect()),
        }
    }
}

#[cfg(test)]
fn sample_post(number: u32) -> PostText {
    use vclean_core::document::PostRole;
    PostText {
        role: if number == 0 {
            PostRole::Question
        } else {
            PostRole::Answer
        },
        accepted: number == 2,
        author: (number != 1).then(|| format!("Ann {number}")),
        date: number.is_multiple_of(2).then(|| "2020-01-02".to_owned()),
        url: (number == 3).then(|| "https://example.org/3".to_owned()),
        parent: (number > 0).then(|| number - 1),
        votes: number.is_multiple_of(3).then_some(-i64::from(number)),
        text: format!("post {number}\n"),
    }
}

/// Position of a part of the text in the page. A span has one row for each of its text nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionRow {
    /// True if it belongs to the separated comments.
    #[serde(default, skip_serializing_if = "is_false")]
    pub comment: bool,
    /// Index of the segment in the text (pictures are not counted) or in the comments.
    pub segment: u32,
    /// Index of the span in the segment.
    pub span: u32,
    /// The characters of the range, with white space collapsed; empty for a formula.
    pub text: String,
    /// Path of the text node, or of a formula's first element; see [`TextPosition::xpath`].
    pub xpath: String,
    /// Index of the first character in the text node, from 0, in Unicode scalar values; `None` for
    /// a formula.
    pub start: Option<u32>,
    /// Index after the last character; `None` for a formula.
    pub end: Option<u32>,
    /// Left, top, width and height in CSS px; `None` in HTML that was not rendered.
    pub rect: Option<[f32; 4]>,
}

impl PositionRow {
    /// The rows of a document, its text first; `None` if the positions are not known.
    pub(crate) fn from_document(document: &Document) -> Option<Vec<Self>> {
        let positions = document.positions.as_ref()?;
        let mut rows = Vec::new();
        let mut add = |segments: &[Segment], comment: bool| {
            for (segment, spans) in (0..).zip(segments.iter().map(|segment| &segment.spans)) {
                for (span, nodes) in (0..).zip(spans.iter().map(|span| &span.nodes)) {
                    rows.extend(
                        positions
                            .all(nodes)
                            .map(|position| Self::new(position, comment, segment, span)),
                    );
                }
            }
        };
        add(&document.segments, false);
        add(
            document
                .comments
                .as_ref()
                .map_or(&[], |comments| &comments.segments),
            true,
        );
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
            rect: position.rect.map(
                |CssRect {
                     x,
                     y,
                     width,
                     height,
                 }| [x, y, width, height],
            ),
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
