//! The largest page that the engine takes.

use crate::capture::{Dom, NodeId};
use crate::error::RenderError;

/// Largest number of nodes of a page; the engine takes some 3 kB for each.
pub(super) const MAX_NODES: usize = 200_000;
/// Largest amount of text of a page, in bytes; the engine takes some 120 bytes for each.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Rejects a page that is too large for the engine.
pub(super) fn check_size(dom: &Dom) -> Result<(), RenderError> {
    if dom.len() > MAX_NODES {
        return Err(RenderError::Limit(format!(
            "the page has {} nodes, more than the {MAX_NODES} that the built-in engine takes; use `engine` chromium",
            dom.len()
        )));
    }
    let text_bytes: usize = dom.ids().filter_map(|id| shown_text(dom, id)).map(str::len).sum();
    if text_bytes > MAX_TEXT_BYTES {
        return Err(RenderError::Limit(format!(
            "the page has {} MB of text, more than the {} that the built-in engine takes; use `engine` chromium",
            text_bytes >> 20,
            MAX_TEXT_BYTES >> 20
        )));
    }
    Ok(())
}

/// The text of a text node, if the engine gets it as text.
fn shown_text(dom: &Dom, id: NodeId) -> Option<&str> {
    let holder = dom.parent(id).map_or("", |parent| dom.tag(parent));
    dom.text(id).filter(|_| !matches!(holder, "script" | "style" | "noscript" | "template"))
}
