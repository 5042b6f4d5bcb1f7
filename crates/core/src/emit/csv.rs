//! CSV (RFC 4180): a row with the column names, then a row with the metadata and text of a page.
//!
//! This is our own code: quoting a field takes one line, and the core of the library uses no crate
//! for it. Values are not changed, even if a spreadsheet would read them as formulas;
//! docs/guide/commands.md says so.

use super::format::EmitOptions;
use super::text::plain;
use crate::document::Document;

pub(super) const HEAD: &str =
    "id,url,title,date,date_source,author,language,text,comments,captured,input,state\n";

/// Writes `document` as two rows: the column names and the values. Comments get their own column if
/// they are kept apart from the text.
pub(super) fn write(document: &Document, _: &EmitOptions) -> String {
    let metadata = &document.metadata;
    let field = |value: &Option<String>| quoted(value.as_deref().unwrap_or(""));
    let comments = document
        .comments
        .as_ref()
        .map(|comments| plain(&comments.segments))
        .unwrap_or_default();
    let row = [
        field(&document.id),
        field(&metadata.url),
        field(&metadata.title),
        field(&metadata.date),
        quoted(metadata.date_source().unwrap_or("")),
        field(&metadata.author),
        field(&metadata.language),
        quoted(plain(&document.segments).trim_end_matches('\n')),
        quoted(comments.trim_end_matches('\n')),
        field(&document.provenance.captured),
        field(&document.provenance.input),
        document
            .state
            .as_ref()
            .map_or_else(String::new, |likely| likely.state.to_string()),
    ];
    format!("{HEAD}{}\n", row.join(","))
}

/// A field, in quotation marks if it needs them. NUL characters are left out, because readers take
/// them for the end of the text.
fn quoted(value: &str) -> String {
    let value = value.replace('\0', "");
    if value.contains(['"', ',', '\n', '\r']) || value.starts_with(' ') || value.ends_with(' ') {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::{empty, sample, with_comments};

    #[test]
    fn a_page_is_a_row() {
        let mut document = sample();
        document.id = Some("a-1".into());
        document.metadata.date = Some("2026-03-01".into());
        document
            .metadata
            .sources
            .insert("date".into(), "time".into());
        document.metadata.author = Some("Ann \"A\" Lee, Bo".into());
        document.segments.truncate(3);
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
id,url,title,date,date_source,author,language,text,comments,captured,input,state
a-1,,Tea & <coffee>,2026-03-01,time,"Ann ""A"" Lee, Bo",en,"Tea & <coffee>
One link strong and both, 2*3*4 snake_case [x] a`b.
1. no list # no heading",,,,
"###);
    }

    #[test]
    fn comments_have_a_column_and_an_empty_page_has_a_row() {
        assert_eq!(
            write(&empty(), &EmitOptions::default()),
            format!("{HEAD},,,,,,,,,,,\n")
        );
        let written = write(&with_comments(), &EmitOptions::default());
        assert!(
            written.ends_with(",,,,en,Tea & <coffee>,So <true>.,,,\n"),
            "{written}"
        );
    }
}
