//! Positions of the engine's boxes on the page, and their visible parts.
//!
//! The position of a box depends on its containing block, which for positioned boxes is not its parent. Positions are
//! computed once: up the chain of containing blocks to one with a known position, then down again. There is no
//! recursion.

use super::tree::{Origins, slot};
use crate::capture::CssRect;
use blitz_dom::BaseDocument;
use blitz_dom::node::Node;
use style::values::computed::Overflow;

/// Largest absolute value of a coordinate, in px.
pub(super) const FAR_PX: f32 = 1e6;

/// A rectangle that contains every page.
pub(super) const EVERYTHING: CssRect = CssRect { x: -FAR_PX, y: -FAR_PX, width: 2.0 * FAR_PX, height: 2.0 * FAR_PX };

/// Position of a box, its clipping rectangle, and its opacity.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxPosition {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) clip: CssRect,
    pub(super) opacity: f32,
}

/// A document during the walk.
pub(super) struct Walk<'a> {
    pub(super) document: &'a BaseDocument,
    pub(super) origins: &'a Origins,
    start: BoxPosition,
    positions: Vec<Option<BoxPosition>>,
}

impl BoxPosition {
    /// The top left corner of the page, without clipping.
    pub(super) fn start() -> Self {
        Self { x: 0.0, y: 0.0, clip: EVERYTHING, opacity: 1.0 }
    }

    /// The clipping rectangle of the content of a box at this position.
    pub(super) fn inside(&self, node: &Node) -> CssRect {
        let clips = node.primary_styles().is_some_and(|values| {
            values.clone_overflow_x() != Overflow::Visible || values.clone_overflow_y() != Overflow::Visible
        });
        // Content that the root clips can be scrolled to in the viewport.
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

/// Whether the overflow of an element is applied to the viewport, as for the root and the body.
pub(super) fn is_canvas(node: &Node) -> bool {
    node.element_data().is_some_and(|element| matches!(&*element.name.local, "html" | "body"))
}

impl<'a> Walk<'a> {
    /// A walk without known positions; `start` is the position of the document on the page.
    pub(super) fn new(document: &'a BaseDocument, origins: &'a Origins, start: BoxPosition) -> Self {
        Self { document, origins, start, positions: vec![None; document.tree().len() + 64] }
    }

    /// The position of a box.
    pub(super) fn position(&mut self, node: &Node) -> BoxPosition {
        // Up to a box with a known position, then down again.
        let mut chain = vec![node.id];
        let mut at = node;
        let mut position = loop {
            if let Some(&Some(known)) = self.positions.get(slot(at.id)) {
                chain.pop();
                break Some((known, at));
            }
            match at.containing_block().and_then(|id| self.document.get_node(id)) {
                // The document node itself has no box.
                Some(up) if up.containing_block().is_some() || up.is_element() => {
                    at = up;
                    chain.push(up.id);
                }
                _ => break None,
            }
        };
        for id in chain.into_iter().rev() {
            let Some(node) = self.document.get_node(id) else { break };
            let (x, y, clip, opacity) = match position {
                None => (self.start.x, self.start.y, self.start.clip, self.start.opacity),
                Some((up, holder)) => {
                    let scroll = holder.scroll_offset();
                    let own = holder.primary_styles().map_or(1.0, |values| values.get_effects().opacity);
                    (up.x - scroll.x as f32, up.y - scroll.y as f32, up.inside(holder), up.opacity * own)
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
            let bounded = |value: f32| if value.is_finite() { value.clamp(-FAR_PX, FAR_PX) } else { 0.0 };
            let found = BoxPosition { x: bounded(x), y: bounded(y), clip, opacity };
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
