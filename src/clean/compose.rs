//! Documents of segments that were not made by [`prune`](super::prune()): the text of published methods.

use super::document::{CleanDocument, Segment, SegmentKind, Span};
use super::hidden::hidden_passages;
use super::metadata;
use super::page::PageParts;
use super::prune::{prune_tree, reports};
use super::runs::Runs;
use crate::capture::{Capture, Dom, DomBuilder};
use crate::classify::Decision;
use crate::elements::HEADINGS;
use crate::target::Target;

/// A segment of plain text; `target` is the index of its target.
pub fn plain_segment(kind: SegmentKind, text: String, target: usize) -> Segment {
    Segment::new(kind, vec![Span { text, ..Span::default() }], target)
}

/// A document of segments made from targets, with one decision per target; its tree is the pruned tree of the page.
pub fn document_of(
    capture: &Capture,
    targets: &[Target],
    decisions: &[Decision],
    segments: Vec<Segment>,
) -> CleanDocument {
    let page = PageParts::find(capture, targets);
    let runs = Runs::of_page(capture, targets, decisions);
    CleanDocument {
        id: None,
        metadata: metadata::read(&page, &segments),
        targets: reports(capture, targets, decisions, Vec::new()),
        pruned: prune_tree(&page, &runs).0,
        kind: None,
        comments: None,
        pictures: Vec::new(),
        hidden: hidden_passages(capture),
        positions: None,
        trace: None,
        segments,
    }
}

/// A document of segments without positions in the tree: its tree is built from them.
pub fn document_of_text(capture: &Capture, segments: Vec<Segment>) -> CleanDocument {
    CleanDocument {
        id: None,
        metadata: metadata::read(&PageParts::find(capture, &[]), &segments),
        targets: Vec::new(),
        pruned: tree_of(&segments),
        kind: None,
        comments: None,
        pictures: Vec::new(),
        hidden: hidden_passages(capture),
        positions: None,
        trace: None,
        segments,
    }
}

fn tree_of(segments: &[Segment]) -> Dom {
    let mut tree = DomBuilder::new();
    let mut is_in_list = false;
    for segment in segments {
        let tag = match segment.kind {
            SegmentKind::Heading { level } => HEADINGS[usize::from(level.clamp(1, 6)) - 1],
            SegmentKind::ListItem { .. } => "li",
            _ => "p",
        };
        if is_in_list != (tag == "li") {
            if is_in_list {
                tree.close();
            } else {
                tree.open("ul", Vec::new());
            }
            is_in_list = !is_in_list;
        }
        tree.open(tag, Vec::new());
        tree.text(&segment.text());
        tree.close();
    }
    tree.finish()
}
