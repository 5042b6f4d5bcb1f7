//! Converts a page that needs no browser to a [`Capture`]: bare HTML, the root document of an archive, or a stored
//! capture.

use super::content::{Body, Page};
use super::mhtml::{self, Parts};
use super::unfilled::{has_text, is_unfilled};
use crate::capture::{Capture, Dom, Record};
use crate::error::{SourceError, WarningKind, Warnings};
use crate::files::load_capture;
use crate::html::{Parsed, parse_with_warnings, undecodable};

/// Makes a capture without a browser: from HTML and MHTML with the tree only, from a capture folder with everything
/// stored.
///
/// # Errors
/// A page that is still on the web, an archive without a page in it, a damaged capture.
pub fn parse(page: &Page) -> Result<Capture, SourceError> {
    match &page.body {
        Body::Address(address) => Err(SourceError::Unusable(format!(
            "{address} is on the web and needs the browser; use vclean render-and-clean"
        ))),
        Body::Capture(folder) => Ok(load_capture(folder)?),
        Body::Html { html, .. } => {
            let parsed = parse_with_fallback(html);
            let mut record = Record::parsed(&page.input, page.url.clone());
            record.warnings.clone_from(&page.origin.warnings);
            record.warnings.extend(parsed.warnings);
            record.warnings.extend(undecodable(html));
            warn_if_unfilled(&parsed.dom, &mut record.warnings);
            Ok(Capture::parsed(parsed.dom, record))
        }
        Body::Mhtml(bytes) => Ok(capture_of(page, mhtml::open(bytes)?)),
    }
}

/// Makes a capture without a browser, and gives the other resources of an MHTML file; other pages have none.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with_parts(page: &Page) -> Result<(Capture, Parts), SourceError> {
    let Body::Mhtml(bytes) = &page.body else { return Ok((parse(page)?, Parts::default())) };
    let (archive, parts) = mhtml::open_with_parts(bytes)?;
    Ok((capture_of(page, archive), parts))
}

fn capture_of(page: &Page, archive: mhtml::Archive) -> Capture {
    let mut record = Record::parsed(&page.input, page.url.clone().or(archive.url));
    record.warnings.clone_from(&page.origin.warnings);
    record.warnings.extend(archive.warnings);
    warn_if_unfilled(&archive.dom, &mut record.warnings);
    Capture::parsed(archive.dom, record)
}

/// Checks whether a saved page has anything to render, without parsing it: for a browser, an archive that was cut off
/// before its document is an empty page. Returns warnings for an archive that was cut off later, or has damaged headers.
///
/// # Errors
/// An archive without a document in it.
pub fn check(page: &Page) -> Result<Warnings, SourceError> {
    match &page.body {
        Body::Mhtml(bytes) => mhtml::check(bytes),
        _ => Ok(Warnings::new()),
    }
}

/// Parses a page like a browser with scripts. If that gives hardly any text, parses it like a browser without scripts,
/// which shows the `noscript` parts.
fn parse_with_fallback(html: &str) -> Parsed {
    let parsed = parse_with_warnings(html);
    if has_text(&parsed.dom) || !html.contains("<noscript") {
        return parsed;
    }
    let opened = html.replace("<noscript", "<div").replace("</noscript", "</div");
    let mut shown = parse_with_warnings(&opened);
    if !has_text(&shown.dom) {
        return parsed;
    }
    let text = "the page has hardly any text without its scripts; its noscript parts are used";
    shown.warnings.add(WarningKind::NeedsScripts, text);
    shown
}

/// Warns of a page that its scripts would fill.
fn warn_if_unfilled(dom: &Dom, warnings: &mut Warnings) {
    if is_unfilled(dom) {
        let text = "the page looks like an application that its scripts fill, and they did not run: it has hardly any text; \
                    load it from its address with `engine` auto or chromium";
        warnings.add(WarningKind::NeedsScripts, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Engine;

    fn page(body: Body) -> Page {
        Page::new("x", body)
    }

    #[test]
    fn bare_html_becomes_a_capture_without_layout() {
        let capture = parse(&page(Body::html("<p>a\u{fffd}"))).unwrap();
        assert_eq!(capture.record.engine, Engine::Parser);
        assert!(capture.layout.is_none() && capture.pictures.is_none());
        assert_eq!(capture.record.warnings.len(), 1);
    }

    #[test]
    fn noscript_is_used_if_there_is_no_other_text() {
        let text = "word ".repeat(100);
        let only = format!("<body><div id=app></div><noscript><p>{text}</p></noscript>");
        let capture = parse(&page(Body::html(only))).unwrap();
        assert!(capture.dom.ids().any(|id| capture.dom.text(id).is_some_and(|found| found.starts_with("word"))));
        assert_eq!(capture.record.warnings.len(), 1);
        let beside = format!("<body><p>{text}</p><noscript><p>no scripts</p></noscript>");
        let capture = parse(&page(Body::html(beside))).unwrap();
        assert!(!capture.dom.ids().any(|id| capture.dom.text(id) == Some("no scripts")));
    }

    #[test]
    fn an_application_that_its_scripts_would_fill_has_a_warning() {
        let capture = parse(&page(Body::html("<div id=app>Loading...</div><script src=app.js></script>"))).unwrap();
        let [warning] = &capture.record.warnings[..] else { panic!("{:?}", capture.record.warnings) };
        assert!(warning.kind == WarningKind::NeedsScripts && warning.contains("`engine` auto"), "{warning}");
    }

    #[test]
    fn a_page_on_the_web_names_the_remedy() {
        let error = parse(&page(Body::Address("https://a.example/".into()))).unwrap_err();
        assert!(error.to_string().contains("render-and-clean"));
    }

    #[test]
    fn kept_captures_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let kept = parse(&page(Body::html("<p>a"))).unwrap();
        crate::files::save_capture(&kept, folder.path()).unwrap();
        assert_eq!(parse(&page(Body::Capture(folder.path().into()))).unwrap(), kept);
        assert!(parse(&page(Body::Capture(folder.path().join("none")))).is_err());
    }
}
