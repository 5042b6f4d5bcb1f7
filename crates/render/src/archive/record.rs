//! Reads the records of a web archive (WARC, ISO 28500, or ARC) one after the other: their headers,
//! and their contents on demand.
//!
//! A damaged record is reported as one fault, and reading resumes at the next record that can be
//! found. An early end of the archive is one fault too. No existing crate is used: those available
//! read a record completely into memory before its kind is known, and stop at the first damaged
//! one.

use super::arc;
use super::header::{Header, HeaderLines};
use super::packed::{Dictionary, Packing};
use super::stream::Stream;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use vclean_core::files::open_regular;

/// Longest line of a header, in bytes, and largest number of lines.
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_HEADER_LINES: usize = 1000;
/// Longest header line of an ARC record that is recognized before the previous record's stated end,
/// in bytes.
const MAX_ARC_LINE_BYTES: usize = 4096;
/// Number of faults after which an archive is not read further.
const MAX_FAULTS: u32 = 10_000;

/// The result of reading the next record.
pub enum NextRecord {
    /// A record; its content comes next.
    Record(Header),
    /// Reason why a record, or the rest of the archive, is lost.
    Fault(String),
    /// The archive ends here.
    End,
}

/// The error if the rest of a record's content is lost.
#[derive(Debug)]
pub struct Damage {
    /// The cause, as a phrase for messages.
    pub cause: String,
    /// The cause with the record's number and name, and the consequence.
    pub message: String,
    /// Set if the rest of the archive is lost too.
    pub ends_archive: bool,
    /// Number of bytes read before the damage that are not part of the content.
    excess: u64,
}

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Warc,
    Arc,
}

/// The records of a stream.
pub struct Records {
    from: Box<dyn Stream>,
    /// Detected from the first record.
    format: Option<Format>,
    /// Number of the current record, from 1.
    number: u64,
    /// Position of the current record.
    position: Option<u64>,
    /// Number of bytes of its content that remain to be read.
    left: u64,
    /// The first line of the next record, if it has been read.
    next: Option<Vec<u8>>,
    /// Set if the next byte starts a line.
    is_at_line: bool,
    /// Set if the current record only describes the archive, so that its length does not matter.
    is_preface: bool,
    is_at_end: bool,
    faults: u32,
}

/// Reason why a record cannot be read completely.
enum ReadError {
    Stream(io::Error),
    /// The next record begins before the stated end of the content.
    Short,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl Records {
    /// Reads a stream from its start.
    pub fn new(from: Box<dyn Stream>) -> Self {
        Self {
            from,
            format: None,
            number: 0,
            position: None,
            left: 0,
            next: None,
            is_at_line: true,
            is_preface: false,
            is_at_end: false,
            faults: 0,
        }
    }

    /// Returns the number of the current record, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the position of the current record, in bytes from the start of the stream; `None` if
    /// it cannot be read without the records before it.
    pub fn position(&self) -> Option<u64> {
        self.position
    }

    /// Skips the rest of the current record, and reads the header of the next one.
    pub fn advance(&mut self) -> NextRecord {
        if self.is_at_end {
            return NextRecord::End;
        }
        match self.next_header() {
            Ok(found) => {
                self.is_at_end = matches!(found, NextRecord::End);
                found
            }
            Err(read_error) => NextRecord::Fault(self.damage(read_error, "").message),
        }
    }

    /// Appends the next bytes of the content to `content`, at most `limit`; fewer only at its end.
    /// Messages call the record `name`, unless it is empty.
    ///
    /// # Errors
    /// If the rest of the content is lost. The bytes before the damage are still appended.
    pub fn content(&mut self, limit: u64, name: &str, content: &mut Vec<u8>) -> Result<(), Damage> {
        let read = self.pass(limit, |part| content.extend_from_slice(part));
        read.map_err(|read_error| {
            let damage = self.damage(read_error, name);
            content.truncate(
                content
                    .len()
                    .saturating_sub(usize::try_from(damage.excess).unwrap_or(usize::MAX)),
            );
            damage
        })
    }

    fn next_header(&mut self) -> Result<NextRecord, ReadError> {
        self.pass(u64::MAX, |_| {})?;
        let line = if let Some(line) = self.next.take() {
            line
        } else {
            let (passed, line) = self.find_start()?;
            let Some(line) = line else {
                self.is_at_end = true;
                return Ok(if passed {
                    NextRecord::Fault(self.no_record())
                } else {
                    NextRecord::End
                });
            };
            if passed && !self.is_preface {
                self.next = Some(line);
                let cause = "it is longer than its header states, or damaged; reading resumes at the next one";
                return Ok(NextRecord::Fault(self.named(cause)));
            }
            line
        };
        self.number += 1;
        self.is_preface = false;
        let header = match arc::header(&line) {
            Some(header) if self.format == Some(Format::Arc) => Some(header),
            _ => match self.warc_header()? {
                Some(lines) => lines.end(),
                None => return Ok(NextRecord::Fault(self.named("its header does not end"))),
            },
        };
        let Some(header) = header else {
            return Ok(NextRecord::Fault(
                self.named("its header has no usable Content-Length"),
            ));
        };
        self.left = header.length;
        self.is_preface = self.number == 1 && header.is_arc && header.kind != "response";
        self.is_at_line = true;
        Ok(NextRecord::Record(header))
    }

    fn named(&self, cause: &str) -> String {
        format!("record {}: {cause}", self.number)
    }

    fn no_record(&self) -> String {
        if self.number == 0 {
            "it holds no record of a web archive; it is something else, or damaged".to_owned()
        } else {
            self.named("the bytes after it are not a record")
        }
    }

    /// Resumes after damage, and returns a description of it.
    fn damage(&mut self, read_error: ReadError, name: &str) -> Damage {
        self.left = 0;
        let error = match read_error {
            ReadError::Short => {
                let cause = "it is shorter than its header states".to_owned();
                let message = self.named(&format!("{cause}; reading resumes at the next one"));
                return Damage {
                    cause,
                    message,
                    ends_archive: false,
                    excess: 0,
                };
            }
            ReadError::Stream(error) => error,
        };
        let separator = if name.is_empty() { "" } else { ": " };
        self.faults += 1;
        self.is_at_line = true;
        let mut is_found = self.faults <= MAX_FAULTS && self.from.recover().unwrap_or(false);
        while is_found {
            // A few bytes may look like the start of a member by chance, so a record must follow.
            if self.begins_record().unwrap_or(false) {
                let cause = format!("it is damaged ({error})");
                let message = self.named(&format!(
                    "{name}{separator}{cause}; reading resumes at the next one"
                ));
                return Damage {
                    cause,
                    message,
                    ends_archive: false,
                    excess: self.from.excess(),
                };
            }
            is_found = self.from.recover().unwrap_or(false);
        }
        self.is_at_end = true;
        let number = self.number;
        let message = format!(
            "the archive ends early, after record {number}: {name}{separator}{error}; the rest is lost, fetch it again"
        );
        Damage {
            cause: error.to_string(),
            message,
            ends_archive: true,
            excess: 0,
        }
    }

    /// Returns true if a member starts here and contains the start of a record.
    fn begins_record(&mut self) -> io::Result<bool> {
        let format = self.format;
        Ok(self.from.member_start()?.is_some_and(|start| {
            let line = start
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            detect_format(line).is_some_and(|found| format.is_none_or(|format| format == found))
        }))
    }

    /// Reads up to the first line of the next record. Returns true if anything except empty lines
    /// came before it, and the line if it was found.
    fn find_start(&mut self) -> io::Result<(bool, Option<Vec<u8>>)> {
        // The end of a content counts as the end of a line.
        let (mut passed, mut is_at_line) = (false, true);
        loop {
            let position = self.from.position()?;
            let line = self.line()?;
            if line.is_empty() {
                return Ok((passed, None));
            }
            let found = if is_at_line {
                detect_format(&line)
            } else {
                None
            };
            if found.is_some() && self.format.is_none_or(|format| found == Some(format)) {
                self.format = found;
                self.position = position;
                return Ok((passed, Some(line)));
            }
            passed |= !line.trim_ascii().is_empty();
            is_at_line = line.ends_with(b"\n");
        }
    }

    /// Reads a header up to its empty line; `None` if it exceeds its limits.
    fn warc_header(&mut self) -> io::Result<Option<HeaderLines>> {
        let mut lines = HeaderLines::default();
        for _ in 0..MAX_HEADER_LINES {
            let line = self.line()?;
            if line.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "a header is cut off",
                ));
            }
            if line.trim_ascii().is_empty() {
                return Ok(Some(lines));
            }
            lines.add(&line);
        }
        Ok(None)
    }

    /// Reads a line with its end, cut at the length limit; empty at the end of the archive.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.from
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// Passes the next bytes of the content to `to`, at most `limit`.
    fn pass(&mut self, limit: u64, mut to: impl FnMut(&[u8])) -> Result<(), ReadError> {
        let mut wanted = limit.min(self.left);
        while wanted > 0 {
            if self.begins_record()? {
                return Err(ReadError::Short);
            }
            let is_at_line = self.is_at_line;
            let part = self.from.fill_buf()?;
            if part.is_empty() {
                let error = io::Error::new(io::ErrorKind::UnexpectedEof, "its content is cut off");
                return Err(error.into());
            }
            let mut length = part
                .len()
                .min(usize::try_from(wanted).unwrap_or(usize::MAX));
            if self.format == Some(Format::Arc) {
                // Stated lengths are often wrong, and in an uncompressed archive only the header
                // lines mark the records. (A line that is split between two buffers is missed: one
                // of a thousand.)
                let first = if is_at_line {
                    0
                } else {
                    memchr::memchr(b'\n', part).map_or(part.len(), |end| end + 1)
                };
                let end = part.len().min(length + MAX_ARC_LINE_BYTES).max(first);
                match arc::find(&part[first..end]) {
                    Some(0) if is_at_line => return Err(ReadError::Short),
                    Some(at) => length = length.min(first + at),
                    None => {}
                }
            }
            to(&part[..length]);
            self.is_at_line = part[..length].ends_with(b"\n");
            self.from.consume(length);
            wanted -= length as u64;
            self.left -= length as u64;
        }
        Ok(())
    }
}

/// A file of records, or a section of one. An archive consists of such parts.
#[derive(Debug, Clone)]
pub struct Part {
    /// Path of the file, which is opened again for each pass.
    pub path: PathBuf,
    /// Start of the records in the file, in bytes.
    start: u64,
    /// Length of the records, in bytes.
    length: u64,
    /// How they are compressed.
    packing: Packing,
    /// Dictionary that each record needs if it is decompressed alone.
    dictionary: Dictionary,
}

impl Part {
    /// Creates a part from a whole file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a regular file.
    pub fn file(path: &Path) -> io::Result<Self> {
        Self::section(path, 0, u64::MAX)
    }

    /// Creates a part from a section of a regular file; the end of the file ends it early. The
    /// first bytes of the section show its compression.
    ///
    /// # Errors
    /// If it cannot be read, or is not a regular file.
    pub fn section(path: &Path, start: u64, length: u64) -> io::Result<Self> {
        let mut file = open_regular(path)?;
        let length = length.min(file.metadata()?.len().saturating_sub(start));
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        let mut section = BufReader::new(file.take(length));
        section
            .by_ref()
            .take(Packing::HEAD_BYTES as u64)
            .read_to_end(&mut head)?;
        let packing = Packing::detect(&head);
        let dictionary = packing.dictionary(&mut (&head[..]).chain(section))?;
        Ok(Self {
            path: path.to_path_buf(),
            start,
            length,
            packing,
            dictionary,
        })
    }

    /// Opens its records from `position` on.
    ///
    /// # Errors
    /// If it cannot be read, or is not a regular file.
    pub fn records(&self, position: u64) -> io::Result<Records> {
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(position)))?;
        let section =
            BufReader::with_capacity(1 << 16, file.take(self.length.saturating_sub(position)));
        Ok(Records::new(self.packing.open(section, &self.dictionary)?))
    }
}

/// Returns true if a line is the start of a record.
pub fn begins_record(line: &[u8]) -> bool {
    detect_format(line).is_some()
}

/// Detects the format of the record that starts with a line.
fn detect_format(line: &[u8]) -> Option<Format> {
    if line
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"WARC/"))
    {
        Some(Format::Warc)
    } else {
        arc::header(line).map(|_| Format::Arc)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::stream::Plain;
    use super::super::stream::tests::packed;
    use super::*;

    /// Builds a record with additional header lines.
    pub(in crate::archive) fn record(
        kind: &str,
        url: &str,
        lines: &str,
        content: &[u8],
    ) -> Vec<u8> {
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
                NextRecord::Record(header) => {
                    found.push(Ok((header.url.unwrap_or_default(), records.position())));
                }
                NextRecord::Fault(cause) => found.push(Err(cause)),
                NextRecord::End => return found,
            }
        }
    }

    fn plain(bytes: Vec<u8>) -> Records {
        Records::new(Box::new(Plain::new(io::Cursor::new(bytes))))
    }

    fn unpacked(bytes: Vec<u8>) -> Records {
        Records::new(Packing::Gzip.open(io::Cursor::new(bytes), &[]).unwrap())
    }

    #[test]
    fn records_have_positions() {
        let (one, two) = (
            record("response", "one", "", b"1"),
            record("resource", "two", "", b"2"),
        );
        let second = one.len() as u64;
        let found = walk(plain([one.clone(), two.clone()].concat()));
        assert_eq!(
            found,
            [
                Ok(("one".into(), Some(0))),
                Ok(("two".into(), Some(second)))
            ]
        );
        let second = packed(std::slice::from_ref(&one)).len() as u64;
        let found = walk(unpacked(packed(&[one.clone(), two.clone()])));
        assert_eq!(
            found,
            [
                Ok(("one".into(), Some(0))),
                Ok(("two".into(), Some(second)))
            ]
        );
        // All records are in one gzip member: the second cannot be read without the first.
        let found = walk(unpacked(packed(&[[one, two].concat()])));
        assert_eq!(
            found,
            [Ok(("one".into(), Some(0))), Ok(("two".into(), None))]
        );
    }

    #[test]
    fn a_damaged_record_does_not_affect_the_others() {
        let records: Vec<Vec<u8>> = ["one", "two", "three"]
            .map(|url| record("response", url, "", &[7; 500]))
            .into();
        let mut members: Vec<Vec<u8>> = records
            .iter()
            .map(|record| packed(std::slice::from_ref(record)))
            .collect();
        let middle = members[1].len() / 2;
        members[1].drain(middle..);
        let found = walk(unpacked(members.concat()));
        assert!(
            found
                .iter()
                .any(|found| found.as_ref().is_err_and(|cause| cause.contains("damaged"))),
            "{found:?}"
        );
        assert_eq!(found.last().unwrap().as_ref().unwrap().0, "three");
        // A length beyond the end of the member does not affect the following records.
        let long = String::from_utf8(records[1].clone())
            .unwrap()
            .replace("Length: 500", "Length: 99999999999");
        let found = walk(unpacked(packed(&[
            records[0].clone(),
            long.into_bytes(),
            records[2].clone(),
        ])));
        assert!(
            found[2]
                .as_ref()
                .unwrap_err()
                .contains("shorter than its header states"),
            "{found:?}"
        );
        assert_eq!(found.last().unwrap().as_ref().unwrap().0, "three");
    }

    /// A very large archive: a header, followed by any number of zeros.
    #[test]
    fn a_record_of_two_gigabytes_is_skipped() {
        let length = 2u64 << 30;
        let head = format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n");
        let next = [b"\r\n\r\n".to_vec(), record("response", "next", "", b"x")].concat();
        let stream = io::Cursor::new(head.into_bytes())
            .chain(io::repeat(0).take(length))
            .chain(io::Cursor::new(next));
        let found = walk(Records::new(Box::new(Plain::new(
            io::BufReader::with_capacity(1 << 20, stream),
        ))));
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].as_ref().unwrap().0, "next");
    }
}
