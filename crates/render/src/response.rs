//! Converts a server's response to a page or an error, with the same messages for the browser and
//! the fetcher.

use crate::net::{Fetched, is_redirect, is_refused_port};
use url::{ParseError, Url};
use vclean_core::error::{ForbiddenAddress, RenderError, SourceError};
use vclean_core::html::charset;
use vclean_core::page::{Page, open_bytes};

/// Parses the address of a page.
///
/// # Errors
/// [`RenderError::Load`] if it is neither http nor https, [`RenderError::Forbidden`] for a port
/// that browsers refuse.
pub fn address(text: &str) -> Result<Url, RenderError> {
    let url = Url::parse(text).map_err(|error| {
        let cause = if error == ParseError::RelativeUrlWithoutBase {
            "https:// or http:// is missing; write it before the name".to_owned()
        } else {
            format!("{error}; check it")
        };
        RenderError::Load(format!("{text} is no address: {cause}"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let remedy = "use http, https or a saved page";
        return Err(RenderError::Load(format!(
            "{} addresses are not loaded; {remedy}",
            url.scheme()
        )));
    }
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) if is_refused_port(port) => Err(ForbiddenAddress::Port {
            host: host.to_owned(),
            port,
        }
        .into()),
        _ => Ok(url),
    }
}

/// Builds the error for an address whose content has a type that is not a page.
pub(super) fn not_a_page(media_type: &str) -> RenderError {
    let remedy = if media_type == "application/pdf" {
        "; convert it to HTML first, such as by pdftohtml"
    } else {
        ""
    };
    SourceError::Unusable(format!(
        "the address is {media_type}, not a web page{remedy}"
    ))
    .into()
}

pub(super) fn http_error(status: u64, reason: &str, after_s: Option<u64>) -> RenderError {
    let reason = match (reason, status) {
        ("", 204) => "No Content",
        ("", 401) => "Unauthorized",
        ("", 403) => "Forbidden",
        ("", 404) => "Not Found",
        ("", 410) => "Gone",
        ("", 429) => "Too Many Requests",
        ("", 500) => "Internal Server Error",
        ("", 502) => "Bad Gateway",
        ("", 503) => "Service Unavailable",
        ("", 504) => "Gateway Timeout",
        _ => reason,
    };
    let remedy = match status {
        401 | 403 | 407 => "the page is not open to the public",
        429 | 500.. => "try again later",
        _ => "check the address",
    };
    let cause = format!("the server answered {status} {reason}; {remedy}").replace(" ;", ";");
    match status {
        // The two statuses that mean a temporary problem (RFC 9110, 15.6.4; RFC 6585, 4).
        429 | 503 => RenderError::Later { cause, after_s },
        500.. => RenderError::Server(cause),
        _ => RenderError::Load(cause),
    }
}

impl Fetched {
    /// Converts the response to a page under its final address; messages name it `input`.
    ///
    /// # Errors
    /// [`RenderError::Load`] if the response is an error, [`RenderError::Source`] if it is not
    /// HTML, [`RenderError::Later`] if the server is busy, [`RenderError::Server`] if it failed,
    /// [`RenderError::Limit`] if it is too long.
    pub fn into_page(self, input: &str) -> Result<Page, RenderError> {
        let kind = self.content_type.unwrap_or_default().to_ascii_lowercase();
        let media_type = kind.split(';').next().unwrap_or_default().trim();
        match self.status {
            200 | 201 | 202 | 203 | 206 => {}
            status if is_redirect(status) => {
                return Err(RenderError::Load(
                    "the address redirects without end, or without naming another; check the address".to_owned(),
                ));
            }
            status => return Err(http_error(u64::from(status), "", self.retry_after_s)),
        }
        if !matches!(media_type, "" | "multipart/related" | "message/rfc822")
            && !media_type.contains("html")
        {
            return Err(not_a_page(media_type));
        }
        if self.is_cut {
            let limit = self.body.len() >> 20;
            return Err(RenderError::Limit(format!(
                "the document has more than the {limit} MB a page may have"
            )));
        }
        let page = open_bytes(input, self.body, charset(&kind))?;
        Ok(Page {
            url: Some(self.final_url.to_string()),
            ..page
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::page::Body;

    fn fetched(status: u16, kind: &str, body: &[u8]) -> Fetched {
        Fetched {
            status,
            final_url: Url::parse("https://a.example/there").unwrap(),
            content_type: Some(kind.to_owned()).filter(|kind| !kind.is_empty()),
            retry_after_s: Some(7),
            body: body.to_vec(),
            is_cut: false,
        }
    }

    #[test]
    fn a_fetched_page_is_decoded_with_the_charset_of_its_header() {
        let page = fetched(200, "text/html; Charset=\"windows-1252\"; x=y", b"<p>\xe4")
            .into_page("x")
            .unwrap();
        assert_eq!(
            (page.url.as_deref(), page.body),
            (Some("https://a.example/there"), Body::html("<p>\u{e4}"))
        );
        assert!(
            fetched(200, "", b"<!doctype html><p>x")
                .into_page("x")
                .is_ok()
        );
        assert!(
            fetched(200, "application/xhtml+xml", b"<html/>")
                .into_page("x")
                .is_ok()
        );
    }

    #[test]
    fn responses_without_a_page_give_the_same_errors_as_the_browser() {
        let error = |status, kind| {
            fetched(status, kind, b"%PDF-1.4")
                .into_page("x")
                .unwrap_err()
        };
        assert_eq!(
            error(200, "image/png").to_string(),
            "the address is image/png, not a web page"
        );
        let pdf = error(200, "application/pdf");
        assert!(
            matches!(pdf, RenderError::Source(SourceError::Unusable(_)))
                && pdf.to_string().contains("pdftohtml")
        );
        assert_eq!(
            error(404, "text/html").to_string(),
            "the server answered 404 Not Found; check the address"
        );
        assert!(matches!(
            error(503, "text/html"),
            RenderError::Later {
                after_s: Some(7),
                ..
            }
        ));
        assert!(matches!(error(500, "text/html"), RenderError::Server(_)));
        assert!(error(302, "text/html").to_string().contains("without end"));
        assert!(error(204, "").to_string().contains("204 No Content"));
        assert!(matches!(error(200, "text/html"), RenderError::Source(_)));
        let cut = Fetched {
            is_cut: true,
            ..fetched(200, "text/html", &vec![b'x'; 2 << 20])
        };
        assert!(
            cut.into_page("x")
                .unwrap_err()
                .to_string()
                .contains("more than the 2 MB")
        );
    }

    #[test]
    fn only_web_addresses_are_loaded() {
        assert!(address("https://a.example/").is_ok());
        assert!(
            address("file:///etc/passwd")
                .unwrap_err()
                .to_string()
                .contains("file addresses")
        );
        for text in [
            "nonsense",
            "example.org",
            "example.org/page",
            "//example.org",
            "/etc/hostname",
        ] {
            let error = address(text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!(
                    "{text} is no address: https:// or http:// is missing"
                )),
                "{error}"
            );
        }
        assert!(
            address("https://a b/")
                .unwrap_err()
                .to_string()
                .contains("is no address")
        );
        assert!(
            address("http://a.example:6667/")
                .unwrap_err()
                .to_string()
                .contains("browsers refuse it")
        );
    }
}
