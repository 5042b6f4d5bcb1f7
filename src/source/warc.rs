//! WARC archives (ISO 28500), packed or not: the HTML pages that were fetched with success, one in memory at a time.
//!
//! Records that hold no such page are passed over. A record that is damaged is one error, and reading goes on at the next
//! that begins like one; what ends the archive early is told once. Own code: the crates at hand read a record whole into
//! memory before its kind is known, and end at the first that is damaged.

use super::file::open_bytes;
use super::http::{Response, is_html};
use super::{MAX_PAGE_BYTES, Page, Pages};
use crate::error::SourceError;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// Longest line of a header, in bytes, and most lines of one.
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_HEADER_LINES: usize = 1000;

/// What is read of a content before its kind is known, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// Whether an input is such an archive, by its name.
pub(super) fn is_warc(input: &str) -> bool {
    let name = input.to_ascii_lowercase();
    [".warc", ".warc.gz"].iter().any(|ending| name.ends_with(ending))
}

/// The pages of an archive.
pub(super) fn open_warc(input: &str) -> Pages {
    let file = match File::open(input) {
        Ok(file) => BufReader::with_capacity(1 << 16, file),
        Err(error) => {
            let error = SourceError::Read { path: input.into(), cause: error.to_string() };
            return Box::new(std::iter::once(Err(error)));
        }
    };
    let is_packed = input.to_ascii_lowercase().ends_with(".gz");
    let stream: Box<dyn BufRead + Send> =
        if is_packed { Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))) } else { Box::new(file) };
    Box::new(Records { input: input.to_owned(), from: stream, number: 0, has_version: false, is_at_end: false })
}

/// The records of an archive, those that hold pages as such.
struct Records<R> {
    input: String,
    from: R,
    /// Of the record that is read, from 1.
    number: u64,
    /// Whether the line that begins the next record has been read.
    has_version: bool,
    is_at_end: bool,
}

/// What was found where a record should be.
enum Found {
    Page(Page),
    /// A record that holds none.
    Other,
    /// Something that is wrong with one record.
    Fault(String),
    End,
}

/// The lines of a record's header that matter.
#[derive(Default)]
struct Header {
    kind: String,
    url: Option<String>,
    content_type: String,
    length: Option<u64>,
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_at_end {
            match self.record() {
                Ok(Found::Page(page)) => return Some(Ok(page)),
                Ok(Found::Other) => {}
                Ok(Found::Fault(cause)) => {
                    return Some(Err(SourceError::Unusable(format!("record {}: {cause}", self.number))));
                }
                Ok(Found::End) => self.is_at_end = true,
                Err(error) => {
                    self.is_at_end = true;
                    let cause = format!("the archive ends early, after record {}: {error}", self.number);
                    return Some(Err(SourceError::Unusable(format!("{cause}; what follows is lost, fetch it again"))));
                }
            }
        }
        None
    }
}

impl<R: BufRead> Records<R> {
    fn record(&mut self) -> io::Result<Found> {
        if !std::mem::take(&mut self.has_version) {
            let (passed, is_there) = self.find_version()?;
            if !is_there {
                return Ok(if passed { Found::Fault("what follows is no record".to_owned()) } else { Found::End });
            }
            if passed {
                self.has_version = true;
                return Ok(Found::Fault(
                    "it is longer than it says, or damaged; the next one is found again".to_owned(),
                ));
            }
        }
        self.number += 1;
        let Some(header) = self.header()? else {
            return Ok(Found::Fault("its header does not end".to_owned()));
        };
        let Some(length) = header.length else {
            return Ok(Found::Fault("its header has no usable Content-Length".to_owned()));
        };
        let may_be_page = header.kind == "response" || header.kind == "resource" && is_html(&header.content_type);
        if !may_be_page {
            self.skip(length)?;
            return Ok(Found::Other);
        }
        let mut content = Vec::new();
        self.from.by_ref().take(length.min(HEAD_BYTES)).read_to_end(&mut content)?;
        let is_page = header.kind == "resource" || Response::of(&content).is_some_and(|response| response.is_page());
        let rest = length - content.len() as u64;
        if !is_page {
            self.skip(rest)?;
            return Ok(Found::Other);
        }
        if length > MAX_PAGE_BYTES + HEAD_BYTES {
            self.skip(rest)?;
            let error = SourceError::TooLarge { bytes: length, limit: MAX_PAGE_BYTES };
            return Ok(Found::Fault(named(&header, &error.to_string())));
        }
        self.from.by_ref().take(rest).read_to_end(&mut content)?;
        if (content.len() as u64) < length {
            let error = io::Error::new(io::ErrorKind::UnexpectedEof, named(&header, "its content is cut off"));
            return Err(error);
        }
        Ok(match page(&self.input, &header, content) {
            Ok(page) => Found::Page(page),
            Err(error) => Found::Fault(named(&header, &error.to_string())),
        })
    }

    /// Reads up to the line that begins the next record: whether something else than empty lines stood before it, and
    /// whether it is there.
    fn find_version(&mut self) -> io::Result<(bool, bool)> {
        let (mut passed, mut is_at_start) = (false, true);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((passed, false));
            }
            if is_at_start && line.starts_with(b"WARC/") {
                return Ok((passed, true));
            }
            passed |= !line.trim_ascii().is_empty();
            is_at_start = line.ends_with(b"\n");
        }
    }

    /// Reads a header to its empty line; `None` where it does not end within its limits.
    fn header(&mut self) -> io::Result<Option<Header>> {
        let mut header = Header::default();
        for _ in 0..MAX_HEADER_LINES {
            let line = self.line()?;
            if line.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a header is cut off"));
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() {
                return Ok(Some(header));
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name.trim().to_ascii_lowercase().as_str() {
                "warc-type" => header.kind = value.to_ascii_lowercase(),
                "warc-target-uri" => header.url = Some(value.trim_matches(['<', '>']).to_owned()),
                "content-type" => header.content_type = value.to_ascii_lowercase(),
                "content-length" => header.length = value.parse().ok(),
                _ => {}
            }
        }
        Ok(None)
    }

    /// A line with its end, or as much of it as a line may have; empty at the end of the archive.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.from.by_ref().take(length), &mut io::sink())?;
        if skipped < length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a content is cut off"));
        }
        Ok(())
    }
}

fn named(header: &Header, cause: &str) -> String {
    header.url.as_ref().map_or_else(|| cause.to_owned(), |url| format!("{url}: {cause}"))
}

fn page(input: &str, header: &Header, content: Vec<u8>) -> Result<Page, SourceError> {
    let page = if header.kind == "resource" {
        open_bytes(input, content, None)?
    } else {
        let response = Response::of(&content)
            .ok_or_else(|| SourceError::Unusable("its content is no answer of a server".to_owned()))?;
        open_bytes(input, response.body()?, response.charset())?
    };
    Ok(Page { url: header.url.clone().or(page.url), ..page })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::source::Body;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn record(kind: &str, url: &str, content: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\nContent-Length: {}\r\n\r\n",
            content.len()
        );
        [head.as_bytes(), content, b"\r\n\r\n"].concat()
    }

    fn response(url: &str, html: &str) -> Vec<u8> {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        record("response", url, answer.as_bytes())
    }

    fn pages(bytes: &[u8], name: &str) -> Vec<Result<Page, SourceError>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        open_warc(&path.to_string_lossy()).collect()
    }

    fn packed(records: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in records {
            let mut encoder = GzEncoder::new(&mut bytes, Compression::fast());
            encoder.write_all(record).unwrap();
            encoder.finish().unwrap();
        }
        bytes
    }

    #[test]
    fn pages_are_found_among_other_records_packed_or_not() {
        let records = [
            record("warcinfo", "", b"software: x\r\n"),
            record("request", "http://a.example/", b"GET / HTTP/1.1\r\n\r\n"),
            response("http://a.example/", "<p>one"),
            record("response", "http://a.example/p", b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG"),
            record(
                "response",
                "http://a.example/gone",
                b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>no",
            ),
            response("http://b.example/", "<p>two"),
        ];
        for (bytes, name) in [(records.concat(), "x.warc"), (packed(&records), "x.warc.gz")] {
            let found: Vec<Page> = pages(&bytes, name).into_iter().map(Result::unwrap).collect();
            let urls: Vec<_> = found.iter().map(|page| page.url.as_deref().unwrap()).collect();
            assert_eq!(urls, ["http://a.example/", "http://b.example/"]);
            assert_eq!(found[1].body, Body::html("<p>two"));
        }
    }

    #[test]
    fn a_wrong_length_costs_one_record_and_a_cut_end_is_told() {
        let mut short = response("http://a.example/", "<p>one and more");
        let text = String::from_utf8(short.clone()).unwrap();
        short = text.replace("Content-Length: 74", "Content-Length: 66").into_bytes();
        assert_ne!(text.as_bytes(), short, "the length was replaced");
        let whole = response("http://b.example/", "<p>two");
        let found = pages(&[short, whole.clone(), whole[..whole.len() - 9].to_vec()].concat(), "x.warc");
        assert!(found[0].is_ok() && found[1].as_ref().unwrap_err().to_string().contains("longer than it says"));
        assert_eq!(found[2].as_ref().unwrap().url.as_deref(), Some("http://b.example/"));
        assert!(found[3].as_ref().unwrap_err().to_string().contains("ends early"));
        assert_eq!(found.len(), 4);
        let damaged = pages(&packed(&[whole.clone(), whole])[..90], "x.warc.gz");
        assert!(damaged.last().unwrap().is_err());
    }

    #[test]
    fn lengths_that_lie_fill_no_memory() {
        let huge = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\nx";
        assert!(pages(huge, "x.warc")[0].as_ref().unwrap_err().to_string().contains("ends early"));
        let none = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: many\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx";
        let found =
            pages(&[none.to_vec(), b"\r\n\r\n".to_vec(), response("http://a.example/", "<p>a")].concat(), "x.warc");
        assert!(found[0].as_ref().unwrap_err().to_string().contains("Content-Length"));
        assert!(found.last().unwrap().is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0usize..400) {
            let mut archive = response("http://a.example/", "<p>one");
            archive.extend(bytes);
            archive.extend(response("http://b.example/", "<p>two"));
            archive.truncate(cut);
            prop_assert!(pages(&archive, "x.warc").len() < 10);
        }
    }
}
