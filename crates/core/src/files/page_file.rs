//! Reads pages from files and streams, up to the size limit.

use super::capture_folder::is_capture;
use super::regular::kind_name;
use crate::error::SourceError;
use crate::page::{Body, MAX_PAGE_BYTES, Page, PageFiles, open_bytes};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

impl Page {
    /// Reads a page from an HTML or MHTML file, or a stored capture.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a page.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SourceError> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        if is_capture(path) {
            return Ok(Self::new(name, Body::Capture(path.to_path_buf())));
        }
        read_page(&name, path)
    }
}

/// Reads the page in a file or a pipe; `input` is its name in messages.
///
/// # Errors
/// If the file cannot be read, or is not a page.
pub fn read_page(input: &str, path: &Path) -> Result<Page, SourceError> {
    let fail = |error: std::io::Error| {
        let mut cause = error.to_string();
        if error.kind() == std::io::ErrorKind::NotFound {
            cause.push_str("; a file is named by its path, a page on the web by an address that begins with https://");
        }
        SourceError::Read {
            path: path.to_path_buf(),
            cause,
        }
    };
    let file = open_input(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    if size > MAX_PAGE_BYTES {
        return Err(SourceError::TooLarge {
            bytes: size,
            limit: MAX_PAGE_BYTES,
        });
    }
    let mut bytes = read_limited(file, size).map_err(fail)??;
    if bytes.starts_with(b"\x1f\x8b") {
        bytes = read_limited(MultiGzDecoder::new(&bytes[..]), 0).map_err(fail)??;
    }
    let mut page = open_bytes(input, bytes, None)?;
    if let (Body::Html { files, .. }, Some(folder)) = (&mut page.body, path.parent()) {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        *files = PageFiles::Folder(folder.to_path_buf());
    }
    Ok(page)
}

/// Reads a page from a stream; `input` is its name in messages.
///
/// # Errors
/// If the stream cannot be read, or is not a page.
pub fn read_page_stream(input: &str, from: impl Read) -> Result<Page, SourceError> {
    let fail = |error: std::io::Error| SourceError::Read {
        path: input.into(),
        cause: error.to_string(),
    };
    let bytes = read_limited(from, 0).map_err(fail)??;
    open_bytes(input, bytes, None)
}

/// Opens a file that the user named, or a pipe, such as the standard input of this process by its
/// path. Devices have no end, so only the user's own terminal and `/dev/null` are read.
fn open_input(path: &Path) -> std::io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    let is_harmless = |path: &Path| path == Path::new("/dev/null") || path.starts_with("/dev/pts");
    if kind_name(kind) == "a device" && !path.canonicalize().is_ok_and(|path| is_harmless(&path)) {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is a device, and a file is needed",
        ));
    }
    File::open(path)
}

/// Reads everything, or returns an error if it is too much. The outer error comes from the system.
fn read_limited(from: impl Read, expected: u64) -> std::io::Result<Result<Vec<u8>, SourceError>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    from.take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    Ok(if read > MAX_PAGE_BYTES {
        Err(SourceError::TooLarge {
            bytes: read,
            limit: MAX_PAGE_BYTES,
        })
    } else {
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_pipes_and_links_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("page.html"), folder.path().join("pipe"));
        std::fs::write(&file, "<p>text").unwrap();
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, "<p>text").unwrap()
        });
        for path in [&link, &pipe] {
            let Body::Html { html, .. } = read_page("x", path).unwrap().body else {
                unreachable!()
            };
            assert_eq!(html, "<p>text");
        }
        writer.join().unwrap();
        let error = read_page("x", Path::new("/dev/zero"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("it is a device"), "{error}");
    }

    #[test]
    fn too_large_input_is_rejected_without_reading_it_all() {
        let error = read_limited(std::io::repeat(b'x'), 0).unwrap().unwrap_err();
        assert!(matches!(error, SourceError::TooLarge { .. }));
    }
}
