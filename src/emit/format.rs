//! A format of the output, and what a user can choose about it.

use crate::clean::CleanDocument;

/// What a user can choose about the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmitOptions {
    /// Whether Markdown keeps the links of the text.
    pub links: bool,
}

/// A way to write a document.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Extension of its files, without the dot.
    pub extension: &'static str,
    /// Media type of its files.
    pub media_type: &'static str,
    /// Whether it is a JSON document; several go on a line each.
    pub is_json: bool,
    /// Whether it holds the reasons of the decisions, which then have to be worked out.
    pub holds_reasons: bool,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Writes a document as UTF-8; what is not empty ends with a line break.
    pub write: fn(&CleanDocument, &EmitOptions) -> String,
}
