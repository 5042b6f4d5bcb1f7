//! The pictures of the text: those between its blocks, which are written on request.

use super::addresses::Addresses;
use super::document::{Segment, SegmentKind};
use super::page::PageParts;
use crate::capture::{Capture, Dom, NodeId};
use crate::text::collapse;

/// Smallest side of a picture that belongs to the text, in CSS px; smaller ones are icons and tracking pixels. Heuristic.
const MIN_PICTURE_PX: f32 = 32.0;

/// Whether an `img` is large enough to belong to the text, as far as its size is known.
pub(super) fn is_picture(capture: &Capture, id: NodeId) -> bool {
    let dom = &capture.dom;
    if let Some(rect) = capture.layout.as_ref().and_then(|layout| layout.rect(id)) {
        return rect.width >= MIN_PICTURE_PX && rect.height >= MIN_PICTURE_PX;
    }
    let side = |name| dom.attribute(id, name).and_then(|value| value.trim().trim_end_matches("px").parse::<f32>().ok());
    ["width", "height"].iter().all(|name| side(name).is_none_or(|side| side >= MIN_PICTURE_PX))
}

/// The attributes of an `img` that name its file, the first one that can be resolved counts: pages that load pictures late
/// keep the address in another attribute.
const SOURCES: &[&str] = &["src", "data-src", "data-original", "data-lazy-src"];

/// The segments of the kept pictures, each with the index of the segment that follows it.
pub(super) fn pictures(page: &PageParts<'_>, segments: &[Segment], kept: &[NodeId]) -> Vec<(usize, Segment)> {
    let PageParts { capture, targets, addresses, .. } = page;
    let first = |segment: &Segment| targets.get(segment.target).and_then(|target| target.texts.first().copied());
    let mut next = 0;
    let mut found = Vec::new();
    for &id in kept {
        while segments.get(next).is_some_and(|segment| first(segment).is_none_or(|first| first < id)) {
            next += 1;
        }
        let Some(source) = source(&capture.dom, addresses, id) else { continue };
        let alternative = collapse(capture.dom.attribute(id, "alt").unwrap_or(""));
        let target = segments.get(next).or(segments.last()).map_or(0, |segment| segment.target);
        found.push((next, Segment::new(SegmentKind::Image { source, alternative }, Vec::new(), target)));
    }
    found
}

fn source(dom: &Dom, addresses: &Addresses, id: NodeId) -> Option<String> {
    SOURCES.iter().filter_map(|name| dom.attribute(id, name)).find_map(|value| addresses.resolve_picture(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::classify::{Decision, Label};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    #[test]
    fn pictures_stand_before_the_text_that_follows_them() {
        let html = "<main><p>one</p><img src=a.png alt=' A  picture '><p>two</p><p>three <img src=pixel.gif width=1></p>\
                    <img data-src=b.png><p>four</p></main>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", Some("https://a.example/d/".into())));
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision { margin: 1.0, probability: 1.0, label: Label::Content, comments: None };
        let decisions = vec![decision; targets.len()];
        let document = super::super::prune::prune(&capture, &targets, &decisions, vec![]);
        let picture = |source: &str, alternative: &str| SegmentKind::Image {
            source: format!("https://a.example/d/{source}"),
            alternative: alternative.to_owned(),
        };
        let found: Vec<_> = document.pictures.into_iter().map(|(next, segment)| (next, segment.kind)).collect();
        assert_eq!(found, [(1, picture("a.png", "A picture")), (3, picture("b.png", ""))]);
    }
}
