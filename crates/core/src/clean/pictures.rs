//! The pictures of the text: those between its blocks, which are written on request.

use super::addresses::Addresses;
use super::document::{Segment, SegmentKind};
use super::kind::{KindFinder, KindSource};
use super::page::PageParts;
use super::table::Tables;
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

/// The attributes of an `img` that name its file where the page loads pictures late: `src` then is a placeholder.
const LATE_SOURCES: &[&str] =
    &["data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-orig-file", "data-echo"];
/// Those that name several files for different widths.
const SOURCE_SETS: &[&str] = &["data-srcset", "data-lazy-srcset", "srcset"];

/// The segments of the kept pictures, each with the index of the segment that follows it. A picture in an item of a list
/// belongs to the item, and one in a table stands after the table.
pub(super) fn pictures(page: &PageParts<'_>, segments: &[Segment], kept: &[NodeId]) -> Vec<(usize, Segment)> {
    let PageParts { dom, targets, ref addresses, .. } = *page;
    let first = |segment: &Segment| targets.get(segment.target).and_then(|target| target.texts.first().copied());
    let (mut kinds, mut tables) = (KindFinder::new(dom, &page.code), Tables::default());
    let mut next = 0;
    let mut found: Vec<(usize, Segment)> = Vec::new();
    for &id in kept {
        while segments.get(next).is_some_and(|segment| first(segment).is_none_or(|first| first < id)) {
            next += 1;
        }
        let Some(source) = source(dom, addresses, id) else { continue };
        let is_in =
            |index: usize, up: NodeId| segments.get(index).and_then(first).is_some_and(|first| dom.contains(up, first));
        let mut at = next;
        if let Some(table) = dom.ancestors(id).find(|&up| dom.tag(up) == "table").filter(|&up| tables.is_data(dom, up))
        {
            while is_in(at, table) {
                at += 1;
            }
        }
        let within = kinds.within(KindSource::Nothing, id);
        let item = dom.ancestors(id).find(|&up| dom.tag(up) == "li").filter(|_| within.items > 0);
        if item.is_some_and(|li| is_in(at, li) && !at.checked_sub(1).is_some_and(|before| is_in(before, li))) {
            at += 1;
        }
        let alternative = collapse(dom.attribute(id, "alt").unwrap_or(""));
        let target = segments.get(at).or(segments.last()).map_or(0, |segment| segment.target);
        let kind = SegmentKind::Image { source, alternative };
        found.push((at, Segment { within, ..Segment::new(kind, Vec::new(), target) }));
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

fn source(dom: &Dom, addresses: &Addresses, id: NodeId) -> Option<String> {
    let late = LATE_SOURCES.iter().filter_map(|name| dom.attribute(id, name));
    let from_set = |id| {
        let sets = SOURCE_SETS.iter().filter_map(move |name| dom.attribute(id, name));
        sets.filter_map(widest).find_map(|file| addresses.resolve_picture(file))
    };
    late.chain(dom.attribute(id, "src"))
        .find_map(|value| addresses.resolve_picture(value))
        .or_else(|| from_set(id))
        .or_else(|| {
            let picture = dom.parent(id).filter(|&up| dom.tag(up) == "picture")?;
            dom.children(picture).filter(|&child| dom.tag(child) == "source").find_map(from_set)
        })
}

/// The file for the greatest width or density in a `srcset`.
fn widest(set: &str) -> Option<&str> {
    let parts = set.split(", ").flat_map(|part| part.split(",\n")).map(str::trim).filter(|part| !part.is_empty());
    let size = |part: &&str| {
        let size = part.split_ascii_whitespace().nth(1).map_or("1", |size| size.trim_end_matches([',', 'w', 'x', 'h']));
        (size.parse::<f32>().unwrap_or(0.0) * 100.0) as u64
    };
    parts.max_by_key(size)?.split_ascii_whitespace().next().map(|file| file.trim_end_matches(','))
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

    #[test]
    fn pictures_stay_in_their_items_and_after_their_tables() {
        let html = "<p>start</p><ol><li><img data-src=a.png src=blank.gif>one<li>two</ol><table><tr><th>x<th><img src=b.png>y<tr><td>1<td>2</table>\
                    <p>so <picture><source srcset='c.png 1x, d.png 2x'><img></picture> it is</p><p>end</p>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", Some("https://a.example/".into())));
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision { margin: 1.0, probability: 1.0, label: Label::Content, comments: None };
        let document = super::super::prune::prune(&capture, &targets, &vec![decision; targets.len()], vec![]);
        let found: Vec<_> = document
            .pictures
            .iter()
            .map(|(next, segment)| match &segment.kind {
                SegmentKind::Image { source, .. } => (*next, segment.within.items, source.rsplit('/').next().unwrap()),
                _ => unreachable!(),
            })
            .collect();
        assert_eq!(found, [(2, 1, "a.png"), (7, 0, "b.png"), (8, 0, "d.png")]);
    }
}
