//! The address that a page declares as its own.

use crate::capture::{Dom, NodeId};

/// The address that an element declares as that of its page: a canonical link, or `og:url`; neither
/// trimmed nor resolved.
pub(super) fn own_address(dom: &Dom, id: NodeId) -> Option<&str> {
    let is = |attribute, value: &str| {
        dom.attribute(id, attribute)
            .is_some_and(|own| own.eq_ignore_ascii_case(value))
    };
    match dom.tag(id) {
        "link" if is("rel", "canonical") => dom.attribute(id, "href"),
        "meta" if is("property", "og:url") || is("name", "og:url") => dom.attribute(id, "content"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn links_and_meta_elements_give_the_address() {
        let dom = parse_html(
            "<link rel=icon href=/icon><link rel=Canonical href=/gulls><meta property=og:url content=/terns>\
             <meta name=og:url content=/ducks><meta name=url content=/other><a rel=canonical href=/far>x</a>",
        );
        let found: Vec<&str> = dom.ids().filter_map(|id| own_address(&dom, id)).collect();
        assert_eq!(found, ["/gulls", "/terns", "/ducks"]);
    }
}
