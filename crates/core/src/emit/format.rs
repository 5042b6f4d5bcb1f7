//! An output format and its options.

use crate::document::{Document, Segment};
use std::borrow::Cow;

/// The options of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// [located](Document::locate).
    pub positions: bool,
}

/// How the documents of several pages are written one after the other: to standard output, or into
/// one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corpus {
    /// Each after a line that names its page; an empty line is between two.
    Headed,
    /// As [`Self::Headed`], and to standard output only: the documents together are no document of
    /// the format.
    Separate,
    /// Each on one line, and to standard output only: files with one document a line have a name of
    /// their own.
    Lines,
    /// All in one document.
    Joined {
        /// Written once, before the first. A document that begins with it, as CSV with the names of
        /// its columns, is written without it.
        head: &'static str,
        /// Written once, after the last.
        foot: &'static str,
        /// Whether `head` and `foot` are a valid document without any page.
        may_be_empty: bool,
    },
}

impl Corpus {
    /// Documents that need nothing around them.
    pub(super) const BARE: Self = Self::Joined {
        head: "",
        foot: "",
        may_be_empty: true,
    };

    /// Whether the documents of several pages may be one file.
    pub fn is_one_file(self) -> bool {
        matches!(self, Self::Headed | Self::Joined { .. })
    }

    /// Whether a file without any document is valid.
    pub fn may_be_empty(self) -> bool {
        !matches!(
            self,
            Self::Joined {
                may_be_empty: false,
                ..
            }
        )
    }

    /// What is written once, before the first of several documents.
    pub fn head(self) -> &'static str {
        if let Self::Joined { head, .. } = self {
            head
        } else {
            ""
        }
    }

    /// What is written once, after the last of several documents.
    pub fn foot(self) -> &'static str {
        if let Self::Joined { foot, .. } = self {
            foot
        } else {
            ""
        }
    }

    /// A document as it is among others: without what is written once.
    pub fn without_head(self, document: &str) -> &str {
        document.strip_prefix(self.head()).unwrap_or(document)
    }

    /// What is written between two documents.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Headed | Self::Separate => "\n",
            Self::Lines | Self::Joined { .. } => "",
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
    /// Other extensions by which its files are known.
    pub other_extensions: &'static [&'static str],
    /// Media type of its files.
    pub media_type: &'static str,
    /// Whether it is a JSON document.
    pub is_json: bool,
    /// Whether it holds the text and nothing else of a page: no metadata, no posts, no tree.
    pub is_text_alone: bool,
    /// Whether it contains the reasons of the decisions, which then must be computed.
    pub holds_reasons: bool,
    /// Whether it can keep links, see [`EmitOptions::links`].
    pub has_links: bool,
    /// Whether it can hold the metadata on request, see [`EmitOptions::metadata`]; other formats
    /// always or never hold them.
    pub takes_metadata: bool,
    /// How several documents follow one another.
    pub corpus: Corpus,
    /// Its description, in one sentence.
    pub doc: &'static str,
    /// Writes a document as UTF-8; output that is not empty ends with a line break.
    pub write: fn(&Document, &EmitOptions) -> String,
}

impl Format {
    /// Whether files of the format have this extension, in lower case and without the dot.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extension == extension || self.other_extensions.contains(&extension)
    }
}

/// The segments of a document for a format that can show pictures.
pub(super) fn content<'a>(document: &'a Document, options: &EmitOptions) -> Cow<'a, [Segment]> {
    let mut pictures = document
        .pictures
        .iter()
        .filter(|_| options.images)
        .peekable();
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
