//! The decoded pictures of a capture, which all pixel measures use.

use crate::capture::{NodeMask, Pictures};
use crate::error::CaptureError;
use image::GrayImage;
use pulp::Arch;
use std::sync::Arc;

/// The gray page image and the node mask, of the same size; one pixel per CSS pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Luminance of the page image, 0 black to 255 white.
    pub gray: Arc<GrayImage>,
    /// Owner of each pixel: a text node or none.
    pub mask: NodeMask,
}

impl Pixels {
    /// Decodes both pictures.
    ///
    /// Fails with [`CaptureError::Picture`] if one cannot be decoded or their sizes differ.
    pub fn decode(pictures: &Pictures) -> Result<Self, CaptureError> {
        let (gray, mask) = (
            pictures.screenshot.decode_gray(),
            NodeMask::decode(&pictures.mask),
        );
        Self::pair(gray?, mask?)
    }

    /// Pairs an image with its mask; fails with [`CaptureError::Picture`] if their sizes differ.
    pub fn pair(gray: impl Into<Arc<GrayImage>>, mask: NodeMask) -> Result<Self, CaptureError> {
        let gray = gray.into();
        if gray.dimensions() == (mask.width(), mask.height()) {
            Ok(Self { gray, mask })
        } else {
            let cause = format!(
                "the screenshot has {} x {} pixels, the mask {} x {}",
                gray.width(),
                gray.height(),
                mask.width(),
                mask.height()
            );
            Err(CaptureError::Picture { cause })
        }
    }
}

/// For each row of an image, from the top, finds the pixels whose mean over a window is above
/// `ground`. The window has `2 * x_radius + 1` by `2 * y_radius + 1` pixels; the mean is rounded
/// down, and pixels outside the image count as 0. `row` is called with 1 or 0 for each pixel, or
/// with an empty slice for a row without any.
pub(crate) fn above_mean(
    image: &GrayImage,
    x_radius: u32,
    y_radius: u32,
    ground: u8,
    mut row: impl FnMut(&[u8]),
) {
    let enough = (2 * x_radius + 1) * (2 * y_radius + 1) * (u32::from(ground) + 1);
    Arch::new().dispatch(|| {
        above_sum(
            image,
            x_radius as usize,
            y_radius as usize,
            enough,
            &mut row,
        );
    });
}

/// Marks the pixels whose window has a sum of `enough` or more.
// Code that is not inlined into the dispatched function is compiled without the wider instructions.
#[allow(clippy::inline_always)]
#[inline(always)]
fn above_sum(image: &GrayImage, rx: usize, ry: usize, enough: u32, row: &mut impl FnMut(&[u8])) {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = image.as_raw();
    let line = |y: usize| &pixels[y * width..(y + 1) * width];
    let inked: Vec<bool> = (0..height)
        .map(|y| line(y).iter().fold(0, |any, &value| any | value) > 0)
        .collect();
    // Column sums over the rows of the window, which moves down row by row, and the number of inked
    // rows in it.
    let mut columns = vec![0u32; width];
    let mut rows = 0usize;
    // Prefix sums of the column sums, with `rx` zeros before and the total repeated after.
    let mut prefix = vec![0u32; width + 2 * rx + 1];
    let mut flags = vec![0u8; width];
    for entering in 0..height + ry {
        let mut is_changed = false;
        if entering < height && inked[entering] {
            rows += 1;
            is_changed = true;
            for (sum, &value) in columns.iter_mut().zip(line(entering)) {
                *sum += u32::from(value);
            }
        }
        let Some(y) = entering.checked_sub(ry) else {
            continue;
        };
        if y > ry && inked[y - ry - 1] {
            rows -= 1;
            is_changed = true;
            for (sum, &value) in columns.iter_mut().zip(line(y - ry - 1)) {
                *sum -= u32::from(value);
            }
        }
        if rows == 0 {
            row(&[]);
            continue;
        }
        // The first row of the page needs the sums of the rows read before it.
        if is_changed || y == 0 {
            let mut total = 0u32;
            for (slot, &sum) in prefix[rx + 1..].iter_mut().zip(&columns) {
                total += sum;
                *slot = total;
            }
            prefix[width + rx + 1..].fill(total);
            for ((flag, &high), &low) in flags.iter_mut().zip(&prefix[2 * rx + 1..]).zip(&prefix) {
                *flag = u8::from(high - low >= enough);
            }
        }
        row(&flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Picture, encode_png};
    use image::{Luma, Rgb, RgbImage};
    use imageproc::filter::box_filter;
    use proptest::prelude::*;

    #[test]
    fn pictures_of_one_size_make_pixels() {
        let page = encode_png(&RgbImage::from_pixel(4, 3, Rgb([255; 3]))).unwrap();
        let mask = encode_png(&RgbImage::from_pixel(4, 3, Rgb([0, 0, 9]))).unwrap();
        let pixels = Pixels::decode(&Pictures::new(page.clone(), mask)).unwrap();
        assert_eq!(pixels.gray.get_pixel(1, 1).0, [255]);
        assert_eq!(pixels.mask.owners()[0], 9);
        let small = encode_png(&RgbImage::new(4, 2)).unwrap();
        let error = Pixels::decode(&Pictures::new(page.clone(), small)).unwrap_err();
        assert!(
            error.to_string().contains("4 x 3 pixels, the mask 4 x 2"),
            "{error}"
        );
        let broken = Pictures::new(page, Picture::from_png(vec![1, 2]));
        assert!(Pixels::decode(&broken).is_err());
    }

    fn flags(image: &GrayImage, x_radius: u32, y_radius: u32, ground: u8) -> Vec<bool> {
        let mut all = Vec::new();
        above_mean(image, x_radius, y_radius, ground, |row| {
            if row.is_empty() {
                all.extend(vec![false; image.width() as usize]);
            } else {
                all.extend(row.iter().map(|&flag| flag > 0));
            }
        });
        all
    }

    #[test]
    fn a_point_becomes_a_window() {
        let mut image = GrayImage::new(7, 5);
        image.put_pixel(3, 2, Luma([90]));
        for (ground, expected) in [(9, true), (10, false)] {
            for (place, flag) in flags(&image, 1, 1, ground).into_iter().enumerate() {
                let inside = (2..=4).contains(&(place % 7)) && (1..=3).contains(&(place / 7));
                assert_eq!(flag, inside && expected, "{place} {ground}");
            }
        }
        assert!(flags(&GrayImage::new(0, 0), 1, 1, 9).is_empty());
        assert_eq!(flags(&GrayImage::new(3, 1), 2, 2, 0), [false; 3]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_is_the_box_filter_inside_a_blank_border(
            values in proptest::collection::vec(any::<u8>(), 30 * 20),
            x_radius in 0u32..5,
            y_radius in 0u32..5,
            ground in 100u8..150,
        ) {
            let (width, height) = (30 + 2 * x_radius, 20 + 2 * y_radius);
            let mut image = GrayImage::new(width, height);
            for (index, value) in values.into_iter().enumerate() {
                let (x, y) = (index as u32 % 30, index as u32 / 30);
                image.put_pixel(x + x_radius, y + y_radius, Luma([value]));
            }
            let slow = box_filter(&image, x_radius, y_radius);
            // The box filter rounds differently.
            for (mean, fast) in slow.as_raw().iter().zip(flags(&image, x_radius, y_radius, ground)) {
                prop_assert!(fast == (*mean > ground) || mean.abs_diff(ground) <= 1, "{mean} {ground}");
            }
        }
    }
}
