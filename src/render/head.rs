//! The head of an HTTP request or answer, as `proxy` passes it on.

use std::io::{self, BufRead, Read};

/// Longest head of a request or an answer, in bytes.
const MAX_HEAD_BYTES: u64 = 256 << 10;
/// Header that marks an answer as ours; its value is a secret of the process, so that no server can pretend.
pub(in crate::render) const MARK: &str = "x-vclean-proxy";

/// First line and headers of a request or an answer, without the line ends.
pub(super) struct Head {
    pub(super) first: String,
    pub(super) headers: Vec<(String, String)>,
}

impl Head {
    pub(super) fn read(reader: &mut impl BufRead) -> io::Result<Self> {
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

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// As bytes, without the headers that concern one connection only, and with `Connection: close`.
    pub(super) fn to_bytes(&self, first: &str) -> Vec<u8> {
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
