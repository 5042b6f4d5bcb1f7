//! Resolves the addresses of links, so that a relative one equals the whole one.

use crate::capture::Capture;
use url::Url;

/// What the addresses of a page are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(Option<Url>);

impl Base {
    /// The base of a page: its first `<base href>`, else its own address.
    pub fn of(capture: &Capture) -> Self {
        let own = capture.address().and_then(|address| Url::parse(address).ok());
        let dom = &capture.dom;
        let stated = dom.ids().filter(|&id| dom.tag(id) == "base").find_map(|id| dom.attribute(id, "href"));
        let stated = stated.and_then(|href| match &own {
            Some(own) => own.join(href.trim()).ok(),
            None => Url::parse(href.trim()).ok(),
        });
        Self(stated.filter(|url| !url.cannot_be_a_base()).or(own))
    }

    /// No base: relative addresses are not changed.
    pub fn unknown() -> Self {
        Self(None)
    }

    /// The whole address, in the form of the URL standard; an address that cannot be resolved is not changed.
    pub(super) fn resolve(&self, address: &str) -> String {
        let address = address.trim();
        let resolved = match &self.0 {
            Some(base) => base.join(address),
            None => Url::parse(address),
        };
        resolved.map_or_else(|_| address.to_owned(), String::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Page, parse};

    #[test]
    fn addresses_are_resolved_as_browsers_do() {
        let base = |html: &str| Base::of(&parse(&Page::from_html("x", html).with_url("https://a.org/b/c")).unwrap());
        assert_eq!(base("<p>x").resolve(" d?e=ä#f "), "https://a.org/b/d?e=%C3%A4#f");
        assert_eq!(base("<base href='//x.org/y/'>").resolve("d"), "https://x.org/y/d");
        assert_eq!(base("<p>x").resolve("HTTPS://X.org"), "https://x.org/");
        let unknown = Base::of(&parse(&Page::from_html("x", "<p>x")).unwrap());
        assert_eq!(unknown, Base::unknown());
        assert_eq!(unknown.resolve("d/e"), "d/e");
    }
}
