//! Finds words that are on a page but not in a block: in a script, hidden, or in an attribute. Each
//! result gives the place, and the reason why it is not text of the page.

use super::words::comparable;
use crate::capture::{Capture, CssRect, NodeId, Positions, Visibility};
use crate::elements::is_hidden;
use crate::target::{Target, is_off};
use crate::text::{excerpt, is_blank};
use serde::Serialize;

/// Largest number of places that are listed.
const MAX_PLACES: usize = 3;
/// Largest number of characters of a text that is shown.
const MAX_CHARS: usize = 300;
/// Attributes that contain text for people.
const ATTRIBUTES: &[&str] = &[
    "alt",
    "title",
    "placeholder",
    "aria-label",
    "content",
    "value",
];

/// A place of the words on the page outside all blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Elsewhere {
    /// The reason why this is not text of the page.
    pub reason: String,
    /// At most 300 characters of the text or attribute.
    pub text: String,
    /// XPath of the text node, or of the element with the attribute.
    pub xpath: String,
    /// The box of the text, in CSS px from the top left corner of the page; `None` if it has none.
    pub rect: Option<CssRect>,
}

/// The places of the words outside the targets, in document order, texts before attributes. The
/// words must be [`comparable`].
pub(super) fn find(capture: &Capture, targets: &[Target], words: &str) -> Vec<Elsewhere> {
    let dom = &capture.dom;
    let mut is_in_target = vec![false; dom.len()];
    for text in targets.iter().flat_map(|target| &target.texts) {
        is_in_target[text.index()] = true;
    }
    let other = |id: &NodeId| {
        !is_in_target[id.index()] && dom.text(*id).is_some_and(|text| !is_blank(text))
    };
    let nodes: Vec<NodeId> = dom.ids().filter(other).collect();
    let texts: Vec<String> = nodes
        .iter()
        .map(|&id| comparable(dom.text(id).unwrap_or("")))
        .collect();
    let mut found: Vec<NodeId> = nodes
        .iter()
        .zip(&texts)
        .filter(|(_, text)| text.contains(words))
        .map(|(&id, _)| id)
        .collect();
    if found.is_empty() {
        found = super::words::spanned(&texts, words)
            .into_iter()
            .map(|index| nodes[index])
            .collect();
    }
    let positions = Positions::new(dom);
    let xpath = |id| positions.xpath_for_browsers(dom, id);
    let rect = |id| {
        capture
            .layout
            .as_ref()
            .map(|layout| layout.bounding_rect(&[id]))
            .filter(|rect| !rect.is_empty())
    };
    let in_texts = found.into_iter().map(|id| Elsewhere {
        reason: reason(capture, id),
        text: around(dom.text(id).unwrap_or(""), words),
        xpath: xpath(id),
        rect: rect(id),
    });
    let attributes = dom.ids().flat_map(|id| {
        let named = dom
            .attributes(id)
            .iter()
            .filter(|(name, _)| ATTRIBUTES.contains(name));
        named.map(move |(name, value)| (id, name, value))
    });
    let in_attributes = attributes
        .filter(|(_, _, value)| comparable(value).contains(words))
        .map(|(id, name, value)| Elsewhere {
            reason: format!(
                "it is the attribute {name} of an element {}, and attributes are no text",
                dom.tag(id)
            ),
            text: around(value, words),
            xpath: xpath(id),
            rect: capture
                .layout
                .as_ref()
                .and_then(|layout| layout.rect(id))
                .filter(|rect| !rect.is_empty()),
        });
    in_texts.chain(in_attributes).take(MAX_PLACES).collect()
}

/// The beginning of a short text, or the part of a long one around the words.
fn around(text: &str, words: &str) -> String {
    let text = crate::text::collapse(text);
    let first = words.split(' ').next().unwrap_or(words);
    let small = text.to_lowercase();
    let at = small.find(words).or_else(|| small.find(first)).unwrap_or(0);
    let before = small[..at].chars().count();
    if before + words.chars().count() < MAX_CHARS {
        return excerpt(&text, MAX_CHARS).to_owned();
    }
    let rest: String = text
        .chars()
        .skip(before - MAX_CHARS / 3)
        .take(MAX_CHARS)
        .collect();
    format!("...{rest}")
}

/// The reason why a text node does not belong to a block.
fn reason(capture: &Capture, text: NodeId) -> String {
    let dom = &capture.dom;
    for up in dom.ancestors(text).filter(|&up| dom.is_element(up)) {
        let tag = dom.tag(up);
        if tag == "title" && !dom.ancestors(up).any(|up| dom.tag(up) == "svg") {
            return "it is the title of the page, which is metadata and no block".to_owned();
        }
        if is_hidden(tag) {
            return format!("it is in an element {tag}, whose content is no text of the page");
        }
        if is_off(capture, up) {
            return format!("it is hidden: an element {tag} around it is not displayed");
        }
    }
    if let Some(layout) = &capture.layout {
        if let Visibility::Hidden(cause) = layout.visibility(text) {
            return format!("a reader does not see it: {}", cause.describe());
        }
        match layout.style(text) {
            Some(style) if !style.is_visible => {
                return "it is hidden: its visibility is hidden".to_owned();
            }
            Some(_) if layout.lines(text).iter().any(|line| !line.rect.is_empty()) => {}
            _ => return "it takes no space on the page".to_owned(),
        }
    }
    "it is a line number of code, a reading above its text, or a place that a script would fill"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    fn places(html: &str, words: &str) -> Vec<(String, String)> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let found = find(&capture, &targets, &comparable(words));
        found
            .into_iter()
            .map(|place| (place.reason, place.xpath))
            .collect()
    }

    #[test]
    fn the_reason_is_named_where_the_words_are_no_text() {
        for (html, reason) in [
            ("<script>let a = 'Herring gulls'</script>", "element script"),
            ("<title>Herring gulls</title>", "title of the page"),
            (
                "<div hidden><p>Herring <b>gulls</b></p></div>",
                "element div around it is not displayed",
            ),
            ("<pre><span class=lineno>Herring gulls</span>code</pre>", ""),
            (
                "<img alt='The herring gulls of Sylt'>",
                "attribute alt of an element img",
            ),
        ] {
            let found = places(&format!("{html}<p>text</p>"), "herring  Gulls");
            if reason.is_empty() {
                assert!(found.is_empty(), "{html}: {found:?}");
            } else {
                assert!(found[0].0.contains(reason), "{html}: {found:?}");
            }
        }
        assert!(places("<p>Herring gulls</p>", "herring gulls").is_empty());
    }

    #[test]
    fn of_a_long_text_the_part_with_the_words_is_shown() {
        let long = format!("{} herring gulls {}", "a ".repeat(500), "b ".repeat(500));
        let shown = around(&long, "herring gulls");
        assert!(
            shown.starts_with("...a")
                && shown.contains("herring gulls b")
                && shown.chars().count() < 310,
            "{shown}"
        );
        assert_eq!(around("Herring gulls", "herring gulls"), "Herring gulls");
    }
}
