//! `--mask`: the node mask with the targets in bright purple on white, as FIASCO colored them (section 3.2).

use super::owners::owners;
use crate::capture::Capture;
use crate::error::Error;
use crate::target::Target;
use image::{Rgb, RgbImage};

/// FIASCO's purple in two alternating shades, so that adjacent targets can be distinguished.
const PURPLE: [Rgb<u8>; 2] = [Rgb([160, 32, 240]), Rgb([200, 96, 255])];
const WHITE: Rgb<u8> = Rgb([255; 3]);

/// Draws the pixels of targets; everything else is white, also text that belongs to no target.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

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
