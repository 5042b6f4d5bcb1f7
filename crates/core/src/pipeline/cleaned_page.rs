//! A cleaned page: its text in every format, its metadata, and its blocks with the reasons of each
//! decision.

use crate::capture::CssRect;
use crate::classify::{Decision, Label, LikelyKind, Reason};
use crate::document::{Document, HiddenPassage, Metadata, Segment, SegmentKind, TargetReport};
use crate::emit::{EmitOptions, FORMATS, Format, PostText, find};
use crate::error::{Warning, Warnings};
use crate::features::FeatureTable;
use crate::target::Target;
use serde::Serialize;

/// A cleaned page.
///
/// ```
/// let cleaned = vclean_core::pipeline::extract("<body><nav><a href=/>Home</a></nav><p>Herring gulls drop mussels on rocks.</p>", None)?;
/// assert!(cleaned.text().contains("drop mussels"));
/// for block in cleaned.blocks() {
///     println!("{:.2} {:?} {}", block.probability, block.kind, block.text);
/// }
/// # Ok::<(), vclean_core::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPage {
    /// The text blocks that were decided on, in document order; none if the method does not work on
    /// the tree.
    pub targets: Vec<Target>,
    /// One row per target; without columns if the method does not use our features.
    pub table: FeatureTable,
    /// The page's text, and a report on each target with the decision on it.
    pub document: Document,
    /// Problems of the page that did not prevent its cleaning.
    pub(super) warnings: Warnings,
    /// Whether hidden text is written where a format can.
    pub(super) reports_hidden: bool,
}

/// A text block of a page, kept or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Block {
    /// Its text, with white space collapsed.
    pub text: String,
    /// Its kind; `None` if it is in no text. A block of several segments has the kind of the first
    /// one.
    pub kind: Option<SegmentKind>,
    /// Whether it is content.
    pub is_content: bool,
    /// Whether it is a comment of a reader; such a block is not content, wherever it is written.
    pub is_comment: bool,
    /// Calibrated probability of content, 0 to 1. A block may be kept below .5 and dropped above,
    /// because there is a per-page threshold.
    pub probability: f32,
    /// Calibrated probability, 0 to 1, that it is a comment if it is not content; `None` if the
    /// model does not tell.
    pub comment_probability: Option<f32>,
    /// Signed distance from the decision boundary; above 0 means content.
    pub margin: f32,
    /// Its position, in CSS px from the top left corner of the page; `None` for a page that was not
    /// rendered.
    pub rect: Option<CssRect>,
    /// Tags from the root to the element that contains it, such as `html/body/div/p`.
    pub path: String,
    /// The features with the largest influence, largest first; empty unless the cleaner was built
    /// with [`explain`](super::Options::explain).
    pub reasons: Vec<Reason>,
}

impl CleanedPage {
    /// A page of these parts, without warnings.
    pub fn new(targets: Vec<Target>, table: FeatureTable, document: Document) -> Self {
        Self {
            targets,
            table,
            document,
            warnings: Warnings::new(),
            reports_hidden: false,
        }
    }

    /// The decisions on the targets, in their order.
    pub fn decisions(&self) -> impl ExactSizeIterator<Item = &Decision> {
        self.document.targets.iter().map(|report| &report.decision)
    }

    /// The targets that are kept.
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

    /// The date of publication, as `YYYY-MM-DD` if it can be parsed, if the page has one.
    pub fn date(&self) -> Option<&str> {
        self.document.metadata.date.as_deref()
    }

    /// The text in pieces, in reading order: headings, paragraphs, items, cells of tables, code,
    /// quotations and captions.
    pub fn segments(&self) -> &[Segment] {
        &self.document.segments
    }

    /// Whether nothing was kept, so that the text is empty.
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

    /// What kind of page it is, with its probability; `None` if the method or its model does not
    /// tell kinds apart.
    pub fn kind(&self) -> Option<LikelyKind> {
        self.document.kind
    }

    /// Title, author, date and more, as far as the page gives them.
    pub fn metadata(&self) -> &Metadata {
        &self.document.metadata
    }

    /// The text blocks of the page in document order, kept or not; none if a published method works
    /// on lines of the source instead of blocks.
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

    /// The features of the blocks, a row each in the order of [`blocks`](Self::blocks): the groups
    /// of which the model reads columns. Without columns if a published method has none.
    pub fn features(&self) -> &FeatureTable {
        &self.table
    }

    /// The comments of the page's readers as plain text, one block per line; empty if there are
    /// none, or if the cleaner was not built to [separate](crate::document::ReaderComments::Separate)
    /// them.
    pub fn comments(&self) -> String {
        self.document
            .comments_alone()
            .map_or_else(String::new, |alone| {
                (FORMATS[0].write)(&alone, &EmitOptions::default())
            })
    }

    /// The posts of a page that is a thread, each with its author, date and plain text; none for
    /// other pages. Their segments are in [`json`](Self::json).
    pub fn posts(&self) -> Vec<PostText> {
        PostText::from_document(&self.document, &FORMATS[0], &EmitOptions::default())
    }

    /// Expected quality of the text, 0 to 1: the expected F computed from the blocks'
    /// probabilities, weighted by their letters (after Jansche 2007, "A maximum expected utility
    /// framework for binary sequence labeling", section 2). 0 if nothing was kept, because
    /// rendering may show more than bare HTML. 1 if no block has a probability.
    pub fn expected_f(&self) -> f32 {
        if self.targets.is_empty() && !self.document.segments.is_empty() {
            return 1.0;
        }
        let (mut expected, mut kept, mut both) = (0.0f64, 0.0f64, 0.0f64);
        for TargetReport { decision, text, .. } in &self.document.targets {
            let letters = text.chars().filter(|char| char.is_alphanumeric()).count() as f64;
            let content = letters * f64::from(decision.probability);
            expected += content;
            if decision.label == Label::Content {
                kept += letters;
                both += content;
            }
        }
        if kept == 0.0 {
            0.0
        } else {
            (2.0 * both / (kept + expected)) as f32
        }
    }

    /// The text that is laid out on the page and that a reader does not see, in document order,
    /// with the causes; empty if it was kept, and for a page that was not rendered.
    pub fn hidden(&self) -> &[HiddenPassage] {
        &self.document.hidden
    }

    /// Problems of the page that did not prevent its cleaning, such as characters that could not be
    /// decoded.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes the [warnings](Self::warnings) out.
    pub fn take_warnings(&mut self) -> Warnings {
        std::mem::take(&mut self.warnings)
    }

    /// The options that [`json`](Self::json) and its like write with.
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
