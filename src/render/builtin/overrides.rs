//! Changes the style of single elements, against all rules of the page.

use blitz_dom::{BaseDocument, LocalName, NodeId as EngineId, QualName, ns};

/// Adds declarations to the style attribute of an element as important ones, which no rule of the page overrides. The
/// document must be laid out again.
pub(super) fn set_important(document: &mut BaseDocument, id: EngineId, declarations: &[(&str, &str)]) {
    let name = QualName::new(None, ns!(), LocalName::from("style"));
    let own = document.get_node(id).and_then(|node| node.attr(name.local.clone())).unwrap_or_default();
    let mut style = String::from(own);
    for (property, value) in declarations {
        // The declaration before this one may lack its end.
        style.extend([";", property, ":", value, "!important"]);
    }
    document.mutate().set_attribute(id, name, &style);
}
