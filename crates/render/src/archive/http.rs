//! A server's response as archives store it (RFC 9112): status, the relevant headers, and the
//! decoded body.

use crate::net::{Head, is_redirect};
use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::Read;
use vclean_core::error::SourceError;
use vclean_core::html::charset;
use vclean_core::page::MAX_PAGE_BYTES;

/// Longest head of a response, in bytes. Some responses are 64 MB without an empty line.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Largest number of content codings that are removed; servers use one.
const MAX_CODINGS: usize = 3;

/// A server's response, split into its head and its still encoded body.
pub struct Response<'a> {
    /// HTTP status code, such as 200.
    pub status: u16,
    /// Media type, with its parameters, in lower case; empty if missing.
    pub content_type: String,
    /// Target of a redirect.
    pub location: Option<String>,
    content_encoding: String,
    is_chunked: bool,
    raw: &'a [u8],
}

/// The content of a response.
#[derive(Debug)]
pub struct Content {
    /// The bytes of the body without chunks and compression.
    pub bytes: Vec<u8>,
    /// Reason why the end is missing, if it is.
    pub cut_off: Option<&'static str>,
}

/// Returns true for the media type of a page, and for a missing one (empty).
pub fn is_html(content_type: &str) -> bool {
    content_type.is_empty() || content_type.contains("html")
}

impl<'a> Response<'a> {
    /// Parses the head of a response; `None` if there is none.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (head, raw) = Head::split(bytes, MAX_HEAD_BYTES)?;
        let mut response = Self {
            status: head.status()?,
            content_type: String::new(),
            location: None,
            content_encoding: String::new(),
            is_chunked: false,
            raw,
        };
        // If a header is repeated, the last one is used.
        for (name, value) in &head.headers {
            let value = String::from_utf8_lossy(value);
            let name = name.to_ascii_lowercase();
            if name == "location" {
                response.location = Some(value.trim().to_owned());
            }
            let value = value.trim().to_ascii_lowercase();
            match name.as_str() {
                "content-type" => response.content_type = value,
                "content-encoding" => response.content_encoding = value,
                "transfer-encoding" => response.is_chunked = value.contains("chunked"),
                _ => {}
            }
        }
        Some(response)
    }

    /// Returns true if the request was successful.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns true if the response is a redirect with a target.
    pub fn is_redirect(&self) -> bool {
        is_redirect(self.status) && self.location.is_some()
    }

    /// Returns true if the response contains a page.
    pub fn is_page(&self) -> bool {
        self.is_success() && is_html(&self.content_type)
    }

    /// The charset of its text, if the header names one.
    pub fn charset(&self) -> Option<&str> {
        charset(&self.content_type)
    }

    /// Decodes the body: removes chunks and compression. Crawlers often decoded it already but kept
    /// the headers, so a body that is not chunked or not compressed is returned unchanged.
    ///
    /// # Errors
    /// If the compression is unknown, or the data is damaged or larger than a page may be.
    pub fn body(&self) -> Result<Content, SourceError> {
        let (mut content, mut cut_off) = match if self.is_chunked {
            joined(self.raw)
        } else {
            None
        } {
            Some(whole) => (Cow::Owned(whole.bytes), whole.cut_off),
            None => (Cow::Borrowed(self.raw), None),
        };
        // The coding that was applied last is removed first.
        for coding in self
            .content_encoding
            .rsplit(',')
            .map(str::trim)
            .take(MAX_CODINGS)
        {
            if let Some(unpacked) = unpack(coding, &content)? {
                cut_off = cut_off.or(unpacked.cut_off);
                content = Cow::Owned(unpacked.bytes);
            }
        }
        Ok(Content {
            bytes: content.into_owned(),
            cut_off,
        })
    }
}

/// Removes one content coding; `None` if it was not applied.
fn unpack(coding: &str, packed: &[u8]) -> Result<Option<Content>, SourceError> {
    match coding {
        "gzip" | "x-gzip" if packed.starts_with(b"\x1f\x8b") => unpacked(GzDecoder::new(packed)),
        "zstd" if packed.starts_with(b"\x28\xb5\x2f\xfd") => match zstd::stream::read::Decoder::with_buffer(packed) {
            Ok(decoder) => unpacked(decoder),
            Err(error) => return Err(SourceError::Unusable(format!("its content cannot be unpacked: {error}"))),
        },
        "deflate" if packed.first().is_some_and(|first| first & 0x0f == 8) => unpacked(ZlibDecoder::new(packed)),
        "deflate" if !is_text(packed) => unpacked(DeflateDecoder::new(packed)),
        // Brotli has no signature; it is assumed for content that does not look like text.
        "br" if !is_text(packed) => unpacked(Decompressor::new(packed, 4096)),
        "" | "identity" | "none" | "gzip" | "x-gzip" | "zstd" | "deflate" | "br" => return Ok(None),
        _ if is_text(packed) => return Ok(None),
        _ => {
            let coding: String = coding.chars().take(40).collect();
            return Err(SourceError::Unusable(format!(
                "its content is packed with {coding}, which is not supported; unpack the archive's contents first"
            )));
        }
    }
    .map(Some)
}

/// Returns true if the first 1024 bytes contain only control characters that are usual in text.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| {
        *byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | 27) || *byte == 127
    };
    !bytes[..bytes.len().min(1024)].iter().any(is_control)
}

/// Joins the chunks of a chunked body (RFC 9112, 7.1); `None` if it is not chunked.
///
/// `httparse` is not used: it rejects chunk sizes before a bare line feed, which archives contain.
fn joined(mut raw: &[u8]) -> Option<Content> {
    let mut bytes = Vec::new();
    loop {
        let end = raw.iter().take(1024).position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&raw[..end]).ok()?;
        let length = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        raw = &raw[end + 1..];
        if length == 0 {
            return Some(Content {
                bytes,
                cut_off: None,
            });
        }
        // If the page was cut off, its last chunk is shorter than stated.
        let (chunk, rest) = raw.split_at(length.min(raw.len()));
        bytes.extend_from_slice(chunk);
        let is_short = chunk.len() < length;
        raw = rest
            .strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))
            .unwrap_or(rest);
        if raw.is_empty() {
            // Some crawlers left out the last chunk, which is empty.
            return Some(Content {
                bytes,
                cut_off: is_short.then_some("its last chunk is cut off"),
            });
        }
    }
}

fn unpacked(from: impl Read) -> Result<Content, SourceError> {
    let mut bytes = Vec::new();
    let read = from.take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > MAX_PAGE_BYTES {
        return Err(SourceError::TooLarge {
            bytes: bytes.len() as u64,
            limit: MAX_PAGE_BYTES,
        });
    }
    match read {
        Ok(_) => Ok(Content {
            bytes,
            cut_off: None,
        }),
        // Truncated data is kept up to the point where decoding failed.
        Err(_) if !bytes.is_empty() => Ok(Content {
            bytes,
            cut_off: Some("its content encoding is cut off or damaged"),
        }),
        Err(error) => Err(SourceError::Unusable(format!(
            "its content cannot be unpacked: {error}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn packed(text: &str) -> Vec<u8> {
        packed_bytes(text.as_bytes())
    }

    fn packed_bytes(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn body(head: &str, raw: &[u8]) -> Result<Vec<u8>, SourceError> {
        let bytes = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), raw].concat();
        Response::parse(&bytes)
            .unwrap()
            .body()
            .map(|content| content.bytes)
    }

    #[test]
    fn heads_are_read() {
        let page =
            Response::parse(b"HTTP/1.0 200 OK\nContent-Type: Text/HTML; charset=\"KOI8-R\"\n\n<p>")
                .unwrap();
        assert!(page.is_page() && page.charset() == Some("koi8-r") && page.raw == b"<p>");
        assert!(
            !Response::parse(b"HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\n\r\n")
                .unwrap()
                .is_page()
        );
        assert!(
            !Response::parse(b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\n")
                .unwrap()
                .is_page()
        );
        assert!(
            Response::parse(b"<html>\n\n").is_none()
                && Response::parse(b"HTTP/1.1 200 OK").is_none()
        );
    }

    #[test]
    fn bodies_are_joined_and_decompressed_if_necessary() {
        assert_eq!(
            body(
                "Transfer-Encoding: chunked",
                b"3;x=y\r\n<p>\r\n2\r\nab\r\n0\r\n\r\n"
            )
            .unwrap(),
            b"<p>ab"
        );
        assert_eq!(
            body("Transfer-Encoding: chunked", b"<p>was joined before").unwrap(),
            b"<p>was joined before"
        );
        let zipped = packed("<p>text");
        assert_eq!(body("Content-Encoding: gzip", &zipped).unwrap(), b"<p>text");
        assert_eq!(
            body("Content-Encoding: gzip", b"<p>was unpacked before").unwrap(),
            b"<p>was unpacked before"
        );
        let squeezed = zstd::stream::encode_all(&b"<p>text"[..], 3).unwrap();
        assert_eq!(
            body("Content-Encoding: zstd", &squeezed).unwrap(),
            b"<p>text"
        );
        assert_eq!(
            body("Content-Encoding: zstd, gzip", &packed_bytes(&squeezed)).unwrap(),
            b"<p>text"
        );
        // Output of the brotli program for `<p>text`.
        let brotli = b"\x0b\x03\x80<p>text\x03";
        assert_eq!(body("Content-Encoding: br", brotli).unwrap(), b"<p>text");
        assert_eq!(
            body("Content-Encoding: br", b"a { color: red }").unwrap(),
            b"a { color: red }"
        );
        assert!(body("Content-Encoding: zstd", b"\x28\xb5\x2f\xfd\xff\xff").is_err());
        assert!(body("Content-Encoding: br", b"\xff\xff\0\0").is_err());
        assert!(
            body("Content-Encoding: compress", b"\x1f\x9d\x90\0")
                .unwrap_err()
                .to_string()
                .contains("compress")
        );
        assert_eq!(
            body("Content-Encoding: utf-8", b"<p>no coding at all").unwrap(),
            b"<p>no coding at all"
        );
        let chunks = [
            format!("{:x}\r\n", zipped.len()).as_bytes(),
            &zipped,
            b"\r\n0\r\n\r\n",
        ]
        .concat();
        assert_eq!(
            body(
                "Transfer-Encoding: chunked\r\nContent-Encoding: gzip",
                &chunks
            )
            .unwrap(),
            b"<p>text"
        );
    }

    #[test]
    fn content_that_is_cut_off_is_given_up_to_the_cut() {
        let text: String = (0..2000)
            .map(|number| format!("<p>{number} "))
            .collect::<Vec<_>>()
            .concat();
        let zipped = packed(&text);
        let chunk = [b"ffff\r\n".to_vec(), text.clone().into_bytes()].concat();
        for (head, raw) in [
            ("Content-Encoding: gzip", &zipped[..zipped.len() / 2]),
            ("Transfer-Encoding: chunked", &chunk[..5000]),
        ] {
            let bytes = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), raw].concat();
            let content = Response::parse(&bytes).unwrap().body().unwrap();
            assert!(
                text.as_bytes().starts_with(&content.bytes) && content.bytes.len() > 1000,
                "{head}"
            );
            assert!(content.cut_off.is_some(), "{head}");
        }
    }

    #[test]
    fn decompressed_content_is_limited() {
        let bomb = packed(&"x".repeat(MAX_PAGE_BYTES as usize + 10));
        assert!(bomb.len() < 1_000_000);
        assert!(matches!(
            body("Content-Encoding: gzip", &bomb),
            Err(SourceError::TooLarge { .. })
        ));
        let bomb =
            zstd::stream::encode_all(std::io::repeat(b'x').take(MAX_PAGE_BYTES + 10), 3).unwrap();
        assert!(bomb.len() < 1_000_000);
        assert!(matches!(
            body("Content-Encoding: zstd", &bomb),
            Err(SourceError::TooLarge { .. })
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_body_or_an_error(raw in proptest::collection::vec(any::<u8>(), 0..200)) {
            for head in ["X: y", "Transfer-Encoding: chunked", "Content-Encoding: deflate", "Content-Encoding: br, zstd"] {
                let _ = body(head, &raw);
            }
            let _ = Response::parse(&raw);
        }
    }
}
