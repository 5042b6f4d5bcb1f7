//! Parses the head of an HTTP message (RFC 9112), its first line and its headers, from a connection
//! or an archive; and follows redirects.
//!
//! `httparse` parses the headers. It rejects some heads of real servers and archives, so each line
//! is prepared first: white space around the line is removed, folded lines are joined, invalid
//! bytes are replaced, and lines that are not headers are left out. The first line is parsed here,
//! since archives and servers use forms that `httparse` rejects (`HTTP/2 200`, `HTTP/1.1 HTTP/1.1
//! 200 OK`).

use memchr::{memchr, memchr_iter};
use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use url::Url;

/// A head, without the line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The request line or the status line.
    pub(crate) first: Vec<u8>,
    /// Names and values of the headers, in the order of the message.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
}

impl Head {
    /// Splits a message into its head and the rest; `None` if no head ends within `limit` bytes.
    /// Empty lines before the head are skipped (RFC 9112, 2.2).
    pub(crate) fn split(message: &[u8], limit: usize) -> Option<(Self, &[u8])> {
        let message = message.trim_ascii_start();
        let start = &message[..message.len().min(limit)];
        memchr_iter(b'\n', start).find_map(|end| {
            let empty_line = end
                + 1
                + start[end + 1..]
                    .iter()
                    .take_while(|byte| **byte == b'\r')
                    .count();
            (start.get(empty_line) == Some(&b'\n')).then_some(())?;
            Some((Self::parse(&message[..end])?, &message[empty_line + 1..]))
        })
    }

    /// Reads a head up to and including its empty line.
    ///
    /// # Errors
    /// Those of `reader`; [`io::ErrorKind::UnexpectedEof`] if the head does not end within `limit`
    /// bytes, and [`io::ErrorKind::InvalidData`] if there is no head.
    pub(crate) fn read(reader: &mut impl BufRead, limit: u64) -> io::Result<Self> {
        let mut reader = reader.take(limit);
        let mut lines = Vec::new();
        loop {
            let start = lines.len();
            reader.read_until(b'\n', &mut lines)?;
            let line = &lines[start..];
            if line.last() != Some(&b'\n') {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the head is cut off",
                ));
            }
            if line.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
                lines.truncate(start);
                break;
            }
        }
        if lines.is_empty() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Self::parse(&lines).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Parses the lines of a head, without the empty line at its end.
    fn parse(lines: &[u8]) -> Option<Self> {
        let mut parts = lines.splitn(2, |byte| *byte == b'\n');
        let first = parts.next().unwrap_or_default().trim_ascii_end().to_vec();
        let prepared = prepared(parts.next().unwrap_or_default());
        // One slot per line that `prepared` wrote, so that all headers fit.
        let mut headers = vec![httparse::EMPTY_HEADER; memchr_iter(b'\n', &prepared).count()];
        let mut response = httparse::Response::new(&mut headers);
        httparse::ParserConfig::default()
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .parse_response(&mut response, &prepared)
            .ok()?;
        let headers = response
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), header.value.to_vec()))
            .collect();
        Some(Self { first, headers })
    }

    /// Returns the status in the first line, if that is the status line of an HTTP response.
    /// Programs that rewrote the head wrote the protocol twice, without its version, or not at all;
    /// without it, only the headers show that this is a response.
    pub(crate) fn status(&self) -> Option<u16> {
        let line = String::from_utf8_lossy(&self.first);
        let mut words = line.split_whitespace().peekable();
        let names_protocol = words.peek().is_some_and(|word| is_protocol(word));
        let status = words
            .find(|word| !is_protocol(word))?
            .parse()
            .ok()
            .filter(|status| (100..1000).contains(status))?;
        (names_protocol || !self.headers.is_empty()).then_some(status)
    }

    /// Returns the value of the first header with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let (_, value) = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(value))
    }
}

/// Returns true if a word of a status line names the protocol, such as `HTTP/1.1` and `http`, or
/// SHOUTcast's `ICY`.
fn is_protocol(word: &str) -> bool {
    let is_http = word
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("http"));
    is_http
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/.".contains(&byte))
        || word.eq_ignore_ascii_case("icy")
}

/// Brings header lines into a form that `httparse` accepts. A status line is put first, since it is
/// lenient only with the headers of responses.
fn prepared(lines: &[u8]) -> Vec<u8> {
    let mut prepared = b"HTTP/1.1 200 OK\r\n".to_vec();
    let mut can_continue = false;
    for whole in lines.split(|byte| *byte == b'\n') {
        let line = whole.trim_ascii();
        if line.is_empty() {
            continue;
        }
        // A folded line continues the value before it (RFC 9112, 5.2). A header with white space
        // before it does not.
        let is_header = names_header(line);
        let is_folded = can_continue && !is_header && matches!(whole.first(), Some(b' ' | b'\t'));
        if is_folded {
            prepared.truncate(prepared.len() - 2);
            prepared.push(b' ');
        }
        can_continue = is_header || is_folded;
        // The byte 255 never occurs in text, so a value with a replaced byte differs from all
        // others.
        prepared.extend(line.iter().map(|byte| {
            if byte.is_ascii_control() && *byte != b'\t' {
                255
            } else {
                *byte
            }
        }));
        prepared.extend_from_slice(b"\r\n");
    }
    prepared.extend_from_slice(b"\r\n");
    prepared
}

/// Returns true if a line starts with the name of a header and a colon.
fn names_header(line: &[u8]) -> bool {
    let Some(colon) = memchr(b':', line) else {
        return false;
    };
    let name = line[..colon].trim_ascii_end();
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !name.is_empty() && name.iter().all(is_token)
}

/// Returns true if a response with this HTTP status redirects the client to another address (RFC
/// 9110, 15.4).
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Resolves a `Location` header in a response from `from`.
pub fn redirect_target(from: &Url, location: &str) -> Option<Url> {
    from.join(location).ok()
}

/// The current address while following redirects up to a limit.
#[derive(Debug)]
pub(crate) struct Redirects {
    /// The address to request next, or the last one requested.
    pub(crate) url: Url,
    left: usize,
}

impl Redirects {
    /// Starts at `url`; at most `limit` redirects are followed.
    pub(crate) fn new(url: Url, limit: usize) -> Self {
        Self { url, left: limit }
    }

    /// Moves to the next address if the response is a redirect that can be followed. Returns
    /// `false` for the last response: it is not a redirect, its `Location` is missing or invalid,
    /// or the limit is reached.
    pub(crate) fn follow(&mut self, status: u16, location: Option<&str>) -> bool {
        let next = location
            .filter(|_| is_redirect(status) && self.left > 0)
            .and_then(|to| redirect_target(&self.url, to));
        let Some(next) = next else { return false };
        self.url = next;
        self.left -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(text: &[u8]) -> Head {
        Head::split(text, 1 << 16).unwrap().0
    }

    #[test]
    fn heads_end_at_an_empty_line_with_any_line_ends() {
        let skipped = Head::split(b"\r\n\nA b\nC: d\n\r\r\nrest", 100).unwrap();
        for text in [
            "A b\r\nC: d\r\n\r\nrest",
            "A b\nC: d\n\nrest",
            "A b\nC: d\n\r\nrest",
            "A b\r\nC: d\r\n\nrest",
        ] {
            let expected = Head {
                first: b"A b".to_vec(),
                headers: vec![("C".into(), b"d".to_vec())],
            };
            assert_eq!(
                Head::split(text.as_bytes(), 100).unwrap(),
                (expected.clone(), &b"rest"[..]),
                "{text:?}"
            );
            assert_eq!(skipped, (expected.clone(), &b"rest"[..]));
            let mut reader = text.as_bytes();
            assert_eq!(
                (Head::read(&mut reader, 100).unwrap(), reader),
                (expected, &b"rest"[..]),
                "{text:?}"
            );
        }
        assert_eq!(head(b"HTTP/1.1 204\r\n\r\n").headers, []);
    }

    #[test]
    fn invalid_heads_of_servers_are_read() {
        let found = head(
            b"HTTP/2 200\nno header\n Content-Type : text/html;\r\r\n\tcharset=utf-8\nTwo words: x\nLocation: /\xe4\n\
              X:\x00y\nEmpty:\ncontent-type: image/png\n: nameless\n\n",
        );
        assert_eq!(found.status(), Some(200));
        let names: Vec<&str> = found
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            names,
            ["Content-Type", "Location", "X", "Empty", "content-type"]
        );
        assert_eq!(
            found.get("CONTENT-TYPE").as_deref(),
            Some("text/html; charset=utf-8")
        );
        assert_eq!(found.get("location").as_deref(), Some("/\u{fffd}"));
        assert_eq!(
            (&found.headers[2].1, &found.headers[3].1),
            (&b"\xffy".to_vec(), &Vec::new())
        );
        for (line, status) in [
            ("HTTP/1.0  404   Not Found", Some(404)),
            ("HTTPX/1.1 200 OK", Some(200)),
            ("http/1.1 200 OK", Some(200)),
            ("HTTP/1.1 200", Some(200)),
            ("HTTP/1.1 HTTP/1.1 200 OK", Some(200)),
            ("HTTP 200 OK", Some(200)),
            ("ICY 200 OK", Some(200)),
            ("HTTP/9 ok", None),
            ("HTTP<p>/1.1 200", None),
            ("HTTP/1.1 HTTP/1.1", None),
            ("HTTP/1.1 12", None),
            ("RTSP/1.0 200 OK", None),
            ("200 OK", None),
        ] {
            assert_eq!(
                head(format!("{line}\n\n").as_bytes()).status(),
                status,
                "{line}"
            );
        }
        assert_eq!(
            head(b"200 OK\nContent-Type: text/html\n\n").status(),
            Some(200),
            "its headers show what it is"
        );
    }

    #[test]
    fn heads_without_end_are_refused() {
        let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"A: b\r\n".repeat(100_000)].concat();
        assert_eq!(Head::split(&endless, 1 << 16), None);
        let cut_off = Head::read(&mut endless.as_slice(), 1 << 18).unwrap_err();
        assert_eq!(cut_off.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(
            Head::read(&mut &b"\r\nA: b\r\n\r\n"[..], 100)
                .unwrap_err()
                .kind(),
            io::ErrorKind::InvalidData
        );
        let ended = [endless, b"\r\n".to_vec()].concat();
        assert_eq!(
            Head::split(&ended, ended.len()).unwrap().0.headers.len(),
            100_000
        );
    }

    /// Valid and invalid header lines.
    fn line() -> impl Strategy<Value = String> {
        let name = prop_oneof![
            Just("Content-Type"),
            Just("location"),
            Just("X y"),
            Just(""),
            Just("\u{e4}")
        ];
        let space = || prop_oneof![Just(""), Just(" "), Just("\t ")];
        let value = prop_oneof![
            Just("a:b".into()),
            Just(String::new()),
            "[ -~]{0,8}",
            Just("\u{e4} \u{4e2d}".into())
        ];
        let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r\r\n")];
        let colon = prop_oneof![4 => Just(":"), 1 => Just("")];
        (space(), name, space(), colon, space(), value, end)
            .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, &f, g].concat())
            .prop_filter("ends the head", |line| !line.trim().is_empty())
    }

    proptest! {
        /// The slow and obvious method: split each line at its first colon, and append the lines
        /// that continue it.
        #[test]
        fn headers_are_split_at_the_first_colon(lines in proptest::collection::vec(line(), 0..8)) {
            let lines = lines.concat();
            let is_known = |(name, _): &(String, Vec<u8>)| ["Content-Type", "location"].contains(&name.as_str());
            let mut split: Vec<(String, String)> = Vec::new();
            let mut can_continue = false;
            for line in lines.lines() {
                let header = line.split_once(':').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
                let is_separator = |char: char| "()<>@,;:\\\"/[]?={}".contains(char);
                let header = header.filter(|(name, _)| {
                    !name.is_empty() && name.chars().all(|char| char.is_ascii_graphic() && !is_separator(char))
                });
                match header {
                    Some(header) => {
                        split.push(header);
                        can_continue = true;
                    }
                    None if can_continue && line.starts_with([' ', '\t']) => {
                        let value = &mut split.last_mut().unwrap().1;
                        *value = format!("{value} {}", line.trim()).trim().to_owned();
                    }
                    None => can_continue = false,
                }
            }
            let expected: Vec<(String, Vec<u8>)> =
                split.into_iter().map(|(name, value)| (name, value.into_bytes())).filter(is_known).collect();
            let text = format!("HTTP/1.1 200 OK\n{lines}\n");
            let (found, rest) = Head::split(text.as_bytes(), text.len()).unwrap();
            prop_assert!(rest.is_empty());
            prop_assert_eq!(found.headers.into_iter().filter(is_known).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn any_bytes_are_a_head_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Head::split(&bytes, 150);
            let _ = Head::read(&mut bytes.as_slice(), 150);
        }
    }

    #[test]
    fn redirects_are_followed_up_to_the_limit() {
        let mut redirects = Redirects::new(Url::parse("http://a.example/b/c").unwrap(), 2);
        assert!(
            !redirects.follow(200, Some("/x"))
                && !redirects.follow(304, Some("/x"))
                && !redirects.follow(301, None)
        );
        assert!(!redirects.follow(301, Some("http://[")));
        assert!(redirects.follow(301, Some("d?e")));
        assert_eq!(redirects.url.as_str(), "http://a.example/b/d?e");
        assert!(redirects.follow(308, Some("//b.example")));
        assert!(!redirects.follow(302, Some("/more")));
        assert_eq!(redirects.url.as_str(), "http://b.example/");
    }
}
