//! Writes a [`Document`](crate::document::Document) in one of the formats; the output is
//! deterministic.
//!
//! To add a format, add a file and a line in [`FORMATS`].

// All writers have the same signature, and there may be more options later.
#![allow(clippy::trivially_copy_pass_by_ref)]

mod abbreviations;
mod blocks;
mod chunk_units;
mod chunks;
#[cfg(test)]
#[path = "../../tests/unit/emit_chunks.rs"]
mod chunks_of_pages;
mod cleaneval;
mod conllu;
mod csv;
mod format;
mod html;
mod json;
mod markdown;
mod markdown_inline;
#[cfg(test)]
#[path = "../../tests/unit/emit_markdown_read_back.rs"]
mod markdown_read_back;
mod markdown_table;
mod place;
mod post_text;
mod posts;
mod sentences;
mod tei;
mod text;
mod text_fragment;
mod tokens;
mod vertical;
#[cfg(test)]
#[path = "../../tests/unit/emit_well_formed.rs"]
mod well_formed;
mod xml;
mod xml_writer;

pub use chunk_units::ChunkKind;
pub use chunks::{Chunk, chunk_words};
pub use format::{ChunkOptions, Corpus, EmitOptions, Format};
pub use markdown::front_matter;
pub use post_text::PostText;

use std::path::Path;

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[
    Format {
        name: "text",
        extension: "txt",
        other_extensions: &[],
        media_type: "text/plain; charset=utf-8",
        is_json: false,
        is_text_alone: true,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::Headed,
        doc: "plain text, one block a line, or several where the page breaks its lines; a table row is a line with tabs between its cells, code keeps its lines",
        write: text::write,
    },
    Format {
        name: "cleaneval",
        extension: "txt",
        other_extensions: &[],
        media_type: "text/plain; charset=utf-8",
        is_json: false,
        is_text_alone: true,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::Headed,
        doc: "plain text with <p>, <h> or <l> before each paragraph, heading and list item, as in CLEANEVAL",
        write: cleaneval::write,
    },
    Format {
        name: "markdown",
        extension: "md",
        other_extensions: &[],
        media_type: "text/markdown; charset=utf-8",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: true,
        takes_metadata: true,
        corpus: Corpus::Headed,
        doc: "Markdown (CommonMark with tables): headings, lists, tables, quotes, code, emphasis, and links if asked for",
        write: markdown::write,
    },
    Format {
        name: "html",
        extension: "html",
        other_extensions: &[],
        media_type: "text/html; charset=utf-8",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: true,
        takes_metadata: true,
        corpus: Corpus::Separate,
        doc: "a small HTML document: the page's own elements around the kept text, without scripts and styles, and links if asked for",
        write: html::write,
    },
    Format {
        name: "json",
        extension: "json",
        other_extensions: &[],
        media_type: "application/json",
        is_json: true,
        is_text_alone: false,
        holds_reasons: true,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::Lines,
        doc: "JSON: metadata, segments, and every block with label, probability, margin, box, path and reasons",
        write: json::write,
    },
    Format {
        name: "chunks",
        extension: "jsonl",
        other_extensions: &[],
        media_type: format::JSON_LINES,
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::BARE,
        doc: "JSON lines: pieces of the text for search indexes and language models, each with the headings above it, its position, its number of words and an address that leads to it",
        write: chunks::write,
    },
    Format {
        name: "xml",
        extension: "xml",
        other_extensions: &[],
        media_type: "application/xml",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: true,
        takes_metadata: false,
        corpus: xml::CORPUS,
        doc: "simple XML as trafilatura writes it: doc with the metadata, main with head, p, list, table, quote and code, comments",
        write: xml::write,
    },
    Format {
        name: "tei",
        extension: "xml",
        other_extensions: &["tei"],
        media_type: "application/tei+xml",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: true,
        takes_metadata: false,
        corpus: tei::CORPUS,
        doc: "TEI P5: a header with title, author, source, date and language, and a div for the part under each heading",
        write: tei::write,
    },
    Format {
        name: "vertical",
        extension: "vert",
        other_extensions: &["vrt"],
        media_type: "text/plain; charset=utf-8",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::BARE,
        doc: "one token a line with doc, p, s and g, as Sketch Engine, NoSketch Engine and the Corpus Workbench read it",
        write: vertical::write,
    },
    Format {
        name: "conllu",
        extension: "conllu",
        other_extensions: &[],
        media_type: "text/plain; charset=utf-8",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::BARE,
        doc: "CoNLL-U: documents, paragraphs, sentences and tokens; the columns of the annotation are empty",
        write: conllu::write,
    },
    Format {
        name: "csv",
        extension: "csv",
        other_extensions: &[],
        media_type: "text/csv; charset=utf-8",
        is_json: false,
        is_text_alone: false,
        holds_reasons: false,
        has_links: false,
        takes_metadata: false,
        corpus: Corpus::Joined {
            head: csv::HEAD,
            foot: "",
            may_be_empty: true,
        },
        doc: "CSV: a row a page with id, url, title, date, author, language, text, comments, date of the capture and input",
        write: csv::write,
    },
];

/// The format with this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format whose files have the extension of `path`, ignoring case; the first one if there are
/// several.
pub fn find_by_ending(path: &Path) -> Option<&'static Format> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    FORMATS.iter().find(|format| format.has_extension(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder};
    use crate::classify::{Decision, Label, Reason};
    use crate::document::{
        Callout, CommentPart, Document, Metadata, Post, PostRole, Segment, SegmentKind, Span,
        TargetReport, Within,
    };

    fn plain(kind: SegmentKind, text: &str) -> Segment {
        Segment::new(
            kind,
            vec![Span {
                text: text.into(),
                ..Span::default()
            }],
            0,
        )
    }

    fn item(depth: u8, number: Option<u32>, continues: bool, text: &str) -> Segment {
        plain(
            SegmentKind::ListItem {
                depth,
                number,
                continues,
                checked: None,
            },
            text,
        )
    }

    fn cell(row: u32, column: u32, is_header: bool, text: &str) -> Segment {
        plain(
            SegmentKind::TableCell {
                table: 0,
                row,
                column,
                is_header,
                row_span: 1,
                column_span: 1,
            },
            text,
        )
    }

    /// A document with one segment of every kind.
    pub(super) fn sample() -> Document {
        let mut builder = DomBuilder::new();
        builder.open("html", vec![]);
        builder.open("body", vec![]);
        builder.open("h1", vec![]);
        builder.text("Tea & <coffee>");
        builder.close();
        builder.open("p", vec![("lang".into(), "en".into())]);
        builder.text("One ");
        builder.open(
            "a",
            vec![("href".into(), "https://a.example/?a=1&b=\"2\"".into())],
        );
        builder.text("link");
        builder.close();
        builder.open("br", vec![]);
        builder.close();
        builder.open(
            "img",
            vec![
                ("src".into(), "https://a.example/i.png".into()),
                ("alt".into(), "".into()),
            ],
        );
        builder.close();
        builder.close();
        builder.open("pre", vec![]);
        builder.text("\n\n  code");
        builder.close();
        let span = |text: &str| Span {
            text: text.into(),
            ..Span::default()
        };
        let segments = vec![
            plain(SegmentKind::Heading { level: 1 }, "Tea & <coffee>"),
            Segment::new(
                SegmentKind::Paragraph,
                vec![
                    span("One"),
                    Span {
                        text: " link".into(),
                        link: Some("https://a.example/x y".into()),
                        ..Span::default()
                    },
                    Span {
                        text: " strong".into(),
                        is_strong: true,
                        ..Span::default()
                    },
                    Span {
                        text: " and both".into(),
                        is_strong: true,
                        is_emphasis: true,
                        ..Span::default()
                    },
                    span(", 2*3*4 snake_case [x] "),
                    Span {
                        text: "a`b".into(),
                        is_code: true,
                        ..Span::default()
                    },
                    span("."),
                ],
                1,
            ),
            plain(SegmentKind::Paragraph, "1. no list # no heading"),
            item(0, Some(3), false, "three"),
            item(1, None, false, "inner"),
            item(0, Some(4), false, "four"),
            item(0, Some(4), true, "more of four"),
            plain(SegmentKind::Quote, "quoted"),
            cell(0, 0, true, "Name"),
            cell(0, 1, true, "A|B"),
            cell(1, 0, false, "Ann"),
            cell(1, 0, false, "Lee"),
            cell(2, 1, false, "5"),
            plain(
                SegmentKind::Code {
                    language: Some("rust".into()),
                },
                "fn main() {\n\n    ```\n}",
            ),
        ];
        let targets = vec![TargetReport {
            decision: Decision {
                margin: 1.5,
                probability: 0.875,
                label: Label::Content,
                comments: None,
            },
            rect: Some(CssRect {
                x: 1.0,
                y: 2.0,
                width: 3.0,
                height: 4.5,
            }),
            path: "html/body/h1".into(),
            text: "Tea & <coffee>".into(),
            reasons: vec![Reason {
                feature: "structural.depth".into(),
                value: 3.0,
                weight: 0.25,
            }],
        }];
        let metadata = Metadata {
            title: Some("Tea & <coffee>".into()),
            language: Some("en".into()),
            ..Metadata::default()
        };
        Document::new(metadata, segments, targets, builder.finish())
    }

    /// A document with separate comments.
    pub(super) fn with_comments() -> Document {
        let mut builder = DomBuilder::new();
        builder.open("p", vec![]);
        builder.text("So <true>.");
        let segments = vec![plain(SegmentKind::Paragraph, "So <true>.")];
        let author = Some("Ann & Bo".to_owned());
        let date = Some("2021-05-03".to_owned());
        let records = vec![Post {
            role: PostRole::Comment,
            author,
            date,
            segments: 0..1,
            ..Post::default()
        }];
        let mut document = sample();
        document.segments.truncate(1);
        document.comments = Some(CommentPart {
            segments,
            records,
            pruned: builder.finish(),
            is_alone: false,
        });
        document
    }

    /// A callout in a list item, two callouts after the list, and a quotation.
    pub(super) fn with_callouts() -> Document {
        let segment = |kind, text: &str, (quotes, items), callout| Segment {
            within: Within { quotes, items },
            callout,
            ..plain(kind, text)
        };
        let item = SegmentKind::ListItem {
            depth: 0,
            number: None,
            continues: false,
            checked: None,
        };
        let paragraph = SegmentKind::Paragraph;
        let mut document = empty();
        document.segments = vec![
            segment(paragraph.clone(), "Tea", (0, 0), None),
            segment(item, "one", (0, 0), None),
            segment(paragraph.clone(), "Of one.", (1, 1), Some(Callout::Note)),
            segment(paragraph.clone(), "Hot", (1, 0), Some(Callout::Warning)),
            segment(paragraph.clone(), "It burns.", (1, 0), None),
            segment(paragraph.clone(), "Wait.", (1, 0), Some(Callout::Tip)),
            segment(paragraph, "So.", (0, 0), None),
            segment(SegmentKind::Quote, "Said.", (1, 0), None),
        ];
        document
    }

    /// A thread with a headline, a question, and its accepted answer.
    pub(super) fn thread() -> Document {
        let mut document = empty();
        document.segments = vec![
            plain(SegmentKind::Heading { level: 1 }, "How do gulls eat?"),
            plain(SegmentKind::Paragraph, "They drop shells. Why?"),
            plain(SegmentKind::Quote, "Why?"),
            plain(SegmentKind::Paragraph, "To break them."),
        ];
        let question = Post {
            role: PostRole::Question,
            author: Some("Ann & Bo".into()),
            date: Some("2021-05-03T10:00:00Z".into()),
            url: Some("https://a.example/q?a=1&b=2".into()),
            segments: 1..2,
            ..Post::default()
        };
        let answer = Post {
            role: PostRole::Answer,
            is_accepted: true,
            author: Some("Cy_1".into()),
            date: Some("2 days ago".into()),
            parent: Some(0),
            votes: Some(-3),
            segments: 2..4,
            ..Post::default()
        };
        document.posts = vec![question, answer];
        document
    }

    #[test]
    fn the_source_of_the_date_is_beside_the_date() {
        let mut document = sample();
        document.metadata.date = Some("2026-03-01".into());
        document
            .metadata
            .sources
            .insert("date".into(), "json-ld".into());
        let options = EmitOptions {
            metadata: true,
            ..EmitOptions::default()
        };
        for format in FORMATS {
            let written = (format.write)(&document, &options);
            assert_eq!(
                written.contains("2026-03-01"),
                written.contains("json-ld"),
                "{}: {written}",
                format.name
            );
        }
        let markdown = (find("markdown").unwrap().write)(&document, &options);
        assert!(
            markdown.contains("date: \"2026-03-01\"\ndate_source: \"json-ld\"\n"),
            "{markdown}"
        );
    }

    #[test]
    fn posts_have_their_bylines_and_keep_their_text() {
        let written = |document: &Document, name| {
            (find(name).unwrap().write)(document, &EmitOptions::default())
        };
        let document = thread();
        let markdown = "# How do gulls eat?\n\n**Ann & Bo**, 2021-05-03T10:00:00Z (question)\n\nThey drop shells. Why?\n\n\
            **Cy_1**, 2 days ago (accepted answer to Ann & Bo, \u{2212}3 votes)\n\n> Why?\n\nTo break them.\n";
        assert_eq!(written(&document, "markdown"), markdown);
        let plain = Document {
            posts: Vec::new(),
            ..document.clone()
        };
        for format in FORMATS
            .iter()
            .filter(|format| !["markdown", "tei", "json", "chunks"].contains(&format.name))
        {
            assert_eq!(
                written(&document, format.name),
                written(&plain, format.name),
                "{}",
                format.name
            );
        }
        let json: serde_json::Value = serde_json::from_str(&written(&document, "json")).unwrap();
        assert_eq!(json["posts"][1]["text"], "Why?\nTo break them.");
        assert_eq!(
            (&json["posts"][1]["parent"], &json["posts"][1]["accepted"]),
            (&0.into(), &true.into())
        );
        // Segments that are left out of the text are also left out of the posts.
        let mut less = document;
        less.leave_out(&[0, 1]);
        assert_eq!(less.posts[1].segments, 0..2);
        assert!(written(&less, "markdown").starts_with("**Cy"));
    }

    #[test]
    fn separated_comments_are_in_a_part_of_their_own() {
        let written = |document: &Document, name| {
            (find(name).unwrap().write)(document, &EmitOptions::default())
        };
        let document = with_comments();
        assert_eq!(
            written(&document, "text"),
            "Tea & <coffee>\n\nComments\nSo <true>.\n"
        );
        assert_eq!(
            written(&document, "cleaneval"),
            "<h>Tea & <coffee>\n<h>Comments\n<p>So <true>.\n"
        );
        assert!(written(&document, "markdown").ends_with("\n\n## Comments\n\nSo \\<true>.\n"));
        let html = written(&document, "html");
        assert!(
            html.ends_with("<section class=\"comments\">\n<p>So &lt;true&gt;.</p>\n</section>\n</body>\n</html>\n"),
            "{html}"
        );
        let json: serde_json::Value = serde_json::from_str(&written(&document, "json")).unwrap();
        assert_eq!(
            (
                &json["comments"][0]["text"],
                json["segments"].as_array().unwrap().len()
            ),
            (&"So <true>.".into(), 1)
        );

        // Separating comments changes no text if the page has none.
        let mut without = sample();
        let before: Vec<String> = FORMATS
            .iter()
            .map(|format| written(&without, format.name))
            .collect();
        without.comments = Some(CommentPart {
            segments: vec![],
            records: vec![],
            pruned: DomBuilder::new().finish(),
            is_alone: false,
        });
        for (format, before) in FORMATS.iter().zip(before) {
            let after = written(&without, format.name);
            assert_eq!(after == before, !format.is_json, "{}", format.name);
        }
        let mut only = with_comments();
        only.segments.clear();
        assert_eq!(written(&only, "text"), "Comments\nSo <true>.\n");
        if let Some(part) = &mut only.comments {
            part.is_alone = true;
        }
        assert_eq!(written(&only, "text"), "So <true>.\n");
        assert_eq!(written(&only, "markdown"), "So \\<true>.\n");
    }

    pub(super) fn empty() -> Document {
        Document::new(
            Metadata::default(),
            vec![],
            vec![],
            DomBuilder::new().finish(),
        )
    }

    #[test]
    fn every_format_is_described_and_ends_its_last_line() {
        for format in FORMATS {
            assert!(find(format.name).is_some_and(|found| found.extension == format.extension));
            assert!(!format.doc.is_empty());
            let written = (format.write)(&sample(), &EmitOptions::default());
            // Each sentence of CoNLL-U ends with an empty line.
            let end = if format.name == "conllu" {
                "\n\n"
            } else {
                "\n"
            };
            assert!(
                written.ends_with(end) && !written.ends_with(&format!("\n{end}")),
                "{}",
                format.name
            );
            assert_eq!(written, (format.write)(&sample(), &EmitOptions::default()));
        }
        assert!(find("pdf").is_none());
    }

    #[test]
    fn an_empty_document_is_empty_text() {
        for name in ["text", "cleaneval", "markdown"] {
            assert_eq!(
                (find(name).unwrap().write)(&empty(), &EmitOptions::default()),
                ""
            );
        }
    }
}
