//! Luminance of colors, the same as `image` gives to the last bit.
//!
//! `image` turns each pixel to floating point and rounds by a call, which took a quarter of the CPU time from a capture on
//! disk to text. Here stretches of one color are computed once, the others 16 pixels at a time; it takes 4 % of the CPU
//! time now.

use pulp::Arch;

/// Weights of red, green and blue, as `image` derives them from the primaries of sRGB (ITU-R BT.709) and white point D65.
const WEIGHTS: [f32; 3] = [0.212_647_84, 0.715_179_2, 0.072_173_04];

/// Pixels computed at once.
const STEP: usize = 16;

/// Added to a number below 2^22 it leaves the nearest whole number in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// Luminance of pixels (red, green, blue), 0 black to 255 white.
pub(super) fn luminance(rgb: &[u8], gray: &mut [u8]) {
    Arch::new().dispatch(|| weigh(rgb, gray));
}

// What is not inlined into the dispatched function is compiled without the wider instructions.
#[allow(clippy::inline_always)]
#[inline(always)]
fn weigh(rgb: &[u8], gray: &mut [u8]) {
    let (mut colors, mut steps) = (rgb.chunks_exact(3 * STEP), gray.chunks_exact_mut(STEP));
    for (colors, gray) in colors.by_ref().zip(steps.by_ref()) {
        if colors[3..] == colors[..3 * (STEP - 1)] {
            gray.fill(gray_of([colors[0], colors[1], colors[2]]));
            continue;
        }
        let mut planes = [[0f32; STEP]; 3];
        for (place, color) in colors.chunks_exact(3).enumerate() {
            for (plane, &value) in planes.iter_mut().zip(color) {
                plane[place] = f32::from(value);
            }
        }
        for (place, gray) in gray.iter_mut().enumerate() {
            *gray = weighted_sum([planes[0][place], planes[1][place], planes[2][place]]);
        }
    }
    for (color, gray) in colors.remainder().chunks_exact(3).zip(steps.into_remainder()) {
        *gray = gray_of([color[0], color[1], color[2]]);
    }
}

#[inline]
fn gray_of(color: [u8; 3]) -> u8 {
    weighted_sum(color.map(f32::from))
}

#[allow(clippy::inline_always)]
#[inline(always)]
fn weighted_sum([red, green, blue]: [f32; 3]) -> u8 {
    // The order of these operations decides the last bit.
    const UNIT: f32 = 1.0 / 255.0;
    let sum = red * UNIT * WEIGHTS[0] + green * UNIT * WEIGHTS[1] + blue * UNIT * WEIGHTS[2];
    let scaled = sum * 255.0;
    let nearest = scaled + ROUND;
    // Adding `ROUND` rounds halves to the even neighbor; `image` rounds them up.
    (nearest.to_bits() as u8).wrapping_add(u8::from(scaled - (nearest - ROUND) == 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, RgbImage};

    fn check(colors: &[u8]) {
        let mut gray = vec![0; colors.len() / 3];
        luminance(colors, &mut gray);
        let width = (colors.len() / 3) as u32;
        let slow = DynamicImage::ImageRgb8(RgbImage::from_raw(width, 1, colors.to_vec()).unwrap()).into_luma8();
        for ((color, fast), slow) in colors.chunks_exact(3).zip(&gray).zip(slow.as_raw()) {
            assert_eq!(fast, slow, "{color:?}");
        }
    }

    #[test]
    fn it_is_what_image_gives() {
        // Every 23rd color (a prime, so that all channels change), all grays, and one that falls between two.
        let colors: Vec<u8> = (0..1u32 << 24).step_by(23).flat_map(|color| color.to_be_bytes()[1..].to_vec()).collect();
        check(&colors);
        check(&[158, 208, 2]);
        check(&(0..=255u8).flat_map(|gray| [gray; 3]).collect::<Vec<_>>());
    }

    #[test]
    #[ignore = "all 16.7 million colors; a minute unoptimized, run it when `image` changes"]
    fn it_is_what_image_gives_for_every_color() {
        for red in 0..=255u8 {
            let colors: Vec<u8> = (0..1u32 << 16).flat_map(|rest| [red, (rest >> 8) as u8, rest as u8]).collect();
            check(&colors);
        }
    }

    #[test]
    fn stretches_of_one_color_and_remainders_are_computed() {
        let mut colors = vec![200; 3 * 40];
        colors.extend([1, 2, 3, 9, 8, 7]);
        check(&colors);
        check(&[]);
    }
}
