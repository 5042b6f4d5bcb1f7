//! Shows what readers see later: panels that they open with a click, and parts that a script of the
//! page would show. Panels that would cover other content stay closed, and so do those in frames.

use super::layout_fixes::set_important;
use super::tree::Origins;
use crate::rendered::MIN_ROOT_OPACITY;
use blitz_dom::BaseDocument;
use blitz_dom::NodeId as EngineId;
use blitz_dom::node::Node;
use style::computed_values::visibility::T as Visibility;
use style::properties::ComputedValues;
use style::values::computed::{LengthPercentage, MaxSize, Overflow, Size};
use vclean_core::capture::{Dom, NodeId, PANEL_RULES, Panels, is_cloaked, late_parts};

/// Maximum nesting of panels; styles inside a closed panel are known only when it is open.
const MAX_DEPTH: usize = 3;
/// Height up to which a box that cuts its content off shows nothing, in CSS px.
const MAX_CUT_PX: f32 = 1.5;

/// The property that hides an element in the flow of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// The element is not displayed.
    Display,
    /// Its visibility is hidden, and that of its parent is not.
    Visibility,
    /// Its height cuts all of its content off.
    Height,
}

/// Unfolds the panels of the page, and shows its late parts.
pub(super) fn unfold(document: &mut BaseDocument, dom: &Dom, origins: &[Origins]) {
    let Some(own) = origins
        .iter()
        .find(|origins| origins.document == document.id())
    else {
        return;
    };
    let panels = Panels::find(dom);
    let mut left = PANEL_RULES.most;
    for _ in 0..MAX_DEPTH {
        let closed: Vec<(EngineId, Closed, NodeId)> = (document.tree().iter())
            .filter_map(|(id, node)| {
                let closed = closed_by(document, node)?;
                let ours = own.our_node(id)?;
                let is_shown = match closed {
                    Closed::Height => panels.is_folded(ours),
                    Closed::Display | Closed::Visibility => {
                        panels.is_panel(ours) || is_cloaked(dom, ours)
                    }
                };
                is_shown.then_some((id, closed, ours))
            })
            .take(left)
            .collect();
        if closed.is_empty() {
            break;
        }
        left -= closed.len();
        for (id, closed, ours) in closed {
            open(document, id, closed, dom.tag(ours));
        }
        document.resolve_stylist(0.0);
    }
    show_late(document, dom, own);
}

fn open(document: &mut BaseDocument, id: EngineId, closed: Closed, tag: &str) {
    let tags = PANEL_RULES.tags.iter();
    let display = tags
        .filter(|(panel, _)| *panel == tag)
        .map(|&(_, display)| display)
        .next()
        .unwrap_or("block");
    let declarations: &[(&str, &str)] = match closed {
        Closed::Display => &[("display", display), ("opacity", "1")],
        Closed::Visibility => &[("visibility", "visible"), ("opacity", "1")],
        Closed::Height => &[
            ("max-height", "none"),
            ("height", "auto"),
            ("overflow", "visible"),
            ("opacity", "1"),
        ],
    };
    set_important(document, id, declarations);
}

/// Shows the parts that leave a hole in the text of the page.
fn show_late(document: &mut BaseDocument, dom: &Dom, own: &Origins) {
    let mut hidden: Vec<(NodeId, EngineId)> = (document.tree().iter())
        .filter(|(_, node)| takes_space_hidden(document, node))
        .filter_map(|(id, _)| Some((own.our_node(id)?, id)))
        .collect();
    hidden.sort_unstable_by_key(|(ours, _)| *ours);
    let ours: Vec<NodeId> = hidden.iter().map(|(ours, _)| *ours).collect();
    let late = late_parts(dom, &ours);
    for part in &late {
        if let Ok(index) = ours.binary_search(part) {
            let shown = [
                ("visibility", "visible"),
                ("opacity", "1"),
                ("transition", "none"),
            ];
            set_important(document, hidden[index].1, &shown);
        }
    }
    if !late.is_empty() {
        document.resolve_stylist(0.0);
    }
}

/// Returns true if nobody sees an element that takes its space in the flow of the page.
fn takes_space_hidden(document: &BaseDocument, node: &Node) -> bool {
    node.primary_styles().is_some_and(|style| {
        let is_faint = style.get_effects().opacity < MIN_ROOT_OPACITY;
        !style.clone_display().is_none()
            && !style.clone_position().is_absolutely_positioned()
            && (is_faint || is_newly_hidden(document, node, &style))
    })
}

/// Returns true if the visibility of an element is hidden, and that of its parent is not.
fn is_newly_hidden(document: &BaseDocument, node: &Node, style: &ComputedValues) -> bool {
    let is_hidden = |style: &ComputedValues| style.clone_visibility() != Visibility::Visible;
    let above = node
        .parent
        .and_then(|parent| document.get_node(parent)?.primary_styles());
    is_hidden(style) && above.is_some_and(|above| !is_hidden(&above))
}

/// Returns the property that hides an element in the flow of the page, if any.
fn closed_by(document: &BaseDocument, node: &Node) -> Option<Closed> {
    let style = node.primary_styles()?;
    if style.clone_position().is_absolutely_positioned() {
        return None;
    }
    if style.clone_display().is_none() {
        return Some(Closed::Display);
    }
    if is_newly_hidden(document, node, &style) {
        return Some(Closed::Visibility);
    }
    let is_none = |length: &LengthPercentage| {
        let length = length.to_length();
        length.is_some_and(|length| length.px() <= MAX_CUT_PX)
    };
    let box_style = style.get_position();
    let has_no_height = match &box_style.height {
        Size::LengthPercentage(length) => is_none(&length.0),
        _ => false,
    } || match &box_style.max_height {
        MaxSize::LengthPercentage(length) => is_none(&length.0),
        _ => false,
    };
    (has_no_height && style.clone_overflow_y() != Overflow::Visible).then_some(Closed::Height)
}
