//! WARC archives (ISO 28500), compressed or not: the HTML pages that were fetched successfully, one in memory at a
//! time.
//!
//! Records without such a page are skipped. When a page is rendered, its resources are looked up in the archive.

use super::MAX_PAGE_BYTES;
use super::archive::Archive;
use super::archive_part::Part;
use super::file::open_bytes;
use super::http::{Response, is_html};
use super::index::address_key;
use super::kind::Pages;
use super::page::{Beside, Body, Page};
use super::record::{Header, NextRecord, Records};
use crate::error::SourceError;
use crate::net::redirect_target;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// Number of bytes of a content that are read before its kind is known.
const HEAD_BYTES: u64 = 64 << 10;

/// Whether an input is a WARC archive, by its name.
pub(super) fn is_warc(input: &str) -> bool {
    let name = input.to_ascii_lowercase();
    [".warc", ".warc.gz"].iter().any(|ending| name.ends_with(ending))
}

/// The pages of an archive.
pub(super) fn open_warc(input: &str) -> Pages {
    let opened = Part::file(Path::new(input)).and_then(|part| Ok((part.records(0)?, part)));
    match opened {
        Ok((records, part)) => {
            let beside = Beside::Archive(Arc::new(Archive::new(vec![part])));
            Box::new(WarcPages::new(input, records, beside))
        }
        Err(error) => {
            Box::new(std::iter::once(Err(SourceError::Read { path: input.into(), cause: error.to_string() })))
        }
    }
}

/// The pages in the records of an archive.
pub(super) struct WarcPages {
    input: String,
    records: Records,
    beside: Beside,
    wanted: Option<Wanted>,
}

/// The addresses of the requested pages, as made by [`address_key`].
pub(super) type Wanted = FxHashSet<u64>;

impl WarcPages {
    /// All pages; `beside` is what they may load.
    pub(super) fn new(input: &str, records: Records, beside: Beside) -> Self {
        Self { input: input.to_owned(), records, beside, wanted: None }
    }

    /// Only pages that are wanted, or are the target of a redirect from a wanted address; each once.
    pub(super) fn only(self, wanted: Option<Wanted>) -> Self {
        Self { wanted, ..self }
    }

    /// The addresses that are still wanted.
    pub(super) fn take_wanted(&mut self) -> Option<Wanted> {
        self.wanted.take()
    }

    /// Whether a page is to be opened. If a wanted address redirects, the target is wanted instead.
    fn is_wanted(&mut self, url: &str, response: Option<&Response>) -> bool {
        let is_page = response.is_none_or(Response::is_page);
        let (Some(wanted), Some(key)) = (&mut self.wanted, address_key(url)) else {
            return is_page && self.wanted.is_none();
        };
        if !wanted.contains(&key) {
            return false;
        }
        if let Some(to) = response.filter(|response| response.is_redirect()).and_then(|it| it.location.as_deref()) {
            let to = Url::parse(url).ok().and_then(|url| redirect_target(&url, to));
            wanted.extend(to.and_then(|to| address_key(to.as_str())));
        }
        is_page && wanted.remove(&key)
    }

    /// The page in a record; `None` if it contains none.
    fn page(&mut self, header: &Header) -> Option<Result<Page, SourceError>> {
        let may_be_page = header.kind == "response" || header.kind == "resource" && is_html(&header.content_type);
        if !may_be_page {
            return None;
        }
        let name = header.url.as_deref().unwrap_or_default();
        let mut content = match self.records.content(HEAD_BYTES, name) {
            Ok(content) => content,
            Err(error) => return Some(Err(error)),
        };
        let response = if header.kind == "response" { Some(Response::parse(&content)?) } else { None };
        if !self.is_wanted(name, response.as_ref()) {
            return None;
        }
        let number = self.records.number();
        let fault = |error: &SourceError| {
            let separator = if name.is_empty() { "" } else { ": " };
            Some(Err(SourceError::Unusable(format!("record {number}: {name}{separator}{error}"))))
        };
        if header.length > MAX_PAGE_BYTES + HEAD_BYTES {
            return fault(&SourceError::TooLarge { bytes: header.length, limit: MAX_PAGE_BYTES });
        }
        match self.records.content(u64::MAX, name) {
            Ok(rest) => content.extend(rest),
            Err(error) => return Some(Err(error)),
        }
        match opened(&self.input, header, content) {
            Ok(mut page) => {
                if let Body::Html { beside, .. } = &mut page.body {
                    self.beside.clone_into(beside);
                }
                Some(Ok(page))
            }
            Err(error) => fault(&error),
        }
    }
}

impl Iterator for WarcPages {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let header = match self.records.advance() {
                NextRecord::Record(header) => header,
                NextRecord::Fault(cause) => return Some(Err(SourceError::Unusable(cause))),
                NextRecord::End => return None,
            };
            if let Some(page) = self.page(&header) {
                return Some(page);
            }
        }
    }
}

fn opened(input: &str, header: &Header, content: Vec<u8>) -> Result<Page, SourceError> {
    let page = if header.kind == "resource" {
        open_bytes(input, content, None)?
    } else {
        let response = Response::parse(&content)
            .ok_or_else(|| SourceError::Unusable("its content is not a server's response".to_owned()))?;
        open_bytes(input, response.body()?, response.charset())?
    };
    Ok(Page { url: header.url.clone().or(page.url), ..page })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::record::tests::record;
    use super::super::stream::tests::packed;
    use super::*;
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
            record("request", "http://a.example/", "", b"GET / HTTP/1.1\r\n\r\n"),
            response("http://a.example/", "<p>one"),
            record("response", "http://a.example/p", "", b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG"),
            record(
                "response",
                "http://a.example/gone",
                "",
                b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>no",
            ),
            response("http://b.example/", "<p>two"),
        ];
        for (bytes, name) in [(records.concat(), "x.warc"), (packed(&records), "x.warc.gz")] {
            let found: Vec<Page> = pages(&bytes, name).into_iter().map(Result::unwrap).collect();
            let urls: Vec<_> = found.iter().map(|page| page.url.as_deref().unwrap()).collect();
            assert_eq!(urls, ["http://a.example/", "http://b.example/"]);
            let Body::Html { html, beside } = &found[1].body else { unreachable!() };
            assert!(html == "<p>two" && matches!(beside, Beside::Archive(_)));
        }
    }

    #[test]
    fn a_wrong_length_affects_one_record_and_a_cut_end_gives_an_error() {
        let mut short = response("http://a.example/", "<p>one and more");
        let text = String::from_utf8(short.clone()).unwrap();
        short = text.replace("Content-Length: 74", "Content-Length: 66").into_bytes();
        assert_ne!(text.as_bytes(), short, "the length was replaced");
        let whole = response("http://b.example/", "<p>two");
        let found = pages(&[short, whole.clone(), whole[..whole.len() - 9].to_vec()].concat(), "x.warc");
        assert!(
            found[0].is_ok() && found[1].as_ref().unwrap_err().to_string().contains("longer than its header states")
        );
        assert_eq!(found[2].as_ref().unwrap().url.as_deref(), Some("http://b.example/"));
        assert!(found[3].as_ref().unwrap_err().to_string().contains("ends early"));
        assert_eq!(found.len(), 4);
        let damaged = pages(&packed(&[whole.clone(), whole])[..90], "x.warc.gz");
        assert!(damaged.last().unwrap().is_err());
    }

    #[test]
    fn wrong_lengths_do_not_fill_the_memory() {
        let huge = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\nx";
        assert!(pages(huge, "x.warc")[0].as_ref().unwrap_err().to_string().contains("ends early"));
        let none = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx";
        let found =
            pages(&[none.to_vec(), b"\r\n\r\n".to_vec(), response("http://a.example/", "<p>a")].concat(), "x.warc");
        assert!(found[0].as_ref().unwrap_err().to_string().contains("Content-Length"));
        assert!(found.last().unwrap().is_ok());
    }

    #[test]
    fn decompressed_pages_are_limited() {
        let bomb = response("http://a.example/", &" ".repeat(MAX_PAGE_BYTES as usize + (1 << 20)));
        let bytes = packed(&[bomb, response("http://b.example/", "<p>two")]);
        assert!(bytes.len() < 1 << 20);
        let found = pages(&bytes, "x.warc.gz");
        let error = found[0].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("record 1: http://a.example/: ") && error.contains("are more than"), "{error}");
        assert_eq!((found.len(), found[1].as_ref().unwrap().url.as_deref()), (2, Some("http://b.example/")));
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
}
