//! Reads files and standard input up to the size limit, and distinguishes HTML, MHTML and other formats.

use super::page::{Beside, Body, Page};
use super::{MAX_PAGE_BYTES, mhtml};
use crate::capture;
use crate::error::SourceError;
use crate::html::decode;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest list of inputs, in bytes: some ten million addresses.
#[cfg(feature = "run")]
const MAX_LIST_BYTES: u64 = 1 << 30;

/// First bytes of formats that are mistaken for a page, their name, and the remedy.
const NO_PAGES: &[(&[u8], &str, &str)] = &[
    (b"%PDF-", "a PDF document", "convert it to HTML first"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it and name the pages in it; a WACZ file has a name that ends in .wacz"),
    (b"PAR1", "a Parquet file", "name it, by a name that ends in .parquet: it is read from its end"),
    (b"\x1f\x8b", "gzip data", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "unpack it first"),
    (b"BZh", "bzip2 data", "unpack it first"),
    (b"\xfd7zXZ\0", "xz data", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it and name the pages in it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it and name the pages in it"),
    (b"WARC/", "a WARC archive", "give it a name that ends in .warc or .warc.gz"),
    (b"\x89PNG", "a PNG picture", "name an HTML or MHTML file"),
    (b"\xff\xd8\xff", "a JPEG picture", "name an HTML or MHTML file"),
    (b"GIF8", "a GIF picture", "name an HTML or MHTML file"),
    (b"RIFF", "a picture, sound or film", "name an HTML or MHTML file"),
    (b"\xd0\xcf\x11\xe0", "an Office document", "convert it to HTML first"),
    (b"\x7fELF", "a program", "name an HTML or MHTML file"),
];

impl Page {
    /// A page from the bytes of an HTML or MHTML file; its encoding is detected.
    ///
    /// # Errors
    /// If the bytes are no page, or more than [`MAX_PAGE_BYTES`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, SourceError> {
        open_bytes(name, bytes, None)
    }

    /// A page from an HTML or MHTML file, or a stored capture.
    ///
    /// # Errors
    /// If it cannot be read, or is no page.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SourceError> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        if capture::is_capture(path) {
            return Ok(Self { input: name.into_owned(), url: None, body: Body::Capture(path.to_path_buf()) });
        }
        read_file(&name, path)
    }
}

/// Reads a file.
pub(super) fn read_file(input: &str, path: &Path) -> Result<Page, SourceError> {
    let fail = |error: std::io::Error| {
        let mut cause = error.to_string();
        if error.kind() == std::io::ErrorKind::NotFound {
            cause.push_str("; a file is named by its path, a page on the web by an address that begins with https://");
        }
        SourceError::Read { path: path.to_path_buf(), cause }
    };
    let file = File::open(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    if size > MAX_PAGE_BYTES {
        return Err(SourceError::TooLarge { bytes: size, limit: MAX_PAGE_BYTES });
    }
    let mut bytes = read_limited(file, size).map_err(fail)??;
    if bytes.starts_with(b"\x1f\x8b") {
        bytes = read_limited(MultiGzDecoder::new(&bytes[..]), 0).map_err(fail)??;
    }
    let folder = path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    page(input, bytes, folder, None)
}

/// Reads a page from a stream; `input` is its name.
#[cfg(feature = "run")]
pub(super) fn read_stream(input: &str, from: impl Read) -> Result<Page, SourceError> {
    let fail = |error: std::io::Error| SourceError::Read { path: input.into(), cause: error.to_string() };
    let bytes = read_limited(from, 0).map_err(fail)??;
    page(input, bytes, None, None)
}

/// Reads a list of inputs.
#[cfg(feature = "run")]
pub(super) fn read_list(file: &str) -> Result<Vec<u8>, SourceError> {
    let fail = |error: std::io::Error| SourceError::Read { path: file.into(), cause: error.to_string() };
    let mut bytes = Vec::new();
    if file == "-" {
        std::io::stdin().lock().take(MAX_LIST_BYTES).read_to_end(&mut bytes).map_err(fail)?;
    } else {
        File::open(file).map_err(fail)?.take(MAX_LIST_BYTES).read_to_end(&mut bytes).map_err(fail)?;
    }
    Ok(bytes)
}

/// Reads everything, or returns an error if it is too much; the outer error is the system's.
fn read_limited(from: impl Read, expected: u64) -> std::io::Result<Result<Vec<u8>, SourceError>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    from.take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    Ok(if read > MAX_PAGE_BYTES {
        Err(SourceError::TooLarge { bytes: read, limit: MAX_PAGE_BYTES })
    } else {
        Ok(bytes)
    })
}

/// A page from the bytes of an HTML or MHTML file; its encoding is detected, with the server's charset as one hint.
/// `input` is its name in messages.
///
/// # Errors
/// If they are more than a page may have, or no page.
pub(crate) fn open_bytes(input: &str, bytes: Vec<u8>, charset: Option<&str>) -> Result<Page, SourceError> {
    let size = bytes.len() as u64;
    if size > MAX_PAGE_BYTES {
        return Err(SourceError::TooLarge { bytes: size, limit: MAX_PAGE_BYTES });
    }
    page(input, bytes, None, charset)
}

/// Detects the format of the bytes.
fn page(input: &str, bytes: Vec<u8>, folder: Option<&Path>, charset: Option<&str>) -> Result<Page, SourceError> {
    if let Some((_, what, remedy)) = NO_PAGES.iter().find(|(start, _, _)| bytes.starts_with(start)) {
        return Err(SourceError::Unusable(format!("the content is {what}, not a page; {remedy}")));
    }
    if mhtml::is_mhtml(&bytes) {
        let url = mhtml::address(&bytes);
        return Ok(Page { input: input.to_owned(), url, body: Body::Mhtml(bytes) });
    }
    if is_binary(&bytes) {
        return Err(SourceError::Unusable("the content is not text; name an HTML or MHTML file".into()));
    }
    let html = decode(&bytes, charset).text;
    let beside = folder.map_or(Beside::Nothing, |folder| Beside::Folder(folder.to_path_buf()));
    Ok(Page { input: input.to_owned(), url: None, body: Body::Html { html, beside } })
}

/// Whether there is no markup and more than a tenth is control characters (zeros are allowed in UTF-16).
fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let is_control = |&&byte: &&u8| byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | 27);
    let controls = head.iter().filter(is_control).count();
    controls * 10 > head.len()
        && !head.contains(&b'<')
        && !head.starts_with(b"\xff\xfe")
        && !head.starts_with(b"\xfe\xff")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cause(bytes: &[u8]) -> String {
        page("x", bytes.to_vec(), None, None).unwrap_err().to_string()
    }

    #[test]
    fn other_formats_are_named() {
        assert!(cause(b"%PDF-1.7\n").contains("PDF"));
        assert!(cause(b"PK\x03\x04rest").contains("ZIP"));
        assert!(cause(b"\x89PNG\r\n").contains("PNG"));
        assert!(cause(b"\x1f\x8b\x08\0").contains("gzip"));
        assert!(cause(&[0; 100]).contains("not text"));
    }

    #[test]
    fn an_empty_file_is_a_page_without_text() {
        assert_eq!(page("x", vec![], None, None).unwrap().body, Body::html(""));
    }

    #[test]
    fn an_mhtml_file_is_recognized_by_its_content() {
        let archive = b"MIME-Version: 1.0\r\nSnapshot-Content-Location: https://a.example/\r\n\
                        Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n";
        let page = page("saved.html", archive.to_vec(), None, None).unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
        assert!(matches!(page.body, Body::Mhtml(_)));
    }

    #[test]
    fn too_large_input_is_rejected_without_reading_it_all() {
        let error = read_limited(std::io::repeat(b'x'), 0).unwrap().unwrap_err();
        assert!(matches!(error, SourceError::TooLarge { .. }));
    }
}
