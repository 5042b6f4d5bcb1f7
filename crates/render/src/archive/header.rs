//! The header of a record of a web archive.

/// Length of the value of a folded header line from which further lines are ignored, in bytes.
const MAX_VALUE_BYTES: usize = 64 << 10;

/// The relevant header lines of a record.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Header {
    /// Kind, such as `response`, in lower case.
    pub kind: String,
    /// Identifier of the record, without angle brackets.
    pub id: Option<String>,
    /// When it was recorded, as in RFC 3339.
    pub date: Option<String>,
    /// Address of the recorded resource.
    pub url: Option<String>,
    /// Media type of the content, in lower case.
    pub content_type: String,
    /// Length of the content, in bytes.
    pub length: u64,
    /// For a `revisit`: the address under which the content was stored earlier.
    pub refers_to: Option<String>,
    /// Checksum of the body of a server's response.
    pub digest: Option<String>,
    /// Why the crawler cut the content off, if it did.
    pub truncated: Option<String>,
    /// True for a record of an ARC archive, where a server's response may have no head.
    pub is_arc: bool,
}

/// A header that has been read in part.
#[derive(Debug, Default)]
pub(super) struct HeaderLines {
    header: Header,
    length: Option<u64>,
    /// Lowercase name and value of the last line, which the next one may continue.
    last: Option<(String, String)>,
}

impl HeaderLines {
    /// Adds a line of a WARC header. A line that begins with white space continues the one before
    /// it; a line without a colon is ignored.
    pub(super) fn add(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if line.starts_with([' ', '\t']) {
            if let Some((name, value)) = &mut self.last
                && value.len() < MAX_VALUE_BYTES
            {
                // An address contains no space.
                if !name.ends_with("-uri") {
                    value.push(' ');
                }
                value.push_str(line.trim());
            }
            return;
        }
        self.take_last();
        if let Some((name, value)) = line.split_once(':') {
            self.last = Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// Finishes the header after its last line; `None` if it has no usable length.
    pub(super) fn end(mut self) -> Option<Header> {
        self.take_last();
        Some(Header {
            length: self.length?,
            ..self.header
        })
    }

    fn take_last(&mut self) {
        let Some((name, value)) = self.last.take() else {
            return;
        };
        let value = value.trim();
        let header = &mut self.header;
        let bare = || Some(value.trim_matches(['<', '>']).to_owned());
        match name.as_str() {
            "warc-type" => header.kind = value.to_ascii_lowercase(),
            "warc-record-id" => header.id = bare(),
            "warc-date" => header.date = Some(value.to_owned()),
            "warc-target-uri" => header.url = bare(),
            "warc-refers-to-target-uri" => header.refers_to = bare(),
            "warc-payload-digest" => header.digest = Some(value.to_owned()),
            "warc-truncated" => header.truncated = Some(value.to_ascii_lowercase()),
            "content-type" => header.content_type = value.to_ascii_lowercase(),
            "content-length" => self.length = value.parse().ok(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_lines_continue_the_one_before() {
        let mut lines = HeaderLines::default();
        for line in [
            "WARC-Type: response\r\n",
            "\tand more\r\n",
            "WARC-Target-URI: <http://a.example/\r\n",
            "  long/path>\r\n",
            "no colon\r\n",
            "content-length:\r\n",
            " 12\r\n",
        ] {
            lines.add(line.as_bytes());
        }
        let header = lines.end().unwrap();
        assert_eq!(
            (header.kind.as_str(), header.length),
            ("response and more", 12)
        );
        assert_eq!(header.url.as_deref(), Some("http://a.example/long/path"));
        assert_eq!(HeaderLines::default().end(), None);
    }
}
