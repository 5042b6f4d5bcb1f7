//! The product of a page that is stored in the output of a run: its text, or a record of a
//! container.

use super::corpus::{CorpusNote, Measured};
use super::store::{BlockRow, Blocks, PositionRow, Record};
use serde_json::Value;
use std::fmt::Write;
use std::time::{Duration, UNIX_EPOCH};
use vclean_core::capture::Capture;
use vclean_core::document::Document;
use vclean_core::emit::{self, Corpus, EmitOptions, Format, PostText};
use vclean_core::page::{Body, Page};
use vclean_core::pipeline::CleanedPage;

/// The result of a page, ready to be stored.
#[derive(Debug)]
pub enum Product {
    /// The text in the format of the run; empty if there is none.
    Text(String),
    /// The record for a container, complete.
    Record(Box<Record>),
    /// The page is not part of the output.
    Nothing,
    /// The cleaned page, if the filters of the run must decide on it first.
    Undecided(Box<Undecided>),
}

/// A cleaned page on which the filters of the run must decide.
#[derive(Debug)]
pub struct Undecided {
    /// The page, without its content.
    pub(super) page: Page,
    pub(super) captured: Captured,
    pub(super) cleaned: CleanedPage,
    pub(super) measured: Measured,
}

/// The facts about a capture that records hold.
#[derive(Debug)]
pub(super) struct Captured {
    /// Address of the page, if it is known.
    pub(super) address: Option<String>,
    /// When the page was captured or saved, if that is known, as in RFC 3339. The time of rendering
    /// is known for stored captures only: for other pages it would differ in every run.
    pub(super) date: Option<String>,
    is_rendered: bool,
    warnings: Vec<String>,
}

impl Captured {
    pub(super) fn new(page: &Page, capture: &Capture) -> Self {
        let of_capture = || {
            let seconds = capture.record.captured_at_s?;
            let is_stored = matches!(page.body, Body::Capture(_));
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
            is_stored.then(|| humantime::format_rfc3339_seconds(time).to_string())
        };
        let origin = &page.origin;
        let written = origin.record_date.as_ref().or(origin.captured.as_ref());
        Self {
            address: capture.address().map(str::to_owned),
            date: written.cloned().or_else(of_capture),
            is_rendered: capture.layout.is_some(),
            warnings: capture.record.warnings.texts(),
        }
    }
}

/// Takes the separated comments out of a document and writes them in the same format; `None` if
/// they are not separated, are written instead of the text, or are chunks among others.
pub fn take_comments(
    document: &mut Document,
    format: &Format,
    options: EmitOptions,
) -> Option<String> {
    let is_alone = document
        .comments
        .as_ref()
        .is_some_and(|comments| comments.is_alone);
    if is_alone || format.is_lines() {
        return None;
    }
    let alone = document.comments_alone()?;
    document.comments = None;
    Some(if alone.segments.is_empty() {
        String::new()
    } else {
        (format.write)(&alone, &options)
    })
}

/// The record of a page, with its text in a format; `blocks` is how much of the block table it
/// holds. Without `is_full`, the record is for a container of texts: its comments are in the text,
/// and it has no marked text.
pub(super) fn record(
    stem: &str,
    page: &Page,
    captured: Captured,
    mut cleaned: CleanedPage,
    (format, options): (&Format, &EmitOptions),
    blocks: Blocks,
    is_full: bool,
) -> Record {
    let positions = PositionRow::from_document(&cleaned.document);
    let comments = is_full
        .then(|| take_comments(&mut cleaned.document, format, *options))
        .flatten();
    let document = &cleaned.document;
    let text = (format.write)(document, options);
    let posts = if is_full {
        PostText::from_document(document, format, options)
    } else {
        Vec::new()
    };
    let marked = if is_full && !document.segments.is_empty() {
        marked(document)
    } else {
        String::new()
    };
    let table = Some(&cleaned.table).filter(|_| blocks == Blocks::Features);
    let columns = table.map(|table| table.columns.iter().map(ToString::to_string).collect());
    Record {
        id: stem.to_owned(),
        input: page.input.clone(),
        source_id: page.origin.id.clone(),
        record_id: page.origin.record_id.clone(),
        record_date: page.origin.record_date.clone(),
        captured: captured.date,
        url: captured.address.or_else(|| page.url.clone()),
        text,
        comments,
        posts,
        marked,
        page_kind: cleaned.document.kind,
        page_state: cleaned.document.state.clone(),
        rendered: captured.is_rendered,
        expected_f: cleaned.expected_f(),
        warnings: captured.warnings,
        corpus: None,
        columns: columns.unwrap_or_default(),
        blocks: (blocks != Blocks::None).then(|| BlockRow::from_document(document, table)),
        positions,
        metadata: cleaned.document.metadata,
    }
}

/// The text with its paragraphs, headings and list items marked.
fn marked(document: &Document) -> String {
    let format = emit::find("cleaneval").expect("the format is in the table");
    (format.write)(document, &EmitOptions::default())
}

/// A JSON document with members at its start that link it to its input (the name of the page, the
/// input, and the identifiers in it), and with the findings of the filters of the run.
pub(super) fn with_origin(
    json: &str,
    stem: &str,
    page: &Page,
    captured: Option<&str>,
    note: Option<&CorpusNote>,
) -> String {
    let origin = &page.origin;
    let text = |text: &Option<String>| text.clone().map(Value::from);
    let members = [
        ("id", Some(stem.into())),
        ("input", Some(page.input.as_str().into())),
        ("source_id", origin.id.clone()),
        ("record_id", text(&origin.record_id)),
        ("record_date", text(&origin.record_date)),
        ("captured", captured.map(Value::from)),
        (
            "corpus",
            note.and_then(|note| serde_json::to_value(note).ok()),
        ),
    ];
    let mut whole = "{".to_owned();
    for (name, value) in members {
        if let Some(value) = value {
            let _ = write!(whole, "\n  \"{name}\": {value},");
        }
    }
    whole.push_str(json.strip_prefix('{').expect("a document is an object"));
    whole
}

/// A document as it is written among others: JSON on one line, text after the name of its page, and
/// other formats without the head that is written once. An empty document stays empty.
pub(super) fn among_others(written: &str, format: &Format, name: &str) -> String {
    match format.corpus {
        _ if written.is_empty() => String::new(),
        Corpus::Lines => one_line_json(written),
        Corpus::Headed | Corpus::Separate => heading(name, format.media_type) + written,
        Corpus::Joined { .. } => format.corpus.without_head(written).to_owned(),
    }
}

/// A line that names a page among others on one stream, as in the output of `head` and `tail`, or
/// as a comment.
fn heading(name: &str, media_type: &str) -> String {
    let name: String = name
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect();
    if media_type.starts_with("text/plain") {
        format!("==> {name} <==\n")
    } else {
        // Two hyphens could end the comment.
        format!(
            "<!-- {} -->\n",
            name.replace("--", "- -").replace('>', "&gt;")
        )
    }
}

/// A JSON document without white space between its tokens. It is not parsed with a crate, because a
/// parsed value would lose the order of keys and the digits of numbers.
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
mod tests {
    use super::*;

    #[test]
    fn a_document_says_where_it_came_from() {
        let mut page = Page::new("pages.jsonl:7", Body::html("")).with_url("https://a.example/");
        page.origin.id = Some(serde_json::json!({"a": "\n"}));
        let whole = with_origin(
            "{\n  \"version\": 1\n}\n",
            "pages-7",
            &page,
            Some("2020-01-02"),
            None,
        );
        let read: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(
            (&read["id"], &read["input"]),
            (&"pages-7".into(), &"pages.jsonl:7".into())
        );
        assert_eq!(
            (&read["source_id"]["a"], &read["version"]),
            (&"\n".into(), &1.into())
        );
        assert!(read.get("record_id").is_none() && read["captured"] == "2020-01-02");
    }

    #[test]
    fn documents_among_others_have_their_head_once() {
        let format = |name| emit::find(name).unwrap();
        let csv = format("csv");
        assert_eq!(
            among_others(&format!("{}a,b\n", csv.corpus.head()), csv, "a.html"),
            "a,b\n"
        );
        assert_eq!(
            among_others("<doc/>\n", format("xml"), "a.html"),
            "<doc/>\n"
        );
        assert_eq!(among_others("{\n}\n", format("json"), "a.html"), "{}");
        assert_eq!(
            among_others("a\n", format("text"), "a.html"),
            "==> a.html <==\na\n"
        );
        assert_eq!(among_others("", format("text"), "a.html"), "");
        assert_eq!(
            (csv.corpus.separator(), format("text").corpus.separator()),
            ("", "\n")
        );
    }

    #[test]
    fn a_heading_is_one_line_and_ends_no_comment_early() {
        assert_eq!(
            heading("a\nb.html", "text/plain; charset=utf-8"),
            "==> a b.html <==\n"
        );
        assert_eq!(heading("a.html", "text/markdown"), "<!-- a.html -->\n");
        let hostile = heading("https://a.example/--><script>", "text/html");
        assert_eq!(hostile.matches("-->").count(), 1, "{hostile}");
    }

    #[test]
    fn json_is_put_on_one_line_without_touching_strings() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b c": " x \" \\ \n { } , y\\\\"});
        let line = one_line_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(line, serde_json::to_string(&value).unwrap());
    }
}
