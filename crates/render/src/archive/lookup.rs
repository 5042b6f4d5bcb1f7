//! Looks up resources in a web archive: finds the response that the crawler got for an address.
//!
//! Reading an archive needs no index; rendering its pages does. The index is made in one pass over
//! the archive when the first page needs it, and all pages share it. A record is then read at its
//! position and checked, since the index contains only checksums.

use super::header::Header;
use super::http::Response;
use super::index::{Index, hash, key, part_and_offset, positions};
use super::record::{NextRecord, Part, Records};
use crate::net::redirect_target;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use url::{Position, Url};
use vclean_core::error::{Warning, WarningKind};
use vclean_core::page::{MAX_PAGE_BYTES, Resource, Resources};

/// Number of bytes of a body that are read before the record is chosen.
const HEAD_BYTES: u64 = 64 << 10;

/// A web archive that pages are rendered from.
#[derive(Debug)]
pub struct Archive {
    parts: Vec<Part>,
    index: OnceLock<Index>,
    has_warned: AtomicBool,
}

/// How well a record matches a request; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Content,
    /// Found under http but requested under https, or vice versa.
    OtherScheme,
    Redirect,
    Failure,
}

impl Resources for Archive {
    fn prepare(&self) -> Option<Warning> {
        let warning = self.index().warning.clone()?;
        (!self.has_warned.swap(true, Ordering::Relaxed))
            .then(|| Warning::new(WarningKind::Archive, warning))
    }

    fn find(&self, address: &Url) -> Option<Resource> {
        let mut best: Option<(Rank, u64)> = None;
        for position in positions(&self.index().addresses, key(address)) {
            let Some(rank) = self.rank(position, address) else {
                continue;
            };
            if best.is_none_or(|(other, _)| rank < other) {
                best = Some((rank, position));
            }
            if rank == Rank::Content {
                break;
            }
        }
        self.resource(best?.1, address)
    }
}

impl Archive {
    /// Creates an archive of these parts, which are indexed when the first page looks something up.
    pub fn new(parts: Vec<Part>) -> Self {
        Self {
            parts,
            index: OnceLock::new(),
            has_warned: AtomicBool::new(false),
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(&self.parts))
    }

    /// Opens the record at a position.
    fn record(&self, position: u64) -> Option<(Records, Header)> {
        let (part, offset) = part_and_offset(position);
        let mut records = self.parts.get(part)?.records(offset).ok()?;
        match records.advance() {
            NextRecord::Record(header) => Some((records, header)),
            NextRecord::Fault(_) | NextRecord::End => None,
        }
    }

    fn rank(&self, position: u64, requested: &Url) -> Option<Rank> {
        let (mut records, header) = self.record(position)?;
        let url = Url::parse(header.url.as_deref()?).ok()?;
        if key(&url) != key(requested) {
            return None;
        }
        let good = if url.scheme() == requested.scheme() {
            Rank::Content
        } else {
            Rank::OtherScheme
        };
        if header.kind == "resource" {
            return Some(good);
        }
        let mut content = Vec::new();
        records.content(HEAD_BYTES, "", &mut content).ok()?;
        let response = Response::parse(&content);
        Some(match response {
            // A revisit record may have no HTTP head.
            None if header.kind == "revisit" => good,
            None => return None,
            Some(response) if response.is_redirect() => {
                let to = response
                    .location
                    .as_deref()
                    .and_then(|to| redirect_target(&url, to))?;
                // A redirect to the same address, as from http to https, would never end.
                if to[..Position::AfterQuery] == requested[..Position::AfterQuery] {
                    return None;
                }
                Rank::Redirect
            }
            Some(response)
                if response.is_success() || header.kind == "revisit" && response.status == 304 =>
            {
                good
            }
            Some(_) => Rank::Failure,
        })
    }

    fn resource(&self, position: u64, requested: &Url) -> Option<Resource> {
        let (mut records, header) = self.record(position)?;
        if header.length > MAX_PAGE_BYTES + HEAD_BYTES {
            return None;
        }
        let mut content = Vec::new();
        records.content(u64::MAX, "", &mut content).ok()?;
        if header.kind == "resource" {
            return Some(Resource {
                status: 200,
                content_type: header.content_type,
                location: None,
                body: content,
            });
        }
        let response = Response::parse(&content);
        if header.kind == "revisit"
            && response
                .as_ref()
                .is_none_or(|response| !response.is_redirect())
        {
            return self.original(&header, requested);
        }
        let response = response?;
        let body = if response.is_redirect() {
            Vec::new()
        } else {
            response.body().ok()?.bytes
        };
        let Response {
            status,
            content_type,
            location,
            ..
        } = response;
        Some(Resource {
            status,
            content_type,
            location,
            body,
        })
    }

    /// Finds the earlier record that a revisit record refers to.
    fn original(&self, header: &Header, requested: &Url) -> Option<Resource> {
        let url = header
            .refers_to
            .as_deref()
            .and_then(|url| Url::parse(url).ok());
        let url = url.as_ref().unwrap_or(requested);
        let digest = header.digest.as_deref();
        let by_address = positions(&self.index().addresses, key(url));
        let by_digest = digest.map(|digest| positions(&self.index().digests, hash(digest)));
        by_address
            .chain(by_digest.into_iter().flatten())
            .find_map(|position| {
                let (_, found) = self.record(position)?;
                let is_same = found.kind != "revisit"
                    && (digest.is_none() || found.digest.as_deref() == digest);
                if is_same {
                    self.resource(position, requested)
                } else {
                    None
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::super::stream::tests::packed;
    use super::*;
    use proptest::prelude::*;
    use tempfile::NamedTempFile;

    fn answer(url: &str, lines: &str, head: &str, content: &str) -> Vec<u8> {
        record(
            "response",
            url,
            lines,
            format!("HTTP/1.1 {head}\r\n\r\n{content}").as_bytes(),
        )
    }

    /// Creates an archive of these bytes after an empty part, and the files that contain them.
    fn archive(bytes: &[u8]) -> (Archive, [NamedTempFile; 2]) {
        let files = [NamedTempFile::new().unwrap(), NamedTempFile::new().unwrap()];
        std::fs::write(files[1].path(), bytes).unwrap();
        let parts = files
            .iter()
            .map(|file| Part::file(file.path()).unwrap())
            .collect();
        (Archive::new(parts), files)
    }

    fn body(archive: &Archive, url: &str) -> Option<String> {
        let found = archive.find(&Url::parse(url).unwrap())?;
        Some(format!(
            "{} {}",
            found.status,
            found
                .location
                .unwrap_or_else(|| String::from_utf8(found.body).unwrap())
        ))
    }

    #[test]
    fn content_is_preferred_to_redirects_and_the_same_scheme_to_the_other() {
        let records = [
            answer(
                "http://a.example/",
                "",
                "301 Moved\r\nLocation: https://a.example/#top",
                "",
            ),
            answer("https://a.example/", "", "200 OK", "home"),
            answer("http://b.example/x?y", "", "200 OK", "plain"),
            answer("https://b.example/x?y", "", "200 OK", "safe"),
            answer(
                "https://b.example/old",
                "",
                "302 Found\r\nLocation: x?y",
                "",
            ),
            answer("https://b.example/gone", "", "404 Not Found", "no"),
            answer(
                "https://b.example/gone",
                "",
                "200 OK\r\nContent-Encoding: gzip",
                "still here",
            ),
            record(
                "resource",
                "https://b.example/thing",
                "Content-Type: text/css\r\n",
                b"p {}",
            ),
            record("metadata", "https://b.example/about", "", b"x"),
            record("response", "dns:b.example", "", b"1.2.3.4"),
        ];
        for bytes in [records.concat(), packed(&records)] {
            let (archive, _files) = archive(&bytes);
            for (url, expected) in [
                ("http://a.example/", Some("200 home")),
                ("https://A.example:443/#part", Some("200 home")),
                ("http://b.example/x?y", Some("200 plain")),
                ("https://b.example/x?y", Some("200 safe")),
                ("https://b.example/old", Some("302 x?y")),
                ("https://b.example/gone", Some("200 still here")),
                ("http://b.example/thing", Some("200 p {}")),
                ("https://b.example/about", None),
                ("https://b.example:8443/x?y", None),
            ] {
                assert_eq!(body(&archive, url).as_deref(), expected, "{url}");
            }
            assert_eq!(archive.prepare(), None);
        }
    }

    #[test]
    fn a_revisit_record_refers_to_the_earlier_record() {
        let digest = |digest: &str| format!("WARC-Payload-Digest: sha1:{digest}\r\n");
        let refers = |url: &str| format!("WARC-Refers-To-Target-URI: {url}\r\n");
        let revisit = |url: &str, lines: &str| {
            record("revisit", url, lines, b"HTTP/1.1 304 Not Modified\r\n\r\n")
        };
        let records = [
            answer("http://a.example/one", &digest("ONE"), "200 OK", "one"),
            answer("http://a.example/two", "", "200 OK", "two"),
            revisit("http://b.example/same", &digest("ONE")),
            revisit("http://b.example/named", &refers("http://a.example/two")),
            revisit(
                "http://b.example/wrong",
                &format!("{}{}", refers("http://a.example/one"), digest("TWO")),
            ),
            revisit(
                "http://b.example/itself",
                &refers("http://b.example/itself"),
            ),
            record("revisit", "http://b.example/bare", &digest("ONE"), b""),
        ];
        let (archive, _files) = archive(&packed(&records));
        for (url, expected) in [
            ("http://b.example/same", Some("200 one")),
            ("http://b.example/named", Some("200 two")),
            ("http://b.example/wrong", None),
            ("http://b.example/itself", None),
            ("http://b.example/bare", Some("200 one")),
        ] {
            assert_eq!(body(&archive, url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn damage_and_missing_files_affect_only_their_own_records() {
        let records: Vec<Vec<u8>> = (0..5)
            .map(|id| {
                answer(
                    &format!("http://a.example/{id}"),
                    "",
                    "200 OK",
                    &"text ".repeat(50),
                )
            })
            .collect();
        let mut bytes = packed(&records);
        let at = bytes.len() / 2;
        bytes[at] ^= 0xff;
        let (archive, files) = archive(&bytes);
        let found = (0..5)
            .filter(|id| body(&archive, &format!("http://a.example/{id}")).is_some())
            .count();
        assert_eq!(found, 4);
        drop(files);
        assert_eq!(body(&archive, "http://a.example/0"), None);
    }

    #[test]
    fn records_packed_together_give_one_warning() {
        let records = [
            answer("http://a.example/", "", "200 OK", "a"),
            answer("http://b.example/", "", "200 OK", "b"),
        ];
        let (archive, _files) = archive(&packed(&[records.concat()]));
        assert!(
            archive
                .prepare()
                .unwrap()
                .contains("1 records are packed together")
        );
        assert_eq!(archive.prepare(), None);
        assert_eq!(
            (
                body(&archive, "http://a.example/").as_deref(),
                body(&archive, "http://b.example/")
            ),
            (Some("200 a"), None)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_indexed(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..500) {
            let mut all = answer("http://a.example/", "", "200 OK", "a");
            all.extend(bytes);
            all.extend(answer("http://b.example/", "", "200 OK", "b"));
            all.truncate(cut);
            for bytes in [packed(&[all.clone()]), all] {
                let (archive, _files) = archive(&bytes);
                let _ = (archive.prepare(), body(&archive, "http://a.example/"), body(&archive, "http://b.example/"));
            }
        }
    }
}
