//! The headers of MHTML files, which some programs write incorrectly: header lines without a colon,
//! bare line feeds.
//!
//! `mail-parser` is not used here, because it reads any bytes as a message; these functions test
//! whether they are one, and repair them.

use crate::capture::is_web_address;
use memchr::memmem;
use std::borrow::Cow;

/// Number of bytes that are searched for the headers of an archive.
const HEADER_BYTES: usize = 16 * 1024;
/// Number of header lines without a colon that may be skipped.
const MAX_PASSED_OVER: usize = 50;

/// Returns true if the bytes begin with the headers of a multipart message, like an MHTML file.
pub fn is_mhtml(bytes: &[u8]) -> bool {
    let (head, passed_over) = header_lines(bytes);
    let names = |name: &str| head.iter().any(|(key, _)| key == name);
    if !names("content-type") || !(names("mime-version") || names("from")) {
        return false;
    }
    let mut kinds = head.iter().filter(|(key, _)| key == "content-type");
    if passed_over == 0 {
        return kinds.any(|(_, value)| {
            let value = value.to_ascii_lowercase();
            value.contains("multipart/") || value.contains("text/html")
        });
    }
    // Ordinary text may also have such lines, so the parts decide.
    kinds
        .filter_map(|(_, value)| boundary(value))
        .any(|boundary| memmem::find(bytes, &delimiter(&boundary)).is_some())
}

/// Returns true if bytes that are not an archive have the headers of one, so that they are not a
/// page either.
pub(super) fn is_damaged(bytes: &[u8]) -> bool {
    let head =
        String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]).to_ascii_lowercase();
    let lines = head
        .lines()
        .take_while(|line| !line.trim_start().starts_with('<'));
    let is_header = |line: &str| {
        [
            "mime-version:",
            "content-type: multipart/",
            "content-transfer-encoding:",
            "snapshot-content-location:",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    };
    lines.filter(|line| is_header(line)).count() > 1
}

/// The address of the page, as given in the archive.
pub(super) fn address(bytes: &[u8]) -> Option<String> {
    let (head, _) = header_lines(bytes);
    ["snapshot-content-location", "content-location"]
        .iter()
        .find_map(|name| {
            head.iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        })
        .filter(|url| is_web_address(url))
}

/// The date of the archive, as its header writes it.
pub(super) fn date(bytes: &[u8]) -> Option<String> {
    let (head, _) = header_lines(bytes);
    head.into_iter()
        .find_map(|(key, value)| (key == "date").then_some(value))
}

/// The header lines at the start, with names in lower case and folded lines joined; empty if there
/// is no header. The number counts the lines without a colon among them.
fn header_lines(bytes: &[u8]) -> (Vec<(String, String)>, usize) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]);
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut passed_over = 0;
    for line in head.trim_start_matches(['\r', '\n']).lines() {
        if line.trim().is_empty() || line.starts_with('<') || passed_over > MAX_PASSED_OVER {
            break;
        }
        if line.starts_with([' ', '\t']) {
            let Some((_, value)) = lines.last_mut() else {
                break;
            };
            // A folded address contains no space.
            if !value.ends_with(';') && !value.is_empty() && !value.starts_with("http") {
                value.push(' ');
            }
            value.push_str(line.trim());
        } else if let Some((key, value)) = named(line) {
            lines.push((key.to_ascii_lowercase(), value.trim().to_owned()));
        } else {
            passed_over += 1;
        }
    }
    (lines, passed_over)
}

/// Name and value of a header line.
fn named(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_name = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_name.then_some((key, value))
}

/// The boundary given in a content type, in its original case.
fn boundary(content_type: &str) -> Option<String> {
    let at = content_type.to_ascii_lowercase().find("boundary=")? + "boundary=".len();
    let value = content_type.get(at..)?.trim_start();
    let boundary = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([';', ' ', '\t']).next()?,
    };
    (!boundary.is_empty()).then(|| boundary.to_owned())
}

fn delimiter(boundary: &str) -> Vec<u8> {
    format!("--{boundary}").into_bytes()
}

/// An archive with valid headers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repaired<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Number of header lines without a colon, which were removed.
    pub(super) passed_over: usize,
}

/// Treatment of the line ends of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// The line ends stay as they are.
    Kept,
    /// Headers, boundaries, base64 and quoted-printable text get CR and LF, as RFC 2045 demands and
    /// Chromium needs. Other content keeps its line ends.
    Crlf,
}

/// The content of a part with respect to its line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The line ends have no meaning.
    Encoded,
    /// The line ends are part of the content.
    Raw,
}

/// The archive without lines in its headers that are not header lines.
pub(super) fn repaired(bytes: &[u8], ends: LineEnds) -> Repaired<'_> {
    let out = Output {
        input: bytes,
        same: 0,
        changed: None,
    };
    let mut repair = Repair {
        out,
        ends,
        boundaries: Vec::new(),
        passed_over: 0,
    };
    let start = bytes
        .iter()
        .position(|byte| !matches!(byte, b'\r' | b'\n'))
        .unwrap_or(0);
    let mut header = Some(Vec::<u8>::new());
    let mut content = Content::Raw;
    for line in bytes[start..].split_inclusive(|byte| *byte == b'\n') {
        if repair.is_delimiter(line) {
            repair.delimiter(line);
            header = Some(Vec::new());
        } else if let Some(lines) = &mut header {
            if line.trim_ascii().is_empty() {
                content = repair.end_header(lines);
                repair.push_line(line);
                header = None;
            } else if Repair::is_header(line, lines) {
                lines.extend_from_slice(line.trim_ascii_end());
                lines.push(b'\n');
                repair.push_line(line);
            } else {
                repair.passed_over += 1;
            }
        } else if content == Content::Encoded {
            repair.push_line(line);
        } else {
            repair.out.push(line);
        }
    }
    Repaired {
        bytes: repair.out.end(),
        passed_over: repair.passed_over,
    }
}

/// An MHTML file in the form that browsers need: with valid headers, and with CR and LF at the ends
/// of their lines.
pub fn mhtml_for_browser(bytes: &[u8]) -> Cow<'_, [u8]> {
    repaired(bytes, LineEnds::Crlf).bytes
}

/// Output that is copied only when it first differs from the input: an archive may be large and
/// rarely needs repair.
struct Output<'a> {
    input: &'a [u8],
    /// Number of bytes from the start of the input that were written unchanged.
    same: usize,
    /// All output bytes, once they differ from the input.
    changed: Option<Vec<u8>>,
}

impl<'a> Output<'a> {
    fn push(&mut self, bytes: &[u8]) {
        match &mut self.changed {
            Some(changed) => changed.extend_from_slice(bytes),
            None if self.input[self.same..].starts_with(bytes) => self.same += bytes.len(),
            None => self.changed = Some([&self.input[..self.same], bytes].concat()),
        }
    }

    fn written(&self) -> &[u8] {
        self.changed.as_deref().unwrap_or(&self.input[..self.same])
    }

    fn pop(&mut self) {
        match &mut self.changed {
            Some(changed) => drop(changed.pop()),
            None => self.same -= 1,
        }
    }

    fn end(self) -> Cow<'a, [u8]> {
        match self.changed {
            Some(changed) => Cow::Owned(changed),
            None => Cow::Borrowed(&self.input[..self.same]),
        }
    }
}

struct Repair<'a> {
    out: Output<'a>,
    ends: LineEnds,
    /// The delimiters of all multipart messages so far; a part may itself be such a message.
    boundaries: Vec<Vec<u8>>,
    passed_over: usize,
}

impl Repair<'_> {
    fn is_delimiter(&self, line: &[u8]) -> bool {
        line.starts_with(b"--")
            && self.boundaries.iter().any(|boundary| {
                let rest = line.strip_prefix(&boundary[..]).map(<[u8]>::trim_ascii_end);
                rest.is_some_and(|rest| matches!(rest, b"" | b"--"))
            })
    }

    /// Writes a delimiter. The line end before it belongs to it.
    fn delimiter(&mut self, line: &[u8]) {
        let before = self.out.written();
        if self.ends == LineEnds::Crlf && before.ends_with(b"\n") && !before.ends_with(b"\r\n") {
            self.out.pop();
            self.out.push(b"\r\n");
        }
        self.push_line(line);
    }

    fn is_header(line: &[u8], before: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        if line.starts_with([' ', '\t']) {
            !before.is_empty()
        } else {
            named(line.trim_start_matches('\u{feff}')).is_some()
        }
    }

    /// Reads from a header how its content is encoded and delimited.
    fn end_header(&mut self, lines: &[u8]) -> Content {
        let (lines, _) = header_lines(lines);
        let value = |name: &str| {
            lines
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        self.boundaries.extend(
            value("content-type")
                .and_then(boundary)
                .map(|boundary| delimiter(&boundary)),
        );
        let encoding = value("content-transfer-encoding")
            .unwrap_or_default()
            .to_ascii_lowercase();
        if matches!(encoding.as_str(), "base64" | "quoted-printable") {
            Content::Encoded
        } else {
            Content::Raw
        }
    }

    fn push_line(&mut self, line: &[u8]) {
        match line.strip_suffix(b"\n") {
            Some(text) if self.ends == LineEnds::Crlf => {
                self.out.push(text.strip_suffix(b"\r").unwrap_or(text));
                self.out.push(b"\r\n");
            }
            _ => self.out.push(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\n--\n\r--x\n";

    /// An archive with bare line feeds and one part for each encoding.
    fn archive() -> Vec<u8> {
        let head = "From: <Saved>\nthis is no header line\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\tboundary=\"x-1\"\n\n\
            --x-1\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>a=\nb</p>\n\
            --x-1\nContent-Type: text/css\nContent-Transfer-Encoding: 8bit\n\np {\n}\n\
            --x-1\nContent-Type: image/png\nContent-Transfer-Encoding: binary\n\n";
        [head.as_bytes(), PICTURE, b"\n--x-1--\n"].concat()
    }

    #[test]
    fn lines_without_a_colon_are_passed_over() {
        let archive = archive();
        assert!(is_mhtml(&archive));
        let repaired = repaired(&archive, LineEnds::Kept);
        let expected = String::from_utf8_lossy(&archive).replace("this is no header line\n", "");
        assert_eq!(String::from_utf8_lossy(&repaired.bytes), expected);
        assert_eq!(repaired.passed_over, 1);
        let mailbox = [
            b"From nobody Mon Sep 17 00:00:00 2001\n".to_vec(),
            archive.clone(),
        ]
        .concat();
        assert!(is_mhtml(&mailbox) && super::repaired(&mailbox, LineEnds::Kept).passed_over == 2);
    }

    #[test]
    fn encoded_content_and_headers_get_line_ends_and_other_content_keeps_its_own() {
        let archive = archive();
        let repaired = repaired(&archive, LineEnds::Crlf);
        let text = String::from_utf8_lossy(&repaired.bytes);
        assert!(text.starts_with(
            "From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary"
        ));
        assert!(
            text.contains("quoted-printable\r\n\r\n<p>a=\r\nb</p>\r\n--x-1\r\n"),
            "{text:?}"
        );
        assert!(text.contains("8bit\r\n\r\np {\n}\r\n--x-1\r\n"), "{text:?}");
        let picture = [b"\r\n\r\n", PICTURE, b"\r\n--x-1--\r\n"].concat();
        assert!(repaired.bytes.ends_with(&picture), "{text:?}");
        // An archive that needs no repair is not copied.
        let again = super::repaired(&repaired.bytes, LineEnds::Crlf);
        assert!(matches!(again.bytes, Cow::Borrowed(_)) && again.passed_over == 0);
    }

    #[test]
    fn pages_and_letters_are_no_archives() {
        assert!(!is_mhtml(b"<!DOCTYPE html><p>From: me\nMIME-Version: 1.0"));
        assert!(!is_mhtml(b""));
        assert!(!is_mhtml(b"From: a letter about text/html\n\nnothing"));
        let quoted =
            b"A message begins so:\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\nand so on";
        assert!(!is_mhtml(quoted) && is_damaged(quoted));
        assert!(!is_damaged(
            b"<p>\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n"
        ));
        assert!(!is_damaged(
            b"MIME-Version: 1.0 is the first line of many letters."
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_repaired(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'-'), any::<u8>()], 0..200)) {
            let whole = [archive(), bytes.clone()].concat();
            for bytes in [whole, bytes] {
                let _ = (is_mhtml(&bytes), is_damaged(&bytes), address(&bytes));
                let once = repaired(&bytes, LineEnds::Crlf).bytes.into_owned();
                prop_assert!(once.len() <= 2 * bytes.len());
            }
        }
    }
}
