//! What cleaning gives: a document of segments, what is known of the page, and why each target stayed or went.

use crate::capture::{CssRect, Dom};
use crate::classify::{Decision, Reason};
use serde::{Deserialize, Serialize};

/// What a segment is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SegmentKind {
    /// Running text.
    Paragraph,
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
    },
    /// An item of a list.
    ListItem {
        /// 0 for the outermost list.
        depth: u8,
        /// Number of an ordered list's item.
        number: Option<u32>,
        /// Whether it goes on with an item that an earlier segment began: a further paragraph of it.
        continues: bool,
    },
    /// Preformatted text; line breaks count.
    Code {
        /// Programming language, where a class names it.
        language: Option<String>,
    },
    /// Quoted text.
    Quote,
    /// A cell of a data table.
    TableCell {
        /// Which table of the document, from 0.
        table: u32,
        /// Row in the table, from 0.
        row: u32,
        /// Column in the row, from 0.
        column: u32,
        /// Whether it is a header cell.
        is_header: bool,
    },
}

/// A piece of a segment with one look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Span {
    /// The text; white space is collapsed except in code.
    pub text: String,
    /// Target of the link around it, resolved against the page's address.
    pub link: Option<String>,
    /// Whether it is in `code`, `kbd`, `samp` or `tt`.
    pub is_code: bool,
    /// Whether it is in `b` or `strong`.
    pub is_strong: bool,
    /// Whether it is in `i` or `em`.
    pub is_emphasis: bool,
}

/// One kept block, ready to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    /// What it is.
    #[serde(flatten)]
    pub kind: SegmentKind,
    /// Its text in pieces.
    pub spans: Vec<Span>,
    /// Which target it came from.
    pub target: usize,
}

impl Segment {
    /// The text without its look.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// What is known of the page beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Metadata {
    /// Title of the page's text.
    pub title: Option<String>,
    /// Author as the page names him or her.
    pub author: Option<String>,
    /// Date of publication, as `YYYY-MM-DD` where it can be read, else as written.
    pub date: Option<String>,
    /// Language as a BCP 47 tag.
    pub language: Option<String>,
    /// Name of the site.
    pub site: Option<String>,
    /// Address of the page (canonical where the page says so).
    pub url: Option<String>,
    /// What the page says of itself.
    pub description: Option<String>,
}

/// Why a target stayed or went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetReport {
    /// The verdict.
    #[serde(flatten)]
    pub decision: Decision,
    /// Where it stood; absent for bare HTML.
    pub rect: Option<CssRect>,
    /// Path of tags from the root to the container, such as `html/body/div/p`.
    pub path: String,
    /// The text, collapsed.
    pub text: String,
    /// The features that weighed most, most first: name, value, and how much the margin would change without it.
    pub reasons: Vec<Reason>,
}

/// A page's text and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanDocument {
    /// Beside the text.
    pub metadata: Metadata,
    /// The text, in reading order.
    pub segments: Vec<Segment>,
    /// Every target's fate, in document order.
    pub targets: Vec<TargetReport>,
    /// The tree without what was dropped: only kept text, the elements around it, and images between kept text.
    pub pruned: Dom,
}
