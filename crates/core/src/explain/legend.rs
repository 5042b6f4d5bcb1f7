//! Adds a strip above a picture that explains its colors.

use super::canvas;
use crate::capture::CssRect;
use font8x8::legacy::BASIC_LEGACY;
use image::{Rgb, RgbImage};

/// A color and its meaning, in ASCII.
pub(super) type Entry = (Rgb<u8>, &'static str);

/// Size of a glyph in the font, and its magnification: text of 16 px is easy to read beside that of
/// a page.
const GLYPH_PX: u32 = 8;
const SCALE: u32 = 2;
const CHARACTER_PX: u32 = GLYPH_PX * SCALE;
/// Height of a row of entries, and the space around each entry, in pixels.
const ROW_PX: u32 = 28;
const SPACE_PX: u32 = 12;
/// Width of the outline that shows a color, in pixels.
const OUTLINE_PX: u32 = 3;

const PAPER: Rgb<u8> = Rgb([255; 3]);
const INK: Rgb<u8> = Rgb([30; 3]);

/// Puts a legend of these entries above a picture, with as many in a row as fit.
pub(super) fn with_legend(picture: &RgbImage, entries: &[Entry]) -> RgbImage {
    let (mut x, mut row) = (SPACE_PX, 0);
    let mut places = Vec::new();
    for (color, meaning) in entries {
        let width = CHARACTER_PX * (meaning.len() as u32 + 1) + 2 * SPACE_PX;
        if x > SPACE_PX && x + width > picture.width() {
            (x, row) = (SPACE_PX, row + 1);
        }
        places.push((
            x,
            row * ROW_PX + (ROW_PX - CHARACTER_PX) / 2,
            *color,
            *meaning,
        ));
        x += width;
    }
    let height = if entries.is_empty() {
        0
    } else {
        (row + 1) * ROW_PX
    };
    let mut whole = RgbImage::from_pixel(picture.width(), picture.height() + height, PAPER);
    for (x, y, color, meaning) in places {
        let side = CHARACTER_PX as f32;
        canvas::outline(
            &mut whole,
            CssRect {
                x: x as f32,
                y: y as f32,
                width: side,
                height: side,
            },
            color,
            OUTLINE_PX,
        );
        for (index, character) in meaning.bytes().enumerate() {
            draw(
                &mut whole,
                x + CHARACTER_PX * (index as u32 + 1) + SPACE_PX / 2,
                y,
                character,
            );
        }
    }
    image::imageops::replace(&mut whole, picture, 0, height.into());
    whole
}

/// Draws a character; parts outside the picture are left out.
fn draw(picture: &mut RgbImage, left: u32, top: u32, character: u8) {
    let Some(rows) = BASIC_LEGACY.get(usize::from(character)) else {
        return;
    };
    for (y, row) in (0..).zip(rows) {
        for x in (0..GLYPH_PX).filter(|x| row & (1 << x) != 0) {
            for (dx, dy) in (0..SCALE).flat_map(|dx| (0..SCALE).map(move |dy| (dx, dy))) {
                if let Some(pixel) =
                    picture.get_pixel_mut_checked(left + x * SCALE + dx, top + y * SCALE + dy)
                {
                    *pixel = INK;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb<u8> = Rgb([200, 0, 0]);
    const BLUE: Rgb<u8> = Rgb([0, 0, 200]);

    #[test]
    fn the_picture_is_below_its_legend() {
        let picture = RgbImage::from_pixel(400, 10, RED);
        let whole = with_legend(&picture, &[(BLUE, "kept"), (RED, "dropped")]);
        assert_eq!(whole.dimensions(), (400, ROW_PX + 10));
        let legend = image::imageops::crop_imm(&whole, 0, 0, 400, ROW_PX).to_image();
        let count = |color| legend.pixels().filter(|pixel| **pixel == color).count();
        // Both colors have the same ring.
        assert!(count(BLUE) > 100 && count(BLUE) == count(RED) && count(INK) > 100);
        assert!(
            whole
                .pixels()
                .skip((400 * ROW_PX) as usize)
                .all(|pixel| *pixel == RED)
        );
        assert_eq!(with_legend(&picture, &[]), picture);
    }

    #[test]
    fn entries_that_do_not_fit_are_in_rows_of_their_own() {
        for width in [0, 1, 60, 5000] {
            let whole = with_legend(
                &RgbImage::new(width, 3),
                &[(BLUE, "kept"), (RED, "dropped")],
            );
            let rows = if width == 5000 { 1 } else { 2 };
            assert_eq!(whole.dimensions(), (width, rows * ROW_PX + 3));
        }
    }
}
