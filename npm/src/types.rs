//! Tests that the types of the package, `index.d.ts`, are those of the core.

use crate::answer::{answer, camel};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use vclean_core::classify::{PageKind, PageState};
use vclean_core::document::{Metadata, PostRole, ReaderComments, SegmentKind};
use vclean_core::emit::{FORMATS, PostText};
use vclean_core::error::ErrorKind;
use vclean_core::page::MAX_PAGE_BYTES;
use vclean_core::pipeline::{BUILT_IN, HiddenText, Options};
use vclean_core::target::TargetRule;

const TYPES: &str = include_str!("../index.d.ts");

type Names = BTreeSet<String>;

/// The declaration of a type, up to `end`.
fn declaration<'a>(head: &str, end: &str) -> &'a str {
    let (_, rest) = TYPES.split_once(head).unwrap();
    rest.split(end).next().unwrap()
}

/// The strings of a union of strings.
fn union(name: &str) -> Names {
    let declared = declaration(&format!("export type {name} ="), ";");
    declared
        .split('\'')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The names of the members of an interface.
fn interface(name: &str) -> Names {
    let head = format!("export interface {name}");
    let (_, members) = declaration(&head, "\n}").split_once("{\n").unwrap();
    let named = members.lines().filter_map(|line| line.split_once(':'));
    named
        .map(|(name, _)| name.trim_end_matches('?'))
        .filter(|name| name.starts_with("  ") && !name.trim().contains([' ', '*', '(']))
        .map(|name| name.trim().to_owned())
        .collect()
}

/// The names of the properties of each kind of block.
fn block_kinds() -> BTreeMap<String, Names> {
    let kinds = declaration("export type BlockKind =", ";\n\n").lines();
    kinds
        .filter_map(|line| line.split_once("{ kind: '")?.1.split_once('\''))
        .map(|(kind, properties)| {
            let names = properties
                .split(';')
                .filter_map(|property| property.split_once(':'))
                .map(|(name, _)| name.trim().trim_end_matches('?').to_owned());
            (kind.to_owned(), names.collect())
        })
        .collect()
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

fn keys(value: &Value) -> Names {
    value.as_object().unwrap().keys().cloned().collect()
}

/// The kind after this one, with every property that it can have; `None` after the last.
fn next(kind: Option<&SegmentKind>) -> Option<SegmentKind> {
    Some(match kind {
        None => SegmentKind::Paragraph,
        Some(SegmentKind::Paragraph) => SegmentKind::Heading { level: 1 },
        Some(SegmentKind::Heading { .. }) => SegmentKind::ListItem {
            depth: 0,
            number: None,
            continues: false,
            checked: Some(true),
        },
        Some(SegmentKind::ListItem { .. }) => SegmentKind::Term,
        Some(SegmentKind::Term) => SegmentKind::Definition { continues: false },
        Some(SegmentKind::Definition { .. }) => SegmentKind::Caption { table: None },
        Some(SegmentKind::Caption { .. }) => SegmentKind::Code { language: None },
        Some(SegmentKind::Code { .. }) => SegmentKind::Quote,
        Some(SegmentKind::Quote) => SegmentKind::TableCell {
            table: 0,
            row: 0,
            column: 0,
            is_header: true,
            row_span: 2,
            column_span: 2,
        },
        Some(SegmentKind::TableCell { .. }) => SegmentKind::Image {
            source: String::new(),
            alternative: String::new(),
        },
        Some(SegmentKind::Image { .. }) => return None,
    })
}

#[test]
fn the_unions_are_those_of_the_core() {
    assert_eq!(
        union("PageKind"),
        PageKind::ALL
            .iter()
            .map(|kind| json!(kind).as_str().unwrap().to_owned())
            .collect()
    );
    assert_eq!(
        union("PageState"),
        names(PageState::ALL.map(PageState::name))
    );
    assert_eq!(
        union("Format"),
        names(FORMATS.iter().map(|format| format.name))
    );
    assert_eq!(
        union("HiddenText"),
        names(HiddenText::ALL.iter().map(|(name, _)| *name))
    );
    assert_eq!(
        union("ReaderComments"),
        names(ReaderComments::ALL.iter().map(|(name, _)| *name))
    );
    assert_eq!(
        union("TargetRule"),
        names(TargetRule::ALL.iter().map(|(name, _)| *name))
    );
    let codes = ErrorKind::ALL.map(ErrorKind::name);
    assert_eq!(
        union("ErrorCode"),
        names(codes.into_iter().chain(["option", "load"]))
    );
    assert_eq!(
        union("PostRole"),
        names(
            [
                PostRole::Post,
                PostRole::Question,
                PostRole::Answer,
                PostRole::Comment
            ]
            .map(PostRole::name)
        )
    );
    // The package has no models for pages that the program rendered.
    let models = BUILT_IN.iter().map(|(name, _)| *name);
    assert_eq!(
        union("Model"),
        names(models.filter(|name| !name.starts_with("rendered")))
    );
}

#[test]
fn the_interfaces_have_the_members_of_the_core() {
    let mut options = interface("OpenOptions");
    options.remove("include");
    options.remove("chunkCount");
    let core = Options::names()
        .into_iter()
        .filter(|name| name != "site_memory");
    assert_eq!(options, core.map(|name| camel(&name)).collect());
    let page = "<p>Herring gulls drop mussels on rocks.</p>".as_bytes();
    let given: Value =
        serde_json::from_str(&answer(br#"{"options": {"explain": true}}"#, page).unwrap()).unwrap();
    let mut members = keys(&given);
    let chunks = br#"{"include": ["chunks"], "own_count": true, "options": {"positions": true}, "url": "https://a.example"}"#;
    let with_chunks: Value = serde_json::from_str(&answer(chunks, page).unwrap()).unwrap();
    members.extend(keys(&with_chunks));
    assert_eq!(interface("CleanedMembers"), members);
    // The other properties are for rendered pages, threads and overlaps.
    let mut chunk = interface("Chunk");
    for other in ["rect", "repeated", "author", "date"] {
        assert!(chunk.remove(other), "{other}");
    }
    assert_eq!(chunk, keys(&with_chunks["chunks"][0]));
    assert_eq!(interface("Block"), keys(&given["blocks"][0]));
    assert_eq!(interface("Reason"), keys(&given["blocks"][0]["reasons"][0]));
    let post = PostText {
        role: PostRole::Answer,
        accepted: true,
        author: None,
        date: None,
        url: None,
        parent: None,
        votes: Some(1),
        text: String::new(),
    };
    assert_eq!(interface("Post"), keys(&json!(post)));
    let metadata = Metadata {
        next: Some(String::new()),
        ..Metadata::default()
    };
    assert_eq!(interface("Metadata"), keys(&json!(metadata)));
}

#[test]
fn the_kinds_of_blocks_are_those_of_the_core() {
    let mut kinds = BTreeMap::new();
    let mut last = next(None);
    while let Some(kind) = last {
        let mut properties = keys(&json!(kind));
        properties.remove("kind");
        let name = json!(kind)["kind"].as_str().unwrap().to_owned();
        kinds.insert(name, properties.iter().map(|name| camel(name)).collect());
        last = next(Some(&kind));
    }
    assert_eq!(block_kinds(), kinds);
}

/// The names of `Options.include` are in the script, so that it can name the nearest.
#[test]
fn the_script_has_the_limit_and_the_members_of_the_core() {
    let script = include_str!("../stream.js");
    assert!(script.contains("MAX_PAGE_BYTES = 64 << 20;"));
    assert_eq!(MAX_PAGE_BYTES, 64 << 20);
    let listed = include_str!("../options.js")
        .split("MEMBERS = [")
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .unwrap();
    let listed: Names = listed
        .split(", ")
        .map(|name| name.trim_matches('\'').to_owned())
        .collect();
    assert_eq!(listed, interface("CleanedMembers"));
}
