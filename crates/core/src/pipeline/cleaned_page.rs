//! A cleaned page: its text in every format, its metadata, and its blocks with the reasons of each
//! decision.

use crate::capture::CssRect;
use crate::classify::{Decision, Label, LikelyKind, LikelyState, Reason};
use crate::document::{Document, HiddenPassage, Metadata, Segment, SegmentKind};
use crate::emit::{Chunk, ChunkOptions, EmitOptions, FORMATS, Format, PostText, find};
use crate::error::{Warning, WarningKind, Warnings};
use crate::features::FeatureTable;
use crate::target::Target;
use ndarray::Axis;
use serde::Serialize;

/// The result of cleaning a page.
///
/// ```
/// let html = "<body><nav><a href=/>Home</a></nav>\
///             <p>Herring gulls drop mussels on rocks.</p>";
/// let cleaned = vclean_core::pipeline::extract(html, None)?;
/// assert!(cleaned.text().contains("drop mussels"));
/// for block in cleaned.blocks() {
///     println!("{:.2} {:?} {}", block.probability, block.kind, block.text);
/// }
/// # Ok::<(), vclean_core::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPage {
    /// The text blocks with a decision, in document order; none if the method does not work on the
    /// tree.
    pub targets: Vec<Target>,
    /// One row per target; without columns if the method does not use our features.
    pub table: FeatureTable,
    /// The text of the page, and a report on each target with its decision.
    pub document: Document,
    /// Problems of the page that did not prevent its cleaning.
    pub(super) warnings: Warnings,
    /// True if formats that can list hidden text should do so.
    pub(super) reports_hidden: bool,
}

/// A text block of a page, kept or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Block {
    /// The text of the block, with white space collapsed.
    pub text: String,
    /// The kind of the block; `None` if it is not in any text. A block of several segments has the
    /// kind of the first one.
    pub kind: Option<SegmentKind>,
    /// True if the block was kept as content.
    pub is_content: bool,
    /// True if the block is a reader's comment; such a block is not content, wherever it is
    /// written.
    pub is_comment: bool,
    /// Calibrated probability of content, 0 to 1. The threshold is set per page, so a block may be
    /// kept below 0.5 and dropped above.
    pub probability: f32,
    /// Calibrated probability, 0 to 1, that the block is a comment if it is not content; `None` if
    /// the model does not distinguish comments.
    pub comment_probability: Option<f32>,
    /// Signed distance from the decision boundary; above 0 means content.
    pub margin: f32,
    /// The box of the block, in CSS px from the top left corner of the page; `None` for a page that
    /// was not rendered.
    pub rect: Option<CssRect>,
    /// Tags from the root to the element that contains the block, such as `html/body/div/p`.
    pub path: String,
    /// The features with the largest influence, largest first; empty unless the cleaner was built
    /// with [`explain`](super::Options::explain).
    pub reasons: Vec<Reason>,
}

impl CleanedPage {
    /// Creates a page from these parts, without warnings.
    pub fn new(targets: Vec<Target>, table: FeatureTable, document: Document) -> Self {
        Self {
            targets,
            table,
            document,
            warnings: Warnings::new(),
            reports_hidden: false,
        }
    }

    /// Appends the next part of a text that is divided into several pages; see
    /// [`Document::append`].
    pub fn append(&mut self, part: Self) {
        self.targets.extend(part.targets);
        let rows = ndarray::concatenate(Axis(0), &[self.table.rows.view(), part.table.rows.view()]);
        match rows {
            Ok(rows) if self.table.columns == part.table.columns => self.table.rows = rows,
            // The parts were not measured alike.
            _ => self.table = FeatureTable::without_columns(self.targets.len()),
        }
        self.document.append(part.document);
        self.warnings.extend(part.warnings);
    }

    /// The decisions on the targets, in the same order.
    pub fn decisions(&self) -> impl ExactSizeIterator<Item = &Decision> {
        self.document.targets.iter().map(|report| &report.decision)
    }

    /// The targets that were kept.
    pub fn kept(&self) -> impl Iterator<Item = &Target> {
        let decided = self.targets.iter().zip(self.decisions());
        decided
            .filter(|(_, decision)| decision.label == Label::Content)
            .map(|(target, _)| target)
    }

    /// Plain text, one block per line, in UTF-8; empty if nothing was kept.
    pub fn text(&self) -> String {
        self.write(&FORMATS[0], &EmitOptions::default())
    }

    /// The title of the page's text, if the page has one.
    pub fn title(&self) -> Option<&str> {
        self.document.metadata.title.as_deref()
    }

    /// The names of the authors, with commas between them, if the page names any.
    pub fn author(&self) -> Option<&str> {
        self.document.metadata.author.as_deref()
    }

    /// The date of publication, if the page has one; `YYYY-MM-DD` if it can be parsed.
    pub fn date(&self) -> Option<&str> {
        self.document.metadata.date.as_deref()
    }

    /// The pieces of the text in reading order: headings, paragraphs, list items, table cells,
    /// code, quotations and captions.
    pub fn segments(&self) -> &[Segment] {
        &self.document.segments
    }

    /// Returns true if nothing was kept, so that the text is empty.
    pub fn is_empty(&self) -> bool {
        self.document.segments.is_empty()
    }

    /// Markdown (CommonMark with tables), without links.
    pub fn markdown(&self) -> String {
        self.named("markdown")
    }

    /// A small HTML document: the page's own elements around the kept text.
    pub fn html(&self) -> String {
        self.named("html")
    }

    /// JSON: metadata, segments, and every block with label, probability, box, path and reasons.
    pub fn json(&self) -> String {
        self.named("json")
    }

    /// The text in any format, with options.
    pub fn write(&self, format: &Format, options: &EmitOptions) -> String {
        (format.write)(&self.document, options)
    }

    /// The most likely kind of page, with its probability; `None` if the method or its model does
    /// not distinguish kinds.
    pub fn kind(&self) -> Option<LikelyKind> {
        self.document.kind
    }

    /// The state of the page: text, or why it has none of its own, with probability and reason;
    /// `None` for published methods.
    pub fn state(&self) -> Option<&LikelyState> {
        self.document.state.as_ref()
    }

    /// Title, author, date and more, as far as the page gives them.
    pub fn metadata(&self) -> &Metadata {
        &self.document.metadata
    }

    /// The text blocks of the page in document order, kept or not. There are none if a published
    /// method works on lines of the source instead of blocks.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block> + '_ {
        let document = &self.document;
        let mut kinds: Vec<Option<&SegmentKind>> = vec![None; document.targets.len()];
        let comments = document
            .comments
            .iter()
            .flat_map(|comments| &comments.segments);
        for segment in document.segments.iter().rev().chain(comments.rev()) {
            if let Some(kind) = kinds.get_mut(segment.target) {
                *kind = Some(&segment.kind);
            }
        }
        document
            .targets
            .iter()
            .zip(kinds)
            .map(|(target, kind)| Block {
                text: target.text.clone(),
                kind: kind.cloned(),
                is_content: target.decision.label == Label::Content,
                is_comment: target.decision.label == Label::Comments,
                probability: target.decision.probability,
                comment_probability: target.decision.comments,
                margin: target.decision.margin,
                rect: target.rect,
                path: target.path.clone(),
                reasons: target.reasons.clone(),
            })
    }

    /// The features of the blocks, one row each in the order of [`blocks`](Self::blocks), with the
    /// feature groups that the model reads. There are no columns if a published method uses none.
    pub fn features(&self) -> &FeatureTable {
        &self.table
    }

    /// The readers' comments as plain text, one block per line. Empty if there are none, or if the
    /// cleaner was not built to [separate](crate::document::ReaderComments::Separate) them.
    pub fn comments(&self) -> String {
        self.document
            .comments_alone()
            .map_or_else(String::new, |alone| {
                (FORMATS[0].write)(&alone, &EmitOptions::default())
            })
    }

    /// The posts of a thread, each with its author, date and plain text; empty for other pages.
    /// Their segments are in [`json`](Self::json).
    pub fn posts(&self) -> Vec<PostText> {
        PostText::from_document(&self.document, &FORMATS[0], &EmitOptions::default())
    }

    /// The text in chunks for search indexes and language models, with the sizes in words;
    /// [`Document::chunks_by`] takes another counter. They have XPaths and boxes if the cleaner was
    /// built with [`positions`](super::Options::positions).
    ///
    /// ```
    /// use vclean_core::emit::ChunkOptions;
    ///
    /// let html = "<body><h1>Gulls</h1><p>Herring gulls drop mussels on rocks.</p>\
    ///             <h2>Young</h2><p>Young gulls are brown. They learn it in weeks.</p>";
    /// let page = vclean_core::pipeline::extract(html, None)?;
    /// let chunks = page.chunks(ChunkOptions { size: 8, overlap: 0 });
    /// assert_eq!(chunks[1].headings, ["Gulls", "Young"]);
    /// # Ok::<(), vclean_core::error::Error>(())
    /// ```
    pub fn chunks(&self, options: ChunkOptions) -> Vec<Chunk> {
        self.document.chunks(options)
    }

    /// Expected quality of the text, 0 to 1; see [`Document::expected_f`].
    pub fn expected_f(&self) -> f32 {
        self.document.expected_f()
    }

    /// The text that is laid out on the page but not visible to a reader, in document order, with
    /// the causes; with [`HiddenText::Report`](super::HiddenText::Report) also text that is not
    /// displayed at all. Empty if it was kept.
    pub fn hidden(&self) -> &[HiddenPassage] {
        &self.document.hidden
    }

    /// Problems of the page that did not prevent its cleaning, such as characters that could not be
    /// decoded.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Removes and returns the [warnings](Self::warnings).
    pub fn take_warnings(&mut self) -> Warnings {
        std::mem::take(&mut self.warnings)
    }

    /// Adds a warning that was found after cleaning.
    pub fn add_warning(&mut self, kind: WarningKind, text: impl Into<String>) {
        self.warnings.add(kind, text);
    }

    /// The options with which [`json`](Self::json) and similar methods write.
    pub fn usual_options(&self) -> EmitOptions {
        EmitOptions {
            hidden: self.reports_hidden,
            positions: self.document.positions.is_some(),
            ..EmitOptions::default()
        }
    }

    fn named(&self, name: &str) -> String {
        self.write(
            find(name).expect("the format is in the table"),
            &self.usual_options(),
        )
    }
}
