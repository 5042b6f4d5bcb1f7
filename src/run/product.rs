//! What is stored for a page in the output of a run: its text, or a record of a container.

use super::store::{BlockRow, Blocks, Record};
use crate::capture::Capture;
use crate::clean::CleanDocument;
use crate::emit::{self, EmitOptions};
use crate::method::CleanedPage;
use crate::source::Page;

/// The result of a page, ready to be stored.
#[derive(Debug)]
pub enum Product {
    /// Its text; empty if there is none.
    Text(String),
    /// The complete record.
    Record(Box<Record>),
}

/// The record of a page; `blocks` is how much of the block table it holds.
pub(super) fn record(
    stem: &str,
    page: &Page,
    capture: &Capture,
    cleaned: CleanedPage,
    text: String,
    blocks: Blocks,
) -> Record {
    let document = &cleaned.document;
    let marked = if document.segments.is_empty() { String::new() } else { marked(document) };
    let table = Some(&cleaned.table).filter(|_| blocks == Blocks::Features);
    let columns = table.map(|table| table.columns.iter().map(ToString::to_string).collect());
    Record {
        id: stem.to_owned(),
        input: page.input.clone(),
        url: capture.address().map(str::to_owned).or_else(|| page.url.clone()),
        text,
        marked,
        rendered: capture.layout.is_some(),
        confidence: cleaned.confidence(),
        warnings: capture.record.warnings.texts(),
        columns: columns.unwrap_or_default(),
        blocks: (blocks != Blocks::None).then(|| BlockRow::from_document(document, table)),
        metadata: cleaned.document.metadata,
    }
}

/// The text with its paragraphs, headings and list items marked.
fn marked(document: &CleanDocument) -> String {
    let format = emit::find("cleaneval").expect("the format is in the table");
    (format.write)(document, &EmitOptions::default())
}

/// The same JSON document without white space between its tokens. Own code: a parsed value would lose the order of keys and
/// the digits of numbers.
pub(super) fn one_line_json(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for char in text.chars() {
        if in_string {
            in_string = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
        } else if char.is_ascii_whitespace() {
            continue;
        } else {
            in_string = char == '"';
        }
        line.push(char);
    }
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn json_is_put_on_one_line_without_touching_strings() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b c": " x \" \\ \n { } , y\\\\"});
        let line = one_line_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(line, serde_json::to_string(&value).unwrap());
    }
}
