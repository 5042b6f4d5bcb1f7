//! The place of a part of a text on its page.

use crate::capture::{CssRect, NodeId};
use crate::document::{TextPosition, TextPositions};
use serde::Serialize;

/// The place of a part of a text on its page.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Place<'a> {
    /// The smallest element around the text; empty if the text is too deep in the page for an
    /// XPath.
    pub(super) xpath: &'a str,
    /// The box around the text, in CSS px; `None` for a page that was not rendered.
    pub(super) rect: Option<CssRect>,
}

impl<'a> Place<'a> {
    /// The place of some nodes; `None` if no position is known for any of them.
    pub(super) fn find(
        nodes: impl IntoIterator<Item = NodeId>,
        positions: &'a TextPositions,
    ) -> Option<Self> {
        let mut all = nodes.into_iter().filter_map(|node| positions.get(node));
        let first = all.next()?;
        let mut place = Self {
            xpath: element(first),
            rect: first.rect,
        };
        for position in all {
            place.xpath = common(place.xpath, element(position));
            place.rect = match (place.rect, position.rect) {
                (Some(before), Some(more)) => Some(before.union(more)),
                (before, more) => before.or(more),
            };
        }
        Some(place)
    }
}

/// The element that contains a position; a formula is an element itself.
fn element(position: &TextPosition) -> &str {
    let path = &*position.xpath;
    if position.start.is_some() {
        path.rsplit_once('/').map_or("", |(parent, _)| parent)
    } else {
        path
    }
}

/// The longest common beginning of two paths, in whole steps.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.split_inclusive('/').zip(other.split_inclusive('/'));
    let is_same =
        |(one, other): &(&str, &str)| one.trim_end_matches('/') == other.trim_end_matches('/');
    let length: usize = same.take_while(is_same).map(|(step, _)| step.len()).sum();
    one[..length].trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_share_whole_steps() {
        assert_eq!(
            common("/html[1]/p[1]", "/html[1]/p[1]/b[1]"),
            "/html[1]/p[1]"
        );
        assert_eq!(
            common("/html[1]/p[1]/b[1]", "/html[1]/p[1]"),
            "/html[1]/p[1]"
        );
        assert_eq!(common("/html[1]/p[1]", "/html[1]/p[12]"), "/html[1]");
        assert_eq!(common("", "/html[1]"), "");
    }
}
