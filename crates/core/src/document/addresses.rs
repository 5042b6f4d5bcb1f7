//! The addresses of a page: relative ones resolved, those that lead to an anchor on the page
//! itself, and those that are dropped.

use crate::capture::Capture;
use crate::elements::Element;
use std::borrow::Cow;
use url::Url;

const BASE: Element = Element::known("base");

/// Longest address that is kept, in bytes; a longer one usually contains data.
const MAX_BYTES: usize = 4096;

/// Resolves the addresses of one page.
#[derive(Debug)]
pub(super) struct Addresses {
    base: Option<Url>,
    /// The address of the page itself, without a fragment.
    own: Option<Url>,
}

impl Addresses {
    /// Resolves relative to the first `<base href>` of `capture`, else to its own address.
    pub(super) fn for_capture(capture: &Capture) -> Self {
        let own = capture
            .address()
            .and_then(|address| Url::parse(address).ok());
        let dom = &capture.dom;
        let base = dom
            .ids()
            .find(|&id| dom.element(id) == BASE && dom.attribute(id, "href").is_some());
        let base = base
            .and_then(|id| dom.attribute(id, "href"))
            .and_then(|href| match &own {
                Some(own) => own.join(href).ok(),
                None => Url::parse(href).ok(),
            });
        let mut page = own.clone();
        if let Some(page) = &mut page {
            page.set_fragment(None);
        }
        Self {
            base: base
                .filter(|url| matches!(url.scheme(), "http" | "https"))
                .or(own),
            own: page,
        }
    }

    /// The name of an anchor, if `reference` leads to one on the page itself.
    pub(super) fn name_on_page<'r>(&self, reference: &'r str) -> Option<Cow<'r, str>> {
        let (address, name) = reference.trim().split_once('#')?;
        let is_here = || {
            let base = self.base.as_ref().filter(|_| address.len() <= MAX_BYTES)?;
            Some(base.join(address).ok()? == *self.own.as_ref()?)
        };
        let is_name = !name.is_empty()
            && name.len() <= MAX_BYTES
            && (address.is_empty() || is_here() == Some(true));
        is_name.then(|| percent_decoded(name))
    }

    /// The address of an anchor on the page itself; `None` if the page's address is unknown.
    pub(super) fn place(&self, name: &str) -> Option<String> {
        let mut url = self
            .own
            .clone()
            .filter(|_| !name.is_empty() && name.len() <= MAX_BYTES)?;
        url.set_fragment(Some(name));
        Some(url.into())
    }

    /// The address of `reference`. A relative one is not changed if the page's own address is
    /// unknown. Addresses that run code, contain their data or name a local file are dropped.
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
                    let plain = !reference
                        .chars()
                        .any(|c| c.is_control() || c.is_whitespace());
                    return plain.then(|| reference.to_owned());
                }
                Err(_) => return None,
            },
        };
        matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel").then(|| url.into())
    }

    /// Returns true if the page is the start page of its site, as far as its address is known.
    pub(super) fn is_home(&self) -> bool {
        self.own
            .as_ref()
            .is_some_and(|own| own.query().is_none() && is_start(own.path()))
    }

    /// Returns true if `reference` leads to the page itself and the page's address is known.
    pub(super) fn is_here(&self, reference: &str) -> bool {
        let url = self
            .base
            .as_ref()
            .and_then(|base| base.join(reference).ok());
        url.is_some_and(|url| self.is_itself(&url))
    }

    fn is_itself(&self, url: &Url) -> bool {
        let matches = |own: &Url| {
            own.query().is_none() && without_index(own.path()) == without_index(url.path())
        };
        self.own.as_ref().is_some_and(matches)
    }

    /// `None` unless `reference` leads to the start page of the site, or of the part of it that the
    /// page is in. True if that certainly is not the page itself; `index.html` may be the page
    /// itself if its address is unknown.
    pub(super) fn leads_home(&self, reference: &str) -> Option<bool> {
        let reference = reference
            .trim()
            .split('#')
            .next()
            .filter(|path| !path.is_empty() && !path.contains('?'))?;
        let is_absolute = reference.starts_with('/') || reference.contains(':');
        let is_upward = !is_absolute
            && without_index(reference)
                .split('/')
                .all(|part| matches!(part, "" | "." | ".."));
        let unknown = || Url::parse("http://localhost/").ok();
        let url = self.base.clone().or_else(unknown)?.join(reference).ok()?;
        let is_other_host = self.own.as_ref().is_some_and(|own| host(own) != host(&url));
        let is_start = is_upward || is_absolute && is_start(url.path());
        if !is_start || is_other_host || self.is_itself(&url) {
            return None;
        }
        Some(self.own.is_some() || is_absolute || reference.contains(".."))
    }

    /// [`Self::resolve`] for pictures.
    pub(super) fn resolve_picture(&self, reference: &str) -> Option<String> {
        self.resolve(reference)
            .filter(|address| !address.starts_with("mailto:") && !address.starts_with("tel:"))
    }

    /// [`Self::resolve`] for addresses that must be absolute and on the web.
    pub(super) fn resolve_page(&self, reference: &str) -> Option<String> {
        self.resolve(reference)
            .filter(|address| address.starts_with("http://") || address.starts_with("https://"))
    }
}

fn host(url: &Url) -> &str {
    url.host_str()
        .map_or("", |host| host.strip_prefix("www.").unwrap_or(host))
}

/// A path without the file of a start page, such as `index.html`, and without the slash at its end.
fn without_index(path: &str) -> &str {
    const NAMES: [&str; 7] = [
        "index",
        "default",
        "home",
        "start",
        "startseite",
        "accueil",
        "inicio",
    ];
    let path = path.strip_suffix('/').unwrap_or(path);
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let name = file.split('.').next().unwrap_or("");
    if NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        folder
    } else {
        path
    }
}

/// Returns true for the path of a start page, also of one in a language, such as `/en/`, or of a
/// user, such as `/~ann/`.
fn is_start(path: &str) -> bool {
    let path = without_index(path).trim_start_matches('/');
    let is_language = || match path.as_bytes() {
        [a, b] | [a, b, b'-' | b'_', _, _] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        _ => false,
    };
    path.is_empty() || path.starts_with('~') && !path.contains('/') || is_language()
}

/// Decodes the percent-encoded characters in a part of an address.
pub(super) fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let form = text
        .replace('+', "%2B")
        .replace('&', "%26")
        .replace('=', "%3D");
    let decoded = url::form_urlencoded::parse(form.as_bytes())
        .next()
        .map(|(name, _)| name.into_owned());
    decoded.map_or(text.into(), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;

    fn addresses(html: &str, url: Option<&str>) -> Addresses {
        Addresses::for_capture(&Capture::parsed(
            parse_html(html),
            Record::parsed("x", url.map(str::to_owned)),
        ))
    }

    #[test]
    fn references_are_resolved_against_the_base() {
        let page = addresses("", Some("https://a.example/dir/page"));
        assert_eq!(
            page.resolve("../x?q#f").as_deref(),
            Some("https://a.example/x?q#f")
        );
        assert_eq!(page.resolve("java\nscript:alert(1)"), None);
        assert_eq!(page.resolve("data:text/html,x"), None);
        assert_eq!(
            page.resolve("mailto:a@b.example").as_deref(),
            Some("mailto:a@b.example")
        );
        let page = addresses("<base href=/other/>", Some("https://a.example/dir/page"));
        assert_eq!(
            page.resolve("x").as_deref(),
            Some("https://a.example/other/x")
        );
        let page = addresses("", None);
        assert_eq!(page.resolve("x/y.html").as_deref(), Some("x/y.html"));
        assert_eq!(page.resolve("JavaScript:x()"), None);
    }

    #[test]
    fn start_pages_are_known_by_their_address() {
        let page = addresses("", Some("https://www.a.example/docs/b/page.html"));
        for start in [
            "/",
            "../index.html",
            "../../",
            "..",
            ".",
            "/index.php",
            "https://a.example",
            "/en/",
            "./index.html",
        ] {
            assert_eq!(page.leads_home(start), Some(true), "{start}");
        }
        for other in [
            "",
            "#top",
            "page.html",
            "/docs/x",
            "/?p=12",
            "https://b.example/",
            "mailto:a@a.example",
        ] {
            assert_eq!(page.leads_home(other), None, "{other}");
        }
        assert_eq!(
            addresses("", Some("https://a.example/gulls/")).leads_home("./"),
            None
        );
        let unknown = addresses("", None);
        let found = [
            "/",
            "../index.html",
            "http://b.example/",
            "..",
            ".",
            "./",
            "index.html",
        ];
        let found = found.map(|start| unknown.leads_home(start).expect(start));
        assert_eq!(found, [true, true, true, true, false, false, false]);
        assert_eq!(
            ["gulls.html", "../x.html", "#"].map(|other| unknown.leads_home(other)),
            [None; 3]
        );
        assert!(
            addresses("", Some("https://a.example/index.html")).is_home()
                && !page.is_home()
                && !unknown.is_home()
        );
    }
}
