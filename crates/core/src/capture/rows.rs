//! A picture that is decoded row by row: no stage needs all colors of a page at once.
//!
//! A rendered page repeats itself: three of four rows are blank or equal the row above. [`Rows`]
//! marks such rows, so that readers process only new ones.

use crate::error::CaptureError;
use image::RgbImage;
use png::{BitDepth, ColorType, Transformations};
use pulp::Arch;
use std::io::Cursor;

/// Largest picture that is decoded, in pixels: 1280 wide and 100,000 high, far above the renderer's
/// own limit.
const MAX_PIXELS: u64 = 128_000_000;
/// Maximum width and height in pixels: several copies of a row are held in memory.
const MAX_SIDE_PX: u32 = 1 << 20;
/// Memory limit for PNG data besides the pixels, such as texts and color profiles, in bytes.
const MAX_EXTRA_BYTES: usize = 16 << 20;

/// Reads a picture's rows from the top.
pub struct Rows<'a> {
    /// Width in image pixels.
    pub width: u32,
    /// Height in image pixels.
    pub(crate) height: u32,
    next: u32,
    source: Source<'a>,
    /// The current row and the one before, in the stored format.
    row: Vec<u8>,
    before: Vec<u8>,
    /// Buffer for the colors of the current row, where the stored format differs.
    rgb: Vec<u8>,
}

/// Source of the rows.
enum Source<'a> {
    /// A PNG that is decoded row by row.
    Stream(Box<png::Reader<Cursor<&'a [u8]>>>, Stored),
    /// Pixels that were never encoded.
    Pixels(RgbImage),
}

/// The colors of a palette by index; black where the palette has none.
struct Palette {
    depth: BitDepth,
    colors: [[u8; 3]; 256],
    /// Luminance of each color.
    grays: [u8; 256],
}

impl Palette {
    fn new(depth: BitDepth, rgb: &[u8]) -> Self {
        let (mut colors, mut grays) = ([[0; 3]; 256], [0; 256]);
        colors
            .iter_mut()
            .zip(rgb.as_chunks().0)
            .for_each(|(to, color)| *to = *color);
        luminance(colors.as_flattened(), &mut grays);
        Self {
            depth,
            colors,
            grays,
        }
    }

    /// Replaces each index in a row with its entry in a table.
    fn look_up<T: Copy>(&self, row: &[u8], table: &[T; 256], into: &mut [T]) {
        match self.depth {
            BitDepth::One => look_up::<T, 1>(row, table, into),
            BitDepth::Two => look_up::<T, 2>(row, table, into),
            BitDepth::Four => look_up::<T, 4>(row, table, into),
            _ => look_up::<T, 8>(row, table, into),
        }
    }
}

/// Replaces indices of `BITS` bits, the first in the highest bits of a byte.
fn look_up<T: Copy, const BITS: usize>(row: &[u8], table: &[T; 256], into: &mut [T]) {
    for (pixels, &byte) in into.chunks_mut(8 / BITS).zip(row) {
        for (place, pixel) in pixels.iter_mut().enumerate() {
            *pixel = table[usize::from((byte << (BITS * place)) >> (8 - BITS))];
        }
    }
}

/// Format of stored rows.
enum Stored {
    /// Red, green and blue.
    Rgb,
    /// Red, green, blue and opacity, as browsers write it; opacity is ignored.
    Rgba,
    /// Indices into a palette.
    Indexed(Box<Palette>),
}

impl Stored {
    /// Returns `None` for formats that neither a browser nor vclean writes.
    fn from_reader(reader: &png::Reader<Cursor<&[u8]>>) -> Option<Self> {
        let info = reader.info();
        if info.interlaced || info.trns.is_some() {
            return None;
        }
        match (reader.output_color_type(), &info.palette) {
            ((ColorType::Rgb, BitDepth::Eight), _) => Some(Self::Rgb),
            ((ColorType::Rgba, BitDepth::Eight), _) => Some(Self::Rgba),
            ((ColorType::Indexed, depth), Some(palette)) => {
                Some(Self::Indexed(Box::new(Palette::new(depth, palette))))
            }
            _ => None,
        }
    }

    /// Writes the red, green and blue of each pixel of a row.
    fn expand(&self, row: &[u8], rgb: &mut [u8]) {
        match self {
            Self::Rgb => rgb.copy_from_slice(row),
            Self::Rgba => {
                for (to, from) in rgb.chunks_exact_mut(3).zip(row.chunks_exact(4)) {
                    to.copy_from_slice(&from[..3]);
                }
            }
            Self::Indexed(palette) => palette.look_up(row, &palette.colors, rgb.as_chunks_mut().0),
        }
    }
}

/// One row of a picture.
pub struct Row<'a> {
    /// Row number from the top.
    pub y: u32,
    /// True if it equals the row above.
    pub repeats: bool,
    kind: &'a Stored,
    stored: &'a [u8],
    /// Buffer for the colors.
    rgb: &'a mut Vec<u8>,
}

impl Row<'_> {
    /// Red, green and blue of each pixel.
    pub fn rgb(&mut self) -> &[u8] {
        if matches!(self.kind, Stored::Rgb) {
            return self.stored;
        }
        self.kind.expand(self.stored, self.rgb);
        self.rgb
    }

    /// Writes the luminance of each pixel, 0 black to 255 white.
    pub(super) fn write_gray(&mut self, gray: &mut [u8]) {
        match self.kind {
            Stored::Indexed(palette) => palette.look_up(self.stored, &palette.grays, gray),
            _ => luminance(self.rgb(), gray),
        }
    }
}

fn picture_error(error: &dyn std::fmt::Display) -> CaptureError {
    CaptureError::Picture {
        cause: error.to_string(),
    }
}

impl<'a> Rows<'a> {
    /// Reads the header of a PNG.
    pub(crate) fn open(png: &'a [u8]) -> Result<Self, CaptureError> {
        let limits = png::Limits {
            bytes: MAX_EXTRA_BYTES,
        };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(png), limits);
        decoder.set_transformations(Transformations::IDENTITY);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().map_err(|error| picture_error(&error))?;
        let info = reader.info();
        let (width, height) = info.size();
        if u64::from(width) * u64::from(height) > MAX_PIXELS || width.max(height) > MAX_SIDE_PX {
            return Err(picture_error(&format!(
                "it has {width} x {height} pixels, at most {MAX_PIXELS} are read"
            )));
        }
        let length = reader.output_line_size(width).unwrap_or(0);
        let stored = Stored::from_reader(&reader).ok_or_else(|| {
            let (color, depth) = reader.output_color_type();
            picture_error(&format!(
                "it is a PNG of another kind ({color:?}, {depth:?}) than the pictures of captures are; render the page again"
            ))
        })?;
        Ok(Self::new(
            width,
            height,
            length,
            Source::Stream(Box::new(reader), stored),
        ))
    }

    /// `length` is the size of a stored row, in bytes.
    fn new(width: u32, height: u32, length: usize, source: Source<'a>) -> Self {
        let length_rgb = width as usize * 3;
        let (length, expanded) = match source {
            Source::Stream(_, Stored::Rgb) | Source::Pixels(_) => (length_rgb, 0),
            Source::Stream(..) => (length, length_rgb),
        };
        let row = vec![0; length];
        Self {
            width,
            height,
            next: 0,
            source,
            before: row.clone(),
            row,
            rgb: vec![0; expanded],
        }
    }

    /// Rows of pixels in memory.
    pub(super) fn from_pixels(pixels: RgbImage) -> Self {
        let (width, height) = pixels.dimensions();
        Self::new(width, height, 0, Source::Pixels(pixels))
    }

    /// The next row; `None` after the last.
    pub fn next(&mut self) -> Result<Option<Row<'_>>, CaptureError> {
        if self.next >= self.height {
            return Ok(None);
        }
        std::mem::swap(&mut self.row, &mut self.before);
        match &mut self.source {
            Source::Stream(reader, _) => {
                reader
                    .read_row(&mut self.row)
                    .map_err(|error| picture_error(&error))?;
            }
            Source::Pixels(pixels) => {
                let length = self.row.len();
                let start = self.next as usize * length;
                self.row
                    .copy_from_slice(&pixels.as_raw()[start..start + length]);
            }
        }
        let y = self.next;
        self.next += 1;
        let repeats = y > 0 && self.row == self.before;
        let kind = if let Source::Stream(_, kind) = &self.source {
            kind
        } else {
            &Stored::Rgb
        };
        Ok(Some(Row {
            y,
            repeats,
            kind,
            stored: &self.row,
            rgb: &mut self.rgb,
        }))
    }
}

/// Weights of red, green and blue, as `image` derives them from the primaries of sRGB (ITU-R
/// BT.709) and white point D65.
const WEIGHTS: [f32; 3] = [0.212_647_84, 0.715_179_2, 0.072_173_04];

/// Number of pixels that are computed at once.
const STEP: usize = 16;

/// Adding this to a number below 2^22 leaves the nearest whole number in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// Luminance of pixels (red, green, blue), 0 black to 255 white.
pub(super) fn luminance(rgb: &[u8], gray: &mut [u8]) {
    Arch::new().dispatch(|| weigh(rgb, gray));
}

// Code that is not inlined into the dispatched function is compiled without the wider instructions.
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
    for (color, gray) in colors
        .remainder()
        .chunks_exact(3)
        .zip(steps.into_remainder())
    {
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
    use image::{DynamicImage, Rgb};
    use proptest::prelude::*;

    fn png(image: &DynamicImage) -> Vec<u8> {
        let mut png = Vec::new();
        image
            .write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png)
            .unwrap();
        png
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn rows_are_those_of_the_whole_picture(
            values in proptest::collection::vec(0u8..3, 5 * 7 * 3),
            has_opacity in any::<bool>(),
        ) {
            let expected = RgbImage::from_raw(5, 7, values).unwrap();
            let image = DynamicImage::ImageRgb8(expected.clone());
            let image = if has_opacity { DynamicImage::ImageRgba8(image.to_rgba8()) } else { image };
            let png = png(&image);
            let mut rows = Rows::open(&png).unwrap();
            prop_assert_eq!((rows.width, rows.height), (5, 7));
            let mut last = Vec::new();
            for expected in expected.as_raw().chunks_exact(15) {
                let mut row = rows.next().unwrap().unwrap();
                prop_assert_eq!(row.rgb(), expected);
                prop_assert_eq!(row.repeats, last == row.rgb());
                last = row.rgb().to_vec();
            }
            prop_assert!(rows.next().unwrap().is_none());
        }
    }

    #[test]
    fn other_kinds_of_png_are_refused_by_name() {
        let error = Rows::open(&png(&DynamicImage::new_luma8(5, 7)))
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("another kind (Grayscale, Eight)"), "{error}");
    }

    #[test]
    fn pictures_with_too_long_sides_are_refused() {
        for (width, height) in [(MAX_SIDE_PX + 1, 1), (1, MAX_SIDE_PX + 1)] {
            let png = png(&DynamicImage::ImageRgb8(RgbImage::new(width, height)));
            let error = Rows::open(&png).err().unwrap().to_string();
            assert!(
                error.contains(&format!("it has {width} x {height} pixels")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_picture_that_breaks_off_is_an_error() {
        let mut noise = RgbImage::new(40, 40);
        for (x, y, pixel) in noise.enumerate_pixels_mut() {
            *pixel = Rgb([(x * y) as u8, (x ^ y) as u8, (3 * x + y) as u8]);
        }
        let png = png(&DynamicImage::ImageRgb8(noise));
        let mut rows = Rows::open(&png[..png.len() / 2]).unwrap();
        let error = loop {
            match rows.next() {
                Ok(row) => assert!(row.is_some(), "half a picture is no picture"),
                Err(error) => break error,
            }
        };
        assert!(!error.to_string().is_empty());
        assert!(Rows::open(&png[..20]).is_err());
    }

    fn check(colors: &[u8]) {
        let mut gray = vec![0; colors.len() / 3];
        luminance(colors, &mut gray);
        let width = (colors.len() / 3) as u32;
        let slow = DynamicImage::ImageRgb8(RgbImage::from_raw(width, 1, colors.to_vec()).unwrap())
            .into_luma8();
        for ((color, fast), slow) in colors.chunks_exact(3).zip(&gray).zip(slow.as_raw()) {
            assert_eq!(fast, slow, "{color:?}");
        }
    }

    #[test]
    fn it_is_what_image_gives() {
        // Every 23rd color (a prime, so that all channels change), all grays, and one that falls
        // between two.
        let colors: Vec<u8> = (0..1u32 << 24)
            .step_by(23)
            .flat_map(|color| color.to_be_bytes()[1..].to_vec())
            .collect();
        check(&colors);
        check(&[158, 208, 2]);
        check(&(0..=255u8).flat_map(|gray| [gray; 3]).collect::<Vec<_>>());
    }

    #[test]
    #[ignore = "all 16.7 million colors; a minute unoptimized, run it when `image` changes"]
    fn it_is_what_image_gives_for_every_color() {
        for red in 0..=255u8 {
            let colors: Vec<u8> = (0..1u32 << 16)
                .flat_map(|rest| [red, (rest >> 8) as u8, rest as u8])
                .collect();
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
