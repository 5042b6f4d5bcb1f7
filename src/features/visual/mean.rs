//! The mean filter that joins the lines of a block into a blob.
//!
//! Uses running sums instead of imageproc's `box_filter`: 26 ms against 89 ms on a page of 1280 x 6346, and with
//! a blank border instead of a repeated one, so that the edge of the page changes no blob. Only what is above the ground
//! matters, so sums are compared and no mean is computed; rows without ink around them are skipped.

use image::GrayImage;
use pulp::Arch;

/// For each row of an image, from the top, which of its pixels have a mean above `ground` over a window of
/// `2 * x_radius + 1` by `2 * y_radius + 1` pixels; the mean is rounded down, and what lies outside is 0. `row` is given
/// 1 or 0 for each pixel, or nothing for a row without any.
pub(crate) fn above_mean(image: &GrayImage, x_radius: u32, y_radius: u32, ground: u8, mut row: impl FnMut(&[u8])) {
    let enough = (2 * x_radius + 1) * (2 * y_radius + 1) * (u32::from(ground) + 1);
    Arch::new().dispatch(|| above_sum(image, x_radius as usize, y_radius as usize, enough, &mut row));
}

/// As [`above_mean`], for pixels of which the window has a sum of `enough` or more.
// What is not inlined into the dispatched function is compiled without the wider instructions.
#[allow(clippy::inline_always)]
#[inline(always)]
fn above_sum(image: &GrayImage, rx: usize, ry: usize, enough: u32, row: &mut impl FnMut(&[u8])) {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = image.as_raw();
    let line = |y: usize| &pixels[y * width..(y + 1) * width];
    let inked: Vec<bool> = (0..height).map(|y| line(y).iter().fold(0, |any, &value| any | value) > 0).collect();
    // Column sums over the rows of the window, moved down row by row, and the number of inked rows in it.
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
        let Some(y) = entering.checked_sub(ry) else { continue };
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
        // The first row of the page has sums of rows before it.
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
    use image::Luma;
    use imageproc::filter::box_filter;
    use proptest::prelude::*;

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
