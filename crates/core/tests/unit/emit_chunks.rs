//! Tests of chunks on made pages, and on random ones.

use super::chunk_units::{ChunkKind, divide};
use super::chunks::{Chunk, chunk_words};
use super::{ChunkOptions, EmitOptions, find};
use crate::capture::{Capture, Record};
use crate::classify::{Decision, Label};
use crate::document::{Document, Post, PostRole, prune};
use crate::html::parse_html;
use crate::target::{TargetRule, select};
use proptest::prelude::*;
use std::ops::Range;

/// A document that keeps all text of a page, with its positions.
fn document(html: &str) -> Document {
    let record = Record::parsed("x", Some("https://a.example/d#top".into()));
    let capture = Capture::parsed(parse_html(html), record);
    let targets = select(&capture, TargetRule::Blocks);
    let kept = Decision {
        margin: 1.0,
        probability: 1.0,
        label: Label::Content,
        comments: None,
    };
    let mut document = prune(&capture, &targets, &vec![kept; targets.len()], Vec::new());
    document.locate(&capture, &targets);
    document
}

fn sizes(size: usize, overlap: usize) -> ChunkOptions {
    ChunkOptions { size, overlap }
}

fn texts(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.text.as_str()).collect()
}

const GULLS: &str = "<h1>Gulls</h1><p>Gulls live by the sea. They eat mussels and fish.</p>\
    <h2>Food</h2><p>They drop mussels on rocks. The shells break there.</p>\
    <h2>Young</h2><p>The young are brown.</p>";

#[test]
fn a_section_is_a_chunk_with_the_headings_above_it() {
    let chunks = document(GULLS).chunks(sizes(12, 0));
    let found: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.text.as_str(), chunk.headings.join(" > "), chunk.words))
        .collect();
    assert_eq!(
        found,
        [
            (
                "Gulls\nGulls live by the sea. They eat mussels and fish.",
                "Gulls".to_owned(),
                11
            ),
            (
                "Food\nThey drop mussels on rocks. The shells break there.",
                "Gulls > Food".to_owned(),
                10
            ),
            ("Young\nThe young are brown.", "Gulls > Young".to_owned(), 5),
        ]
    );
    assert_eq!(chunks[1].xpath.as_deref(), Some("/html[1]/body[1]"));
    let url = "https://a.example/d#top:~:text=Food,shells%20break%20there%2E";
    let expected = url.replace("shells", "The%20shells");
    assert_eq!(chunks[1].url.as_deref(), Some(expected.as_str()));
}

#[test]
fn short_sections_are_joined_under_their_common_headings() {
    let chunks = document(GULLS).chunks(sizes(100, 0));
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].headings, ["Gulls"]);
    assert_eq!(chunks[0].kind, ChunkKind::Text);
    assert_eq!((chunks[0].start, chunks[0].index), (0, 0));
}

#[test]
fn long_paragraphs_are_divided_between_sentences_and_repeat_some() {
    let html = "<p>One is here. Two is here. Three is here. Four is here.</p>";
    let document = document(html);
    let divided = document.chunks(sizes(6, 0));
    assert_eq!(
        texts(&divided),
        ["One is here. Two is here.", "Three is here. Four is here."]
    );
    let repeated = document.chunks(sizes(6, 3));
    assert_eq!(
        texts(&repeated),
        [
            "One is here. Two is here.",
            "Two is here. Three is here.",
            "Three is here. Four is here."
        ]
    );
    assert_eq!(repeated[1].repeated, "Two is here. ".len());
    assert_eq!(repeated[1].start, "One is here. Two is here. ".len());
}

#[test]
fn tables_are_together_or_repeat_their_header_rows() {
    let html = "<p>Before it all.</p><table><tr><th>Bird<th>Eggs<tr><td>Gull<td>3<tr><td>Tern<td>2\
                <tr><td>Skua<td>2</table>";
    let document = document(html);
    assert_eq!(
        texts(&document.chunks(sizes(8, 0))),
        ["Before it all.", "Bird\tEggs\nGull\t3\nTern\t2\nSkua\t2"]
    );
    let parts = document.chunks(sizes(6, 0));
    assert_eq!(
        texts(&parts),
        [
            "Before it all.",
            "Bird\tEggs\nGull\t3\nTern\t2",
            "Bird\tEggs\nSkua\t2"
        ]
    );
    assert!(
        parts[1..]
            .iter()
            .all(|chunk| chunk.kind == ChunkKind::Table)
    );
    assert_eq!(parts[2].repeated, "Bird\tEggs\n".len());
}

#[test]
fn code_and_formulas_are_never_divided() {
    let html = "<p>First words here.</p><pre>let a = 1;\nlet b = 2;\nlet c = 3;</pre>\
        <p>So <math><mi>a</mi><mo>.</mo><mi>B</mi></math> is a product. It is small.</p>";
    let chunks = document(html).chunks(sizes(4, 0));
    let code = &chunks[1];
    assert_eq!((code.kind, code.text.lines().count()), (ChunkKind::Code, 3));
    assert!(code.words > 4);
    assert_eq!(chunks.last().unwrap().text, "It is small.");
}

#[test]
fn a_chunk_is_of_one_post_with_its_author() {
    let mut document = document("<h1>Gulls</h1><p>Is it so?</p><p>It is.</p><p>Thank you.</p>");
    let post = |segments: Range<usize>, author: &str| Post {
        role: PostRole::Post,
        is_accepted: false,
        author: Some(author.into()),
        date: Some("2026-01-02".into()),
        url: None,
        parent: None,
        votes: None,
        segments,
    };
    document.posts = vec![post(1..2, "Ann"), post(2..3, "Bo"), post(3..4, "Ann")];
    let chunks = document.chunks(ChunkOptions::default());
    let found: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.text.as_str(), chunk.author.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("Gulls\nIs it so?", Some("Ann")),
            ("It is.", Some("Bo")),
            ("Thank you.", Some("Ann"))
        ]
    );
}

#[test]
fn comments_are_chunks_of_their_own() {
    let document = super::tests::with_comments();
    let chunks = document.chunks(ChunkOptions::default());
    let last = chunks.last().unwrap();
    assert_eq!(
        (last.kind, last.text.as_str()),
        (ChunkKind::Comment, "So <true>.")
    );
}

#[test]
fn words_of_scripts_without_spaces_are_counted_by_their_letters() {
    assert_eq!(chunk_words("one two, three – 4"), 5);
    assert_eq!(chunk_words("海鸥把贻贝扔到岩石上"), 7);
    assert_eq!(chunk_words(" "), 0);
}

#[test]
fn sizes_are_those_of_the_own_counter() {
    let document = document(GULLS);
    let chunks = document.chunks_by(sizes(40, 0), str::len);
    assert!(
        chunks.iter().all(|chunk| chunk.text.len() <= 40),
        "{chunks:?}"
    );
    assert!(chunks.len() > 3);
}

/// Checks that the chunks hold the text once, in order, whole units each, and are not too large.
fn check(document: &Document, options: ChunkOptions) {
    let chunks = document.chunks(options);
    let text = (find("text").unwrap().write)(document, &EmitOptions::default());
    let characters: Vec<char> = text.chars().collect();
    let slice = |range: Range<usize>| characters[range].iter().collect::<String>();
    let mut at = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk.index, index);
        let between = slice(at..chunk.start);
        assert!(
            between.trim().is_empty() || between.trim() == "Comments",
            "{between:?}"
        );
        let own: String = chunk.text.chars().skip(chunk.repeated).collect();
        assert_eq!(own, slice(chunk.start..chunk.end));
        assert_eq!(chunk.words, chunk_words(&chunk.text));
        at = chunk.end;
    }
    assert!(slice(at..characters.len()).trim().is_empty());
    let divided = divide(document);
    assert_eq!(divided.text, text);
    let in_characters = |at: usize| text[..at].chars().count();
    let units: Vec<(Range<usize>, bool)> = divided
        .groups
        .iter()
        .flat_map(|group| &group.blocks)
        .flat_map(|block| {
            let is_heading = block.kind == ChunkKind::Heading;
            let units = block.units.iter();
            units.map(move |unit| {
                (
                    in_characters(unit.start)..in_characters(unit.end),
                    is_heading,
                )
            })
        })
        .collect();
    for chunk in &chunks {
        let range = chunk.start..chunk.end;
        let inside: Vec<_> = units
            .iter()
            .filter(|(unit, _)| unit.start < range.end && range.start < unit.end)
            .collect();
        assert!(
            inside
                .iter()
                .all(|(unit, _)| range.start <= unit.start && unit.end <= range.end)
        );
        let others = inside.iter().filter(|(_, is_heading)| !is_heading).count();
        assert!(chunk.words <= options.size || others <= 1, "{chunk:?}");
    }
}

/// A piece of a page.
fn part() -> impl Strategy<Value = String> {
    let sentence = "[A-Z][a-z]{1,6}( [a-zäß七八]{1,7}){0,8}[.!?]";
    let paragraph = proptest::collection::vec(sentence, 1..6).prop_map(|all| all.join(" "));
    let cell = "[a-z0-9]{1,5}";
    let rows = proptest::collection::vec(proptest::array::uniform2(cell), 1..8);
    prop_oneof![
        4 => paragraph.clone().prop_map(|text| format!("<p>{text}</p>")),
        1 => paragraph.clone().prop_map(|text| format!("<p>{}</p>", text.replace(". ", ".<br>"))),
        1 => paragraph.clone().prop_map(|text| format!("<blockquote><p>{text}</p></blockquote>")),
        1 => proptest::collection::vec(paragraph, 1..4)
            .prop_map(|items| format!("<ul><li>{}</ul>", items.join("<li>"))),
        2 => (1..4_u8, "[A-Z][a-z]{1,6}( [a-z]{1,5}){0,4}")
            .prop_map(|(level, text)| format!("<h{level}>{text}</h{level}>")),
        1 => rows.prop_map(|rows| {
            let rows = rows.iter().map(|row| format!("<tr><td>{}", row.join("<td>")));
            format!("<table><tr><th>a<th>b{}</table>", rows.collect::<String>())
        }),
        1 => "[a-z =();]{1,20}(\n[a-z =();]{1,20}){0,5}".prop_map(|code| format!("<pre>{code}</pre>")),
        1 => Just("<p>If <math><mi>x</mi><mo>=</mo><mn>1.</mn></math> holds. Then stop.</p>".to_owned()),
    ]
}

proptest! {
    #[test]
    fn chunks_together_are_the_text(
        parts in proptest::collection::vec(part(), 0..12),
        size in 1..60_usize,
        overlap in 0..20_usize,
    ) {
        check(&document(&parts.concat()), sizes(size, overlap));
    }
}
