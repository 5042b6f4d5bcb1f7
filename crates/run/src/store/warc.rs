//! WARC archives (ISO 28500:2017, 6.7): one `conversion` record per page, after one `warcinfo`
//! record.
//!
//! A record names the record from which its page came, if that is known, and has the digests with
//! which readers verify it. This is our own code because a record is a dozen lines of text, and
//! identifiers must be reproducible.

use super::container::{Container, ContainerOptions};
use super::lines::{Appending, Packing};
use super::record::Record;
use crate::journal::Checkpoint;
use data_encoding::BASE32_NOPAD;
use percent_encoding::percent_encode_byte;
use sha1_smol::Sha1;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use uuid::Uuid;

struct Archive {
    to: Appending,
    date: String,
    media_type: &'static str,
}

pub(super) fn open(
    path: &Path,
    options: &ContainerOptions,
    checkpoint: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    let date = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(options.began_s))
        .to_string();
    let mut archive = Archive {
        to: Appending::open(path, checkpoint, Packing::from_path(path))?,
        date,
        media_type: options.media_type,
    };
    if archive.to.is_empty() {
        let about = format!(
            "software: vclean/{}\r\nformat: WARC File Format 1.1\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let record = archive.record("warcinfo", &[], "application/warc-fields", about.as_bytes());
        archive.to.append(&record)?;
    }
    Ok(Box::new(archive))
}

impl Archive {
    /// A whole record; `lines` are the header lines about its page. The identifier is derived from
    /// the content, so that the same page gives the same bytes.
    fn record(
        &self,
        kind: &str,
        page: &[(&str, String)],
        media_type: &str,
        block: &[u8],
    ) -> Vec<u8> {
        let page_name = page
            .iter()
            .filter(|(name, _)| name.starts_with("WARC-"))
            .map(|(_, value)| value.as_str())
            .collect::<Vec<_>>()
            .join("\0");
        let named = [
            kind.as_bytes(),
            page_name.as_bytes(),
            self.date.as_bytes(),
            block,
        ]
        .join(&0);
        let id = Uuid::new_v5(&Uuid::NAMESPACE_URL, &named);
        let mut head =
            format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n");
        let _ = write!(head, "WARC-Date: {}\r\n", self.date);
        for (name, value) in page {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let digest = digest(block);
        let _ = write!(head, "WARC-Block-Digest: {digest}\r\n");
        if kind == "conversion" {
            // The payload is the whole block, because there are no protocol headers before the
            // text.
            let _ = write!(head, "WARC-Payload-Digest: {digest}\r\n");
        }
        let _ = write!(
            head,
            "Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), block, b"\r\n\r\n"].concat()
    }
}

/// The digest of a content as archives write it: SHA-1 in base 32.
fn digest(content: &[u8]) -> String {
    format!(
        "sha1:{}",
        BASE32_NOPAD.encode(&Sha1::from(content).digest().bytes())
    )
}

/// The header lines with the address of a page, made from its name if it has none, and with the
/// record from which it came, if that is known.
fn lines(record: &Record) -> Vec<(&'static str, String)> {
    let target = record
        .url
        .clone()
        .unwrap_or_else(|| format!("urn:vclean:{}", record.id));
    let mut lines = vec![("WARC-Target-URI", escaped(&target))];
    lines.extend(
        record
            .record_id
            .as_ref()
            .map(|id| ("WARC-Refers-To", format!("<{}>", escaped(id)))),
    );
    lines.extend(
        record
            .record_date
            .as_ref()
            .map(|date| ("WARC-Refers-To-Date", escaped(date))),
    );
    // Readers ignore fields that they do not know (ISO 28500, 5.1).
    lines.extend(
        record
            .captured
            .as_ref()
            .map(|date| ("Vclean-Captured", escaped(date))),
    );
    lines.push(("Vclean-Input", escaped(&record.input)));
    lines
}

/// A value with escapes, so that it fits on one line.
fn escaped(readable: &str) -> String {
    let mut value = String::with_capacity(readable.len());
    for char in readable.chars() {
        if char.is_control() || char.is_whitespace() || matches!(char, '<' | '>' | '"') {
            value.extend(
                char.encode_utf8(&mut [0; 4])
                    .bytes()
                    .map(percent_encode_byte),
            );
        } else {
            value.push(char);
        }
    }
    value
}

impl Container for Archive {
    fn append(&mut self, record: Record) -> io::Result<()> {
        let bytes = self.record(
            "conversion",
            &lines(&record),
            self.media_type,
            record.text.as_bytes(),
        );
        self.to.append(&bytes)
    }

    fn sync(&mut self) -> io::Result<Checkpoint> {
        Ok(Checkpoint {
            part: 0,
            bytes: self.to.sync()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Blocks;

    #[test]
    fn records_are_written_as_in_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.warc");
        let options = ContainerOptions {
            state: folder.path().into(),
            media_type: "text/plain; charset=utf-8",
            corpus: vclean_core::emit::FORMATS[0].corpus,
            began_s: 86_400,
            blocks: Blocks::None,
            has_corpus: false,
            positions: false,
        };
        let mut archive = open(&path, &options, None).unwrap();
        for number in 4..6 {
            archive.append(Record::sample(number)).unwrap();
        }
        archive.sync().unwrap();
        let written = std::fs::read_to_string(&path).unwrap().replace('\r', "");
        let (first, pages) = written.split_once("\n\n\n").unwrap();
        // The first record names the version, so its identifier and digest change with each
        // version.
        let about = format!(
            "software: vclean/{}\r\nformat: WARC File Format 1.1\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let end = format!(
            "WARC-Date: 1970-01-02T00:00:00Z\nWARC-Block-Digest: {}\nContent-Type: application/warc-fields\nContent-Length: {}\n\n{}",
            digest(about.as_bytes()),
            about.len(),
            about.replace('\r', "").trim_end()
        );
        assert!(
            first.starts_with("WARC/1.1\nWARC-Type: warcinfo\nWARC-Record-ID: <urn:uuid:"),
            "{first}"
        );
        assert!(first.ends_with(&end), "{first}");
        insta::assert_snapshot!(pages, @r"
WARC/1.1
WARC-Type: conversion
WARC-Record-ID: <urn:uuid:4f3004fa-1f97-5cd4-af8f-2579f64a2f84>
WARC-Date: 1970-01-02T00:00:00Z
WARC-Target-URI: https://example.org/4?a=ü%20b
WARC-Refers-To: <urn:uuid:4>
WARC-Refers-To-Date: 2020-01-02T03:04:05Z
Vclean-Input: crawl.warc.gz
WARC-Block-Digest: sha1:HGTGK7QNOVTTPPLF65A63OMKPE2XEQUM
WARC-Payload-Digest: sha1:HGTGK7QNOVTTPPLF65A63OMKPE2XEQUM
Content-Type: text/plain; charset=utf-8
Content-Length: 29

Text of page 4.
Second line.


WARC/1.1
WARC-Type: conversion
WARC-Record-ID: <urn:uuid:eb8f0e7c-6f47-5d74-aa4b-a722e816d86f>
WARC-Date: 1970-01-02T00:00:00Z
WARC-Target-URI: urn:vclean:page-5
Vclean-Input: crawl.warc.gz
WARC-Block-Digest: sha1:2OM2V7OJX6A5VYKZ6NQRFUKSIZVORWKC
WARC-Payload-Digest: sha1:2OM2V7OJX6A5VYKZ6NQRFUKSIZVORWKC
Content-Type: text/plain; charset=utf-8
Content-Length: 29

Text of page 5.
Second line.
");
    }

    #[test]
    fn digests_are_those_of_other_programs() {
        // The best-known digest in web archives is that of an empty content.
        assert_eq!(digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }

    #[test]
    fn an_address_cannot_add_lines() {
        assert_eq!(
            escaped("http://a.example/\r\nWARC-Type: x\u{85}"),
            "http://a.example/%0D%0AWARC-Type:%20x%C2%85"
        );
    }
}
