//! An output format and its options.

use crate::clean::{CleanDocument, Segment, SegmentKind, plain_segment};
use std::borrow::Cow;

/// The options of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmitOptions {
    /// Whether the links of the text are kept, in formats that can hold them.
    pub links: bool,
    /// Whether JSON lists the text that a reader of the page does not see.
    pub hidden: bool,
    /// Whether Markdown, HTML and TEI begin with the page's headline where its text does not; the default. Text and the
    /// format of CLEANEVAL follow the gold standards, which leave it out.
    pub title: bool,
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
        Self { links: false, hidden: false, title: true, images: false, metadata: false, positions: false }
    }
}

/// How the documents of several pages are written one after the other: to standard output, or into one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corpus {
    /// Each after a line that names its page; an empty line is between two.
    Headed,
    /// As [`Self::Headed`], and to standard output only: the documents together are no document of the format.
    Separate,
    /// Each on one line, and to standard output only: files with one document a line have a name of their own.
    Lines,
    /// All in one document.
    Joined {
        /// Written once, before the first. A document that begins with it, as CSV with the names of its columns, is
        /// written without it.
        head: &'static str,
        /// Written once, after the last.
        foot: &'static str,
        /// Whether `head` and `foot` are a valid document without any page.
        may_be_empty: bool,
    },
}

impl Corpus {
    /// Documents that need nothing around them.
    pub(super) const BARE: Self = Self::Joined { head: "", foot: "", may_be_empty: true };

    /// Whether the documents of several pages may be one file.
    pub fn is_one_file(self) -> bool {
        matches!(self, Self::Headed | Self::Joined { .. })
    }

    /// Whether a file without any document is valid.
    pub fn may_be_empty(self) -> bool {
        !matches!(self, Self::Joined { may_be_empty: false, .. })
    }

    /// What is written once, before the first of several documents.
    pub fn head(self) -> &'static str {
        if let Self::Joined { head, .. } = self { head } else { "" }
    }

    /// What is written once, after the last of several documents.
    pub fn foot(self) -> &'static str {
        if let Self::Joined { foot, .. } = self { foot } else { "" }
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
    /// Whether it contains the reasons of the decisions, which then must be computed.
    pub holds_reasons: bool,
    /// Whether it can keep links, see [`EmitOptions::links`].
    pub has_links: bool,
    /// Whether it can hold the metadata on request, see [`EmitOptions::metadata`]; other formats always or never hold them.
    pub takes_metadata: bool,
    /// How several documents follow one another.
    pub corpus: Corpus,
    /// Its description, in one sentence.
    pub doc: &'static str,
    /// Writes a document as UTF-8; output that is not empty ends with a line break.
    pub write: fn(&CleanDocument, &EmitOptions) -> String,
}

impl Format {
    /// Whether files of the format have this extension, in lower case and without the dot.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extension == extension || self.other_extensions.contains(&extension)
    }
}

/// Number of segments among which the headline is looked for: a date, a rubric or a byline may stand above it.
const SEARCHED: usize = 5;

/// Longest headline that is taken from a block, in characters.
const MAX_CHARS: usize = 300;

/// The headline to be written before the text; `None` if the text begins with it, if there is no text or no headline, or
/// if the options leave it out.
///
/// It is the page's `h1` that is a part of its title or the title a part of it, else the title.
pub(super) fn missing_title(document: &CleanDocument, options: &EmitOptions) -> Option<Segment> {
    if !options.title || document.segments.is_empty() {
        return None;
    }
    let title = document.metadata.title.as_deref()?.trim();
    let is_there = document.segments.iter().take(SEARCHED).any(|segment| {
        matches!(segment.kind, SegmentKind::Heading { level: 1 }) || is_one_in_the_other(&segment.text(), title)
    });
    if title.is_empty() || is_there {
        return None;
    }
    let is_headline = |path: &str| path.split('/').any(|tag| tag == "h1");
    let headline = document.targets.iter().enumerate().find(|(_, report)| {
        is_headline(&report.path)
            && report.text.chars().count() <= MAX_CHARS
            && is_one_in_the_other(&report.text, title)
    });
    let (index, text) = headline.map_or((0, title), |(index, report)| (index, report.text.as_str()));
    Some(plain_segment(SegmentKind::Heading { level: 1 }, text.to_owned(), index))
}

/// Whether one of two texts has the words of the other, and at least half as many letters.
fn is_one_in_the_other(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| {
        let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.to_lowercase()
    });
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && short.len() * 2 >= long.len() && long.contains(&short)
}

/// The segments of a document for a format that has the headline first and can show pictures.
pub(super) fn content<'a>(document: &'a CleanDocument, options: &EmitOptions) -> Cow<'a, [Segment]> {
    let title = missing_title(document, options);
    let mut pictures = document.pictures.iter().filter(|_| options.images).peekable();
    if title.is_none() && pictures.peek().is_none() {
        return Cow::Borrowed(&document.segments);
    }
    let mut segments: Vec<Segment> = title.into_iter().collect();
    for (index, segment) in document.segments.iter().enumerate() {
        while let Some((_, picture)) = pictures.next_if(|(next, _)| *next <= index) {
            segments.push(picture.clone());
        }
        segments.push(segment.clone());
    }
    segments.extend(pictures.map(|(_, picture)| picture.clone()));
    Cow::Owned(segments)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{empty, sample};
    use super::*;

    fn added(title: &str, change: impl Fn(&mut CleanDocument)) -> Option<String> {
        let mut document = sample();
        document.metadata.title = Some(title.into());
        change(&mut document);
        missing_title(&document, &EmitOptions::default()).map(|segment| segment.text())
    }

    #[test]
    fn a_headline_is_added_once() {
        let drop_headline = |document: &mut CleanDocument| drop(document.segments.remove(0));
        assert_eq!(added("Tea & <coffee>", |_| {}), None);
        assert_eq!(added("Something else", |_| {}), None);
        // The page's own headline is dropped, and the title names the site after it.
        assert_eq!(added("Tea & <coffee> | Site", drop_headline).as_deref(), Some("Tea & <coffee>"));
        assert_eq!(added("Cups and spoons", drop_headline).as_deref(), Some("Cups and spoons"));
        // The headline is kept, but not marked up.
        assert_eq!(added("1. No list, no heading", drop_headline), None);
        assert_eq!(added(" ", drop_headline), None);
        let mut without = sample();
        without.segments.remove(0);
        assert!(missing_title(&without, &EmitOptions { title: false, ..EmitOptions::default() }).is_none());
        let mut nothing = empty();
        nothing.metadata.title = Some("Tea".into());
        assert!(missing_title(&nothing, &EmitOptions::default()).is_none());
    }

    #[test]
    fn the_headline_stands_first_in_formats_for_readers() {
        let mut document = sample();
        document.segments.drain(..2);
        let written = |name| {
            let format = crate::emit::find(name).map(|format| format.write);
            format.map(|write| write(&document, &EmitOptions::default())).unwrap_or_default()
        };
        assert!(written("markdown").starts_with("# Tea & \\<coffee>\n\n1\\. no list"));
        assert!(written("tei").contains("<div>\n<head rend=\"h1\">Tea &amp; &lt;coffee&gt;</head>\n<p>1. no list"));
        assert!(written("html").contains("<body>\n<h1>Tea &amp; &lt;coffee&gt;</h1>\n"));
        assert!(written("text").starts_with("1. no list") && written("cleaneval").starts_with("<p>1. no list"));
    }
}
