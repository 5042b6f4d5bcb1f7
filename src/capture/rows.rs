//! A picture row by row, as its PNG is unpacked: no stage needs a page of pixels in color at once.
//!
//! A rendered page repeats itself: three rows of four are blank or show the same as the row above. [`Rows`] marks
//! each row that equals the one above, so that readers look at new rows only.

use crate::error::CaptureError;
use image::{ImageReader, Limits, RgbImage};
use png::{BitDepth, ColorType, Transformations};
use std::io::Cursor;

/// Largest picture that is decoded, in pixels: 1280 wide and 100,000 high, far above the renderer's own limit.
const MAX_PIXELS: u64 = 128_000_000;
/// Largest width and height, in pixels: a row is held several times.
const MAX_SIDE_PX: u32 = 1 << 20;
/// Largest memory of what a PNG holds besides its pixels, in bytes, such as texts and color profiles.
const MAX_EXTRA_BYTES: usize = 16 << 20;

/// Reads a picture's rows from the top.
pub(crate) struct Rows<'a> {
    /// Width in image pixels.
    pub(crate) width: u32,
    /// Height in image pixels.
    pub(crate) height: u32,
    next: u32,
    source: Source<'a>,
    /// The current row and the one before; red, green, blue.
    row: Vec<u8>,
    before: Vec<u8>,
}

enum Source<'a> {
    /// 8-bit RGB or RGBA, what a browser writes; with the bytes of a pixel and the row as it is stored.
    Stream(Box<png::Reader<Cursor<&'a [u8]>>>, usize, Vec<u8>),
    /// Anything else, unpacked whole.
    Whole(RgbImage),
}

/// One row of a picture.
pub(crate) struct Row<'a> {
    /// Number of the row from the top.
    pub(crate) y: u32,
    /// Red, green and blue of each pixel.
    pub(crate) rgb: &'a [u8],
    /// Whether it equals the row above.
    pub(crate) repeats: bool,
}

fn picture_error(error: &dyn std::fmt::Display) -> CaptureError {
    CaptureError::Picture { cause: error.to_string() }
}

impl<'a> Rows<'a> {
    /// Reads the head of a PNG.
    pub(crate) fn open(png: &'a [u8]) -> Result<Self, CaptureError> {
        let limits = png::Limits { bytes: MAX_EXTRA_BYTES };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(png), limits);
        decoder.set_transformations(Transformations::IDENTITY);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().map_err(|error| picture_error(&error))?;
        let info = reader.info();
        let (width, height) = info.size();
        if u64::from(width) * u64::from(height) > MAX_PIXELS || width.max(height) > MAX_SIDE_PX {
            return Err(picture_error(&format!("it has {width} x {height} pixels, at most {MAX_PIXELS} are read")));
        }
        let bytes = match reader.output_color_type() {
            (ColorType::Rgb, BitDepth::Eight) => 3,
            (ColorType::Rgba, BitDepth::Eight) => 4,
            _ => 0,
        };
        let source = if bytes == 0 || info.interlaced || info.trns.is_some() {
            Source::Whole(decode_whole(png)?)
        } else {
            Source::Stream(Box::new(reader), bytes, vec![0; width as usize * if bytes == 4 { 4 } else { 0 }])
        };
        let row = vec![0; width as usize * 3];
        Ok(Self { width, height, next: 0, source, before: row.clone(), row })
    }

    /// The rows of pixels in memory.
    #[cfg(feature = "chromium")]
    pub(super) fn of_pixels(pixels: RgbImage) -> Self {
        let (width, height) = pixels.dimensions();
        let row = vec![0; width as usize * 3];
        Self { width, height, next: 0, source: Source::Whole(pixels), before: row.clone(), row }
    }

    /// The next row; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, CaptureError> {
        if self.next >= self.height {
            return Ok(None);
        }
        std::mem::swap(&mut self.row, &mut self.before);
        match &mut self.source {
            Source::Stream(reader, 3, _) => {
                reader.read_row(&mut self.row).map_err(|error| picture_error(&error))?;
            }
            Source::Stream(reader, _, stored) => {
                reader.read_row(stored).map_err(|error| picture_error(&error))?;
                for (to, from) in self.row.chunks_exact_mut(3).zip(stored.chunks_exact(4)) {
                    to.copy_from_slice(&from[..3]);
                }
            }
            Source::Whole(pixels) => {
                let length = self.row.len();
                let start = self.next as usize * length;
                self.row.copy_from_slice(&pixels.as_raw()[start..start + length]);
            }
        }
        let y = self.next;
        self.next += 1;
        Ok(Some(Row { y, rgb: &self.row, repeats: y > 0 && self.row == self.before }))
    }
}

/// Unpacks a picture of any kind at once.
fn decode_whole(png: &[u8]) -> Result<RgbImage, CaptureError> {
    let mut reader = ImageReader::with_format(Cursor::new(png), image::ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_PIXELS * 4);
    reader.limits(limits);
    Ok(reader.decode().map_err(|error| picture_error(&error))?.into_rgb8())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use image::{DynamicImage, Rgb};
    use proptest::prelude::*;

    fn png(image: &DynamicImage) -> Vec<u8> {
        let mut png = Vec::new();
        image.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        png
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn rows_are_those_of_the_whole_picture_whatever_its_kind(
            values in proptest::collection::vec(0u8..3, 5 * 7 * 3),
            kind in 0..5,
        ) {
            let image = DynamicImage::ImageRgb8(RgbImage::from_raw(5, 7, values).unwrap());
            let image = match kind {
                0 => image,
                1 => DynamicImage::ImageRgba8(image.to_rgba8()),
                2 => DynamicImage::ImageLuma8(image.to_luma8()),
                3 => DynamicImage::ImageLumaA8(image.to_luma_alpha8()),
                _ => DynamicImage::ImageRgb16(image.to_rgb16()),
            };
            let png = png(&image);
            let expected = decode_whole(&png).unwrap();
            let mut rows = Rows::open(&png).unwrap();
            prop_assert_eq!((rows.width, rows.height), (5, 7));
            let mut last = Vec::new();
            for expected in expected.as_raw().chunks_exact(15) {
                let row = rows.next().unwrap().unwrap();
                prop_assert_eq!(row.rgb, expected);
                prop_assert_eq!(row.repeats, last == row.rgb);
                last = row.rgb.to_vec();
            }
            prop_assert!(rows.next().unwrap().is_none());
        }
    }

    #[test]
    fn pictures_with_too_long_sides_are_refused() {
        for (width, height) in [(MAX_SIDE_PX + 1, 1), (1, MAX_SIDE_PX + 1)] {
            let png = png(&DynamicImage::ImageRgb8(RgbImage::new(width, height)));
            let error = Rows::open(&png).err().unwrap().to_string();
            assert!(error.contains(&format!("it has {width} x {height} pixels")), "{error}");
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
}
