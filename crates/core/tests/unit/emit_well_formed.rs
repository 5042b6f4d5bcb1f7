//! Every format of any document can be read by its readers, whatever the page contains.

use super::tests::empty;
use super::{EmitOptions, FORMATS, Format};
use crate::capture::DomBuilder;
use crate::document::{CommentPart, Document, Segment, SegmentKind, Span, Within};
use proptest::prelude::*;

/// Texts with markup of every format, control characters, and characters that change the direction
/// of text or break lines.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ a-c.?!\"',;<>&\\]\\[\\\\#*_`|=\\n\\r\\t-]{0,8}",
        "\\PC{0,4}",
        Just("]]>".to_owned()),
        Just("</doc></s><g/>".to_owned()),
        Just("<!--".to_owned()),
        Just("=cmd|'/c calc'!A1".to_owned()),
        Just("\u{0}\u{1}\u{b}\u{c}\u{1b}\u{1c}\u{1f}\u{7f}\u{85}\u{9f}".to_owned()),
        Just("\u{202e}\u{2066}\u{200f}\u{feff}\u{200b}\u{ad}".to_owned()),
        Just(
            "\u{2028}\u{2029}\u{fffd}\u{fffe}\u{ffff}\u{1fffe}\u{10ffff}\u{d7ff}\u{e000}"
                .to_owned()
        ),
        Just("Dr. \u{6d77}\u{3002}\u{e01} \u{1f469}\u{200d}\u{1f680}".to_owned()),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn kind() -> impl Strategy<Value = SegmentKind> {
    prop_oneof![
        Just(SegmentKind::Paragraph),
        Just(SegmentKind::Quote),
        (0u8..9).prop_map(|level| SegmentKind::Heading { level }),
        Just(SegmentKind::Term),
        any::<bool>().prop_map(|continues| SegmentKind::Definition { continues }),
        prop::option::weighted(0.5, 0u32..2).prop_map(|table| SegmentKind::Caption { table }),
        (
            0u8..4,
            prop::option::weighted(0.5, 0u32..3),
            any::<bool>(),
            prop::option::weighted(0.5, any::<bool>())
        )
            .prop_map(
                |(depth, number, continues, checked)| SegmentKind::ListItem {
                    depth,
                    number,
                    continues,
                    checked
                }
            ),
        prop::option::weighted(0.5, "[a-z+]{1,4}")
            .prop_map(|language| SegmentKind::Code { language }),
        (0u32..2, 0u32..3, 0u32..3, any::<bool>(), 1u32..4, 0u32..4).prop_map(
            |(table, row, column, is_header, row_span, column_span)| SegmentKind::TableCell {
                table,
                row,
                column,
                is_header,
                row_span,
                column_span
            }
        ),
    ]
}

fn segment() -> impl Strategy<Value = Segment> {
    let span = (hostile(), 0u8..16, hostile()).prop_map(|(text, flags, link)| Span {
        text,
        link: (flags & 8 != 0).then_some(link),
        is_code: flags & 1 != 0,
        is_strong: flags & 2 != 0,
        is_emphasis: flags & 4 != 0,
        ..Span::default()
    });
    (kind(), 0u8..3, 0u8..3, prop::collection::vec(span, 0..4)).prop_map(
        |(kind, quotes, items, spans)| {
            let segment = Segment::new(kind, spans, 0);
            let quotes = quotes.max(segment.within.quotes);
            Segment {
                within: Within { quotes, items },
                ..segment
            }
        },
    )
}

fn document() -> impl Strategy<Value = Document> {
    let segments = || prop::collection::vec(segment(), 0..8);
    let fields = prop::collection::vec(prop::option::weighted(0.5, hostile()), 8);
    (segments(), prop::option::weighted(0.5, segments()), fields).prop_map(
        |(segments, comments, mut fields)| {
            let mut document = Document {
                segments,
                ..empty()
            };
            let comments = comments.map(|segments| CommentPart {
                segments,
                records: Vec::new(),
                pruned: DomBuilder::new().finish(),
                is_alone: false,
            });
            document.comments = comments;
            if let Some(source) = fields[6].clone() {
                let kind = SegmentKind::Image {
                    source,
                    alternative: fields[7].clone().unwrap_or_default(),
                };
                document.pictures = vec![(1, Segment::new(kind, Vec::new(), 0))];
            }
            document.id = fields[0].take();
            let metadata = &mut document.metadata;
            metadata.title = fields[1].take();
            metadata.author = fields[2].take();
            metadata.date = fields[3].take();
            metadata.language = fields[4].take();
            metadata.site = fields[5].take();
            metadata.license = fields[6].clone();
            metadata.tags.extend(fields[1].clone());
            metadata.url = fields[6].take();
            metadata.description = fields[7].take();
            document
        },
    )
}

/// All texts of a document, without white space and characters that no format has to keep.
fn letters<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts
        .into_iter()
        .flat_map(str::chars)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

fn check_xml(written: &str, document: &Document) {
    let read = roxmltree::Document::parse(written).expect(written);
    let body = read
        .descendants()
        .find(|node| matches!(node.tag_name().name(), "main" | "body"))
        .expect("a text");
    let texts: Vec<String> = document.segments.iter().map(Segment::text).collect();
    let is_description =
        |node: &roxmltree::Node<'_, '_>| node.parent().is_some_and(|up| up.has_tag_name("figDesc"));
    let texts_in_body = body
        .descendants()
        .filter(|node| node.is_text() && !is_description(node));
    let kept = letters(texts_in_body.filter_map(|node| node.text()));
    // TEI puts the comments into the same element, after the text.
    assert!(
        kept.contains(&letters(texts.iter().map(String::as_str))),
        "{written}"
    );
}

fn check_vertical(written: &str) {
    check_vertical_lines(written);
    roxmltree::Document::parse(written).expect(written);
}

fn check_vertical_lines(written: &str) {
    let mut open: Vec<&str> = Vec::new();
    for line in written
        .strip_suffix('\n')
        .expect("a last line break")
        .split('\n')
    {
        assert!(
            !line.is_empty() && !line.contains(['\r', '\t', '\u{85}', '\u{2028}']),
            "{written:?}"
        );
        let Some(tag) = line.strip_prefix('<') else {
            assert!(
                !line.contains(['<', '>', ' ']) && open.last() == Some(&"s"),
                "{written:?}"
            );
            continue;
        };
        assert_eq!(line.matches(['<', '>']).count(), 2, "{line}");
        match (tag.strip_prefix('/'), tag) {
            (_, "g/>") => assert_eq!(open.last(), Some(&"s")),
            (Some(name), _) => assert_eq!(open.pop(), name.strip_suffix('>')),
            _ => open.push(tag.split([' ', '>']).next().unwrap_or_default()),
        }
    }
    assert!(open.is_empty());
}

fn check_conllu(written: &str) {
    assert!(
        written.is_empty() || written.ends_with("\n\n") && written.starts_with("# newdoc"),
        "{written}"
    );
    for sentence in written
        .split("\n\n")
        .filter(|sentence| !sentence.is_empty())
    {
        let text = sentence
            .lines()
            .find_map(|line| line.strip_prefix("# text = "));
        let mut joined = String::new();
        for (index, line) in sentence
            .split('\n')
            .filter(|line| !line.starts_with("# "))
            .enumerate()
        {
            let columns: Vec<&str> = line.split('\t').collect();
            assert!(
                columns.len() == 10 && columns.iter().all(|column| !column.is_empty()),
                "{line:?}"
            );
            assert_eq!(columns[0], (index + 1).to_string());
            joined.push_str(columns[1]);
            joined.push_str(if columns[9] == "_" { " " } else { "" });
        }
        assert_eq!(joined.trim_end(), text.unwrap_or_default(), "{sentence:?}");
    }
}

fn check_csv(written: &str) {
    let mut reader = ::csv::Reader::from_reader(written.as_bytes());
    let rows: Vec<::csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect(written);
    assert!(rows.len() == 1 && rows[0].len() == 12, "{rows:?}");
}

/// Checks that two documents in one file are as well-formed as one.
fn check_corpus(format: &Format, written: &str) {
    let corpus = format.corpus;
    let document = corpus.without_head(written);
    let whole = [
        corpus.head(),
        document,
        corpus.separator(),
        document,
        corpus.foot(),
    ]
    .concat();
    match format.name {
        "xml" | "tei" => {
            let read = roxmltree::Document::parse(&whole).expect(&whole);
            let is_document =
                |node: &roxmltree::Node<'_, '_>| matches!(node.tag_name().name(), "TEI" | "doc");
            assert_eq!(
                read.root_element().children().filter(is_document).count(),
                2,
                "{whole}"
            );
        }
        "vertical" => check_vertical_lines(&whole),
        "conllu" => check_conllu(&whole),
        "csv" => assert_eq!(
            ::csv::Reader::from_reader(whole.as_bytes())
                .records()
                .flatten()
                .count(),
            2,
            "{whole}"
        ),
        _ => {}
    }
}

/// Reads a document in each format with a reader for that format.
fn check(document: &Document, options: &EmitOptions) {
    for format in FORMATS {
        let written = (format.write)(document, options);
        check_corpus(format, &written);
        match format.name {
            "xml" | "tei" => check_xml(&written, document),
            "vertical" => check_vertical(&written),
            "conllu" => check_conllu(&written),
            "csv" => check_csv(&written),
            "json" => drop(serde_json::from_str::<serde_json::Value>(&written).expect(&written)),
            _ => assert!(
                written.is_empty() || written.ends_with('\n'),
                "{}",
                format.name
            ),
        }
    }
}

#[test]
fn an_empty_page_is_a_document_of_every_format() {
    check(&empty(), &EmitOptions::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn any_document_is_well_formed_in_every_format(document in document(), links: bool, images: bool) {
        check(&document, &EmitOptions { links, images, ..EmitOptions::default() });
    }
}
