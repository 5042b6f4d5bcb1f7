//! Drawing with clipping: outlines and tints, with coordinates that may come from hostile pages.

use crate::capture::CssRect;
use image::{Rgb, RgbImage};

/// Mixes `color` into the pixel at `x`, `y`; a `share` of 0 leaves the pixel as it is, 1 replaces
/// it.
pub(super) fn tint(pixel: &mut Rgb<u8>, color: Rgb<u8>, share: f32) {
    for (old, new) in pixel.0.iter_mut().zip(color.0) {
        *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share).round() as u8;
    }
}

/// Columns and rows of a rectangle inside the picture, ends excluded; empty ranges if it is
/// outside.
pub(super) fn pixels_of(
    rect: CssRect,
    picture: &RgbImage,
) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
    // The cast turns NaN into 0 and values out of range into the nearest integer.
    let clip = |value: f32, limit: u32| (value.round().max(0.0) as u32).min(limit);
    let (width, height) = picture.dimensions();
    let (left, right) = (clip(rect.x, width), clip(rect.right(), width));
    let (top, bottom) = (clip(rect.y, height), clip(rect.bottom(), height));
    (left..right.max(left), top..bottom.max(top))
}

/// Draws the border of a rectangle, `thickness` pixels inward.
pub(super) fn outline(picture: &mut RgbImage, rect: CssRect, color: Rgb<u8>, thickness: u32) {
    let (columns, rows) = pixels_of(rect, picture);
    for y in rows.clone() {
        let is_edge_row = y < rows.start + thickness || y + thickness >= rows.end;
        if is_edge_row {
            for x in columns.clone() {
                picture.put_pixel(x, y, color);
            }
        } else {
            let left = columns.start..(columns.start + thickness).min(columns.end);
            let right = columns.end.saturating_sub(thickness).max(left.end)..columns.end;
            for x in left.chain(right) {
                picture.put_pixel(x, y, color);
            }
        }
    }
}

/// Draws a closed polygon; corners outside the picture are moved to its edge.
pub(super) fn polygon(picture: &mut RgbImage, corners: &[(f32, f32)], color: Rgb<u8>) {
    let (right, bottom) = (picture.width() as f32 - 1.0, picture.height() as f32 - 1.0);
    let inside = |&(x, y): &(f32, f32)| (x.max(0.0).min(right), y.max(0.0).min(bottom));
    let ends = corners.iter().skip(1).chain(corners.first());
    for (from, to) in corners.iter().zip(ends) {
        imageproc::drawing::draw_line_segment_mut(picture, inside(from), inside(to), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb<u8> = Rgb([255, 0, 0]);
    const BLACK: Rgb<u8> = Rgb([0; 3]);

    fn red_pixels(picture: &RgbImage) -> usize {
        picture.pixels().filter(|&&pixel| pixel == RED).count()
    }

    #[test]
    fn an_outline_is_a_ring() {
        let mut picture = RgbImage::new(10, 10);
        outline(
            &mut picture,
            CssRect {
                x: 2.0,
                y: 2.0,
                width: 5.0,
                height: 4.0,
            },
            RED,
            1,
        );
        assert_eq!(red_pixels(&picture), 5 * 4 - 3 * 2);
        assert_eq!(*picture.get_pixel(4, 4), BLACK);
    }

    #[test]
    fn shapes_of_any_size_stay_on_the_picture() {
        let mut picture = RgbImage::new(10, 10);
        for value in [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            -1e30,
            1e30,
            5.0,
            10.0,
        ] {
            for size in [0.0, 3.0, 1e30, f32::INFINITY, f32::NAN] {
                outline(
                    &mut picture,
                    CssRect {
                        x: value,
                        y: value,
                        width: size,
                        height: size,
                    },
                    RED,
                    2,
                );
            }
            polygon(
                &mut picture,
                &[(value, 1.0), (3.0, value), (value, value)],
                RED,
            );
        }
        polygon(&mut picture, &[], RED);
    }

    #[test]
    fn a_tint_is_between_the_colors() {
        let mut pixel = Rgb([0, 100, 200]);
        tint(&mut pixel, Rgb([100, 100, 100]), 0.5);
        assert_eq!(pixel, Rgb([50, 100, 150]));
    }
}
