//! One document of the browser's snapshot while `snapshot` walks it: lookup tables by node, and its position on the
//! page.

use super::answer::{Nodes, Snapshot, TextBoxes};
use super::frame::FrameTexts;
use crate::capture::{CssRect, LineBox};
use crate::error::RenderError;

pub(super) fn damaged() -> RenderError {
    RenderError::Crash("the browser's snapshot of the page cannot be read; use another version of the browser".into())
}

/// A document during the walk.
pub(super) struct Walk {
    pub(super) document: usize,
    pub(super) next: usize,
    /// Open nodes, as indices in the snapshot.
    pub(super) open: Vec<usize>,
    /// Depth in the builder at which the nodes of this document begin.
    pub(super) base: usize,
    /// Offset that is added to its coordinates.
    pub(super) shift: (f32, f32),
    /// Per node, index of its box + 1, or 0.
    pub(super) boxes: Vec<u32>,
    /// Per box, the first text box and the number of text boxes.
    pub(super) lines: Vec<(u32, u32)>,
    /// Per node, whether it and its descendants are left out.
    pub(super) skipped: Vec<bool>,
    /// Per node, kind of the shadow tree that contains it: 0 none or open, 1 closed.
    pub(super) closed: Vec<bool>,
    pub(super) frame: usize,
}

impl Walk {
    pub(super) fn new(
        snapshot: &Snapshot,
        document: usize,
        base: usize,
        shift: (f32, f32),
        frames: &mut Vec<FrameTexts>,
    ) -> Result<Self, RenderError> {
        let source = &snapshot.documents[document];
        let nodes = &source.nodes;
        let count = nodes.node_type.len();
        let lengths =
            [nodes.parent_index.len(), nodes.node_name.len(), nodes.node_value.len(), nodes.backend_node_id.len()];
        let boxed = source.layout.node_index.len();
        let text = &source.text_boxes;
        let texts = [text.bounds.len(), text.start.len(), text.length.len()];
        if lengths.iter().any(|&length| length != count)
            || source.layout.bounds.len() != boxed
            || texts.iter().any(|&length| length != text.layout_index.len())
        {
            return Err(damaged());
        }
        let boxes = boxes_by_node(&source.layout.node_index, count);
        let lines = lines_by_box(&text.layout_index, boxed);
        let mut skipped = vec![false; count];
        for &node in &nodes.pseudo_type.index {
            if let Some(slot) = skipped.get_mut(node) {
                *slot = true;
            }
        }
        let mut closed = vec![false; count];
        for (&node, &kind) in nodes.shadow_root_type.index.iter().zip(&nodes.shadow_root_type.value) {
            let kind = usize::try_from(kind).ok().and_then(|kind| snapshot.strings.get(kind));
            if let Some(slot) = closed.get_mut(node) {
                *slot = kind.is_some_and(|kind| kind == "closed");
            }
        }
        let name = usize::try_from(source.frame_id).ok().and_then(|name| snapshot.strings.get(name));
        frames.push(FrameTexts {
            frame: name.cloned().unwrap_or_default(),
            texts: Vec::new(),
            shadow_nodes: Vec::new(),
        });
        Ok(Self {
            document,
            next: 0,
            open: Vec::new(),
            base,
            shift,
            boxes,
            lines,
            skipped,
            closed,
            frame: frames.len() - 1,
        })
    }

    /// The index of a node's box.
    pub(super) fn own_box(&self, index: usize) -> Option<usize> {
        self.boxes[index].checked_sub(1).map(|place| place as usize)
    }
}

/// Per node, the index of its box + 1, or 0.
fn boxes_by_node(node_index: &[usize], count: usize) -> Vec<u32> {
    let mut boxes = vec![0; count];
    for (place, &node) in node_index.iter().enumerate() {
        if let Some(slot) = boxes.get_mut(node) {
            *slot = place as u32 + 1;
        }
    }
    boxes
}

/// Per box, its first text box and the number of its text boxes.
fn lines_by_box(layout_index: &[usize], boxed: usize) -> Vec<(u32, u32)> {
    let mut lines = vec![(0, 0); boxed];
    for (place, &own) in layout_index.iter().enumerate() {
        if let Some((from, number)) = lines.get_mut(own) {
            if *number == 0 {
                *from = place as u32;
            }
            // The fragments of one node are consecutive.
            if *from + *number == place as u32 {
                *number += 1;
            }
        }
    }
    lines
}

pub(super) fn content_document(nodes: &Nodes, index: usize) -> Option<usize> {
    let place = nodes.content_document_index.index.binary_search(&index).ok()?;
    usize::try_from(*nodes.content_document_index.value.get(place)?).ok()
}

pub(super) fn moved([x, y, width, height]: [f32; 4], (right, down): (f32, f32)) -> CssRect {
    CssRect { x: x + right, y: y + down, width: width.max(0.0), height: height.max(0.0) }
}

/// Joins the fragments of a text node that are next to each other in one line. Chromium splits a line where white space
/// collapsed or the direction changes.
pub(super) fn join_lines(boxes: &TextBoxes, from: usize, count: usize, shift: (f32, f32), lines: &mut Vec<LineBox>) {
    let first = lines.len();
    for place in from..from + count {
        let rect = moved(boxes.bounds[place], shift);
        let (start, length) = (boxes.start[place], boxes.length[place]);
        if rect.is_empty() {
            continue;
        }
        if lines.len() > first
            && let Some(last) = lines.last_mut()
            && (last.rect.y - rect.y).abs() < 1.0
            && (last.rect.height - rect.height).abs() < 1.0
            && rect.x < last.rect.right() + rect.height
            && last.rect.x < rect.right() + rect.height
        {
            let end = (last.start + last.length).max(start + length);
            last.start = last.start.min(start);
            last.length = end - last.start;
            last.rect = last.rect.union(rect);
        } else {
            lines.push(LineBox { rect, start, length });
        }
    }
}
