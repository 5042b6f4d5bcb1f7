//! Shows pages that hide their root or body until a script of theirs has run: in this engine none runs.

use super::overrides::set_important;
use crate::error::Warnings;
use crate::render::hidden_page::{MIN_ROOT_OPACITY, shown_root};
use blitz_dom::BaseDocument;
use style::computed_values::visibility::T as Visibility;

/// Shows the root and the body if the page hides them, and returns a warning for each. The styles must be computed,
/// and are computed again if a warning is returned; the document must then be laid out.
pub(super) fn show(document: &mut BaseDocument) -> Warnings {
    let mut warnings = Warnings::new();
    // The styles of the body depend on those of the root.
    for tag in ["html", "body"] {
        let Some(root) = document.try_root_element() else { break };
        let is_it = |id| document.get_node(id).is_some_and(|node| is_named(node, tag));
        let found = if is_it(root.id) { Some(root.id) } else { root.children.iter().copied().find(|&id| is_it(id)) };
        let Some(id) = found else { continue };
        let Some(node) = document.get_node(id) else { continue };
        let Some(values) = node.primary_styles() else { continue };
        let mut declarations = Vec::new();
        if values.clone_display().is_none() {
            declarations.push(("display", "block"));
        }
        if values.clone_visibility() != Visibility::Visible {
            declarations.push(("visibility", "visible"));
        }
        if values.get_effects().opacity < MIN_ROOT_OPACITY {
            declarations.push(("opacity", "1"));
        }
        drop(values);
        if let Some(&(property, _)) = declarations.first() {
            warnings.push(shown_root(tag, property));
            declarations.push(("transition", "none"));
            set_important(document, id, &declarations);
            document.resolve_stylist(0.0);
        }
    }
    warnings
}

fn is_named(node: &blitz_dom::Node, tag: &str) -> bool {
    node.element_data().is_some_and(|element| &*element.name.local == tag)
}
