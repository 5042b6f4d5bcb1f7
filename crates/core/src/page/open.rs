//! Opens a page from the bytes of a file: distinguishes HTML, MHTML and other formats.

use super::content::{Body, MAX_PAGE_BYTES, Page};
use super::sniff_text::refuse_text;
use super::{mhtml_head, sniff};
use crate::capture::{SavedPage, read_moment, saved_page};
use crate::error::SourceError;
use crate::html::decode;
use std::path::Path;

impl Page {
    /// Opens a page from the bytes of an HTML or MHTML file, whose encoding is detected.
    ///
    /// # Errors
    /// If the bytes are not a page, or are more than [`MAX_PAGE_BYTES`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, SourceError> {
        open_bytes(name, bytes, None)
    }
}

/// Opens a page from the bytes of an HTML or MHTML file. Its encoding is detected; the server's
/// charset is one hint. `input` is the name of the page in messages.
///
/// # Errors
/// If the bytes are not a page, or are more than [`MAX_PAGE_BYTES`].
pub fn open_bytes(input: &str, bytes: Vec<u8>, charset: Option<&str>) -> Result<Page, SourceError> {
    let size = bytes.len() as u64;
    if size > MAX_PAGE_BYTES {
        return Err(SourceError::TooLarge {
            bytes: size,
            limit: MAX_PAGE_BYTES,
        });
    }
    if mhtml_head::is_mhtml(&bytes) {
        let url = mhtml_head::address(&bytes);
        let captured = mhtml_head::date(&bytes).and_then(|date| read_moment(&date));
        let mut page = Page {
            url,
            ..Page::new(input, Body::Mhtml(bytes))
        };
        page.origin.captured = captured;
        return Ok(page);
    }
    if let Some(cause) = sniff::refuse(&bytes) {
        return Err(SourceError::Unusable(cause));
    }
    let is_named_mhtml = Path::new(input).extension().is_some_and(|extension| {
        ["mhtml", "mht"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    if mhtml_head::is_damaged(&bytes)
        || is_named_mhtml && !bytes.is_empty() && !sniff::has_tag(&bytes)
    {
        let cause = "the headers of the MHTML file are damaged or missing; save the page again";
        return Err(SourceError::Unusable(cause.to_owned()));
    }
    let decoded = decode(&bytes, charset);
    if let Some(cause) = refuse_text(input, &decoded.text) {
        return Err(SourceError::Unusable(cause));
    }
    let warning = decoded.warning();
    let SavedPage { url, date } = saved_page(&decoded.text);
    let mut page = Page {
        url,
        ..Page::new(input, Body::html(decoded.text))
    };
    page.origin.captured = date;
    page.origin.warnings.extend(warning);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_a_page_without_text() {
        assert_eq!(open_bytes("x", vec![], None).unwrap().body, Body::html(""));
    }

    #[test]
    fn a_damaged_mhtml_file_is_no_text() {
        let letters = "PGh0bWw+PGJvZHk+PHA+dGV4dDwvcD48L2JvZHk+PC9odG1sPg==\n".repeat(50);
        let headless =
            format!("X\n\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n{letters}");
        for (name, text) in [
            ("x.html", headless.as_str()),
            ("x.mhtml", &letters),
            ("x.MHT", "--x\n"),
        ] {
            let error = open_bytes(name, text.as_bytes().to_vec(), None)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("MHTML file are damaged or missing"),
                "{error}"
            );
        }
        assert!(open_bytes("x.mhtml", b"<p>a page with a wrong name".to_vec(), None).is_ok());
    }

    #[test]
    fn a_saved_page_has_the_address_and_date_that_were_written_into_it() {
        let html = "<!-- saved from url=(0018)https://a.example/ --><p>text";
        let page = open_bytes("x.html", html.into(), None).unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
        let archive = b"MIME-Version: 1.0\r\nDate: Tue, 5 Mar 2013 12:01:02 -0000\r\n\
                        Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n";
        let page = open_bytes("x.mhtml", archive.to_vec(), None).unwrap();
        assert_eq!(
            page.origin.captured.as_deref(),
            Some("2013-03-05T12:01:02-00:00")
        );
    }

    #[test]
    fn an_mhtml_file_is_recognized_by_its_content() {
        let archive = b"MIME-Version: 1.0\r\nSnapshot-Content-Location: https://a.example/\r\n\
                        Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n";
        let page = open_bytes("saved.html", archive.to_vec(), None).unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
        assert!(matches!(page.body, Body::Mhtml(_)));
    }
}
