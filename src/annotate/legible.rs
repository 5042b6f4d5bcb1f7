//! Whether the picture of a page shows the text of a block. It does not where a script would have made the text visible,
//! or where letters have nearly the color of their ground; the labelling page then writes the text itself.

use image::RgbImage;

/// Pixels whose colors differ less than this in each channel show no letters that one can read. Heuristic: pale gray text
/// on white (#bbbbbb) differs by 68.
const LEAST_CONTRAST: u8 = 56;

/// Whether a rectangle of the picture, `[left, top, width, height]` in pixels, is so even that no text can be read there.
/// A rectangle outside the picture shows nothing.
pub(super) fn is_blank(picture: &RgbImage, [left, top, width, height]: [i32; 4]) -> bool {
    let within = |from: i32, length: i32, end: u32| {
        let clamp = |at: i32| u32::try_from(at).unwrap_or(0).min(end);
        clamp(from)..clamp(from.saturating_add(length))
    };
    let (columns, rows) = (within(left, width, picture.width()), within(top, height, picture.height()));
    let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
    for y in rows {
        for x in columns.clone() {
            for (channel, value) in picture.get_pixel(x, y).0.into_iter().enumerate() {
                least[channel] = value.min(least[channel]);
                most[channel] = value.max(most[channel]);
                if most[channel] - least[channel] >= LEAST_CONTRAST {
                    return false;
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn only_a_rectangle_with_contrast_shows_text() {
        let mut picture = RgbImage::from_pixel(40, 20, Rgb([20, 30, 40]));
        assert!(is_blank(&picture, [0, 0, 40, 20]));
        picture.put_pixel(10, 10, Rgb([60, 70, 80]));
        assert!(is_blank(&picture, [0, 0, 40, 20]), "dark letters on a dark ground");
        picture.put_pixel(30, 10, Rgb([20, 30, 100]));
        assert!(!is_blank(&picture, [0, 0, 40, 20]));
        assert!(is_blank(&picture, [0, 0, 30, 20]), "the letter is right of the rectangle");
        assert!(!is_blank(&picture, [25, 5, 900, 900]), "a rectangle that is partly outside");
        assert!(is_blank(&picture, [-50, -50, 10, 10]) && is_blank(&picture, [100, 100, 10, 10]));
    }
}
