//! Tests of the Markdown writer with a parser of CommonMark: any text is read back as the same text, in one block.

use super::format::EmitOptions;
use super::markdown::write;
use super::tests::empty;
use crate::clean::{Segment, SegmentKind, Span};
use crate::text::collapse;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// The blocks that a parser of CommonMark reads, each with its text on one line; tags of formatting are left out.
fn read_back(markdown: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::HardBreak => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push('\n');
                }
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. }) | Event::End(_) => {}
            Event::Start(tag) => {
                let tag = format!("{tag:?}");
                let name = tag.split([' ', '(', '{']).next().unwrap_or_default();
                blocks.push((name.to_owned(), String::new()));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push_str(&text);
                }
            }
            other => blocks.push((format!("{other:?}"), String::new())),
        }
    }
    for (_, text) in &mut blocks {
        *text = collapse(text);
    }
    blocks
}

fn assert_read_back(spans: &[Span], links: bool) {
    let text = collapse(&spans.iter().map(|span| span.text.as_str()).collect::<String>());
    if text.is_empty() {
        return;
    }
    let item = SegmentKind::ListItem { depth: 0, number: None, continues: false, checked: None };
    let cases: [(SegmentKind, &[&str]); 4] = [
        (SegmentKind::Paragraph, &["Paragraph"]),
        (SegmentKind::Heading { level: 2 }, &["Heading"]),
        (SegmentKind::Quote, &["BlockQuote", "Paragraph"]),
        (item, &["List", "Item"]),
    ];
    for (kind, expected) in cases {
        let mut document = empty();
        document.segments = vec![Segment::new(kind, spans.to_vec(), 0)];
        let markdown = write(&document, &EmitOptions { links, ..EmitOptions::default() });
        let mut blocks: Vec<(String, String)> = expected.iter().map(|&name| (name.to_owned(), String::new())).collect();
        if let Some((_, last)) = blocks.last_mut() {
            last.clone_from(&text);
        }
        assert_eq!(read_back(&markdown), blocks, "{markdown:?}");
    }
}

#[test]
fn text_that_looks_like_markup_is_read_back_as_text() {
    for text in [
        "* x",
        "- x",
        "+ x",
        "*",
        "-",
        "+",
        "1. x",
        "2) x",
        "1.",
        "# x",
        "####### x",
        "#",
        "x #",
        "x \\#",
        "> x",
        ">",
        "=",
        "===",
        "---",
        "- - -",
        "***",
        "* * *",
        "___",
        "_ _ _",
        "```",
        "~~~",
        "~~~ x",
        "`x`",
        "``",
        "[x]: y",
        "[x]: <y> 'z'",
        "[x](y)",
        "![x](y)",
        "[^1]: x",
        "[ ] x",
        "<p>x</p>",
        "<!-- x",
        "<?x?>",
        "<https://a.example>",
        "| a | b |",
        "|---|---|",
        "a | b",
        "&amp;",
        "&#65;",
        "&copy;",
        "\\",
        "\\* x",
        "x\\",
        "*x*",
        "**x**",
        "_x_",
        "__x__",
        "a*b*c",
        "x *",
        "* x *",
        "a_b_c",
        "~x~",
        "~~x~~",
        "    x",
        "\tx",
        "x!",
        "$x$",
        ":::",
        "^x^",
        "x  \ny",
        "http://a.example/_x_",
    ] {
        assert_read_back(&[Span { text: text.to_owned(), ..Span::default() }], false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn any_formatted_text_is_read_back_with_the_same_text(
        parts in prop::collection::vec(
            ("([-+*_#>=|`~!<&\\[\\](){}.:;$^\\\\ \\t]|[0-9]{1,2}|[a-b]|amp;|\u{e9}|\u{a0}){0,6}", 0u8..16),
            1..5
        ),
        links: bool,
    ) {
        let spans = parts.into_iter().map(|(text, flags)| Span {
            text,
            link: (flags & 8 != 0).then(|| "https://a.example/(x)?a=b\\".to_owned()),
            is_code: flags & 1 != 0,
            is_strong: flags & 2 != 0,
            is_emphasis: flags & 4 != 0,
            ..Span::default()
        });
        assert_read_back(&spans.collect::<Vec<_>>(), links);
    }
}
