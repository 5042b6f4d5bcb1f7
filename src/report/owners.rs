//! The pictures of a rendered page, and which target owns each of their pixels.

use crate::capture::{Capture, NodeMask, Pictures};
use crate::error::{CaptureError, Error};
use crate::target::Target;

/// The pictures of a rendered page, or the error that says how to get them.
pub(super) fn pictures(capture: &Capture) -> Result<&Pictures, Error> {
    capture.pictures.as_ref().ok_or_else(|| {
        Error::Limit(
            "a page that was not rendered has no picture; use vclean render-and-clean or a saved capture".into(),
        )
    })
}

/// Which target owns each pixel of the node mask, in row order, with the mask's size.
pub(super) struct Owners {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) targets: Vec<Option<u32>>,
}

pub(super) fn owners(capture: &Capture, targets: &[Target]) -> Result<Owners, Error> {
    let mask: NodeMask = NodeMask::decode(&pictures(capture)?.mask)?;
    let mut target_of_node = vec![None; capture.dom.len()];
    for (index, target) in targets.iter().enumerate() {
        for &text in &target.texts {
            target_of_node[text.index()] = Some(index as u32);
        }
    }
    // Nodes that are not in the tree come from a damaged mask and are ignored.
    let owned = mask.owners().iter().map(|&node| target_of_node.get(node as usize).copied().flatten()).collect();
    Ok(Owners { width: mask.width(), height: mask.height(), targets: owned })
}

/// Refuses a mask of another size than its screenshot.
pub(super) fn same_size(one: (u32, u32), other: (u32, u32)) -> Result<(), CaptureError> {
    if one == other {
        return Ok(());
    }
    Err(CaptureError::Picture {
        cause: format!("the screenshot is {} x {} pixels, the mask {} x {}", one.0, one.1, other.0, other.1),
    })
}
