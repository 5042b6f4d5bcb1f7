//! The text of a target that the `linguistic` groups measure: all of it, and the text immediately below its node.

use super::super::block::write_text;
use super::super::page::PageView;
use crate::target::Target;

/// The text immediately below the target's node; `None` where that is all of its text.
pub(super) fn own_text(view: &PageView<'_>, target: &Target) -> Option<String> {
    let dom = &view.capture.dom;
    let is_own = |id| dom.parent(id) == Some(target.container);
    if target.texts.iter().all(|&id| is_own(id)) {
        return None;
    }
    let texts: Vec<_> = target.texts.iter().copied().filter(|&id| is_own(id)).collect();
    let mut text = String::new();
    write_text(dom, &texts, &view.tree, &mut text);
    Some(text)
}

/// All text of a target, and the text immediately below its node.
pub(super) fn whole_and_own_text(view: &PageView<'_>, target: &Target) -> [String; 2] {
    let mut whole = String::new();
    write_text(&view.capture.dom, &target.texts, &view.tree, &mut whole);
    let own = own_text(view, target).unwrap_or_else(|| whole.clone());
    [whole, own]
}
