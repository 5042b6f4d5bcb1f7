//! The text of a target that the `linguistic` groups measure: all of it, and the text immediately below its node.

use super::super::block::write_text;
use super::super::page::PageView;
use crate::target::Target;

/// Writes the text immediately below the target's node into `out`; returns false, and writes nothing, where that is all of
/// its text.
pub(super) fn write_own_text(view: &PageView<'_>, target: &Target, out: &mut String) -> bool {
    let dom = &view.capture.dom;
    let is_own = |id| dom.parent(id) == Some(target.container);
    if target.texts.iter().all(|&id| is_own(id)) {
        return false;
    }
    let texts: Vec<_> = target.texts.iter().copied().filter(|&id| is_own(id)).collect();
    write_text(dom, &texts, &view.tree, out);
    true
}

/// All text of a target, and the text immediately below its node.
pub(super) fn whole_and_own_text(view: &PageView<'_>, target: &Target) -> [String; 2] {
    let mut whole = String::new();
    write_text(&view.capture.dom, &target.texts, &view.tree, &mut whole);
    let mut own = String::new();
    if !write_own_text(view, target, &mut own) {
        own.clone_from(&whole);
    }
    [whole, own]
}
