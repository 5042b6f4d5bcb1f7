//! A page as a JSON object on one line, and files of such lines.
//!
//! | member | content |
//! |---|---|
//! | `html` | the source text; or else |
//! | `base64` | the bytes of an HTML or MHTML file, whose encoding is detected |
//! | `charset` | the encoding of those bytes named by the server, if any |
//! | `url` | the page's address, if it is known |
//! | `id` | any value of at most 64 KB; it is kept in results, and names the page's files if safe |

use super::lines::Lines;
use super::pages::Pages;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use serde_json::value::RawValue;
use std::io::{BufReader, Read};
use std::path::Path;
use vclean_core::error::SourceError;
use vclean_core::files::open_regular;
use vclean_core::page::{Body, MAX_PAGE_BYTES, Origin, Page, open_bytes};

/// Largest `id` in bytes of JSON. It is kept in memory with the page, where a value takes many
/// times its size in JSON.
const MAX_ID_BYTES: usize = 64 << 10;

/// A page as JSON.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Document {
    /// The sender's name for the document; null if there is none.
    #[serde(default, deserialize_with = "bounded")]
    pub id: Value,
    html: Option<String>,
    base64: Option<String>,
    charset: Option<String>,
    url: Option<String>,
}

fn bounded<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    let raw = Box::<RawValue>::deserialize(from)?;
    let length = raw.get().len();
    if length > MAX_ID_BYTES {
        return Err(de::Error::custom(format!(
            "its id has {length} bytes, and {MAX_ID_BYTES} are the most"
        )));
    }
    serde_json::from_str(raw.get()).map_err(de::Error::custom)
}

impl Document {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is not a JSON object with members of these kinds.
    pub(crate) fn from_line(line: &[u8]) -> Result<Self, SourceError> {
        serde_json::from_slice(line).map_err(|error| {
            SourceError::Unusable(format!(
                "the line is not a document: {error}; an object with html or base64 is needed"
            ))
        })
    }

    /// Makes a document from its parts. `html` or `base64` is required.
    pub fn new(
        html: Option<String>,
        base64: Option<String>,
        charset: Option<String>,
        url: Option<String>,
    ) -> Self {
        Self {
            id: Value::Null,
            html,
            base64,
            charset,
            url,
        }
    }

    /// The page in the document; `input` is its name in messages.
    ///
    /// # Errors
    /// If it has no content, or both kinds of content, or is larger than a page may be.
    pub fn into_page(self, input: &str) -> Result<Page, SourceError> {
        let unusable = |cause: &str| Err(SourceError::Unusable(cause.to_owned()));
        let page = match (self.html, self.base64) {
            (Some(html), None) => {
                let bytes = html.len() as u64;
                if bytes > MAX_PAGE_BYTES {
                    return Err(SourceError::TooLarge {
                        bytes,
                        limit: MAX_PAGE_BYTES,
                    });
                }
                Page::new(input, Body::html(html))
            }
            // In base64, four characters encode three bytes.
            (None, Some(letters)) if letters.len() as u64 / 4 > MAX_PAGE_BYTES.div_ceil(3) + 1 => {
                return Err(SourceError::TooLarge {
                    bytes: letters.len() as u64 / 4 * 3,
                    limit: MAX_PAGE_BYTES,
                });
            }
            (None, Some(letters)) => match STANDARD.decode(letters.trim()) {
                Ok(bytes) => open_bytes(input, bytes, self.charset.as_deref())?,
                Err(error) => return unusable(&format!("base64 is damaged: {error}")),
            },
            (None, None) => {
                return unusable("the document has no content; it needs html or base64");
            }
            (Some(_), Some(_)) => {
                return unusable("the document has html and base64; it needs one of them");
            }
        };
        let origin = Origin {
            id: Some(self.id).filter(|id| !id.is_null()),
            ..page.origin
        };
        Ok(Page {
            url: self.url.or(page.url),
            origin,
            ..page
        })
    }
}

/// Returns true if the name is that of a file of JSON lines.
pub(super) fn is_json_lines(input: &str) -> bool {
    let name = input.to_ascii_lowercase();
    [".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The pages of a file of JSON lines, one in memory at a time; empty lines are skipped. Each is
/// named by the file's name and its line, such as `pages.jsonl:12`.
pub(super) fn open_lines(input: &str) -> Pages {
    let file = match open_regular(Path::new(input)) {
        Ok(file) => file,
        Err(error) => {
            let error = SourceError::Read {
                path: input.into(),
                cause: error.to_string(),
            };
            return Box::new(std::iter::once(Err(error)));
        }
    };
    let is_packed = input.to_ascii_lowercase().ends_with(".gz");
    if is_packed {
        lines(input, MultiGzDecoder::new(file))
    } else {
        lines(input, file)
    }
}

/// The pages of a stream of JSON lines; `input` is its name.
pub(super) fn lines(input: &str, from: impl Read + Send + 'static) -> Pages {
    let name = input.to_owned();
    let lines = Lines::new(BufReader::new(from)).zip(1..);
    let is_blank = |line: &Result<Vec<u8>, SourceError>| {
        line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty())
    };
    Box::new(
        lines
            .filter(move |(line, _)| !is_blank(line))
            .map(move |(line, number): (_, u64)| {
                let place = format!("{name}:{number}");
                let named =
                    |error: SourceError| SourceError::Unusable(format!("line {number}: {error}"));
                let line = line.map_err(named)?;
                Document::from_line(&line)
                    .and_then(|document| document.into_page(&place))
                    .map_err(named)
            }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn text_and_bytes_become_pages() {
        let page = |line: &str| {
            Document::from_line(line.as_bytes())
                .unwrap()
                .into_page("x")
                .unwrap()
        };
        let found =
            page(r#"{"id": [7], "html": "<p>a", "url": "https://a.example/", "lang": "en"}"#);
        assert_eq!(found.url.as_deref(), Some("https://a.example/"));
        assert_eq!(found.body, Body::html("<p>a"));
        assert_eq!(found.origin.id, Some(serde_json::json!([7])));
        let bytes = STANDARD.encode(b"<p>\xcc\xe8\xf0");
        let found = page(&format!(
            r#"{{"base64": "{bytes}", "charset": "windows-1251"}}"#
        ));
        assert_eq!(found.body, Body::html("<p>Мир"));
        let bytes = STANDARD.encode(b"<meta charset=iso-8859-1>caf\xe9");
        let found = page(&format!(r#"{{"base64": "{bytes}"}}"#));
        assert_eq!(found.body, Body::html("<meta charset=iso-8859-1>café"));
    }

    #[test]
    fn documents_without_a_page_give_an_error() {
        for (line, cause) in [
            ("", "not a document"),
            ("null", "not a document"),
            ("{\"html\": 3}", "not a document"),
            ("{\"id\": 4}", "no content"),
            ("{\"html\": \"a\", \"base64\": \"YQ==\"}", "one of them"),
            ("{\"base64\": \"*\"}", "base64 is damaged"),
            (
                &format!("{{\"id\": [{}0], \"html\": \"a\"}}", "0,".repeat(40_000)),
                "its id has 80003 bytes",
            ),
            (
                &format!("{{\"base64\": \"{}\"}}", "A".repeat(90 << 20)),
                "are more than",
            ),
            ("{\"base64\": \"JVBERi0xLjQ=\"}", "PDF"),
        ] {
            let error = Document::from_line(line.as_bytes())
                .and_then(|document| document.into_page("x"))
                .unwrap_err();
            assert!(error.to_string().contains(cause), "{line}: {error}");
        }
    }

    #[test]
    fn files_are_read_line_by_line_and_reading_continues_after_a_bad_line() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "{\"html\": \"<p>one\"}\n\n{broken\n{\"html\": \"<p>two\"}";
        let plain = folder.path().join("pages.jsonl");
        std::fs::write(&plain, lines).unwrap();
        let packed = folder.path().join("pages.ndjson.gz");
        let mut encoder = GzEncoder::new(File::create(&packed).unwrap(), Compression::fast());
        encoder.write_all(lines.as_bytes()).unwrap();
        encoder.finish().unwrap();
        for path in [plain, packed] {
            let path = path.to_string_lossy().into_owned();
            assert!(is_json_lines(&path));
            let pages: Vec<_> = super::super::open(&path).collect();
            assert_eq!(pages.len(), 3);
            assert_eq!(pages[2].as_ref().unwrap().input, format!("{path}:4"));
            let error = pages[1].as_ref().unwrap_err().to_string();
            assert!(
                error.starts_with("line 3: the line is not a document"),
                "{error}"
            );
        }
        assert!(super::super::open("no/such.jsonl").next().unwrap().is_err());
        let cut = folder.path().join("cut.jsonl.gz");
        std::fs::write(&cut, b"\x1f\x8b\x08\x00\x00").unwrap();
        let found: Vec<_> = super::super::open(&cut.to_string_lossy()).collect();
        assert!(found.len() == 1 && found[0].is_err());
    }
}
