//! The head of an HTTP request or answer, as `proxy` passes it on.

use std::io::{self, BufRead, Read};
use std::time::SystemTime;

/// Longest head of a request or an answer, in bytes.
const MAX_HEAD_BYTES: u64 = 256 << 10;
/// Header that marks an answer as ours; its value is a secret of the process, so that no server can pretend.
pub(crate) const MARK: &str = "x-vclean-proxy";

/// Seconds that a `Retry-After` header asks for at `now`, given as such or as a date (RFC 9110, 10.2.3); `None` where it is
/// neither.
pub(crate) fn retry_after_s(header: &str, now: SystemTime) -> Option<u64> {
    let header = header.trim();
    let from_date = || {
        let date = httpdate::parse_http_date(header).ok()?;
        Some(date.duration_since(now).map_or(0, |wait| wait.as_secs_f64().ceil() as u64))
    };
    header.parse::<u32>().map(u64::from).ok().or_else(from_date)
}

/// First line and headers of a request or an answer, without the line ends.
pub(crate) struct Head {
    pub(crate) first: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut reader = reader.take(MAX_HEAD_BYTES);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the head is cut off"));
            }
            // Header bytes above 127 pass as they came, one char each.
            let line: String = line.iter().map(|&byte| char::from(byte)).collect();
            let line = line.trim_end_matches(['\r', '\n']).to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let mut lines = lines.into_iter();
        let first = lines.next().ok_or(io::ErrorKind::InvalidData)?;
        let headers = lines
            .filter_map(|line| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned())))
            .collect();
        Ok(Self { first, headers })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// As bytes, without the headers that concern one connection only, and with `Connection: close`.
    pub(crate) fn to_bytes(&self, first: &str) -> Vec<u8> {
        let mut text = format!("{first}\r\n");
        for (name, value) in &self.headers {
            let of_connection =
                ["connection", "proxy-connection", "keep-alive", "proxy-authorization", "upgrade", MARK]
                    .iter()
                    .any(|other| name.eq_ignore_ascii_case(other));
            if !of_connection {
                text.push_str(name);
                text.push_str(": ");
                text.push_str(value);
                text.push_str("\r\n");
            }
        }
        text.push_str("Connection: close\r\n\r\n");
        text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Fri, 31 Dec 1999 23:59:00 GMT").unwrap();
        for (header, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", Some(59)),
            ("Thu, 31 Dec 1998 23:59:59 GMT", Some(0)),
            ("99999999999999999999", None),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_s(header, now), seconds, "{header}");
        }
    }
}
