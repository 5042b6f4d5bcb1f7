//! Converts a page that needs no browser to a [`Capture`]: bare HTML, the root document of an
//! archive, or a stored capture.

use super::content::{Body, Page};
use super::mhtml::{self, Parts};
use super::sniff_text::refuse_text;
use super::unfilled::{has_text, is_unfilled};
use crate::capture::{Capture, Dom, NodeId, NodeKind, Record};
use crate::error::{SourceError, WarningKind, Warnings};
use crate::files::load_capture;
use crate::html::{Parsed, parse_with_warnings, undecodable};
use crate::text::is_blank;

/// Makes a capture without a browser. From HTML and MHTML it has only the tree, from a capture
/// folder everything stored.
///
/// # Errors
/// If the page is still on the web, an archive has no page in it, or a capture is damaged.
pub fn parse(page: &Page) -> Result<Capture, SourceError> {
    match &page.body {
        Body::Address(address) => Err(SourceError::Unusable(format!(
            "{address} is on the web and needs the browser; use vclean render-and-clean"
        ))),
        Body::Capture(folder) => Ok(load_capture(folder)?),
        Body::Html { html, .. } => match without_frames(html) {
            Some(alternative) => {
                let mut capture = capture_of_html(page, &alternative.html)?;
                capture
                    .record
                    .warnings
                    .add(WarningKind::MissingParts, alternative.warning);
                Ok(capture)
            }
            None => capture_of_html(page, html),
        },
        Body::Mhtml(bytes) => Ok(capture_of(page, mhtml::open(bytes)?)),
    }
}

fn capture_of_html(page: &Page, html: &str) -> Result<Capture, SourceError> {
    if let Some(cause) = refuse_text("", html) {
        return Err(SourceError::Unusable(cause));
    }
    let parsed = parse_with_fallback(html);
    let mut record = Record::parsed(&page.input, page.url.clone());
    record.warnings.clone_from(&page.origin.warnings);
    record.warnings.extend(parsed.warnings);
    record.warnings.extend(undecodable(html));
    warn_if_unfilled(&parsed.dom, &mut record.warnings);
    Ok(Capture::parsed(parsed.dom, record))
}

/// Makes a capture without a browser for an engine that loads frames: framesets are kept. Also
/// returns the other resources of an MHTML file; other pages have none.
///
/// # Errors
/// Same as for [`parse`].
pub fn parse_with_parts(page: &Page) -> Result<(Capture, Parts), SourceError> {
    match &page.body {
        Body::Mhtml(bytes) => {
            let (archive, parts) = mhtml::open_with_parts(bytes)?;
            Ok((capture_of(page, archive), parts))
        }
        Body::Html { html, .. } => Ok((capture_of_html(page, html)?, Parts::default())),
        _ => Ok((parse(page)?, Parts::default())),
    }
}

/// The content that a frameset offers to browsers without frames.
pub struct WithoutFrames {
    /// The page with this content in place of its frames.
    pub html: String,
    /// A message that names the frames.
    pub warning: String,
}

/// The alternative content of a page that is a frameset; `None` for other pages.
pub fn without_frames(html: &str) -> Option<WithoutFrames> {
    let is_candidate = memchr::memchr_iter(b'<', html.as_bytes()).any(|at| {
        html.as_bytes()[at + 1..]
            .get(..8)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"frameset"))
    });
    if !is_candidate {
        return None;
    }
    let dom = parse_with_warnings(html).dom;
    is_frame_set(&dom).then(|| {
        let frames = dom.ids().filter(|&id| dom.tag(id) == "frame");
        let sources: Vec<&str> = frames.filter_map(|id| dom.attribute(id, "src")).take(MAX_NAMED_FRAMES).collect();
        WithoutFrames {
            html: show_alternatives(html),
            warning: format!(
                "the page is a set of frames, whose text is in pages of their own ({}); what it has for browsers \
                 without frames is used",
                sources.join(", ")
            ),
        }
    })
}

/// Returns true if a rendered page is a frameset and none of its frames has text.
pub fn is_empty_frame_set(dom: &Dom) -> bool {
    let is_in_frame = |id: NodeId| {
        dom.ancestors(id)
            .any(|up| up != Dom::ROOT && dom.kind(up) == NodeKind::Document)
    };
    is_frame_set(dom)
        && !dom
            .ids()
            .any(|id| dom.text(id).is_some_and(|text| !is_blank(text)) && is_in_frame(id))
}

fn is_frame_set(dom: &Dom) -> bool {
    dom.ids().any(|id| dom.tag(id) == "frameset")
}

fn capture_of(page: &Page, archive: mhtml::Archive) -> Capture {
    let mut record = Record::parsed(&page.input, page.url.clone().or(archive.url));
    record.warnings.clone_from(&page.origin.warnings);
    record.warnings.extend(archive.warnings);
    warn_if_unfilled(&archive.dom, &mut record.warnings);
    Capture::parsed(archive.dom, record)
}

/// Checks whether a saved page has anything to render, without parsing it. A browser would show an
/// empty page for an archive that is cut off before its document. Returns warnings for an archive
/// that is cut off later, or has damaged headers.
///
/// # Errors
/// If an archive has no document in it.
pub fn check(page: &Page) -> Result<Warnings, SourceError> {
    match &page.body {
        Body::Mhtml(bytes) => mhtml::check(bytes),
        _ => Ok(Warnings::new()),
    }
}

/// Parses a page like a browser with scripts. If that gives hardly any text, parses it like a
/// browser without scripts, which shows the `noscript` parts.
fn parse_with_fallback(html: &str) -> Parsed {
    let parsed = parse_with_warnings(html);
    if has_text(&parsed.dom) || is_frame_set(&parsed.dom) {
        return parsed;
    }
    let mut shown = parse_with_warnings(&show_alternatives(html));
    if !has_text(&shown.dom) {
        return parsed;
    }
    let text = "the page has hardly any text without its scripts; its noscript parts are used";
    shown.warnings.add(WarningKind::NeedsScripts, text);
    shown
}

/// Largest number of frames that a warning names.
const MAX_NAMED_FRAMES: usize = 8;

/// The page with its `noscript` and `noframes` parts in place of its scripts and frames. A frame
/// becomes an `iframe` in the text, so that the built-in engine loads its page if that is saved
/// too.
fn show_alternatives(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut parts = html.split('<');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push('<');
        let slash = if part.starts_with('/') { "/" } else { "" };
        let name_end = part[slash.len()..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .map_or(part.len(), |end| slash.len() + end);
        match part[slash.len()..name_end].to_ascii_lowercase().as_str() {
            "noscript" | "noframes" | "frameset" => out.extend([slash, "div", &part[name_end..]]),
            "frame" if slash.is_empty() => {
                let tag_end = part.find('>').map_or(part.len(), |end| end + 1);
                out.extend([
                    "iframe",
                    &part[name_end..tag_end],
                    "</iframe>",
                    &part[tag_end..],
                ]);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// Adds a warning if scripts would have filled the page.
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
        assert!(capture.dom.ids().any(|id| {
            capture
                .dom
                .text(id)
                .is_some_and(|found| found.starts_with("word"))
        }));
        assert_eq!(capture.record.warnings.len(), 1);
        let beside = format!("<body><p>{text}</p><noscript><p>no scripts</p></noscript>");
        let capture = parse(&page(Body::html(beside))).unwrap();
        assert!(
            !capture
                .dom
                .ids()
                .any(|id| capture.dom.text(id) == Some("no scripts"))
        );
    }

    #[test]
    fn a_set_of_frames_gives_its_alternative_and_names_its_frames() {
        let html = format!(
            "<HTML><FRAMESET cols='20%,*'><FRAME src=menu.html><FRAME SRC='text.html'>\
             <NOFRAMES><BODY><p>The gulls are back.<p>{}</BODY></NOFRAMES></FRAMESET></HTML>",
            "More text. ".repeat(50)
        );
        let capture = parse(&page(Body::html(html))).unwrap();
        assert!(
            capture
                .dom
                .ids()
                .any(|id| capture.dom.text(id) == Some("The gulls are back."))
        );
        let [warning] = &capture.record.warnings[..] else {
            panic!("{:?}", capture.record.warnings)
        };
        assert!(warning.contains("menu.html, text.html"), "{warning}");
        let capture = parse(&page(Body::html("<frameset><frame src=a.html></frameset>"))).unwrap();
        assert_eq!(capture.record.warnings.len(), 1);
    }

    #[test]
    fn xhtml_in_short_form_keeps_its_text() {
        let html = "<html><head><script src='a.js'/><title/></head><body><iframe src='b'/><p>The gulls are back.</p></body></html>";
        let capture = parse(&page(Body::html(html))).unwrap();
        assert!(
            capture
                .dom
                .ids()
                .any(|id| capture.dom.text(id) == Some("The gulls are back."))
        );
    }

    #[test]
    fn an_application_that_its_scripts_would_fill_has_a_warning() {
        let capture = parse(&page(Body::html(
            "<div id=app>Loading...</div><script src=app.js></script>",
        )))
        .unwrap();
        let [warning] = &capture.record.warnings[..] else {
            panic!("{:?}", capture.record.warnings)
        };
        assert!(
            warning.kind == WarningKind::NeedsScripts && warning.contains("`engine` auto"),
            "{warning}"
        );
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
        assert_eq!(
            parse(&page(Body::Capture(folder.path().into()))).unwrap(),
            kept
        );
        assert!(parse(&page(Body::Capture(folder.path().join("none")))).is_err());
    }
}
