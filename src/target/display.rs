//! How an element is displayed, by its computed style or by its markup.

use crate::capture::{Capture, Display, Dom, NodeId};
use crate::elements::{DefaultDisplay, Element};

const DIALOG: Element = Element::known("dialog");

/// The display type of an element: from its computed style, or from its tag if the page was not rendered.
pub fn display(capture: &Capture, id: NodeId) -> Display {
    if let Some(layout) = &capture.layout {
        return layout
            .style(id)
            .map_or_else(|| tag_display(&capture.dom, id, Display::Contents), |style| style.display);
    }
    if is_hidden_by_markup(&capture.dom, id) { Display::None } else { tag_display(&capture.dom, id, Display::Inline) }
}

/// `display` in the default style sheet of HTML, section 15.3; `other` for tags it does not name.
pub(super) fn tag_display(dom: &Dom, id: NodeId, other: Display) -> Display {
    match dom.element(id).default_display() {
        Some(DefaultDisplay::Block) => Display::Block,
        Some(DefaultDisplay::ListItem) => Display::ListItem,
        Some(DefaultDisplay::Table) => Display::Table,
        Some(DefaultDisplay::TableRow) => Display::TableRow,
        Some(DefaultDisplay::TableCell) => Display::TableCell,
        Some(DefaultDisplay::InlineBlock) => Display::InlineBlock,
        None => other,
    }
}

pub(super) fn is_hidden_by_markup(dom: &Dom, id: NodeId) -> bool {
    let attributes = dom.attributes(id);
    let is_hidden = |value: &str| {
        // React streams parts of a page in hidden elements `S:0`, `S:1`, ... that its script moves to their places.
        !value.eq_ignore_ascii_case("until-found") && !attributes.get("id").is_some_and(|id| id.starts_with("S:"))
    };
    attributes.get("hidden").is_some_and(is_hidden)
        || attributes.get("style").is_some_and(hides)
        || (dom.element(id) == DIALOG && attributes.get("open").is_none())
}

/// Whether an inline style hides the element.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim_end();
        (property.trim().eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
            || (property.trim().eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
    })
}

#[cfg(test)]
mod tests {
    use super::hides;

    #[test]
    fn inline_styles_that_hide_are_recognized() {
        assert!(hides("color: red; DISPLAY : none !important"));
        assert!(!hides("display: block"));
    }
}
