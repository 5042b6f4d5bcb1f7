//! Reads the records of a web archive (ISO 28500) one after the other: their headers, and their contents on demand.
//!
//! A damaged record gives one fault, and reading resumes at the next record that can be found; an early end of the
//! archive gives one fault too. No existing crate is used: those available read a record completely into memory before
//! its kind is known, and stop at the first damaged one.

use super::stream::Stream;
use crate::error::SourceError;
use std::io::{self, BufRead, Read};

/// Longest line of a header, in bytes, and largest number of its lines.
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_HEADER_LINES: usize = 1000;
/// Number of faults after which an archive is not read further.
const MAX_FAULTS: u32 = 10_000;

/// The relevant header lines of a record.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Kind, such as `response`, in lower case.
    pub(super) kind: String,
    /// Address of the recorded resource.
    pub(super) url: Option<String>,
    /// Media type of the content, in lower case.
    pub(super) content_type: String,
    /// Length of the content, in bytes.
    pub(super) length: u64,
    /// For a `revisit`: the address under which the content was stored earlier.
    pub(super) refers_to: Option<String>,
    /// Checksum of the body of a server's response.
    pub(super) digest: Option<String>,
}

/// The result of reading the next record.
pub(super) enum NextRecord {
    /// A record; its content comes next.
    Record(Header),
    /// Why a record, or the rest of the archive, is lost.
    Fault(String),
    End,
}

/// The records of a stream.
pub(super) struct Records {
    from: Box<dyn Stream>,
    /// Number of the current record, from 1.
    number: u64,
    /// Position of the current record.
    position: Option<u64>,
    /// Bytes of its content that are still to be read.
    left: u64,
    /// Whether the first line of the next record has been read.
    has_version: bool,
    is_at_end: bool,
    faults: u32,
}

/// Why a record cannot be read completely.
enum ReadError {
    Stream(io::Error),
    /// The next record begins too early.
    Short,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl Records {
    pub(super) fn new(from: Box<dyn Stream>) -> Self {
        Self { from, number: 0, position: None, left: 0, has_version: false, is_at_end: false, faults: 0 }
    }

    /// Number of the current record, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Position of the current record, in bytes from the start of the stream; `None` if it cannot be read without the
    /// records before it.
    pub(super) fn position(&self) -> Option<u64> {
        self.position
    }

    /// Skips the rest of the current record, and reads the header of the next one.
    pub(super) fn advance(&mut self) -> NextRecord {
        if self.is_at_end {
            return NextRecord::End;
        }
        match self.next_header() {
            Ok(found) => {
                self.is_at_end = matches!(found, NextRecord::End);
                found
            }
            Err(read_error) => NextRecord::Fault(self.fault(read_error, "")),
        }
    }

    /// The next bytes of the content, at most `limit`; fewer only at its end. An error describes the problem of the
    /// record, with `name` if it is not empty; the content is then lost.
    pub(super) fn content(&mut self, limit: u64, name: &str) -> Result<Vec<u8>, SourceError> {
        let mut content = Vec::new();
        self.pass(limit, |part| content.extend_from_slice(part))
            .map_err(|read_error| SourceError::Unusable(self.fault(read_error, name)))?;
        Ok(content)
    }

    fn next_header(&mut self) -> Result<NextRecord, ReadError> {
        self.pass(u64::MAX, |_| {})?;
        if !std::mem::take(&mut self.has_version) {
            let (passed, is_there) = self.find_version()?;
            if !is_there {
                self.is_at_end = true;
                return Ok(if passed {
                    NextRecord::Fault(self.named("the bytes after it are not a record"))
                } else {
                    NextRecord::End
                });
            }
            if passed {
                self.has_version = true;
                let cause = "it is longer than its header states, or damaged; reading resumes at the next one";
                return Ok(NextRecord::Fault(self.named(cause)));
            }
        }
        self.number += 1;
        Ok(match self.header()? {
            Some((header, Some(length))) => {
                self.left = length;
                NextRecord::Record(Header { length, ..header })
            }
            Some((_, None)) => NextRecord::Fault(self.named("its header has no usable Content-Length")),
            None => NextRecord::Fault(self.named("its header does not end")),
        })
    }

    fn named(&self, cause: &str) -> String {
        format!("record {}: {cause}", self.number)
    }

    /// Resumes after damage, and returns its description.
    fn fault(&mut self, read_error: ReadError, name: &str) -> String {
        self.left = 0;
        let error = match read_error {
            ReadError::Short => {
                return self.named("it is shorter than its header states; reading resumes at the next one");
            }
            ReadError::Stream(error) => error,
        };
        let separator = if name.is_empty() { "" } else { ": " };
        self.faults += 1;
        let mut is_found = self.faults <= MAX_FAULTS && self.from.recover(true).unwrap_or(false);
        while is_found {
            // Three bytes may look like the start of a gzip member by chance; only a record in it confirms that it is
            // one.
            if self.from.begins_record().unwrap_or(false) {
                return self
                    .named(&format!("{name}{separator}it is damaged ({error}); reading resumes at the next one"));
            }
            is_found = self.from.recover(false).unwrap_or(false);
        }
        self.is_at_end = true;
        let number = self.number;
        format!(
            "the archive ends early, after record {number}: {name}{separator}{error}; the rest is lost, fetch it again"
        )
    }

    /// Reads up to the first line of the next record. Returns whether anything except empty lines came before it, and
    /// whether the line was found.
    fn find_version(&mut self) -> io::Result<(bool, bool)> {
        let (mut passed, mut is_at_start) = (false, true);
        loop {
            let position = self.from.position()?;
            let line = self.line()?;
            if line.is_empty() {
                return Ok((passed, false));
            }
            if is_at_start && line.starts_with(b"WARC/") {
                self.position = position;
                return Ok((passed, true));
            }
            passed |= !line.trim_ascii().is_empty();
            is_at_start = line.ends_with(b"\n");
        }
    }

    /// Reads a header up to its empty line, and the length in it; `None` if it exceeds its limits.
    fn header(&mut self) -> io::Result<Option<(Header, Option<u64>)>> {
        let mut header = Header::default();
        let mut length = None;
        for _ in 0..MAX_HEADER_LINES {
            let line = self.line()?;
            if line.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a header is cut off"));
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() {
                return Ok(Some((header, length)));
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            let address = || Some(value.trim_matches(['<', '>']).to_owned());
            match name.trim().to_ascii_lowercase().as_str() {
                "warc-type" => header.kind = value.to_ascii_lowercase(),
                "warc-target-uri" => header.url = address(),
                "warc-refers-to-target-uri" => header.refers_to = address(),
                "warc-payload-digest" => header.digest = Some(value.to_owned()),
                "content-type" => header.content_type = value.to_ascii_lowercase(),
                "content-length" => length = value.parse().ok(),
                _ => {}
            }
        }
        Ok(None)
    }

    /// A line with its end, cut at the length limit; empty at the end of the archive.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// Passes the next bytes of the content to `to`, at most `limit`.
    fn pass(&mut self, limit: u64, mut to: impl FnMut(&[u8])) -> Result<(), ReadError> {
        let mut wanted = limit.min(self.left);
        while wanted > 0 {
            if self.from.begins_record()? {
                return Err(ReadError::Short);
            }
            let part = self.from.fill_buf()?;
            if part.is_empty() {
                let error = io::Error::new(io::ErrorKind::UnexpectedEof, "its content is cut off");
                return Err(error.into());
            }
            let length = part.len().min(usize::try_from(wanted).unwrap_or(usize::MAX));
            to(&part[..length]);
            self.from.consume(length);
            wanted -= length as u64;
            self.left -= length as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::super::stream::tests::packed;
    use super::super::stream::{Members, Plain};
    use super::*;

    /// A record with additional header lines.
    pub(in crate::source) fn record(kind: &str, url: &str, lines: &str, content: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\n{lines}Content-Length: {}\r\n\r\n",
            content.len()
        );
        [head.as_bytes(), content, b"\r\n\r\n"].concat()
    }

    fn walk(mut records: Records) -> Vec<Result<(String, Option<u64>), String>> {
        let mut found = Vec::new();
        loop {
            match records.advance() {
                NextRecord::Record(header) => found.push(Ok((header.url.unwrap_or_default(), records.position()))),
                NextRecord::Fault(cause) => found.push(Err(cause)),
                NextRecord::End => return found,
            }
        }
    }

    fn plain(bytes: Vec<u8>) -> Records {
        Records::new(Box::new(Plain::new(io::Cursor::new(bytes))))
    }

    fn unpacked(bytes: Vec<u8>) -> Records {
        Records::new(Box::new(Members::new(io::Cursor::new(bytes))))
    }

    #[test]
    fn records_have_positions() {
        let (one, two) = (record("response", "one", "", b"1"), record("resource", "two", "", b"2"));
        let second = one.len() as u64;
        let found = walk(plain([one.clone(), two.clone()].concat()));
        assert_eq!(found, [Ok(("one".into(), Some(0))), Ok(("two".into(), Some(second)))]);
        let second = packed(std::slice::from_ref(&one)).len() as u64;
        let found = walk(unpacked(packed(&[one.clone(), two.clone()])));
        assert_eq!(found, [Ok(("one".into(), Some(0))), Ok(("two".into(), Some(second)))]);
        // In one gzip member, the second record cannot be read without the first.
        let found = walk(unpacked(packed(&[[one, two].concat()])));
        assert_eq!(found, [Ok(("one".into(), Some(0))), Ok(("two".into(), None))]);
    }

    #[test]
    fn a_damaged_record_does_not_affect_the_others() {
        let records: Vec<Vec<u8>> = ["one", "two", "three"].map(|url| record("response", url, "", &[7; 500])).into();
        let mut members: Vec<Vec<u8>> = records.iter().map(|record| packed(std::slice::from_ref(record))).collect();
        let middle = members[1].len() / 2;
        members[1].drain(middle..);
        let found = walk(unpacked(members.concat()));
        assert!(found.iter().any(|found| found.as_ref().is_err_and(|cause| cause.contains("damaged"))), "{found:?}");
        assert_eq!(found.last().unwrap().as_ref().unwrap().0, "three");
        // A length beyond the end of its member does not affect the following records.
        let long = String::from_utf8(records[1].clone()).unwrap().replace("Length: 500", "Length: 99999999999");
        let found = walk(unpacked(packed(&[records[0].clone(), long.into_bytes(), records[2].clone()])));
        assert!(found[2].as_ref().unwrap_err().contains("shorter than its header states"), "{found:?}");
        assert_eq!(found.last().unwrap().as_ref().unwrap().0, "three");
    }

    /// A very large archive: a header, and then any number of zeros.
    #[test]
    fn a_record_of_two_gigabytes_is_skipped() {
        let length = 2u64 << 30;
        let head = format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n");
        let next = [b"\r\n\r\n".to_vec(), record("response", "next", "", b"x")].concat();
        let stream = io::Cursor::new(head.into_bytes()).chain(io::repeat(0).take(length)).chain(io::Cursor::new(next));
        let found = walk(Records::new(Box::new(Plain::new(io::BufReader::with_capacity(1 << 20, stream)))));
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].as_ref().unwrap().0, "next");
    }
}
