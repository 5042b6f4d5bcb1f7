//! Finds the target that owns each pixel of a rendered page. `--mask` draws these pixels in bright
//! purple on white, like FIASCO's colored target nodes (section 3.2).

use crate::capture::{Capture, NodeMask, Pictures};
use crate::error::{CaptureError, Error};
use crate::target::Target;
use image::{Rgb, RgbImage};

/// FIASCO's purple in two alternating shades, so that adjacent targets can be distinguished.
const PURPLE: [Rgb<u8>; 2] = [Rgb([160, 32, 240]), Rgb([200, 96, 255])];
const WHITE: Rgb<u8> = Rgb([255; 3]);

/// Draws the pixels of targets. Everything else is white, including text that does not belong to a
/// target.
///
/// # Errors
/// If the page was not rendered or its mask cannot be decoded.
pub fn mask(capture: &Capture, targets: &[Target]) -> Result<RgbImage, Error> {
    let owned = owners(capture, targets)?;
    let mut picture = RgbImage::from_pixel(owned.width, owned.height, WHITE);
    for (pixel, owner) in picture.pixels_mut().zip(&owned.targets) {
        if let Some(target) = owner {
            *pixel = PURPLE[*target as usize % PURPLE.len()];
        }
    }
    Ok(picture)
}

/// The pictures of a rendered page; otherwise an error that says how to get them.
pub(super) fn pictures(capture: &Capture) -> Result<&Pictures, Error> {
    capture.pictures.as_ref().ok_or_else(|| {
        Error::Limit(
            "a page that was not rendered has no picture; use vclean render-and-clean or a saved capture".into(),
        )
    })
}

/// The target that owns each pixel of the node mask, in row order, with the mask's size.
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
    // Nodes that are not in the tree come from a damaged mask, and are ignored.
    let owned = mask
        .owners()
        .iter()
        .map(|&node| target_of_node.get(node as usize).copied().flatten())
        .collect();
    Ok(Owners {
        width: mask.width(),
        height: mask.height(),
        targets: owned,
    })
}

/// Returns an error if a mask and its screenshot differ in size.
pub(super) fn same_size(one: (u32, u32), other: (u32, u32)) -> Result<(), CaptureError> {
    if one == other {
        return Ok(());
    }
    Err(CaptureError::Picture {
        cause: format!(
            "the screenshot is {} x {} pixels, the mask {} x {}",
            one.0, one.1, other.0, other.1
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::samples;

    #[test]
    fn targets_have_alternating_shades_of_purple() {
        let (capture, targets, _) = samples::page("Menu");
        let picture = mask(&capture, &targets).unwrap();
        assert_eq!(*picture.get_pixel(3, 3), PURPLE[0]);
        assert_eq!(*picture.get_pixel(3, 13), PURPLE[1]);
        assert_eq!(*picture.get_pixel(45, 3), PURPLE[0]);
        assert_eq!(*picture.get_pixel(0, 0), WHITE);
    }

    #[test]
    fn text_without_a_target_is_white() {
        let (capture, mut targets, _) = samples::page("Menu");
        targets.truncate(1);
        assert_eq!(*mask(&capture, &targets).unwrap().get_pixel(3, 13), WHITE);
    }
}
