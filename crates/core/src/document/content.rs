//! The result of cleaning: a document of segments, the metadata of the page, and a report on each
//! target.

use crate::capture::{CssRect, Dom, DomBuilder, NodeId};
use crate::classify::{Decision, Label, LikelyKind, LikelyState, Reason};
use crate::document::hidden::HiddenPassage;
use crate::document::trace::DecisionTrace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// The kind of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SegmentKind {
    /// A block of running text: any block that is none of the other kinds.
    Paragraph,
    /// A heading, marked up as one or recognized by its bold or large letters.
    Heading {
        /// Level as in `h1` to `h6`, 1 to 6.
        level: u8,
    },
    /// An item of a list.
    ListItem {
        /// 0 for the outermost list.
        depth: u8,
        /// Number of an ordered list's item.
        number: Option<u32>,
        /// True if it continues an item that an earlier segment started: a further paragraph of it.
        continues: bool,
        /// True if its checkbox is checked; `None` if it has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        checked: Option<bool>,
    },
    /// A term of a definition list.
    Term,
    /// A definition of the terms before it.
    Definition {
        /// True if it continues a definition that an earlier segment started: a further paragraph
        /// of it.
        continues: bool,
    },
    /// The caption of a data table or of a figure.
    Caption {
        /// The table of the document that it belongs to, from 0; `None` for that of a figure.
        table: Option<u32>,
    },
    /// Preformatted text; line breaks are kept.
    Code {
        /// Programming language, if a class names it.
        language: Option<String>,
    },
    /// Text of a quotation, as in `blockquote`.
    Quote,
    /// A cell of a data table.
    TableCell {
        /// Number of its table in the document, from 0.
        table: u32,
        /// Row in the table, from 0.
        row: u32,
        /// Column in the row, from 0.
        column: u32,
        /// True for a header cell.
        is_header: bool,
        /// Number of rows that it covers, at least 1.
        #[serde(skip_serializing_if = "is_one")]
        row_span: u32,
        /// Number of columns that it covers, at least 1.
        #[serde(skip_serializing_if = "is_one")]
        column_span: u32,
    },
    /// A picture; it has no text.
    Image {
        /// Address of the picture file, resolved against the page's address.
        source: String,
        /// Its alternative text; empty if it has none.
        alternative: String,
    },
}

/// A piece of a segment with uniform formatting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Span {
    /// The text; white space is collapsed except in code, and a line feed is a line break (`br`) of
    /// the page.
    pub text: String,
    /// Target of the link around it, resolved against the page's address.
    pub link: Option<String>,
    /// True if it is in `code`, `kbd`, `samp` or `tt`.
    pub is_code: bool,
    /// True if it is in `b` or `strong`.
    pub is_strong: bool,
    /// True if it is in `i` or `em`.
    pub is_emphasis: bool,
    /// True if it is struck out: in `del`, `s` or `strike`.
    #[serde(skip_serializing_if = "is_false")]
    pub is_deleted: bool,
    /// Set if it is in `sub` or `sup`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    /// If it is a formula, how it is set; the text is then its LaTeX between `$` or `$$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<FormulaStyle>,
    /// If it refers to a footnote of the text, or is the label at the beginning of one, the number
    /// of that; the text is the reference or label as the page shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<u32>,
    /// Its pronunciation, written above it in small letters (`rt` in `ruby`); no text includes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The nodes of the captured tree that it was made from, in document order: text nodes, and for
    /// a formula its first element. Text from which TeX was cut shares its text node with the
    /// formula. Empty for text that was made from no tree.
    #[serde(skip)]
    pub nodes: Vec<NodeId>,
}

/// `skip_serializing_if` requires a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(value: &u32) -> bool {
    *value == 1
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &u8) -> bool {
    *value == 0
}

/// Position of small text relative to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Script {
    /// Below the line, as in `sub`.
    Sub,
    /// Above the line, as in `sup`.
    Sup,
}

/// How a formula is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormulaStyle {
    /// Within a line of text, between `$`.
    Inline,
    /// On lines of its own, between `$$`.
    Display,
}

impl Span {
    /// The LaTeX of a formula without its delimiters; `None` for other text.
    pub fn tex(&self) -> Option<&str> {
        let mark = match self.formula? {
            FormulaStyle::Inline => "$",
            FormulaStyle::Display => "$$",
        };
        self.text.trim().strip_prefix(mark)?.strip_suffix(mark)
    }
}

/// The quotations and list items around a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Within {
    /// Number of quotations around it; at least 1 for [`SegmentKind::Quote`].
    #[serde(rename = "quote_depth", skip_serializing_if = "is_zero")]
    pub quotes: u8,
    /// Number of list items around it; 0 for a list item, whose kind has its depth.
    #[serde(rename = "item_depth", skip_serializing_if = "is_zero")]
    pub items: u8,
}

/// The list of an item, and its sign there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemMark {
    /// The element of the list.
    pub list: NodeId,
    /// How the items of the list are numbered.
    pub numbering: Numbering,
    /// Number of the item; `None` in a list with bullets.
    pub number: Option<u32>,
    /// Number of quotations around the item.
    pub quotes: u8,
}

/// How the items of an ordered list are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbering {
    /// By numbers: 1, 2, 3.
    #[default]
    Decimal,
    /// By small letters: a, b, c.
    LowerLetters,
    /// By capital letters: A, B, C.
    UpperLetters,
    /// By small Roman numerals: i, ii, iii.
    LowerRoman,
    /// By capital Roman numerals: I, II, III.
    UpperRoman,
}

impl Numbering {
    /// The letters of a number; `None` if items are numbered by numbers, and for 0 and numbers that
    /// have no Roman numeral.
    pub(crate) fn letters(self, number: u32) -> Option<String> {
        let letters = match self {
            Self::Decimal => return None,
            Self::LowerLetters | Self::UpperLetters => letters_of(number)?,
            Self::LowerRoman | Self::UpperRoman => roman(number)?,
        };
        Some(match self {
            Self::UpperLetters | Self::UpperRoman => letters.to_ascii_uppercase(),
            _ => letters,
        })
    }
}

/// A number in letters: a to z, aa, ab and so on (CSS Counter Styles 3, section 6.1).
fn letters_of(number: u32) -> Option<String> {
    let (mut rest, mut letters) = (number, Vec::new());
    while rest > 0 {
        rest -= 1;
        letters.push(b'a' + (rest % 26) as u8);
        rest /= 26;
    }
    letters.reverse();
    String::from_utf8(letters)
        .ok()
        .filter(|letters| !letters.is_empty())
}

/// A number from 1 to 3999 as a Roman numeral.
fn roman(number: u32) -> Option<String> {
    const NUMERALS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let (mut rest, mut out) = (number, String::new());
    for (value, numeral) in NUMERALS {
        while rest >= value && out.len() < 16 {
            out.push_str(numeral);
            rest -= value;
        }
    }
    (1..4000).contains(&number).then_some(out)
}

/// Kind of a callout: a part of the text that is set apart, as on GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Callout {
    /// Additional information that a reader should know.
    Note,
    /// Advice for doing something better or more easily.
    Tip,
    /// Information that the reader needs to succeed.
    Important,
    /// A problem that the reader should avoid.
    Warning,
    /// A risk or another negative outcome of an action.
    Caution,
}

impl Callout {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Tip => "tip",
            Self::Important => "important",
            Self::Warning => "warning",
            Self::Caution => "caution",
        }
    }

    /// The callout of a name that programs give to one.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "note" | "info" | "information" | "abstract" | "seealso" | "secondary" | "quote"
            | "example" | "question" | "todo" => Self::Note,
            "tip" | "hint" | "success" => Self::Tip,
            "important" | "attention" => Self::Important,
            "warning" => Self::Warning,
            "caution" | "danger" | "error" | "bug" | "failure" => Self::Caution,
            _ => return None,
        })
    }
}

/// One kept block, ready to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    /// Heading, list item, paragraph and so on, with the properties of that kind.
    #[serde(flatten)]
    pub kind: SegmentKind,
    /// The quotations and list items around it.
    #[serde(flatten)]
    pub within: Within,
    /// For a list item, its list and sign; for another kind, the list item that begins with it.
    #[serde(skip)]
    pub item: Option<ItemMark>,
    /// The number of the footnote that begins with it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<u32>,
    /// Kind of the callout whose first block it is; the blocks of a callout are in a quotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callout: Option<Callout>,
    /// Its text, split where the formatting changes.
    pub spans: Vec<Span>,
    /// Index of its target.
    pub target: usize,
}

impl Segment {
    /// A segment in no quotation and no list item; a quotation is in itself.
    pub fn new(kind: SegmentKind, spans: Vec<Span>, target: usize) -> Self {
        let quotes = u8::from(kind == SegmentKind::Quote);
        Self {
            kind,
            within: Within { quotes, items: 0 },
            item: None,
            note: None,
            callout: None,
            spans,
            target,
        }
    }

    /// The text without formatting.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// The metadata of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Metadata {
    /// Title of the page's text.
    pub title: Option<String>,
    /// Names of the authors, with commas between them.
    pub author: Option<String>,
    /// Date of publication, as `YYYY-MM-DD` if it can be parsed (`YYYY-MM` or `YYYY` where only
    /// that is known), else as written; of the years 1990 to 2035.
    pub date: Option<String>,
    /// Language as a BCP 47 tag.
    pub language: Option<String>,
    /// Name of the site.
    pub site: Option<String>,
    /// Address of the page (the canonical one if the page names it).
    pub url: Option<String>,
    /// Description of the page, as the page declares it.
    pub description: Option<String>,
    /// Date of the last change, as `YYYY-MM-DD`.
    pub modified: Option<String>,
    /// Address of the page's main picture.
    pub image: Option<String>,
    /// Address of the license of its text.
    pub license: Option<String>,
    /// Address of the next part, if the text is divided into several pages.
    #[serde(default)]
    pub next: Option<String>,
    /// Keywords that the page declares; empty if there are none.
    pub tags: Vec<String>,
    /// The sections of the site that it is in.
    pub categories: Vec<String>,
    /// For each value by its name, where it comes from: the name of a `<meta>` tag, `json-ld`,
    /// `author`, `byline`, `time`, `dateline`, `headline` (a short line beside it), `modified`,
    /// `h1`, `heading`, `title`, `html`, `canonical`, `rel=license`, `address` or `text`.
    pub sources: BTreeMap<String, String>,
}

impl Metadata {
    /// Where the date comes from.
    pub fn date_source(&self) -> Option<&str> {
        self.date
            .as_ref()
            .and_then(|_| self.sources.get("date"))
            .map(String::as_str)
    }
}

/// The report on a target: whether it was kept, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetReport {
    /// The label of the target, with its margin and probability.
    #[serde(flatten)]
    pub decision: Decision,
    /// Its position on the page; `None` for bare HTML.
    pub rect: Option<CssRect>,
    /// Path of tags from the root to the container, such as `html/body/div/p`.
    pub path: String,
    /// The text, with white space collapsed.
    pub text: String,
    /// The most influential features, the strongest first: name, value, and how much the margin
    /// would change without it.
    pub reasons: Vec<Reason>,
}

/// Role of a post in its thread or among readers' comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PostRole {
    /// A post of a thread.
    #[default]
    Post,
    /// The question that the others answer.
    Question,
    /// An answer to the question.
    Answer,
    /// A comment on a question, an answer or the page's text.
    Comment,
}

impl PostRole {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Comment => "comment",
        }
    }
}

/// A post of a thread, or a comment of a reader.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Post {
    /// Role of the post: question, answer, comment or plain post.
    pub role: PostRole,
    /// True for the accepted answer to a question.
    pub is_accepted: bool,
    /// Name of its author, if the page marks it or shows it in the usual place.
    pub author: Option<String>,
    /// When it was written: in the form of ISO 8601 if the page gives the time so, else as
    /// `YYYY-MM-DD`; as the page shows it if that is only how long ago, and the day of the capture
    /// is unknown.
    pub date: Option<String>,
    /// Address of the post itself, as opposed to that of the page.
    pub url: Option<String>,
    /// Index of the post that it answers, from 0, if the page says so; always an earlier one.
    pub parent: Option<usize>,
    /// Its votes, where the page shows them.
    pub votes: Option<i64>,
    /// Indices of its segments in [`Document::segments`], or in [`CommentPart::segments`]; empty if
    /// they were left out.
    pub segments: Range<usize>,
}

/// The comments of a page, apart from its text.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentPart {
    /// Their text, in document order; none if the page has no comments.
    pub segments: Vec<Segment>,
    /// The comments one by one; together they cover all segments.
    pub records: Vec<Post>,
    /// The pruned tree of the comments alone.
    pub pruned: Dom,
    /// True if they are written instead of the page's text, which is then empty.
    pub is_alone: bool,
}

/// Where the page of a document comes from, for formats of corpora; the address is in
/// [`Metadata::url`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The input as the user named it.
    pub input: Option<String>,
    /// When the page was captured or saved, as in RFC 3339.
    pub captured: Option<String>,
}

/// The text and metadata of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Name of the page among those of a run, for formats that name their documents; `None` if
    /// there is none.
    pub id: Option<String>,
    /// Input and date of the capture; empty where it is not part of a run.
    pub provenance: Provenance,
    /// Title, author and other metadata.
    pub metadata: Metadata,
    /// The text, in reading order.
    pub segments: Vec<Segment>,
    /// The report on every target, in document order.
    pub targets: Vec<TargetReport>,
    /// The pruned tree: only kept text, the elements around it, and images between kept texts.
    pub pruned: Dom,
    /// Kind of the page; `None` if the method or its model does not tell kinds apart.
    pub kind: Option<LikelyKind>,
    /// Text, or the reason why the page has none of its own; `None` for published methods.
    pub state: Option<LikelyState>,
    /// The posts in document order, if the page is a thread; empty otherwise. Segments outside all
    /// posts are the headline and other text of the page.
    pub posts: Vec<Post>,
    /// The comments of the page's readers, if they are separated from its text.
    pub comments: Option<CommentPart>,
    /// The pictures between its texts, in document order: for each the index of the segment that
    /// follows it, and a segment of kind [`SegmentKind::Image`]. They are written on request.
    pub pictures: Vec<(usize, Segment)>,
    /// Where the files of pictures were saved, by their addresses on the page.
    pub saved_pictures: BTreeMap<String, String>,
    /// The text that is laid out but not visible, in document order; it belongs to no target.
    pub hidden: Vec<HiddenPassage>,
    /// Number of kept blocks whose text seems hidden. They are kept because hardly any other text
    /// would be left, so the rules about hidden text are probably wrong about the page. Mostly 0.
    pub doubted_blocks: usize,
    /// Number of letters in running text that is not displayed and not kept.
    pub hidden_letters: usize,
    /// Where the nodes of the spans are on the page; `None` unless [`locate`](Self::locate) was
    /// called.
    pub positions: Option<TextPositions>,
    /// How it was decided; `None` for published methods, which have no model of ours.
    pub trace: Option<DecisionTrace>,
}

impl Document {
    /// Creates a document from these parts; all others are empty.
    pub(crate) fn new(
        metadata: Metadata,
        segments: Vec<Segment>,
        targets: Vec<TargetReport>,
        pruned: Dom,
    ) -> Self {
        Self {
            id: None,
            provenance: Provenance::default(),
            metadata,
            segments,
            targets,
            pruned,
            kind: None,
            state: None,
            posts: Vec::new(),
            comments: None,
            pictures: Vec::new(),
            saved_pictures: BTreeMap::new(),
            hidden: Vec::new(),
            doubted_blocks: 0,
            hidden_letters: 0,
            positions: None,
            trace: None,
        }
    }

    /// Expected quality of the text, 0 to 1: the expected F computed from the blocks'
    /// probabilities, weighted by their letters (after Jansche 2007, "A maximum expected utility
    /// framework for binary sequence labeling", section 2), times the probability that the page has
    /// text at all. 0 if nothing was kept, because rendering may show more than bare HTML. 1 if no
    /// block has a probability.
    pub fn expected_f(&self) -> f32 {
        let has_text = self
            .state
            .as_ref()
            .map_or(1.0, LikelyState::text_probability);
        self.expected_f_of_blocks() * has_text
    }

    /// The expected F by the blocks' probabilities alone.
    pub(crate) fn expected_f_of_blocks(&self) -> f32 {
        if self.targets.is_empty() && !self.segments.is_empty() {
            return 1.0;
        }
        let (mut expected, mut kept, mut both) = (0.0f64, 0.0f64, 0.0f64);
        for (letters, decision) in self.letters() {
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

    /// Number of letters that are kept, and expected number of letters of content.
    pub(crate) fn kept_and_expected_letters(&self) -> (f64, f64) {
        self.letters()
            .fold((0.0, 0.0), |(kept, expected), (letters, decision)| {
                let own = f64::from(u8::from(decision.label == Label::Content)) * letters;
                (
                    kept + own,
                    expected + letters * f64::from(decision.probability),
                )
            })
    }

    /// Letters and decision of each block.
    fn letters(&self) -> impl Iterator<Item = (f64, &Decision)> {
        self.targets
            .iter()
            .map(|TargetReport { decision, text, .. }| {
                let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
                (letters as f64, decision)
            })
    }

    /// The separated comments as a document of their own, with the page's metadata; `None` if
    /// comments are not separated.
    pub fn comments_alone(&self) -> Option<Self> {
        let CommentPart {
            segments, pruned, ..
        } = self.comments.clone()?;
        let alone = Self::new(self.metadata.clone(), segments, Vec::new(), pruned);
        Some(Self {
            id: self.id.clone(),
            provenance: self.provenance.clone(),
            kind: self.kind,
            state: self.state.clone(),
            positions: self.positions.clone(),
            ..alone
        })
    }

    /// The text of one post as a document of its own; without metadata, and with an empty tree.
    #[must_use]
    pub fn post_alone(&self, post: &Post) -> Self {
        let segments = self
            .segments
            .get(post.segments.clone())
            .unwrap_or_default()
            .to_vec();
        Self::new(
            Metadata::default(),
            segments,
            Vec::new(),
            DomBuilder::new().finish(),
        )
    }
}

/// Source of a part of a span in the captured page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextPosition {
    /// The text node, or for a formula its first element, as an XPath that a browser evaluates.
    /// Below a frame or in a shadow tree it names the steps through all trees. Empty for a node
    /// that is more than 256 levels deep.
    pub xpath: String,
    /// The first character of the text node that is written, from 0, in Unicode scalar values;
    /// `None` for a formula.
    pub start: Option<u32>,
    /// One past the last character that is written; `None` for a formula.
    pub end: Option<u32>,
    /// The box around the node's lines, in CSS px from the top left corner of the page; `None`
    /// where it has none, as in HTML that was not rendered.
    pub rect: Option<CssRect>,
    /// The characters of the range, with white space collapsed; empty for a formula.
    #[serde(skip)]
    pub text: String,
}

/// The positions of the nodes of a document's spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextPositions {
    /// Sorted by node, for binary search.
    known: Vec<(NodeId, TextPosition)>,
}

impl TextPositions {
    /// Wraps positions that are sorted by node.
    pub(in crate::document) fn new(known: Vec<(NodeId, TextPosition)>) -> Self {
        Self { known }
    }

    /// The position of a node; `None` for a node that is in no span.
    pub fn get(&self, node: NodeId) -> Option<&TextPosition> {
        let at = self
            .known
            .binary_search_by_key(&node, |(known, _)| *known)
            .ok()?;
        self.known.get(at).map(|(_, position)| position)
    }

    /// The positions of some nodes, in their order.
    pub fn all<'a>(&'a self, nodes: &'a [NodeId]) -> impl Iterator<Item = &'a TextPosition> {
        nodes.iter().filter_map(|&node| self.get(node))
    }
}

impl Document {
    /// Removes the segments with these indices, which must ascend. The pruned tree and the report
    /// on targets stay as they are.
    pub fn leave_out(&mut self, segments: &[usize]) {
        for &segment in segments.iter().rev() {
            self.segments.remove(segment);
            for (next, _) in &mut self.pictures {
                *next -= usize::from(*next > segment);
            }
            for Range { start, end } in self.posts.iter_mut().map(|post| &mut post.segments) {
                *start -= usize::from(*start > segment);
                *end -= usize::from(*end > segment);
            }
        }
    }

    /// Removes all text and comments; metadata and the report on targets stay.
    pub fn leave_out_all(&mut self) {
        self.segments.clear();
        self.pictures.clear();
        self.posts.clear();
        self.comments = None;
        self.pruned = DomBuilder::new().finish();
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{Numbering, SegmentKind, plain_segment};
    use crate::explain::samples;

    #[test]
    fn numbers_are_letters_and_roman_numerals() {
        let found = |numbering: Numbering, numbers: &[u32]| -> Vec<String> {
            let letters = numbers.iter().map(|&number| numbering.letters(number));
            letters.map(Option::unwrap_or_default).collect()
        };
        assert_eq!(
            found(Numbering::LowerLetters, &[0, 1, 26, 27, 703]),
            ["", "a", "z", "aa", "aaa"]
        );
        assert_eq!(
            found(Numbering::UpperRoman, &[0, 4, 1994, 3999, 4000]),
            ["", "IV", "MCMXCIV", "MMMCMXCIX", ""]
        );
        assert_eq!(Numbering::UpperLetters.letters(3).as_deref(), Some("C"));
        assert_eq!(Numbering::Decimal.letters(3), None);
    }

    #[test]
    fn pictures_stay_before_the_text_that_followed_them() {
        let (_, _, mut document) = samples::page("Menu");
        let segment = |text: &str| plain_segment(SegmentKind::Paragraph, text.to_owned(), 0);
        document.segments = ["one", "two", "three", "four"].map(segment).into();
        document.pictures = vec![
            (1, segment("before two")),
            (3, segment("before four")),
            (4, segment("last")),
        ];
        document.leave_out(&[1, 2]);
        let texts: Vec<String> = document
            .segments
            .iter()
            .map(crate::document::Segment::text)
            .collect();
        assert_eq!(texts, ["one", "four"]);
        let nexts: Vec<usize> = document.pictures.iter().map(|(next, _)| *next).collect();
        assert_eq!(nexts, [1, 1, 2]);
        document.leave_out_all();
        assert!(
            document.segments.is_empty()
                && document.pictures.is_empty()
                && !document.targets.is_empty()
        );
    }
}
