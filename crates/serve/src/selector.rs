//! The few selectors with which Firecrawl's clients name parts of a page: a tag, `.class`, `#id`, or several of them
//! together, such as `div.note`. Own code: a whole selector engine is part of the build only with the built-in engine.

use super::problem::Problem;
use vclean_core::capture::{Dom, NodeId};

/// A selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// If it has anything but a tag, classes and an id.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'))
        };
        let unknown = || {
            Problem::request(format!(
                "the selector {text} is not supported; use a tag, .class, #id, or several of them such as div.note"
            ))
        };
        let mut selector = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (kind, named) = match rest.as_bytes()[0] {
                kind @ (b'.' | b'#') => (kind, &rest[1..]),
                _ => (0, rest),
            };
            let end = named.find(['.', '#']).unwrap_or(named.len());
            let name = &named[..end];
            match kind {
                b'.' if is_name(name) => selector.classes.push(name.to_owned()),
                b'#' if is_name(name) && selector.id.is_none() => selector.id = Some(name.to_owned()),
                0 if name == "*" && selector == Self::default() && end == rest.len() => {}
                0 if is_name(name) && selector == Self::default() => selector.tag = Some(name.to_lowercase()),
                _ => return Err(unknown()),
            }
            rest = &named[end..];
        }
        if text.trim().is_empty() { Err(unknown()) } else { Ok(selector) }
    }

    /// Whether it names this element.
    fn is(&self, dom: &Dom, id: NodeId) -> bool {
        let classes = dom.attribute(id, "class").unwrap_or_default();
        let has_class = |class: &String| classes.split_ascii_whitespace().any(|found| found == class);
        dom.is_element(id)
            && self.tag.as_ref().is_none_or(|tag| tag == dom.tag(id))
            && self.id.as_ref().is_none_or(|name| dom.attribute(id, "id") == Some(name))
            && self.classes.iter().all(has_class)
    }

    /// Whether it names this node or one around it.
    pub(super) fn contains(&self, dom: &Dom, id: NodeId) -> bool {
        std::iter::once(id).chain(dom.ancestors(id)).any(|id| self.is(dom, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn parts_of_a_page_are_named_by_tag_class_and_id() {
        let dom = parse_html("<div id=a class='x y'><p>one</p></div><p class=z>two</p>");
        let text = |wanted: &str| dom.ids().find(|&id| dom.text(id) == Some(wanted)).unwrap();
        let contains = |selector: &str, wanted| Selector::parse(selector).unwrap().contains(&dom, text(wanted));
        for selector in ["div", "DIV", "#a", ".x", ".y.x", "div.x", "div#a.y", "p", "*"] {
            assert!(contains(selector, "one"), "{selector}");
        }
        for selector in ["div", "#a", ".x", "div.z", "#two", ".zz"] {
            assert!(!contains(selector, "two"), "{selector}");
        }
        assert!(contains("p.z", "two"));
    }

    #[test]
    fn other_selectors_are_refused() {
        for text in ["", " ", "div p", "div > p", "[href]", "a:hover", ".", "#", "p.", "#a#b", "*.x", "a,b", ".x p"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
