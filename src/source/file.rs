//! Reads files and standard input up to the size limit, and distinguishes HTML, MHTML and other formats.

use super::page::{Beside, Body, Page};
use super::{MAX_PAGE_BYTES, mhtml_head, sniff};
use crate::capture;
use crate::error::SourceError;
use crate::html::decode;
use crate::regular_file;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest list of inputs, in bytes: some ten million addresses.
#[cfg(feature = "run")]
const MAX_LIST_BYTES: u64 = 1 << 30;

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
            return Ok(Self::new(name, Body::Capture(path.to_path_buf())));
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
    let file = open_input(path).map_err(fail)?;
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

/// Opens what the user named: a file, or a pipe, such as the standard input of this process by its path. Devices have no
/// end; of these, only the user's own terminal and the one that is always empty are read.
fn open_input(path: &Path) -> std::io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    let is_harmless = |path: &Path| path == Path::new("/dev/null") || path.starts_with("/dev/pts");
    if regular_file::kind_name(kind) == "a device" && !path.canonicalize().is_ok_and(|path| is_harmless(&path)) {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is a device, and a file is needed"));
    }
    File::open(path)
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
    if mhtml_head::is_mhtml(&bytes) {
        let url = mhtml_head::address(&bytes);
        return Ok(Page { url, ..Page::new(input, Body::Mhtml(bytes)) });
    }
    if let Some(cause) = sniff::refuse(&bytes) {
        return Err(SourceError::Unusable(cause));
    }
    let is_named_mhtml = Path::new(input)
        .extension()
        .is_some_and(|extension| ["mhtml", "mht"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    if mhtml_head::is_damaged(&bytes) || is_named_mhtml && !bytes.is_empty() && !sniff::has_tag(&bytes) {
        let cause = "the headers of the MHTML file are damaged or missing; save the page again";
        return Err(SourceError::Unusable(cause.to_owned()));
    }
    let html = decode(&bytes, charset).text;
    let beside = folder.map_or(Beside::Nothing, |folder| Beside::Folder(folder.to_path_buf()));
    Ok(Page::new(input, Body::Html { html, beside }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_a_page_without_text() {
        assert_eq!(page("x", vec![], None, None).unwrap().body, Body::html(""));
    }

    #[test]
    fn a_damaged_mhtml_file_is_no_text() {
        let letters = "PGh0bWw+PGJvZHk+PHA+dGV4dDwvcD48L2JvZHk+PC9odG1sPg==\n".repeat(50);
        let headless = format!("X\n\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n{letters}");
        for (name, text) in [("x.html", headless.as_str()), ("x.mhtml", &letters), ("x.MHT", "--x\n")] {
            let error = page(name, text.as_bytes().to_vec(), None, None).unwrap_err().to_string();
            assert!(error.contains("MHTML file are damaged or missing"), "{error}");
        }
        assert!(page("x.mhtml", b"<p>a page with a wrong name".to_vec(), None, None).is_ok());
    }

    #[test]
    fn an_mhtml_file_is_recognized_by_its_content() {
        let archive = b"MIME-Version: 1.0\r\nSnapshot-Content-Location: https://a.example/\r\n\
                        Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n";
        let page = page("saved.html", archive.to_vec(), None, None).unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
        assert!(matches!(page.body, Body::Mhtml(_)));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_pipes_and_links_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("page.html"), folder.path().join("pipe"));
        std::fs::write(&file, "<p>text").unwrap();
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, "<p>text").unwrap()
        });
        for path in [&link, &pipe] {
            let Body::Html { html, .. } = read_file("x", path).unwrap().body else { unreachable!() };
            assert_eq!(html, "<p>text");
        }
        writer.join().unwrap();
        let error = read_file("x", Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("it is a device"), "{error}");
    }

    #[test]
    fn too_large_input_is_rejected_without_reading_it_all() {
        let error = read_limited(std::io::repeat(b'x'), 0).unwrap().unwrap_err();
        assert!(matches!(error, SourceError::TooLarge { .. }));
    }
}
