//! Turns the browser's `DOMSnapshot` into a [`Dom`] and a [`Layout`], in one pass.
//!
//! Chromium gives the flat tree already: shadow trees stand in place of their hosts' children, assigned nodes below
//! their slots. What is left to do: frames' documents become children of their `iframe` and move to page coordinates;
//! comments, doctypes and pseudo elements go; line fragments join to lines.

use crate::capture::{CssRect, Display, Dom, DomBuilder, Layout, LineBox, NodeId, Position, Style, TextAlign};
use crate::error::RenderError;
use serde::Deserialize;
use std::collections::HashMap;

/// Largest number of nodes of a page, frames included; far below what the mask's colors can tell apart.
pub(super) const MAX_NODES: usize = 1_000_000;
/// Frames in frames beyond this depth are left out.
const MAX_FRAME_DEPTH: usize = 16;
/// Inline data longer than this many bytes is cut in attributes: a capture keeps pictures as pixels.
const MAX_DATA_URL_BYTES: usize = 256;

/// Computed styles asked for, in this order.
pub(super) const STYLES: &[&str] = &[
    "display",
    "position",
    "float",
    "visibility",
    "overflow-x",
    "overflow-y",
    "opacity",
    "font-size",
    "font-weight",
    "font-style",
    "color",
    "background-color",
    "background-image",
    "text-decoration-line",
    "text-align",
    "white-space-collapse",
    "direction",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "border-left-width",
    "padding-left",
    "padding-top",
];
const BORDER_TOP: usize = 17;
const BORDER_LEFT: usize = 20;
const PADDING_LEFT: usize = 21;
const PADDING_TOP: usize = 22;

/// The answer of `DOMSnapshot.captureSnapshot`, as far as it is used. Indices into `strings` are -1 for none.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    documents: Vec<Document>,
    strings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    frame_id: i32,
    nodes: Nodes,
    layout: Boxes,
    text_boxes: TextBoxes,
    #[serde(default)]
    scroll_offset_x: f64,
    #[serde(default)]
    scroll_offset_y: f64,
    #[serde(default)]
    content_width: f64,
    #[serde(default)]
    content_height: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nodes {
    parent_index: Vec<i32>,
    node_type: Vec<i32>,
    node_name: Vec<i32>,
    node_value: Vec<i32>,
    backend_node_id: Vec<i64>,
    attributes: Vec<Vec<i32>>,
    #[serde(default)]
    shadow_root_type: Sparse,
    #[serde(default)]
    content_document_index: Sparse,
    #[serde(default)]
    pseudo_type: Sparse,
}

#[derive(Debug, Default, Deserialize)]
struct Sparse {
    index: Vec<usize>,
    #[serde(default)]
    value: Vec<i32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Boxes {
    node_index: Vec<usize>,
    styles: Vec<Vec<i32>>,
    bounds: Vec<[f32; 4]>,
    #[serde(default)]
    paint_orders: Vec<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextBoxes {
    layout_index: Vec<usize>,
    bounds: Vec<[f32; 4]>,
    start: Vec<u32>,
    length: Vec<u32>,
}

/// A text node as the page's own walk must find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextKey {
    /// Fingerprint, equal to that of `js/collect.js`.
    pub(super) key: i32,
    /// The node.
    pub(super) id: NodeId,
    /// Whether it has line boxes, hence can own pixels.
    pub(super) has_lines: bool,
}

/// One document of the page: its own or a frame's.
#[derive(Debug)]
pub(super) struct FrameTexts {
    /// The frame, for the protocol.
    pub(super) frame: String,
    /// Its text nodes in document order.
    pub(super) texts: Vec<TextKey>,
    /// One node inside each closed shadow tree, for the protocol.
    pub(super) insiders: Vec<i64>,
}

/// What a snapshot becomes.
#[derive(Debug)]
pub(super) struct Converted {
    /// The tree.
    pub(super) dom: Dom,
    /// Its boxes.
    pub(super) layout: Layout,
    /// The documents, the page's own first.
    pub(super) frames: Vec<FrameTexts>,
}

fn damaged() -> RenderError {
    RenderError::Crash("the browser's snapshot of the page cannot be read; use another version of the browser".into())
}

/// Fingerprint of a text node, the same as in `js/collect.js`: length, first and last 16 UTF-16 code units.
fn fingerprint(text: &str, units: &mut Vec<u16>) -> i32 {
    units.clear();
    units.extend(text.encode_utf16());
    let mix = |hash: i32, &unit: &u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let head = units.len().min(16);
    let tail = units.len().saturating_sub(16).max(head);
    let hash = units[..head].iter().fold(units.len() as i32, mix);
    units[tail..].iter().fold(hash, mix)
}

/// A document that is being walked.
struct Walk {
    document: usize,
    next: usize,
    /// Open nodes: index in the snapshot.
    open: Vec<usize>,
    /// Depth of the builder below which this document's nodes are.
    base: usize,
    /// Added to its coordinates.
    shift: (f32, f32),
    /// Per node, index of its box + 1, or 0.
    boxes: Vec<u32>,
    /// Per box, first text box and number of them.
    lines: Vec<(u32, u32)>,
    /// Per node, whether it and all below is left out.
    skipped: Vec<bool>,
    /// Per node, kind of the shadow tree it is in: 0 none or open, 1 closed.
    closed: Vec<bool>,
    frame: usize,
}

/// Converts a snapshot.
pub(super) fn convert(snapshot: &Snapshot) -> Result<Converted, RenderError> {
    let nodes: usize = snapshot.documents.iter().map(|document| document.nodes.node_type.len()).sum();
    if nodes > MAX_NODES {
        return Err(RenderError::Limit(format!(
            "the page has {nodes} nodes, more than the {MAX_NODES} a page may have"
        )));
    }
    let first = snapshot.documents.first().ok_or_else(damaged)?;
    let (width, height) = (first.content_width as f32, first.content_height as f32);
    let string =
        |index: i32| usize::try_from(index).ok().and_then(|index| snapshot.strings.get(index)).map_or("", |text| text);

    let mut builder = DomBuilder::new();
    let mut placed: Vec<Placed> = Vec::with_capacity(nodes);
    let mut lines: Vec<LineBox> = Vec::new();
    let mut frames = Vec::new();
    let mut styles = StyleTable { known: HashMap::new(), styles: Vec::new() };
    let mut units = Vec::new();
    let mut seen = vec![false; snapshot.documents.len()];
    seen[0] = true;
    let mut walks = vec![Walk::new(snapshot, 0, 0, (0.0, 0.0), &mut frames)?];

    while let Some(walk) = walks.last_mut() {
        let document = &snapshot.documents[walk.document];
        let nodes = &document.nodes;
        let index = walk.next;
        if index >= nodes.node_type.len() {
            while builder.open_depth() > walk.base {
                builder.close();
            }
            // The frame's document node itself.
            if walks.len() > 1 {
                builder.close();
            }
            walks.pop();
            continue;
        }
        walk.next += 1;
        let parent = nodes.parent_index[index];
        if index > 0 {
            let parent = usize::try_from(parent).ok().filter(|&parent| parent < index).ok_or_else(damaged)?;
            if walk.skipped[parent] {
                walk.skipped[index] = true;
                continue;
            }
            while walk.open.last().is_some_and(|&open| open != parent) {
                walk.open.pop();
                builder.close();
            }
            if walk.open.is_empty() {
                return Err(damaged());
            }
        }
        let own_box = walk.boxes[index].checked_sub(1).map(|place| place as usize);
        let id = match nodes.node_type[index] {
            9 if index == 0 => {
                walk.open.push(0);
                Dom::ROOT
            }
            1 if !walk.skipped[index] => {
                let attributes = nodes.attributes.get(index).map_or(&[][..], Vec::as_slice);
                let attributes = attributes
                    .chunks_exact(2)
                    .map(|pair| (string(pair[0]).to_ascii_lowercase().into(), shortened(string(pair[1]))))
                    .collect();
                walk.open.push(index);
                builder.open(&string(nodes.node_name[index]).to_ascii_lowercase(), attributes)
            }
            3 => {
                let text = string(nodes.node_value[index]);
                let id = builder.text(text);
                let frame: &mut FrameTexts = &mut frames[walk.frame];
                frame.texts.push(TextKey { key: fingerprint(text, &mut units), id, has_lines: false });
                id
            }
            _ => {
                walk.skipped[index] = true;
                continue;
            }
        };
        if walk.closed[index] && !usize::try_from(parent).is_ok_and(|parent| walk.closed[parent]) {
            frames[walk.frame].insiders.push(nodes.backend_node_id[index]);
        }
        if let Some(own) = own_box
            && index > 0
        {
            let boxes = &document.layout;
            let rect = moved(boxes.bounds[own], walk.shift);
            let style = styles.number(boxes.styles.get(own).map_or(&[], Vec::as_slice), &string);
            let before = lines.len();
            if nodes.node_type[index] == 3 {
                let (from, count) = walk.lines[own];
                join_lines(&document.text_boxes, from as usize, count as usize, walk.shift, &mut lines);
                if lines.len() > before
                    && let Some(text) = frames[walk.frame].texts.last_mut()
                {
                    text.has_lines = true;
                }
            }
            let paint_order = boxes.paint_orders.get(own).copied().unwrap_or(0);
            placed.push(Placed { id, rect, style, paint_order, lines: (before, lines.len()) });
        }
        if nodes.node_type[index] == 1
            && let Some(inner) = content_document(nodes, index)
            && walks.len() < MAX_FRAME_DEPTH
            && inner < snapshot.documents.len()
            && !std::mem::replace(&mut seen[inner], true)
        {
            let walk = walks.last().expect("the walk that met the frame");
            let shift = own_box.map_or(walk.shift, |own| {
                let rect = moved(document.layout.bounds[own], walk.shift);
                let values = document.layout.styles.get(own).map_or(&[][..], Vec::as_slice);
                let px = |which: usize| values.get(which).map_or(0.0, |&value| pixels(string(value)));
                let content = &snapshot.documents[inner];
                (
                    rect.x + px(BORDER_LEFT) + px(PADDING_LEFT) - content.scroll_offset_x as f32,
                    rect.y + px(BORDER_TOP) + px(PADDING_TOP) - content.scroll_offset_y as f32,
                )
            });
            builder.open_document();
            let base = builder.open_depth();
            walks.push(Walk::new(snapshot, inner, base, shift, &mut frames)?);
        }
    }

    let dom = builder.finish();
    let mut layout = Layout::new(dom.len(), width, height);
    for place in placed {
        let (from, to) = place.lines;
        layout.set(place.id, place.rect, &styles.styles[place.style], place.paint_order, &lines[from..to]);
    }
    Ok(Converted { dom, layout, frames })
}

struct Placed {
    id: NodeId,
    rect: CssRect,
    style: usize,
    paint_order: u32,
    lines: (usize, usize),
}

impl Walk {
    fn new(
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
        let mut boxes = vec![0; count];
        for (place, &node) in source.layout.node_index.iter().enumerate() {
            if let Some(slot) = boxes.get_mut(node) {
                *slot = place as u32 + 1;
            }
        }
        let mut lines = vec![(0, 0); boxed];
        for (place, &own) in text.layout_index.iter().enumerate() {
            if let Some((from, number)) = lines.get_mut(own) {
                if *number == 0 {
                    *from = place as u32;
                }
                // Fragments of one node stand in succession.
                if *from + *number == place as u32 {
                    *number += 1;
                }
            }
        }
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
        frames.push(FrameTexts { frame: name.cloned().unwrap_or_default(), texts: Vec::new(), insiders: Vec::new() });
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
}

fn content_document(nodes: &Nodes, index: usize) -> Option<usize> {
    let place = nodes.content_document_index.index.binary_search(&index).ok()?;
    usize::try_from(*nodes.content_document_index.value.get(place)?).ok()
}

fn moved([x, y, width, height]: [f32; 4], (right, down): (f32, f32)) -> CssRect {
    CssRect { x: x + right, y: y + down, width: width.max(0.0), height: height.max(0.0) }
}

/// Joins the fragments of a text node that stand side by side in one line. Chromium parts a line where white space
/// collapsed or the direction changes.
fn join_lines(boxes: &TextBoxes, from: usize, count: usize, shift: (f32, f32), lines: &mut Vec<LineBox>) {
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

fn shortened(value: &str) -> Box<str> {
    if value.len() > MAX_DATA_URL_BYTES && value.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        let end = value.find(',').map_or(5, |comma| comma + 1).min(MAX_DATA_URL_BYTES);
        return value.get(..end).unwrap_or("data:").into();
    }
    value.into()
}

/// Computed styles, each kept once; most nodes of a page share theirs.
struct StyleTable {
    known: HashMap<Vec<i32>, usize>,
    styles: Vec<Style>,
}

impl StyleTable {
    fn number<'a>(&mut self, values: &[i32], string: &impl Fn(i32) -> &'a str) -> usize {
        if let Some(&known) = self.known.get(values) {
            return known;
        }
        self.styles.push(parse_style(&|which| values.get(which).map_or("", |&value| string(value))));
        self.known.insert(values.to_vec(), self.styles.len() - 1);
        self.styles.len() - 1
    }
}

fn parse_style<'a>(value: &impl Fn(usize) -> &'a str) -> Style {
    let clips = |value: &str| matches!(value, "hidden" | "clip" | "scroll" | "auto" | "overlay");
    let is_right_to_left = value(16) == "rtl";
    Style {
        display: Display::from_css(value(0)),
        position: Position::from_css(value(1)),
        is_float: !matches!(value(2), "none" | ""),
        is_visible: matches!(value(3), "visible" | ""),
        clips: clips(value(4)) || clips(value(5)),
        opacity: value(6).parse().unwrap_or(1.0),
        font_size_px: pixels(value(7)),
        font_weight: value(8).parse::<f32>().map_or(400, |weight| weight.clamp(1.0, 1000.0) as u16),
        is_italic: value(9).starts_with("italic") || value(9).starts_with("oblique"),
        color: color(value(10)).unwrap_or([0, 0, 0, 255]),
        background: color(value(11)).unwrap_or([0, 0, 0, 0]),
        has_background_image: !matches!(value(12), "none" | ""),
        is_underlined: value(13).contains("underline"),
        text_align: match value(14) {
            "center" | "-webkit-center" => TextAlign::Center,
            "justify" => TextAlign::Justify,
            "right" | "-webkit-right" => TextAlign::Right,
            "end" if !is_right_to_left => TextAlign::Right,
            "left" | "-webkit-left" | "end" => TextAlign::Left,
            _ => {
                if is_right_to_left {
                    TextAlign::Right
                } else {
                    TextAlign::Left
                }
            }
        },
        keeps_line_breaks: matches!(value(15), "preserve" | "preserve-breaks" | "break-spaces"),
        is_right_to_left,
        border_px: (BORDER_TOP..=BORDER_LEFT).map(|side| pixels(value(side))).sum(),
    }
}

fn pixels(value: &str) -> f32 {
    value.trim_end_matches("px").parse().ok().filter(|px: &f32| px.is_finite()).unwrap_or(0.0)
}

/// A computed color: `rgb(r, g, b)`, `rgba(r, g, b, a)` or `color(srgb r g b / a)`.
fn color(value: &str) -> Option<[u8; 4]> {
    let (name, arguments) = value.split_once('(')?;
    let numbers: Vec<f32> = arguments
        .trim_end_matches(')')
        .split([',', ' ', '/'])
        .filter(|part| !part.is_empty() && *part != "srgb")
        .map(|part| part.parse().unwrap_or(0.0))
        .collect();
    let scale = match name {
        "rgb" | "rgba" => 1.0,
        "color" if arguments.starts_with("srgb ") => 255.0,
        _ => return None,
    };
    let [red, green, blue] = [*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?];
    let byte = |part: f32| part.round().clamp(0.0, 255.0) as u8;
    let alpha = numbers.get(3).copied().unwrap_or(1.0);
    Some([byte(red * scale), byte(green * scale), byte(blue * scale), byte(alpha * 255.0)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colors_are_read_in_every_notation() {
        assert_eq!(color("rgb(1, 2, 3)"), Some([1, 2, 3, 255]));
        assert_eq!(color("rgba(1, 2, 3, 0.5)"), Some([1, 2, 3, 128]));
        assert_eq!(color("color(srgb 1 0 0.2 / 0)"), Some([255, 0, 51, 0]));
        assert_eq!(color("oklch(1 0 0)"), None);
    }

    #[test]
    fn a_fingerprint_mixes_both_ends() {
        let mut units = Vec::new();
        assert_eq!(fingerprint("", &mut units), 0);
        assert_eq!(fingerprint("a", &mut units), 31 + 97);
        let long = "x".repeat(50);
        assert_ne!(fingerprint(&long, &mut units), fingerprint(&format!("{}y", &long[1..]), &mut units));
    }

    #[test]
    fn inline_data_is_cut() {
        assert_eq!(&*shortened(&format!("data:image/png;base64,{}", "A".repeat(1000))), "data:image/png;base64,");
        assert_eq!(&*shortened("data:,x"), "data:,x");
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
        let mut style = vec![7; STYLES.len()];
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
    fn frames_hang_below_their_element_and_stand_in_page_coordinates() {
        let converted = convert(&documents()).unwrap();
        let Converted { dom, layout, frames } = converted;
        // document, html, iframe, document, "in", "out"
        assert_eq!(dom.len(), 6);
        assert_eq!(dom.text(NodeId::new(4)), Some("in"));
        assert_eq!(dom.parent(NodeId::new(5)), Some(NodeId::new(1)));
        assert_eq!(layout.rect(NodeId::new(4)), Some(CssRect { x: 19.0, y: 29.0, width: 3.0, height: 4.0 }));
        let lines = layout.lines(NodeId::new(5));
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].start, lines[0].length, lines[0].rect.width), (0, 4, 30.0));
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
        // A frame that holds itself ends.
        let mut snapshot = documents();
        snapshot.documents[1].nodes.node_type[1] = 1;
        snapshot.documents[1].nodes.content_document_index = Sparse { index: vec![1], value: vec![0] };
        assert!(convert(&snapshot).is_ok());
    }
}
