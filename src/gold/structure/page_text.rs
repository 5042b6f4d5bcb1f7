//! The texts of a page that the ranges of a recipe refer to.

use super::recipe::Source;
use crate::capture::Dom;

/// The texts of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    text: String,
    collapsed: String,
    addresses: String,
}

impl PageText {
    /// Collects the texts of a parsed page.
    pub fn of(dom: &Dom) -> Self {
        let text: String = dom.ids().filter_map(|id| dom.text(id)).collect();
        let addresses: Vec<&str> = dom.ids().filter_map(|id| dom.attribute(id, "href")).collect();
        Self { collapsed: collapse_runs(&text), addresses: addresses.join("\n"), text }
    }

    /// The text that a range of this source refers to.
    pub fn get(&self, source: Source) -> &str {
        match source {
            Source::Text => &self.text,
            Source::Collapsed => &self.collapsed,
            Source::Addresses => &self.addresses,
        }
    }
}

/// Replaces each run of white space by one space; the ends are not trimmed.
fn collapse_runs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn texts_are_joined_in_document_order() {
        let page = PageText::of(&parse_html("<p>One <a href='/x'>two</a>\n  three</p><a href=y>four</a>"));
        assert_eq!(page.get(Source::Text), "One two\n  threefour");
        assert_eq!(page.get(Source::Collapsed), "One two threefour");
        assert_eq!(page.get(Source::Addresses), "/x\ny");
    }
}
