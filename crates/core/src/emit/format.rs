//! An output format and its options.

use crate::clean::{CleanDocument, Segment};
use std::borrow::Cow;

/// The options of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmitOptions {
    /// Whether the links of the text are kept, in formats that can hold them.
    pub links: bool,
    /// Whether JSON lists the text that a reader of the page does not see.
    pub hidden: bool,
    /// Whether Markdown, JSON, XML and TEI show the pictures between the texts; HTML always does.
    pub images: bool,
    /// Whether Markdown begins with the metadata as front matter, and the head of HTML holds them.
    pub metadata: bool,
    /// Whether JSON says of each segment and span where it comes from, if the document was
    /// [located](CleanDocument::locate).
    pub positions: bool,
}

impl Default for EmitOptions {
    fn default() -> Self {
        Self { links: false, hidden: false, images: false, metadata: false, positions: false }
    }
}

/// How the documents of several pages are written to one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStream {
    /// Each after a line that names its page; an empty line is between two.
    Headed,
    /// One after the other. Each document begins with `head`, which is written once, before the first.
    Joined {
        /// Such as the names of the columns of CSV; may be empty.
        head: &'static str,
    },
}

impl OnStream {
    /// What is written once, before the first of several documents.
    pub fn head(self) -> &'static str {
        match self {
            Self::Headed => "",
            Self::Joined { head } => head,
        }
    }

    /// What is written between two documents.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Headed => "\n",
            Self::Joined { .. } => "",
        }
    }
}

/// An output format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Extension of its files, without the dot.
    pub extension: &'static str,
    /// Media type of its files.
    pub media_type: &'static str,
    /// Whether it is a JSON document; several are written as one per line.
    pub is_json: bool,
    /// Whether it contains the reasons of the decisions, which then must be computed.
    pub holds_reasons: bool,
    /// Whether it can keep links, see [`EmitOptions::links`].
    pub has_links: bool,
    /// Whether it can hold the metadata on request, see [`EmitOptions::metadata`]; other formats always or never hold them.
    pub takes_metadata: bool,
    /// How several documents follow one another.
    pub on_stream: OnStream,
    /// Its description, in one sentence.
    pub doc: &'static str,
    /// Writes a document as UTF-8; output that is not empty ends with a line break.
    pub write: fn(&CleanDocument, &EmitOptions) -> String,
}

/// The segments of a document for a format that can show pictures.
pub(super) fn content<'a>(document: &'a CleanDocument, options: &EmitOptions) -> Cow<'a, [Segment]> {
    let mut pictures = document.pictures.iter().filter(|_| options.images).peekable();
    if pictures.peek().is_none() {
        return Cow::Borrowed(&document.segments);
    }
    let mut segments: Vec<Segment> = Vec::with_capacity(document.segments.len());
    for (index, segment) in document.segments.iter().enumerate() {
        while let Some((_, picture)) = pictures.next_if(|(next, _)| *next <= index) {
            segments.push(picture.clone());
        }
        segments.push(segment.clone());
    }
    segments.extend(pictures.map(|(_, picture)| picture.clone()));
    Cow::Owned(segments)
}
