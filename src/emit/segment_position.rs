//! Where a segment is on the page: the element around its text, and its box.

use crate::capture::CssRect;
use crate::clean::{Segment, TextPosition, TextPositions};
use serde::Serialize;

/// Where a segment is on the page.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct SegmentPosition<'a> {
    /// The smallest element around all its text; empty if the text is too deep in the page for an XPath.
    xpath: &'a str,
    /// The box around its text, in CSS px; `None` for a page that was not rendered.
    rect: Option<CssRect>,
}

/// Where a segment is; `None` if none of its nodes is known.
pub(super) fn segment_position<'a>(segment: &Segment, positions: &'a TextPositions) -> Option<SegmentPosition<'a>> {
    let nodes = segment.spans.iter().flat_map(|span| &span.nodes);
    let mut all = nodes.filter_map(|&node| positions.get(node));
    let first = all.next()?;
    let mut place = SegmentPosition { xpath: element(first), rect: first.rect };
    for position in all {
        place.xpath = common(place.xpath, element(position));
        place.rect = match (place.rect, position.rect) {
            (Some(before), Some(more)) => Some(before.union(more)),
            (before, more) => before.or(more),
        };
    }
    Some(place)
}

/// The element that a position is in; a formula is an element itself.
fn element(position: &TextPosition) -> &str {
    let path = &*position.xpath;
    if position.start.is_some() { path.rsplit_once('/').map_or("", |(parent, _)| parent) } else { path }
}

/// The steps with which two paths begin.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.split_inclusive('/').zip(other.split_inclusive('/'));
    let is_same = |(one, other): &(&str, &str)| one.trim_end_matches('/') == other.trim_end_matches('/');
    let length: usize = same.take_while(is_same).map(|(step, _)| step.len()).sum();
    one[..length].trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn two_paths_share_whole_steps() {
        assert_eq!(common("/html[1]/p[1]", "/html[1]/p[1]/b[1]"), "/html[1]/p[1]");
        assert_eq!(common("/html[1]/p[1]/b[1]", "/html[1]/p[1]"), "/html[1]/p[1]");
        assert_eq!(common("/html[1]/p[1]", "/html[1]/p[12]"), "/html[1]");
        assert_eq!(common("", "/html[1]"), "");
    }
}
