//! Lays out frame sets (HTML standard, section 16.5): as grids, whose frames are as tall as their documents.

use super::overrides::set_important;
use crate::capture::{Dom, NodeId};
use blitz_dom::{BaseDocument, NodeId as EngineId};

/// Largest number of rows or columns of a frame set.
const MAX_TRACKS: usize = 100;

/// The style of a frame set: its rows and columns.
pub(super) fn frame_set_style(dom: &Dom, id: NodeId) -> String {
    let of = |name: &str| dom.attribute(id, name).map_or_else(|| "1fr".to_owned(), tracks);
    format!("grid-template-columns:{};grid-template-rows:{}", of("cols"), of("rows"))
}

/// The tracks of a grid for a list of lengths such as `20%,100,2*`.
fn tracks(list: &str) -> String {
    let track = |length: &str| {
        let length = length.trim();
        let number = |text: &str| text.trim().parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if let Some(share) = length.strip_suffix('*') {
            return format!("minmax(0,{}fr)", number(share).unwrap_or(1.0));
        }
        if let Some(percent) = length.strip_suffix('%').and_then(number) {
            // Shares of the whole: browsers scale them so that they add up.
            return format!("minmax(0,{percent}%)");
        }
        number(length.trim_end_matches("px")).map_or_else(|| "1fr".to_owned(), |px| format!("{px}px"))
    };
    list.split(',').take(MAX_TRACKS).map(track).collect::<Vec<_>>().join(" ")
}

/// Makes the frames of frame sets as tall as their documents: a reader can scroll each of them. Returns whether any was
/// changed; the document must then be laid out again.
pub(super) fn grow(document: &mut BaseDocument) -> bool {
    let frames: Vec<(EngineId, f32)> = document
        .sub_document_node_ids()
        .into_iter()
        .filter_map(|id| {
            let node = document.get_node(id)?;
            let in_set = document.get_node(node.parent?)?.element_data()?;
            let inner = document.subdoc(id)?.inner();
            let content = inner.try_root_element()?.final_layout().size.height;
            (&*in_set.name.local == "frameset" && content > node.final_layout().size.height).then_some((id, content))
        })
        .collect();
    for &(id, height) in &frames {
        set_important(document, id, &[("min-height", &format!("{height}px"))]);
    }
    !frames.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_frame_sets_become_tracks() {
        assert_eq!(tracks("20%, 100 ,*,2*"), "minmax(0,20%) 100px minmax(0,1fr) minmax(0,2fr)");
        assert_eq!(tracks("x,-5;color:red"), "1fr 1fr");
    }
}
