//! The addresses of a page's links and pictures.

use crate::capture::Capture;
use crate::elements::Element;
use url::Url;

const BASE: Element = Element::known("base");

/// Longest address that is kept, in bytes; a longer one usually contains data.
const MAX_BYTES: usize = 4096;

/// Resolves the addresses of one page.
#[derive(Debug)]
pub(super) struct Addresses {
    base: Option<Url>,
}

impl Addresses {
    /// Resolves relative to the first `<base href>` of `capture`, else to its own address.
    pub(super) fn for_capture(capture: &Capture) -> Self {
        let own = capture.address().and_then(|address| Url::parse(address).ok());
        let dom = &capture.dom;
        let said = dom.ids().find(|&id| dom.element(id) == BASE && dom.attribute(id, "href").is_some());
        let said = said.and_then(|id| dom.attribute(id, "href")).and_then(|href| match &own {
            Some(own) => own.join(href).ok(),
            None => Url::parse(href).ok(),
        });
        Self { base: said.filter(|url| matches!(url.scheme(), "http" | "https")).or(own) }
    }

    /// The address of `reference`. A relative one is not changed if the page's own address is unknown. Addresses that run
    /// code, contain their data or name a local file are dropped.
    pub(super) fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        if reference.is_empty() || reference.len() > MAX_BYTES {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(reference).ok()?,
            None => match Url::parse(reference) {
                Ok(url) => url,
                Err(url::ParseError::RelativeUrlWithoutBase) => {
                    let plain = !reference.chars().any(|c| c.is_control() || c.is_whitespace());
                    return plain.then(|| reference.to_owned());
                }
                Err(_) => return None,
            },
        };
        matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel").then(|| url.into())
    }

    /// [`Self::resolve`] for pictures.
    pub(super) fn resolve_picture(&self, reference: &str) -> Option<String> {
        self.resolve(reference).filter(|address| !address.starts_with("mailto:") && !address.starts_with("tel:"))
    }

    /// [`Self::resolve`] for addresses that must be absolute and on the web.
    pub(super) fn resolve_page(&self, reference: &str) -> Option<String> {
        self.resolve(reference).filter(|address| address.starts_with("http://") || address.starts_with("https://"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;

    fn addresses(html: &str, url: Option<&str>) -> Addresses {
        Addresses::for_capture(&Capture::parsed(parse_html(html), Record::parsed("x", url.map(str::to_owned))))
    }

    #[test]
    fn references_are_resolved_against_the_base() {
        let page = addresses("", Some("https://a.example/dir/page"));
        assert_eq!(page.resolve("../x?q#f").as_deref(), Some("https://a.example/x?q#f"));
        assert_eq!(page.resolve("java\nscript:alert(1)"), None);
        assert_eq!(page.resolve("data:text/html,x"), None);
        assert_eq!(page.resolve("mailto:a@b.example").as_deref(), Some("mailto:a@b.example"));
        let page = addresses("<base href=/other/>", Some("https://a.example/dir/page"));
        assert_eq!(page.resolve("x").as_deref(), Some("https://a.example/other/x"));
        let page = addresses("", None);
        assert_eq!(page.resolve("x/y.html").as_deref(), Some("x/y.html"));
        assert_eq!(page.resolve("JavaScript:x()"), None);
    }
}
