//! An output format and its options.

use crate::document::{Document, Segment};
use std::borrow::Cow;

/// Sizes of chunks, in words or in the unit of the caller's own counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOptions {
    /// Largest size of a chunk, at least 1. A sentence, row or block of code that is larger is a
    /// chunk by itself.
    pub size: usize,
    /// Largest size of the sentences that a chunk repeats from the end of the one before it in the
    /// same section; 0 for none.
    pub overlap: usize,
}

impl Default for ChunkOptions {
    /// 300 words are about 400 tokens of English, which fits the windows of usual embedding models
    /// (512 tokens).
    fn default() -> Self {
        Self {
            size: 300,
            overlap: 0,
        }
    }
}

/// The options of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmitOptions {
    /// Keep the links of the text, in formats that can hold them.
    pub links: bool,
    /// List in JSON the text that a reader of the page does not see.
    pub hidden: bool,
    /// Show the pictures between the texts in Markdown, HTML, JSON, XML and TEI.
    pub images: bool,
    /// Begin Markdown with the metadata as front matter, and put them into the head of HTML.
    pub metadata: bool,
    /// Add to each segment and span in JSON where it comes from, if the document was
    /// [located](Document::locate).
    pub positions: bool,
    /// Sizes in the format `chunks`.
    pub chunks: ChunkOptions,
}

/// The media type of JSON lines.
pub(super) const JSON_LINES: &str = "application/jsonl";

/// How the documents of several pages are joined on standard output or in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corpus {
    /// Each document follows a line that names its page; documents are separated by an empty line.
    Headed,
    /// Written like [`Self::Headed`], but only to standard output: the documents together are not a
    /// valid document of the format.
    Separate,
    /// One document per line, and only to standard output: files with one document per line have an
    /// extension of their own.
    Lines,
    /// All pages in a single document.
    Joined {
        /// Written once, before the first document. If a document begins with this text, like CSV
        /// with its column names, the text is removed from it.
        head: &'static str,
        /// Written once, after the last document.
        foot: &'static str,
        /// True if `head` and `foot` are a valid document without any page.
        may_be_empty: bool,
    },
}

impl Corpus {
    /// Documents that are joined without any text around them.
    pub(super) const BARE: Self = Self::Joined {
        head: "",
        foot: "",
        may_be_empty: true,
    };

    /// Returns true if the documents of several pages may be written to one file.
    pub fn is_one_file(self) -> bool {
        matches!(self, Self::Headed | Self::Joined { .. })
    }

    /// Returns true if a file without any document is valid.
    pub fn may_be_empty(self) -> bool {
        !matches!(
            self,
            Self::Joined {
                may_be_empty: false,
                ..
            }
        )
    }

    /// The text that is written once, before the first of several documents.
    pub fn head(self) -> &'static str {
        if let Self::Joined { head, .. } = self {
            head
        } else {
            ""
        }
    }

    /// The text that is written once, after the last of several documents.
    pub fn foot(self) -> &'static str {
        if let Self::Joined { foot, .. } = self {
            foot
        } else {
            ""
        }
    }

    /// Removes the [`head`](Self::head) from a document, for writing it among others.
    pub fn without_head(self, document: &str) -> &str {
        document.strip_prefix(self.head()).unwrap_or(document)
    }

    /// The text between two documents.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Headed | Self::Separate => "\n",
            Self::Lines | Self::Joined { .. } => "",
        }
    }
}

/// An output format: its properties and its writer.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The name of the format on the command line.
    pub name: &'static str,
    /// The extension of its files, without the dot.
    pub extension: &'static str,
    /// Other extensions that its files may have.
    pub other_extensions: &'static [&'static str],
    /// The media type of its files.
    pub media_type: &'static str,
    /// True if the output is a JSON document.
    pub is_json: bool,
    /// True if the output holds only the text of a page: no metadata, no posts, no tree.
    pub is_text_alone: bool,
    /// True if the output contains the reasons of the decisions, which must then be computed.
    pub holds_reasons: bool,
    /// True if the format can keep links, see [`EmitOptions::links`].
    pub has_links: bool,
    /// True if the format holds the metadata only on request, see [`EmitOptions::metadata`]; other
    /// formats hold them always or never.
    pub takes_metadata: bool,
    /// How several documents are joined.
    pub corpus: Corpus,
    /// A description of the format, in one sentence.
    pub doc: &'static str,
    /// Writes a document as UTF-8; output that is not empty ends with a line break.
    pub write: fn(&Document, &EmitOptions) -> String,
}

impl Format {
    /// Returns true if each line of the output is a JSON document.
    pub fn is_lines(&self) -> bool {
        self.media_type == JSON_LINES
    }

    /// Returns true if files of the format have this extension, given in lower case without the
    /// dot.
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
