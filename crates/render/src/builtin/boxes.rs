//! Converts the engine's layout to ours: the box, the style and the painting order of every visible
//! node, the lines of every text node, and the commands to draw them.
//!
//! The tree is walked once, in painting order (CSS 2.1, appendix E). The position of a box depends
//! on its containing block, which for positioned boxes is not its parent and may be painted later.
//! Positions are computed once: up the chain of containing blocks to one with a known position,
//! then down again. There is no recursion.

use super::lines::{LineReader, inline_texts};
use super::styles::{plain_image, style};
use super::tree::{BuiltPage, Origins, slot};
use blitz_dom::BaseDocument;
use blitz_dom::NodeId as EngineId;
use blitz_dom::node::{ImageData, Node, NodeData};
use parley::PositionedLayoutItem;
use std::sync::Arc;
use style::values::computed::Overflow;
use vclean_core::capture::{CssRect, Display, Dom, Layout, LineBox, NodeId, Style};
use vclean_core::rendering::{Background, Fill, LineFragment, Paint, Sketch};

/// Opacity below which text counts as invisible, and below which an element hides its descendants;
/// as in `js/color.js`.
const MIN_VISIBLE_OPACITY: f32 = 0.1;
const MIN_COVERING_ALPHA: f32 = 0.5;

/// The layout of one of our nodes.
struct NodeLayout {
    rect: CssRect,
    style: Arc<Style>,
    order: u32,
    lines: Vec<LineBox>,
}

/// The boxes of a page, and the commands to draw them.
pub(super) struct Boxes {
    shown: Vec<Option<NodeLayout>>,
    pub(super) sketch: Sketch,
    /// Number of characters for which no installed font has a glyph.
    pub(super) missing_letters: usize,
    /// Right and bottom edge of the scrollable area, in px.
    size: [f32; 2],
    order: u32,
}

/// Reads the layout of all documents.
pub(super) fn read(dom: &Dom, built: &BuiltPage, viewport_px: [u32; 2]) -> Boxes {
    let mut boxes = Boxes {
        shown: (0..dom.len()).map(|_| None).collect(),
        sketch: Sketch::default(),
        missing_letters: 0,
        size: viewport_px.map(|px| px as f32),
        order: 0,
    };
    boxes.read_document(&built.document, &built.origins, BoxPosition::start(), true);
    boxes
}

/// A pending step of the walk.
enum Step {
    Visit(EngineId),
    /// The lines of a box, after the boxes below them.
    Lines(EngineId, BoxPosition),
    Frame(EngineId, BoxPosition),
}

/// Adds the steps for the children of a node. The frontmost child is pushed first, since the last
/// step is taken first.
///
/// `lines_at` is the position of the node if it has boxes below its lines.
fn push_steps(node: &Node, steps: &mut Vec<Step>, lines_at: Option<BoxPosition>) {
    if let Some(context) = &node.stacking_context {
        steps.extend(
            context
                .pos_z_hoisted_children()
                .rev()
                .map(|child| Step::Visit(child.node_id)),
        );
    }
    if let Some(children) = &*node.paint_children.borrow() {
        steps.extend(children.iter().rev().map(|&child| Step::Visit(child)));
    }
    steps.extend(lines_at.map(|position| Step::Lines(node.id, position)));
    if let Some(context) = &node.stacking_context {
        steps.extend(
            context
                .neg_z_hoisted_children()
                .rev()
                .map(|child| Step::Visit(child.node_id)),
        );
    }
}

impl Boxes {
    fn read_document(
        &mut self,
        document: &BaseDocument,
        all: &[Origins],
        start: BoxPosition,
        is_page: bool,
    ) {
        let Some(origins) = all.iter().find(|origins| origins.document == document.id()) else {
            return;
        };
        let Some(root) = document.try_root_element() else {
            return;
        };
        let mut walk = Walk::new(document, origins, start);
        let mut steps = vec![Step::Visit(root.id)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(id) => {
                    if let Some(node) = document.get_node(id) {
                        self.visit(&mut walk, node, &mut steps, is_page);
                    }
                }
                Step::Lines(id, position) => {
                    if let Some(node) = document.get_node(id) {
                        self.visit_lines(&mut walk, node, position);
                    }
                }
                Step::Frame(id, position) => {
                    if let Some(inner) = document.subdoc(id) {
                        self.read_document(&inner.inner(), all, position, false);
                    }
                }
            }
        }
    }

    fn visit(&mut self, walk: &mut Walk<'_>, node: &Node, steps: &mut Vec<Step>, is_page: bool) {
        let Some(values) = node.primary_styles() else {
            return;
        };
        if values.clone_display().is_none()
            || matches!(node.data, NodeData::Text(_) | NodeData::Comment { .. })
        {
            return;
        }
        self.order += 1;
        let position = walk.position(node);
        let layout = node.final_layout();
        let rect = CssRect {
            x: position.x,
            y: position.y,
            width: layout.size.width.clamp(0.0, FAR_PX),
            height: layout.size.height.clamp(0.0, FAR_PX),
        };
        let border = layout.border;
        let id = if matches!(node.data, NodeData::Element(_)) {
            walk.origins.our_node(node.id)
        } else {
            None
        };
        let own = Arc::new(style(
            &values,
            border.left + border.right + border.top + border.bottom,
        ));
        if is_page && own.is_visible {
            let seen = rect.intersection(position.clip);
            if seen.right() > self.size[0] && seen.width > 0.0 {
                self.size[0] = seen.right();
            }
            self.size[1] = self.size[1].max(if seen.is_empty() { 0.0 } else { seen.bottom() });
        }
        if own.is_visible {
            // The background of the root and of the body covers the whole page.
            let ground = if is_page && is_canvas(node) {
                EVERYTHING
            } else {
                rect
            };
            self.fill(&own, ground, position, node);
        }
        if let Some(id) = id {
            self.show(id, rect, &own, self.order, Vec::new());
        }
        let has_boxes_below = node
            .stacking_context
            .as_ref()
            .is_some_and(|context| context.neg_z_hoisted_children().next().is_some());
        if !has_boxes_below {
            self.visit_lines(walk, node, position);
        }
        push_steps(node, steps, has_boxes_below.then_some(position));
        if node
            .element_data()
            .is_some_and(|element| &*element.name.local == "iframe")
            && own.is_visible
        {
            let content = CssRect {
                x: rect.x + border.left + layout.padding.left,
                y: rect.y + border.top + layout.padding.top,
                width: (rect.width - border.left - border.right).max(0.0),
                height: (rect.height - border.top - border.bottom).max(0.0),
            };
            let inside = BoxPosition {
                x: content.x,
                y: content.y,
                clip: content.intersection(position.clip),
                ..position
            };
            steps.push(Step::Frame(node.id, inside));
        }
    }

    /// Reads the lines of a box at this position.
    fn visit_lines(&mut self, walk: &mut Walk<'_>, node: &Node, position: BoxPosition) {
        let Some(values) = node.primary_styles() else {
            return;
        };
        if let Some(text) = node
            .element_data()
            .and_then(|element| element.inline_layout_data.as_deref())
            && node.flags.is_inline_root()
        {
            let (border, padding) = (node.final_layout().border, node.final_layout().padding);
            let inset = (
                position.x + padding.left + border.left,
                position.y + padding.top + border.top + text.block_offset,
            );
            let own = Arc::new(style(
                &values,
                border.left + border.right + border.top + border.bottom,
            ));
            self.read_lines(walk, node, &text.layout, &text.text, inset, position, &own);
        }
    }

    fn show(
        &mut self,
        id: NodeId,
        rect: CssRect,
        style: &Arc<Style>,
        order: u32,
        lines: Vec<LineBox>,
    ) {
        match &mut self.shown[id.index()] {
            Some(known) => {
                known.rect = known.rect.union(rect);
                known.lines.extend(lines);
            }
            empty => {
                *empty = Some(NodeLayout {
                    rect,
                    style: Arc::clone(style),
                    order,
                    lines,
                });
            }
        }
    }

    /// Draws the background of an element, or a pattern instead of a picture.
    fn fill(&mut self, own: &Style, rect: CssRect, position: BoxPosition, node: &Node) {
        let opacity = position.opacity * own.opacity.min(1.0);
        let seen = rect.intersection(position.clip);
        if seen.is_empty() || opacity < MIN_VISIBLE_OPACITY {
            return;
        }
        let alpha = f32::from(own.background[3]) / 255.0 * opacity;
        let is_picture = node
            .element_data()
            .is_some_and(|element| match element.image_data() {
                Some(ImageData::Raster(picture)) => !picture.data.as_ref().is_empty(),
                _ => false,
            });
        self.add_backgrounds(own, seen, opacity, node, is_picture);
        if alpha > 0.0 || is_picture {
            let covers = opacity >= MIN_COVERING_ALPHA
                && (f32::from(own.background[3]) / 255.0 >= MIN_COVERING_ALPHA || is_picture);
            self.sketch.fill(Fill {
                rect: seen,
                color: own.background,
                alpha,
                covers,
                is_picture,
            });
        }
    }

    /// Records the background and the picture of an element as layers below or above text.
    fn add_backgrounds(
        &mut self,
        own: &Style,
        rect: CssRect,
        opacity: f32,
        node: &Node,
        is_picture: bool,
    ) {
        let mut note = |paint, alpha| self.sketch.background(Background { rect, paint, alpha });
        if own.background[3] > 0 {
            note(
                Paint::Color(own.background),
                f32::from(own.background[3]) / 255.0 * opacity,
            );
        }
        if own.has_background_image {
            let plain = node
                .primary_styles()
                .and_then(|values| plain_image(&values));
            match plain {
                Some(color) => note(Paint::Color(color), f32::from(color[3]) / 255.0 * opacity),
                None => note(Paint::Unknown, opacity),
            }
        }
        let tag = node
            .element_data()
            .map_or("", |element| &*element.name.local);
        if is_picture && opacity >= 0.99 {
            note(Paint::Picture, 1.0);
        } else if matches!(
            tag,
            "img" | "svg" | "canvas" | "video" | "object" | "embed" | "iframe" | "input"
        ) {
            note(Paint::Unknown, opacity);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn read_lines(
        &mut self,
        walk: &mut Walk<'_>,
        root: &Node,
        layout: &parley::Layout<blitz_dom::node::TextBrush>,
        laid_out: &str,
        (left, top): (f32, f32),
        position: BoxPosition,
        own: &Arc<Style>,
    ) {
        let order = self.order;
        let texts = inline_texts(walk.document, root, walk.origins);
        let mut reader = LineReader::new(walk.document, &texts, laid_out, root.id, own);
        for line in layout.lines() {
            let mut last_run = usize::MAX;
            for item in line.items() {
                let run = match &item {
                    PositionedLayoutItem::GlyphRun(run) => run,
                    PositionedLayoutItem::InlineBox(held) => {
                        let rect = CssRect {
                            x: left + held.x,
                            y: top + held.y,
                            width: held.width,
                            height: held.height,
                        };
                        if let Some(node) = walk.document.get_node(EngineId::from_u64(held.id))
                            && let Some(parent) = node.parent
                        {
                            self.grow_holders(walk, parent, root.id, rect, order);
                        }
                        continue;
                    }
                };
                if run.run().index() != last_run {
                    last_run = run.run().index();
                    reader.read_run(run, (left, top));
                }
            }
            for (fragment, held) in reader.fragments.drain(..) {
                self.write_fragment(
                    walk,
                    root,
                    (fragment, held.holder),
                    held.line,
                    position,
                    own,
                );
            }
        }
        self.missing_letters += reader.missing_letters;
    }

    /// Stores the part of a text node that is in one line: its box, and the command to draw it.
    fn write_fragment(
        &mut self,
        walk: &Walk<'_>,
        root: &Node,
        (mut fragment, holder): (LineFragment, EngineId),
        line: LineBox,
        position: BoxPosition,
        own: &Style,
    ) {
        if line.rect.is_empty() {
            return;
        }
        let order = self.order;
        self.grow_holders(walk, holder, root.id, line.rect, order);
        if let Some(id) = fragment.owner {
            self.show(id, line.rect, &fragment.style, order, vec![line]);
        }
        let opacity = position.opacity * own.opacity;
        if fragment.style.is_visible && opacity >= MIN_VISIBLE_OPACITY {
            fragment.rect = line.rect;
            fragment.clip = position.inside(root);
            if holder != root.id && fragment.style.background[3] > 0 {
                let seen = line.rect.intersection(fragment.clip);
                let alpha = f32::from(fragment.style.background[3]) / 255.0 * opacity;
                let color = fragment.style.background;
                self.sketch.background(Background {
                    rect: seen,
                    paint: Paint::Color(color),
                    alpha,
                });
                self.sketch.fill(Fill {
                    rect: seen,
                    color,
                    alpha,
                    covers: alpha >= MIN_COVERING_ALPHA,
                    is_picture: false,
                });
            }
            self.sketch.write(fragment);
        }
    }

    /// Extends the boxes of the inline elements around a line fragment, so that they contain it.
    fn grow_holders(
        &mut self,
        walk: &Walk<'_>,
        from: EngineId,
        root: EngineId,
        rect: CssRect,
        order: u32,
    ) {
        let mut at = from;
        while at != root {
            let Some(node) = walk.document.get_node(at) else {
                return;
            };
            if let Some(id) = walk.origins.our_node(at) {
                match &mut self.shown[id.index()] {
                    Some(known) => known.rect = known.rect.union(rect),
                    empty => {
                        let Some(values) = node.primary_styles() else {
                            return;
                        };
                        let own = Arc::new(style(&values, 0.0));
                        if own.display != Display::Contents {
                            *empty = Some(NodeLayout {
                                rect,
                                style: own,
                                order,
                                lines: Vec::new(),
                            });
                        }
                    }
                }
            }
            let Some(parent) = node.parent else { return };
            at = parent;
        }
    }

    /// Returns the layout of a capture, and the size of the page in px, with a height of at most
    /// `max_height_px`.
    pub(super) fn layout(
        self,
        dom: &Dom,
        viewport_px: [u32; 2],
        max_height_px: u32,
    ) -> (Layout, Sketch, [u32; 2]) {
        let Self {
            mut shown,
            sketch,
            size,
            ..
        } = self;
        // A row, or any other box without a size, gets the bounding box of its children. Children
        // come after their parents.
        for index in (1..shown.len()).rev() {
            let id = NodeId::new(index);
            let Some(parent) = dom.parent(id) else {
                continue;
            };
            let Some(rect) = shown[index].as_ref().map(|shown| shown.rect) else {
                continue;
            };
            if let Some(up) = &mut shown[parent.index()]
                && up.style.display == Display::TableRow
            {
                up.rect = up.rect.union(rect);
            }
        }
        let mut layout = Layout::new(dom.len(), size[0], size[1]);
        for (index, shown) in shown.iter().enumerate() {
            if let Some(NodeLayout {
                rect,
                style,
                order,
                lines,
            }) = shown
            {
                layout.set(NodeId::new(index), *rect, style, *order, lines);
            }
        }
        let width = (size[0].ceil() as u32).clamp(viewport_px[0], viewport_px[0].saturating_mul(2));
        let height = (size[1].ceil() as u32).clamp(1, max_height_px.max(1));
        (layout, sketch, [width, height])
    }
}

/// Largest absolute value of a coordinate, in px.
const FAR_PX: f32 = 1e6;

/// A rectangle that contains every page.
pub(super) const EVERYTHING: CssRect = CssRect {
    x: -FAR_PX,
    y: -FAR_PX,
    width: 2.0 * FAR_PX,
    height: 2.0 * FAR_PX,
};

/// Position of a box, its clipping rectangle, and its opacity.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxPosition {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) clip: CssRect,
    pub(super) opacity: f32,
}

/// State of a document during the walk.
pub(super) struct Walk<'a> {
    pub(super) document: &'a BaseDocument,
    pub(super) origins: &'a Origins,
    start: BoxPosition,
    positions: Vec<Option<BoxPosition>>,
}

impl BoxPosition {
    /// Returns the top left corner of the page, without clipping.
    pub(super) fn start() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            clip: EVERYTHING,
            opacity: 1.0,
        }
    }

    /// Returns the clipping rectangle for the content of a box at this position.
    pub(super) fn inside(&self, node: &Node) -> CssRect {
        let clips = node.primary_styles().is_some_and(|values| {
            values.clone_overflow_x() != Overflow::Visible
                || values.clone_overflow_y() != Overflow::Visible
        });
        // Content that the root clips can be reached by scrolling the viewport.
        if !clips || is_canvas(node) {
            return self.clip;
        }
        let layout = node.final_layout();
        let padding_box = CssRect {
            x: self.x + layout.border.left,
            y: self.y + layout.border.top,
            width: (layout.size.width - layout.border.left - layout.border.right).max(0.0),
            height: (layout.size.height - layout.border.top - layout.border.bottom).max(0.0),
        };
        self.clip.intersection(padding_box)
    }
}

/// Returns true if the overflow of an element applies to the viewport, as for the root and the
/// body.
fn is_canvas(node: &Node) -> bool {
    node.element_data()
        .is_some_and(|element| matches!(&*element.name.local, "html" | "body"))
}

impl<'a> Walk<'a> {
    /// Starts a walk without known positions; `start` is the position of the document on the page.
    pub(super) fn new(
        document: &'a BaseDocument,
        origins: &'a Origins,
        start: BoxPosition,
    ) -> Self {
        Self {
            document,
            origins,
            start,
            positions: vec![None; document.tree().len() + 64],
        }
    }

    /// Returns the position of a box.
    pub(super) fn position(&mut self, node: &Node) -> BoxPosition {
        // Go up to a box with a known position, then down again.
        let mut chain = vec![node.id];
        let mut at = node;
        let mut position = loop {
            if let Some(&Some(known)) = self.positions.get(slot(at.id)) {
                chain.pop();
                break Some((known, at));
            }
            match at
                .containing_block()
                .and_then(|id| self.document.get_node(id))
            {
                // The document node itself has no box.
                Some(up) if up.containing_block().is_some() || up.is_element() => {
                    at = up;
                    chain.push(up.id);
                }
                _ => break None,
            }
        };
        for id in chain.into_iter().rev() {
            let Some(node) = self.document.get_node(id) else {
                break;
            };
            let (x, y, clip, opacity) = match position {
                None => (
                    self.start.x,
                    self.start.y,
                    self.start.clip,
                    self.start.opacity,
                ),
                Some((up, holder)) => {
                    let scroll = holder.scroll_offset();
                    let own = holder
                        .primary_styles()
                        .map_or(1.0, |values| values.get_effects().opacity);
                    (
                        up.x - scroll.x as f32,
                        up.y - scroll.y as f32,
                        up.inside(holder),
                        up.opacity * own,
                    )
                }
            };
            let location = node.final_layout().location;
            let (mut x, mut y) = (x + location.x, y + location.y);
            let mut clip = clip;
            if let Some(transform) = node.transform().as_deref() {
                let moved = transform.translation();
                x += moved.x as f32;
                y += moved.y as f32;
                if transform.determinant().abs() < 1e-6 {
                    clip = CssRect::default();
                }
            }
            let bounded = |value: f32| {
                if value.is_finite() {
                    value.clamp(-FAR_PX, FAR_PX)
                } else {
                    0.0
                }
            };
            let found = BoxPosition {
                x: bounded(x),
                y: bounded(y),
                clip,
                opacity,
            };
            let slot = slot(id);
            if self.positions.len() <= slot {
                self.positions.resize(slot + 1, None);
            }
            self.positions[slot] = Some(found);
            position = Some((found, node));
        }
        position.map_or(self.start, |(position, _)| position)
    }
}
