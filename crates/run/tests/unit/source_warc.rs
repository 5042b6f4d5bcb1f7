//! Tests of reading WARC archives.

use super::*;
use crate::source::test_archives::{PACKINGS, packed, record};
use proptest::prelude::*;

fn response(url: &str, html: &str) -> Vec<u8> {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    record("response", url, "", answer.as_bytes())
}

fn pages(bytes: &[u8], name: &str) -> Vec<Result<Page, SourceError>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open_warc(&path.to_string_lossy()).collect()
}

#[test]
fn pages_are_found_among_other_records_packed_or_not() {
    let records = [
        record("warcinfo", "", "", b"software: x\r\n"),
        record(
            "request",
            "http://a.example/",
            "",
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        response("http://a.example/", "<p>one"),
        record(
            "response",
            "http://a.example/p",
            "",
            b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG",
        ),
        record(
            "response",
            "http://a.example/gone",
            "",
            b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>no",
        ),
        response("http://b.example/", "<p>two"),
    ];
    for (bytes, name) in [
        (records.concat(), "x.warc"),
        (packed(&records), "x.warc.gz"),
    ] {
        let found: Vec<Page> = pages(&bytes, name)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        let urls: Vec<_> = found
            .iter()
            .map(|page| page.url.as_deref().unwrap())
            .collect();
        assert_eq!(urls, ["http://a.example/", "http://b.example/"]);
        let Body::Html { html, files } = &found[1].body else {
            unreachable!()
        };
        assert!(html == "<p>two" && matches!(files, PageFiles::Archive(_)));
    }
}

/// Such lines are in rewritten archives and responses of SHOUTcast servers. All pages of one public
/// archive begin with the first of them.
#[test]
fn pages_with_a_malformed_status_line_are_read() {
    let read = |answer: &str| {
        pages(
            &record("response", "http://a.example/", "", answer.as_bytes()),
            "x.warc",
        )
    };
    let headers = "Content-Type: text/html\r\nno header\r\n\r\n<p>text";
    for line in [
        "HTTP/1.1 HTTP/1.1 200 OK",
        "200 OK",
        "200",
        "HTTP/1.1 200",
        "HTTP/1.1  200 OK",
        "http/1.1 200 ok",
        "ICY 200 OK",
        "HTTP 200 OK",
        "HTTP/2 200",
        "\r\nHTTP/1.1 200 OK",
        "\r\n\r\n200 OK",
    ] {
        let answer = format!("{line}\r\n{headers}");
        for answer in [answer.replace("\r\n", "\n"), answer] {
            let found = read(&answer);
            assert!(
                matches!(&found[0].as_ref().unwrap().body, Body::Html { html, .. } if html == "<p>text"),
                "{line}"
            );
        }
    }
    for line in [
        "404 Not Found",
        "HTTP/1.1 HTTP/1.1 404 Not Found",
        "RTSP/1.0 200 OK",
        "SSH-2.0-x",
        "20 OK",
        "ok 200",
    ] {
        let error = read(&format!("{line}\r\n{headers}"))
            .remove(0)
            .unwrap_err()
            .to_string();
        assert!(error.contains("holds no HTML page"), "{line}: {error}");
    }
    assert!(read("200 gulls were counted.\n\n<p>no headers")[0].is_err());
}

#[test]
fn a_wrong_length_affects_one_record_and_a_cut_end_gives_an_error() {
    let mut short = response("http://a.example/", "<p>one and more");
    let text = String::from_utf8(short.clone()).unwrap();
    short = text
        .replace("Content-Length: 74", "Content-Length: 66")
        .into_bytes();
    assert_ne!(text.as_bytes(), short, "the length was replaced");
    let whole = response("http://b.example/", "<p>two");
    let found = pages(
        &[short, whole.clone(), whole[..whole.len() - 9].to_vec()].concat(),
        "x.warc",
    );
    assert!(
        found[0].is_ok()
            && found[1]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("longer than its header states")
    );
    assert_eq!(
        found[2].as_ref().unwrap().url.as_deref(),
        Some("http://b.example/")
    );
    let cut = found[3].as_ref().unwrap();
    assert_eq!(
        cut.origin.warnings.texts(),
        ["only the beginning of the page is used: its content is cut off"]
    );
    assert!(
        found[4]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("ends early")
    );
    assert_eq!(found.len(), 5);
    let damaged = pages(&packed(&[whole.clone(), whole])[..90], "x.warc.gz");
    assert!(damaged.last().unwrap().is_err());
}

#[test]
fn wrong_lengths_do_not_fill_the_memory() {
    let huge = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\nx";
    assert!(
        pages(huge, "x.warc")[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("ends early")
    );
    let none =
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx";
    let found = pages(
        &[
            none.to_vec(),
            b"\r\n\r\n".to_vec(),
            response("http://a.example/", "<p>a"),
        ]
        .concat(),
        "x.warc",
    );
    assert!(
        found[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("Content-Length")
    );
    assert!(found.last().unwrap().is_ok());
}

#[test]
fn decompressed_pages_are_limited() {
    let bomb = response(
        "http://a.example/",
        &" ".repeat(MAX_PAGE_BYTES as usize + (1 << 20)),
    );
    let bytes = packed(&[bomb, response("http://b.example/", "<p>two")]);
    assert!(bytes.len() < 1 << 20);
    let found = pages(&bytes, "x.warc.gz");
    let error = found[0].as_ref().unwrap_err().to_string();
    assert!(
        error.starts_with("record 1: http://a.example/: ") && error.contains("are more than"),
        "{error}"
    );
    assert_eq!(
        (found.len(), found[1].as_ref().unwrap().url.as_deref()),
        (2, Some("http://b.example/"))
    );
}

#[test]
fn the_beginning_of_a_damaged_page_is_given_with_a_warning() {
    let long: String = (0..4000u32)
        .map(|number| format!("<p>word {}", number.wrapping_mul(2_654_435_761)))
        .collect::<Vec<_>>()
        .concat();
    let (cut, whole) = (
        response("http://a.example/", &long),
        response("http://b.example/", "<p>two"),
    );
    let mut bytes = packed(std::slice::from_ref(&cut));
    bytes.truncate(bytes.len() / 2);
    bytes.extend(packed(std::slice::from_ref(&whole)));
    let found: Vec<Page> = pages(&bytes, "x.warc.gz")
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(found.len(), 2);
    let Body::Html { html, .. } = &found[0].body else {
        unreachable!()
    };
    assert!(
        long.starts_with(html.trim_end_matches('\u{fffd}')) && html.len() > 1000,
        "{}",
        html.len()
    );
    assert!(
        found[0].origin.warnings[0]
            .starts_with("only the beginning of the page is used: it is damaged")
    );
    assert_eq!(found[1].url.as_deref(), Some("http://b.example/"));
    // The length is beyond the end of its member, but the page is complete as far as can be known.
    let text = String::from_utf8(whole.clone()).unwrap();
    let short = text.replace("Content-Length: 65", "Content-Length: 90");
    assert_ne!(text, short);
    let found = pages(&packed(&[short.into_bytes(), whole]), "x.warc.gz");
    assert!(
        found[0].as_ref().unwrap().origin.warnings[0].contains("shorter than its header states")
    );
    assert!(found[1].is_ok() && found.len() == 2);
}

#[test]
fn a_page_has_the_identifier_and_the_date_of_its_record() {
    let lines = "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Truncated: length\r\n";
    let bytes = record(
        "response",
        "http://a.example/",
        lines,
        b"HTTPX/1.1 200 OK\r\ncontent-type:\r\n text/html\r\n\r\n<p>a",
    );
    let text = String::from_utf8(bytes)
        .unwrap()
        .replace("WARC/1.0", "warc/1.0")
        .replace("WARC-Date: ", "WARC-Date:\r\n  ");
    let found = pages(text.as_bytes(), "x.warc").remove(0).unwrap();
    assert_eq!(
        (found.origin.record, found.origin.record_id.as_deref()),
        (Some(1), Some("urn:uuid:1"))
    );
    assert_eq!(
        found.origin.record_date.as_deref(),
        Some("2020-01-02T03:04:05Z")
    );
    assert!(found.origin.warnings[0].contains("WARC-Truncated: length"));
    assert!(
        found
            .name()
            .ends_with("x.warc: record 1: http://a.example/"),
        "{}",
        found.name()
    );
}

#[test]
fn an_archive_without_pages_says_what_it_holds() {
    let text = record(
        "conversion",
        "http://a.example/",
        "Content-Type: text/plain\r\n",
        b"text",
    );
    let request = record(
        "request",
        "http://a.example/",
        "",
        b"GET / HTTP/1.1\r\n\r\n",
    );
    let metadata = record(
        "metadata",
        "http://a.example/",
        "Content-Type: application/json\r\n",
        b"{}",
    );
    for (records, cause) in [
        (vec![], "the archive is empty"),
        (vec![text], "plain text extracted from pages (WET)"),
        (vec![metadata.clone(), metadata], "metadata of pages (WAT)"),
        (
            vec![request],
            "no HTML page that was fetched successfully, in its only record",
        ),
    ] {
        for (bytes, name) in [
            (records.concat(), "x.warc"),
            (packed(&records), "x.warc.wet.gz"),
        ] {
            let found = pages(&bytes, name);
            assert_eq!(found.len(), 1);
            let error = found[0].as_ref().unwrap_err().to_string();
            assert!(error.contains(cause), "{error}");
        }
    }
    let found = pages(b"<html>no archive", "x.warc");
    assert!(
        found.len() == 1
            && found[0]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("no record of a web archive")
    );
}

#[test]
fn archives_are_recognized_by_their_names() {
    for name in [
        "a.warc",
        "A.WARC.GZ",
        "a.warc.zst",
        "a.warc.lz4",
        "a.arc",
        "a.arc.gz",
        "a.warc.wet.gz",
        "a.warc.wat.gz",
    ] {
        assert!(is_warc(name), "{name}");
    }
    for name in ["a.html", "a.gz", "a.zst", "warc", "a.warcs"] {
        assert!(!is_warc(name), "{name}");
    }
}

#[test]
fn every_compression_is_read_and_serves_its_pages() {
    let css = record(
        "response",
        "http://a.example/x.css",
        "",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\np { color: red }",
    );
    let records = [
        response("http://a.example/", "<p>one"),
        css,
        response("http://b.example/", "<p>two"),
    ];
    for (packing, pack) in PACKINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.warc.any");
        std::fs::write(
            &path,
            records
                .iter()
                .flat_map(|record| pack(record))
                .collect::<Vec<u8>>(),
        )
        .unwrap();
        let found: Vec<Page> = open_warc(&path.to_string_lossy())
            .map(Result::unwrap)
            .collect();
        assert_eq!(found.len(), 2, "{packing:?}");
        let Body::Html {
            files: PageFiles::Archive(archive),
            ..
        } = &found[1].body
        else {
            unreachable!()
        };
        let css = archive
            .find(&Url::parse("http://a.example/x.css").unwrap())
            .unwrap();
        assert_eq!(css.body, b"p { color: red }");
    }
}

proptest! {
    #[test]
    fn reading_any_bytes_ends(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0usize..400) {
        let mut archive = response("http://a.example/", "<p>one");
        archive.extend(bytes);
        archive.extend(response("http://b.example/", "<p>two"));
        archive.truncate(cut);
        prop_assert!(pages(&archive, "x.warc").len() < 10);
    }
}
