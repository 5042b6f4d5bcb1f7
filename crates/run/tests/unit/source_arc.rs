//! Tests of reading ARC archives.

use super::*;
use crate::source::test_archives::{PACKINGS, packed};
use proptest::prelude::*;

const V1: &str = "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n";
const V2: &str = "1 1 InternetArchive\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename \
    Archive-length\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<arcmetadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
    <arc:software>Heritrix 1.10.1</arc:software>\n</arcmetadata>\n\n";

fn first(block: &str) -> Vec<u8> {
    format!(
        "filedesc://IA-000001.arc 0.0.0.0 19960923142103 text/plain {}\n{block}",
        block.len()
    )
    .into_bytes()
}

/// A record whose header states a length that is wrong by `error`.
fn lying(url: &str, fields: &str, html: &str, error: isize) -> Vec<u8> {
    let content =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    let length = content.len().checked_add_signed(error).unwrap();
    format!("{url} 192.0.2.1 20010203040506 text/html{fields} {length}\n{content}").into_bytes()
}

fn response(url: &str, html: &str) -> Vec<u8> {
    lying(url, "", html, 0)
}

const FIELDS: &str = " 200 fac069150613fe55599cc7fa88aa089d - 209 IA-000001.arc";

fn pages(bytes: &[u8], name: &str) -> Vec<Result<Page, SourceError>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open_warc(&path.to_string_lossy()).collect()
}

fn texts(found: &[Result<Page, SourceError>]) -> Vec<&str> {
    found
        .iter()
        .flatten()
        .map(|page| match &page.body {
            Body::Html { html, .. } => html.as_str(),
            _ => unreachable!(),
        })
        .collect()
}

#[test]
fn pages_of_both_versions_are_read_compressed_or_not() {
    for (block, fields) in [(V1, ""), (V2, FIELDS)] {
        let records = [
            first(block),
            lying("http://a.example/", fields, "<p>one", 0),
            lying("http://a.example/two words", fields, "<p>two", 0),
            format!(
                "http://a.example/x.png 192.0.2.1 20010203040506 image/png{fields} 4\n\x00\n\n\n"
            )
            .into_bytes(),
            format!("dns:a.example 192.0.2.1 20010203040506 text/dns{fields} 8\n1.2.3.4\n")
                .into_bytes(),
            format!("http://b.example/ 192.0.2.1 20010203040506 text/html{fields} 8\n<p>three")
                .into_bytes(),
        ];
        let lines: Vec<Vec<u8>> = records
            .iter()
            .map(|record| [record, &b"\n"[..]].concat())
            .collect();
        let mut kinds = vec![
            (lines.concat(), "with empty lines"),
            (records.concat(), "without"),
        ];
        for (_, pack) in PACKINGS {
            kinds.push((
                lines.iter().flat_map(|record| pack(record)).collect(),
                "packed",
            ));
        }
        for (bytes, what) in kinds {
            let found = pages(&bytes, "x.arc");
            assert!(found.iter().all(Result::is_ok), "{what}: {found:?}");
            assert_eq!(texts(&found), ["<p>one", "<p>two", "<p>three"], "{what}");
            let two = found[1].as_ref().unwrap();
            assert_eq!(two.url.as_deref(), Some("http://a.example/two words"));
            assert_eq!(
                two.origin.record_date.as_deref(),
                Some("2001-02-03T04:05:06Z")
            );
            assert_eq!(two.origin.record, Some(3));
        }
    }
}

#[test]
fn an_archive_serves_its_pages() {
    let style = "HTTP/1.0 200 OK\nContent-Type: text/css\n\np { color: red }";
    let style = format!(
        "http://a.example/x.css 192.0.2.1 20010203040506 text/css {}\n{style}",
        style.len()
    );
    let bytes = packed(&[
        first(V1),
        style.into_bytes(),
        response("http://a.example/", "<p>one"),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arc.gz");
    std::fs::write(&path, bytes).unwrap();
    let page = open_warc(&path.to_string_lossy()).next().unwrap().unwrap();
    let Body::Html {
        files: PageFiles::Archive(archive),
        ..
    } = &page.body
    else {
        unreachable!()
    };
    let css = archive
        .find(&Url::parse("http://a.example/x.css").unwrap())
        .unwrap();
    assert_eq!(
        (css.content_type.as_str(), &css.body[..]),
        ("text/css", &b"p { color: red }"[..])
    );
}

#[test]
fn wrong_lengths_do_not_lose_other_records() {
    let (one, three) = (
        response("http://a.example/1", "<p>one"),
        response("http://a.example/3", "<p>three"),
    );
    for error in [-2, 7, 60, 100_000] {
        let two = lying("http://a.example/2", "", "<p>number two", error);
        let bytes = [first(V1), one.clone(), two, b"\n".to_vec(), three.clone()].concat();
        let found = pages(&bytes, "x.arc");
        let expected = [
            "<p>one",
            if error < 0 {
                "<p>number t"
            } else {
                "<p>number two"
            },
            "<p>three",
        ];
        let read: Vec<&str> = texts(&found).into_iter().map(str::trim_end).collect();
        assert_eq!(read, expected, "{error}");
        if error > 0 {
            let warnings = &found[1].as_ref().unwrap().origin.warnings;
            assert!(
                warnings[0].contains("shorter than its header states"),
                "{warnings:?}"
            );
        } else {
            assert!(
                found[2]
                    .as_ref()
                    .unwrap_err()
                    .to_string()
                    .contains("longer than its header states")
            );
        }
    }
    // The length of the first record does not matter.
    let mut wrong = first(V2);
    wrong.extend(b"<more/>\n\n");
    let found = pages(&[wrong, one].concat(), "x.arc");
    assert!(found.len() == 1 && found[0].is_ok(), "{found:?}");
}

#[test]
fn reading_resumes_after_damage() {
    let noise: String = (0..900u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_string())
        .collect();
    let records = [
        first(V1),
        response("http://a.example/1", &noise),
        response("http://a.example/2", "<p>two"),
    ];
    let mut members: Vec<Vec<u8>> = records
        .iter()
        .map(|record| packed(std::slice::from_ref(record)))
        .collect();
    let middle = members[1].len() / 2;
    members[1][middle] ^= 0xff;
    let found = pages(&members.concat(), "x.arc.gz");
    assert_eq!(texts(&found).last(), Some(&"<p>two"), "{found:?}");
}

proptest! {
    #[test]
    fn reading_any_bytes_ends(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0usize..700) {
        let mut archive = [first(V1), response("http://a.example/", "<p>one")].concat();
        archive.extend(bytes);
        archive.extend(response("http://b.example/", "<p>two"));
        archive.truncate(cut);
        prop_assert!(pages(&archive, "x.arc").len() < 10);
    }
}
