//! Converts the browser's `DOMSnapshot` to a [`Dom`] and a [`Layout`], in one pass.
//!
//! Chromium already provides the flat tree: shadow trees replace the children of their hosts, and
//! assigned nodes are below their slots. The remaining work: documents of frames become children of
//! their `iframe` and move to page coordinates; comments, doctypes and pseudo elements are removed;
//! line fragments are joined to lines.

use super::protocol::{Nodes, Snapshot, TextBoxes};
use std::collections::HashMap;
use vclean_core::capture::{CssRect, Dom, DomBuilder, Layout, LineBox, NodeId, Position, Style};
use vclean_core::error::RenderError;
use vclean_core::rendering::{
    BORDER_LEFT, BORDER_TOP, PADDING_LEFT, PADDING_TOP, computed_style, joined_lines, pixels,
    shortened,
};

/// Maximum number of nodes of a page, frames included; far below the number of distinct colors in
/// the mask.
pub(super) const MAX_NODES: usize = 1_000_000;
/// Frames nested deeper than this are left out.
const MAX_FRAME_DEPTH: usize = 16;
/// The result of the conversion.
#[derive(Debug)]
pub(super) struct Converted {
    /// The flat tree with the documents of frames.
    pub(super) dom: Dom,
    /// Boxes, lines and styles, in page coordinates.
    pub(super) layout: Layout,
    /// The text nodes of each document, the page's own document first.
    pub(super) frames: Vec<FrameTexts>,
    /// Boxes that style sheets generate, with a background of their own. They are not in the tree,
    /// but may cover text.
    pub(super) generated: Vec<CssRect>,
}

/// Fingerprint of a text node, the same as in `js/collect.js`: length, first and last 16 UTF-16
/// code units.
fn fingerprint(text: &str, units: &mut Vec<u16>) -> i32 {
    units.clear();
    units.extend(text.encode_utf16());
    let mix = |hash: i32, &unit: &u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let head = units.len().min(16);
    let tail = units.len().saturating_sub(16).max(head);
    let hash = units[..head].iter().fold(units.len() as i32, mix);
    units[tail..].iter().fold(hash, mix)
}

/// Width and height of the page in CSS px.
pub(super) fn page_size(snapshot: &Snapshot) -> Result<[f32; 2], RenderError> {
    let first = snapshot.documents.first().ok_or_else(damaged)?;
    Ok([first.content_width as f32, first.content_height as f32])
}

pub(super) fn convert(snapshot: &Snapshot) -> Result<Converted, RenderError> {
    let nodes: usize = snapshot
        .documents
        .iter()
        .map(|document| document.nodes.node_type.len())
        .sum();
    if nodes > MAX_NODES {
        return Err(RenderError::Limit(format!(
            "the page has {nodes} nodes, more than the {MAX_NODES} a page may have"
        )));
    }
    let [width, height] = page_size(snapshot)?;
    let mut seen = vec![false; snapshot.documents.len()];
    seen[0] = true;
    let mut converter = Converter {
        snapshot,
        builder: DomBuilder::new(),
        placed: Vec::with_capacity(nodes),
        lines: Vec::new(),
        frames: Vec::new(),
        generated: Vec::new(),
        styles: StyleTable::default(),
        units: Vec::new(),
        seen,
        walks: Vec::new(),
    };
    converter.walks.push(Walk::new(
        snapshot,
        0,
        0,
        (0.0, 0.0),
        &mut converter.frames,
    )?);
    while let Some(walk) = converter.walks.pop() {
        converter.step(walk)?;
    }
    Ok(converter.finish(width, height))
}

struct Placed {
    id: NodeId,
    rect: CssRect,
    style: usize,
    paint_order: u32,
    lines: (usize, usize),
}

/// State of the conversion.
struct Converter<'a> {
    snapshot: &'a Snapshot,
    builder: DomBuilder,
    placed: Vec<Placed>,
    lines: Vec<LineBox>,
    frames: Vec<FrameTexts>,
    generated: Vec<CssRect>,
    styles: StyleTable,
    /// Buffer for the UTF-16 form of a text.
    units: Vec<u16>,
    /// Per document, true if it has been visited.
    seen: Vec<bool>,
    /// The documents around the current node, the innermost last.
    walks: Vec<Walk>,
}

impl<'a> Converter<'a> {
    fn string(&self, index: i32) -> &'a str {
        let strings = &self.snapshot.strings;
        usize::try_from(index)
            .ok()
            .and_then(|index| strings.get(index))
            .map_or("", |text| text)
    }

    /// Converts the next node of the innermost document, `walk`, which is pushed back unless it is
    /// finished.
    fn step(&mut self, mut walk: Walk) -> Result<(), RenderError> {
        let nodes = &self.snapshot.documents[walk.document].nodes;
        let index = walk.next;
        if index >= nodes.node_type.len() {
            while self.builder.open_depth() > walk.base {
                self.builder.close();
            }
            // The document node of the frame.
            if !self.walks.is_empty() {
                self.builder.close();
            }
            return Ok(());
        }
        walk.next += 1;
        if self.find_parent(&mut walk, nodes, index)?
            && let Some(id) = self.open(&mut walk, nodes, index)
        {
            self.place(&walk, index, id);
            let inner = self.frame(&walk, index)?;
            self.walks.push(walk);
            self.walks.extend(inner);
        } else {
            self.store_generated(&walk, index);
            self.walks.push(walk);
        }
        Ok(())
    }

    /// Stores the box of an omitted node if it is positioned and has a background.
    fn store_generated(&mut self, walk: &Walk, index: usize) {
        let document = &self.snapshot.documents[walk.document];
        let Some(own) = walk
            .own_box(index)
            .filter(|_| document.nodes.node_type[index] == 1)
        else {
            return;
        };
        let strings = &self.snapshot.strings;
        let string = |index: i32| {
            usize::try_from(index)
                .ok()
                .and_then(|index| strings.get(index))
                .map_or("", |text| text)
        };
        let number = self.styles.number(
            document.layout.styles.get(own).map_or(&[], Vec::as_slice),
            &string,
        );
        let style = &self.styles.styles[number];
        if style.position != Position::Static
            && (style.background[3] > 0 || style.has_background_image)
        {
            // The text of its content follows it, as boxes of the same node.
            let boxes = &document.layout;
            let own_boxes = (0..=own)
                .rev()
                .take_while(|&at| boxes.node_index[at] == index);
            let rect = own_boxes.fold(CssRect::default(), |sum, at| {
                sum.union(moved(boxes.bounds[at], walk.shift))
            });
            self.generated.push(rect);
        }
    }

    /// Closes the elements that end before a node; returns false if the node is omitted with its
    /// parent.
    fn find_parent(
        &mut self,
        walk: &mut Walk,
        nodes: &Nodes,
        index: usize,
    ) -> Result<bool, RenderError> {
        if index == 0 {
            return Ok(true);
        }
        let parent = usize::try_from(nodes.parent_index[index])
            .ok()
            .filter(|&parent| parent < index);
        let parent = parent.ok_or_else(damaged)?;
        if walk.skipped[parent] {
            walk.skipped[index] = true;
            return Ok(false);
        }
        while walk.open.last().is_some_and(|&open| open != parent) {
            walk.open.pop();
            self.builder.close();
        }
        if walk.open.is_empty() {
            Err(damaged())
        } else {
            Ok(true)
        }
    }

    /// Adds a node to the tree; returns `None` if it is omitted.
    fn open(&mut self, walk: &mut Walk, nodes: &Nodes, index: usize) -> Option<NodeId> {
        let id = match nodes.node_type[index] {
            9 if index == 0 => {
                walk.open.push(0);
                Dom::ROOT
            }
            1 if !walk.skipped[index] => {
                let attributes = nodes.attributes.get(index).map_or(&[][..], Vec::as_slice);
                let attributes = attributes
                    .chunks_exact(2)
                    .map(|pair| {
                        (
                            self.string(pair[0]).to_ascii_lowercase().into(),
                            shortened(self.string(pair[1])),
                        )
                    })
                    .collect();
                walk.open.push(index);
                self.builder.open(
                    &self.string(nodes.node_name[index]).to_ascii_lowercase(),
                    attributes,
                )
            }
            3 => {
                let text = self.string(nodes.node_value[index]);
                let id = self.builder.text(text);
                let key = fingerprint(text, &mut self.units);
                self.frames[walk.frame].texts.push(TextKey {
                    key,
                    id,
                    has_lines: false,
                });
                id
            }
            _ => {
                walk.skipped[index] = true;
                return None;
            }
        };
        let parent = usize::try_from(nodes.parent_index[index]);
        if walk.closed[index] && !parent.is_ok_and(|parent| walk.closed[parent]) {
            self.frames[walk.frame]
                .shadow_nodes
                .push(nodes.backend_node_id[index]);
        }
        Some(id)
    }

    /// Stores the box of a node, its style and its lines.
    fn place(&mut self, walk: &Walk, index: usize, id: NodeId) {
        let Some(own) = walk.own_box(index).filter(|_| index > 0) else {
            return;
        };
        let document = &self.snapshot.documents[walk.document];
        let boxes = &document.layout;
        let rect = moved(boxes.bounds[own], walk.shift);
        let strings = &self.snapshot.strings;
        let string = |index: i32| {
            usize::try_from(index)
                .ok()
                .and_then(|index| strings.get(index))
                .map_or("", |text| text)
        };
        let style = self
            .styles
            .number(boxes.styles.get(own).map_or(&[], Vec::as_slice), &string);
        let before = self.lines.len();
        if document.nodes.node_type[index] == 3 {
            let (from, count) = walk.lines[own];
            join_lines(
                &document.text_boxes,
                from as usize,
                count as usize,
                walk.shift,
                &mut self.lines,
            );
            if self.lines.len() > before
                && let Some(text) = self.frames[walk.frame].texts.last_mut()
            {
                text.has_lines = true;
            }
        }
        let paint_order = boxes.paint_orders.get(own).copied().unwrap_or(0);
        self.placed.push(Placed {
            id,
            rect,
            style,
            paint_order,
            lines: (before, self.lines.len()),
        });
    }

    /// Returns the document in a frame, to be walked next.
    fn frame(&mut self, walk: &Walk, index: usize) -> Result<Option<Walk>, RenderError> {
        let document = &self.snapshot.documents[walk.document];
        if document.nodes.node_type[index] != 1 || self.walks.len() + 1 >= MAX_FRAME_DEPTH {
            return Ok(None);
        }
        let inner =
            content_document(&document.nodes, index).filter(|&inner| inner < self.seen.len());
        let Some(inner) = inner.filter(|&inner| !std::mem::replace(&mut self.seen[inner], true))
        else {
            return Ok(None);
        };
        let shift = walk.own_box(index).map_or(walk.shift, |own| {
            let rect = moved(document.layout.bounds[own], walk.shift);
            let values = document
                .layout
                .styles
                .get(own)
                .map_or(&[][..], Vec::as_slice);
            let px = |which: usize| {
                values
                    .get(which)
                    .map_or(0.0, |&value| pixels(self.string(value)))
            };
            let content = &self.snapshot.documents[inner];
            (
                rect.x + px(BORDER_LEFT) + px(PADDING_LEFT) - content.scroll_offset_x as f32,
                rect.y + px(BORDER_TOP) + px(PADDING_TOP) - content.scroll_offset_y as f32,
            )
        });
        self.builder.open_document();
        let base = self.builder.open_depth();
        Walk::new(self.snapshot, inner, base, shift, &mut self.frames).map(Some)
    }

    fn finish(self, width: f32, height: f32) -> Converted {
        let dom = self.builder.finish();
        let mut layout = Layout::new(dom.len(), width, height);
        for place in self.placed {
            let (from, to) = place.lines;
            let style = &self.styles.styles[place.style];
            layout.set(
                place.id,
                place.rect,
                style,
                place.paint_order,
                &self.lines[from..to],
            );
        }
        Converted {
            dom,
            layout,
            frames: self.frames,
            generated: self.generated,
        }
    }
}

pub(super) fn damaged() -> RenderError {
    RenderError::Crash(
        "the browser's snapshot of the page cannot be read; use another version of the browser"
            .into(),
    )
}

/// The state of a document that is being walked.
pub(super) struct Walk {
    pub(super) document: usize,
    pub(super) next: usize,
    /// Open nodes, as indices in the snapshot.
    pub(super) open: Vec<usize>,
    /// Depth in the builder at which the nodes of this document begin.
    pub(super) base: usize,
    /// Offset that converts its coordinates to page coordinates.
    pub(super) shift: (f32, f32),
    /// Per node, index of its box + 1, or 0.
    pub(super) boxes: Vec<u32>,
    /// Per box, the first text box and the number of text boxes.
    pub(super) lines: Vec<(u32, u32)>,
    /// Per node, true if it is omitted with its descendants.
    skipped: Vec<bool>,
    /// Per node, true if a closed shadow tree contains it.
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
        let lengths = [
            nodes.parent_index.len(),
            nodes.node_name.len(),
            nodes.node_value.len(),
            nodes.backend_node_id.len(),
        ];
        let boxed = source.layout.node_index.len();
        let text = &source.text_boxes;
        let texts = [text.bounds.len(), text.start.len(), text.length.len()];
        if lengths.iter().any(|&length| length != count)
            || source.layout.bounds.len() != boxed
            || texts
                .iter()
                .any(|&length| length != text.layout_index.len())
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
        for (&node, &kind) in nodes
            .shadow_root_type
            .index
            .iter()
            .zip(&nodes.shadow_root_type.value)
        {
            let kind = usize::try_from(kind)
                .ok()
                .and_then(|kind| snapshot.strings.get(kind));
            if let Some(slot) = closed.get_mut(node) {
                *slot = kind.is_some_and(|kind| kind == "closed");
            }
        }
        let name = usize::try_from(source.frame_id)
            .ok()
            .and_then(|name| snapshot.strings.get(name));
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

    /// Returns the index of a node's box.
    fn own_box(&self, index: usize) -> Option<usize> {
        self.boxes[index].checked_sub(1).map(|place| place as usize)
    }
}

/// Computes per node the index of its box + 1, or 0.
fn boxes_by_node(node_index: &[usize], count: usize) -> Vec<u32> {
    let mut boxes = vec![0; count];
    for (place, &node) in node_index.iter().enumerate() {
        if let Some(slot) = boxes.get_mut(node) {
            *slot = place as u32 + 1;
        }
    }
    boxes
}

/// Computes per box its first text box and the number of its text boxes.
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

fn content_document(nodes: &Nodes, index: usize) -> Option<usize> {
    let place = nodes
        .content_document_index
        .index
        .binary_search(&index)
        .ok()?;
    usize::try_from(*nodes.content_document_index.value.get(place)?).ok()
}

pub(super) fn moved([x, y, width, height]: [f32; 4], (right, down): (f32, f32)) -> CssRect {
    CssRect {
        x: x + right,
        y: y + down,
        width: width.max(0.0),
        height: height.max(0.0),
    }
}

/// Joins the text boxes `from` to `from + count` to lines.
fn join_lines(
    boxes: &TextBoxes,
    from: usize,
    count: usize,
    shift: (f32, f32),
    lines: &mut Vec<LineBox>,
) {
    let fragments = (from..from + count).map(|place| LineBox {
        rect: moved(boxes.bounds[place], shift),
        start: boxes.start[place],
        length: boxes.length[place],
    });
    joined_lines(fragments, lines);
}

/// A text node of the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextKey {
    /// Fingerprint, computed as in `js/collect.js`.
    pub(super) key: i32,
    /// The same node in the converted tree.
    pub(super) id: NodeId,
    /// True if it has line boxes and can therefore own pixels.
    pub(super) has_lines: bool,
}

/// One document of the page: the main document or a frame's.
#[derive(Debug)]
pub(super) struct FrameTexts {
    /// Protocol id of the frame.
    pub(super) frame: String,
    /// Its text nodes in document order.
    pub(super) texts: Vec<TextKey>,
    /// One node inside each closed shadow tree, as protocol ids.
    pub(super) shadow_nodes: Vec<i64>,
}

/// Computed styles, each stored once; most nodes of a page share theirs.
#[derive(Default)]
struct StyleTable {
    pub(super) known: HashMap<Vec<i32>, usize>,
    pub(super) styles: Vec<Style>,
}

impl StyleTable {
    pub(super) fn number<'a>(&mut self, values: &[i32], string: &impl Fn(i32) -> &'a str) -> usize {
        if let Some(&known) = self.known.get(values) {
            return known;
        }
        self.styles.push(computed_style(&|which| {
            values.get(which).map_or("", |&value| string(value))
        }));
        self.known.insert(values.to_vec(), self.styles.len() - 1);
        self.styles.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chromium::protocol::Sparse;
    use serde_json::json;
    use vclean_core::rendering::COMPUTED_STYLES;

    #[test]
    fn a_fingerprint_mixes_both_ends() {
        let mut units = Vec::new();
        assert_eq!(fingerprint("", &mut units), 0);
        assert_eq!(fingerprint("a", &mut units), 31 + 97);
        let long = "x".repeat(50);
        assert_ne!(
            fingerprint(&long, &mut units),
            fingerprint(&format!("{}y", &long[1..]), &mut units)
        );
    }

    fn documents() -> Snapshot {
        // html > (comment, iframe > document > text, ::before > text, text)
        let strings = [
            "F0",
            "F1",
            "#document",
            "HTML",
            "IFRAME",
            "in",
            "out",
            "inline",
            "5px",
            "3px",
            "gone",
            "::before",
            "#text",
        ];
        let mut style = vec![7; COMPUTED_STYLES.len()];
        style[BORDER_TOP] = 8;
        style[BORDER_LEFT] = 8;
        style[PADDING_LEFT] = 9;
        style[PADDING_TOP] = 9;
        let value = json!({
            "strings": strings,
            "documents": [{
                "frameId": 0, "contentWidth": 100, "contentHeight": 50,
                "nodes": {
                    "parentIndex": [-1, 0, 1, 1, 1, 4, 1],
                    "nodeType": [9, 1, 8, 1, 1, 3, 3],
                    "nodeName": [2, 3, -1, 4, 11, 12, 12],
                    "nodeValue": [-1, -1, 10, -1, -1, 10, 6],
                    "backendNodeId": [1, 2, 3, 4, 5, 6, 7],
                    "attributes": [[], [], [], [], [], [], []],
                    "contentDocumentIndex": { "index": [3], "value": [1] },
                    "pseudoType": { "index": [4], "value": [11] },
                },
                "layout": {
                    "nodeIndex": [1, 3, 6], "styles": [[], style, []],
                    "bounds": [[0, 0, 100, 50], [10, 20, 60, 20], [0, 0, 30, 10]], "paintOrders": [1, 2, 1],
                },
                "textBoxes": {
                    "layoutIndex": [2, 2, 2], "bounds": [[0, 0, 10, 10], [10, 0, 20, 10], [0, 10, 5, 10]],
                    "start": [0, 2, 4], "length": [2, 2, 1],
                },
            }, {
                "frameId": 1, "scrollOffsetY": 1,
                "nodes": {
                    "parentIndex": [-1, 0], "nodeType": [9, 3], "nodeName": [2, 12], "nodeValue": [-1, 5],
                    "backendNodeId": [8, 9], "attributes": [[], []],
                },
                "layout": { "nodeIndex": [1], "styles": [[]], "bounds": [[1, 2, 3, 4]] },
                "textBoxes": { "layoutIndex": [0], "bounds": [[1, 2, 3, 4]], "start": [0], "length": [2] },
            }],
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn frames_are_children_of_their_element_in_page_coordinates() {
        let converted = convert(&documents()).unwrap();
        let Converted {
            dom,
            layout,
            frames,
            ..
        } = converted;
        // document, html, iframe, document, "in", "out"
        assert_eq!(dom.len(), 6);
        assert_eq!(dom.text(NodeId::new(4)), Some("in"));
        assert_eq!(dom.parent(NodeId::new(5)), Some(NodeId::new(1)));
        assert_eq!(
            layout.rect(NodeId::new(4)),
            Some(CssRect {
                x: 19.0,
                y: 29.0,
                width: 3.0,
                height: 4.0
            })
        );
        let lines = layout.lines(NodeId::new(5));
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (lines[0].start, lines[0].length, lines[0].rect.width),
            (0, 4, 30.0)
        );
        assert_eq!(frames[1].frame, "F1");
        assert_eq!(frames[0].texts.len(), 1);
        assert!(frames[1].texts[0].has_lines);
    }

    #[test]
    fn a_damaged_snapshot_is_an_error() {
        let mut snapshot = documents();
        snapshot.documents[0].nodes.parent_index[3] = 90;
        assert!(convert(&snapshot).is_err());
        let mut snapshot = documents();
        snapshot.documents[0].nodes.node_name.pop();
        assert!(convert(&snapshot).is_err());
        // A frame that contains itself must not cause an endless loop.
        let mut snapshot = documents();
        snapshot.documents[1].nodes.node_type[1] = 1;
        snapshot.documents[1].nodes.content_document_index = Sparse {
            index: vec![1],
            value: vec![0],
        };
        assert!(convert(&snapshot).is_ok());
    }
}
