//! The page image in strips, so that a browser loads only the part of a long page that it shows,
//! and a test if it shows the text of a block.

use super::prepared::PreparedPage;
use image::RgbImage;
use vclean_core::capture::encode_png;
use vclean_core::error::CaptureError;

/// Height of a strip in pixels; the last one of a page is lower.
pub(super) const TILE_HEIGHT_PX: u32 = 1024;

/// Size of the page image in pixels, width and height; zero without a picture.
pub(super) fn picture_size(page: &PreparedPage) -> (u32, u32) {
    page.picture().map_or((0, 0), image::RgbImage::dimensions)
}

/// A strip of the page image as PNG, counted from 0 at the top; `None` if there is none.
///
/// # Errors
/// If it cannot be encoded.
pub(super) fn tile(page: &PreparedPage, number: u32) -> Result<Option<Vec<u8>>, CaptureError> {
    let Some(picture) = page.picture() else {
        return Ok(None);
    };
    let (width, height) = picture.dimensions();
    let Some(top) = number
        .checked_mul(TILE_HEIGHT_PX)
        .filter(|top| *top < height)
    else {
        return Ok(None);
    };
    let strip = image::imageops::crop_imm(picture, 0, top, width, TILE_HEIGHT_PX.min(height - top))
        .to_image();
    Ok(Some(encode_png(&strip)?.png()?.into_owned()))
}

// Finds blocks whose text the picture does not show: a script would have made the text visible, or
// letters have nearly the color of their background. The labelling page then writes the text
// itself.

/// Pixels whose colors differ less than this in each channel show no letters that one can read.
/// Heuristic: pale gray text on white (#bbbbbb) differs by 68.
const LEAST_CONTRAST: u8 = 56;

/// True if a rectangle of the picture, `[left, top, width, height]` in pixels, is so uniform that
/// no text can be read there. A rectangle outside the picture shows nothing.
pub(super) fn is_blank(picture: &RgbImage, [left, top, width, height]: [i32; 4]) -> bool {
    let within = |from: i32, length: i32, end: u32| {
        let clamp = |at: i32| u32::try_from(at).unwrap_or(0).min(end);
        clamp(from)..clamp(from.saturating_add(length))
    };
    let (columns, rows) = (
        within(left, width, picture.width()),
        within(top, height, picture.height()),
    );
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
    use image::{Rgb, RgbImage};
    use vclean_core::capture::{Picture, Pictures};
    use vclean_core::page::{Page, parse};
    use vclean_core::pipeline::{Options, PageCleaner};

    #[test]
    fn strips_put_together_are_the_picture() {
        let height = TILE_HEIGHT_PX * 2 + 7;
        let whole = RgbImage::from_fn(5, height, |x, y| {
            Rgb([x as u8, (y % 251) as u8, (y / 251) as u8])
        });
        let cleaner = PageCleaner::new(&Options::default()).unwrap();
        let capture = parse(&Page::from_html("page", "<p>Text")).unwrap();
        let mut page = PreparedPage::new(capture, &cleaner).unwrap();
        let picture = Picture::from_rgb(whole.clone());
        page.capture.pictures = Some(Pictures::new(picture.clone(), picture));
        assert_eq!(picture_size(&page), (5, height));
        let strips: Vec<RgbImage> = (0..3)
            .map(|number| {
                image::load_from_memory(&tile(&page, number).unwrap().unwrap())
                    .unwrap()
                    .to_rgb8()
            })
            .collect();
        assert_eq!(strips[2].height(), 7);
        let together: Vec<u8> = strips.into_iter().flat_map(RgbImage::into_raw).collect();
        assert!(together == whole.into_raw());
        assert!(tile(&page, 3).unwrap().is_none() && tile(&page, u32::MAX).unwrap().is_none());
    }

    #[test]
    fn a_page_without_a_picture_has_no_strips() {
        let cleaner = PageCleaner::new(&Options::default()).unwrap();
        let page = PreparedPage::new(
            parse(&Page::from_html("page", "<p>Text")).unwrap(),
            &cleaner,
        )
        .unwrap();
        assert_eq!(
            (picture_size(&page), tile(&page, 0).unwrap()),
            ((0, 0), None)
        );
    }

    #[test]
    fn only_a_rectangle_with_contrast_shows_text() {
        let mut picture = RgbImage::from_pixel(40, 20, Rgb([20, 30, 40]));
        assert!(is_blank(&picture, [0, 0, 40, 20]));
        picture.put_pixel(10, 10, Rgb([60, 70, 80]));
        assert!(
            is_blank(&picture, [0, 0, 40, 20]),
            "dark letters on a dark ground"
        );
        picture.put_pixel(30, 10, Rgb([20, 30, 100]));
        assert!(!is_blank(&picture, [0, 0, 40, 20]));
        assert!(
            is_blank(&picture, [0, 0, 30, 20]),
            "the letter is right of the rectangle"
        );
        assert!(
            !is_blank(&picture, [25, 5, 900, 900]),
            "a rectangle that is partly outside"
        );
        assert!(is_blank(&picture, [-50, -50, 10, 10]) && is_blank(&picture, [100, 100, 10, 10]));
    }
}
