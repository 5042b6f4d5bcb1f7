//! A picture of a capture: PNG bytes, unpacked when a stage needs its pixels, or pixels that were never packed.

use super::NodeMask;
use super::encode::encode;
use super::gray::luminance;
use super::rows::{Row, Rows};
use crate::error::CaptureError;
use image::{DynamicImage, GrayImage, RgbImage};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A picture: PNG bytes, decoded when a stage needs its pixels, or what a renderer drew in this process, never encoded
/// unless it is kept.
#[derive(Debug, Clone)]
pub struct Picture {
    content: Content,
    /// What was decoded from PNG bytes before, since unpacking takes long.
    kept_gray: OnceLock<Arc<GrayImage>>,
    kept_mask: OnceLock<Arc<NodeMask>>,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Picture {}

/// What a picture is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Png(Vec<u8>),
    Gray(Arc<GrayImage>),
    Colors(RgbImage),
    Owners(NodeMask),
}

impl Picture {
    fn new(content: Content) -> Self {
        Self { content, kept_gray: OnceLock::new(), kept_mask: OnceLock::new() }
    }

    /// Wraps PNG bytes; they are checked when decoded.
    pub fn from_png(png: Vec<u8>) -> Self {
        Self::new(Content::Png(png))
    }

    /// A page image without color.
    pub fn from_gray(gray: GrayImage) -> Self {
        Self::new(Content::Gray(Arc::new(gray)))
    }

    /// A page image in color.
    pub fn from_rgb(colors: RgbImage) -> Self {
        Self::new(Content::Colors(colors))
    }

    /// The picture of a node mask.
    pub fn from_mask(mask: NodeMask) -> Self {
        Self::new(Content::Owners(mask))
    }

    pub(super) fn content(&self) -> &Content {
        &self.content
    }

    /// The node mask that was decoded from this picture before, or will be.
    pub(super) fn kept_mask(&self) -> &OnceLock<Arc<NodeMask>> {
        &self.kept_mask
    }

    /// Keeps the luminance of this picture, so that [`Self::decode_gray`] need not unpack it once more.
    #[cfg(feature = "chromium")]
    pub(crate) fn keep_gray(&self, gray: GrayImage) {
        // Another thread may have been first, with the same.
        let _ = self.kept_gray.set(Arc::new(gray));
    }

    /// The PNG bytes.
    ///
    /// # Errors
    /// If the picture is too large to be encoded.
    pub fn png(&self) -> Result<Cow<'_, [u8]>, CaptureError> {
        match &self.content {
            Content::Png(png) => Ok(Cow::Borrowed(png)),
            _ => encode(&self.decode_rgb()?).map(Cow::Owned),
        }
    }

    /// Pixels in color.
    pub fn decode_rgb(&self) -> Result<RgbImage, CaptureError> {
        match &self.content {
            Content::Png(png) => {
                let mut rows = Rows::open(png)?;
                let mut pixels = Vec::with_capacity(3 * rows.width as usize * rows.height as usize);
                while let Some(mut row) = rows.next()? {
                    pixels.extend_from_slice(row.rgb());
                }
                Ok(RgbImage::from_raw(rows.width, rows.height, pixels).expect("three bytes a pixel"))
            }
            Content::Gray(gray) => Ok(DynamicImage::ImageLuma8(GrayImage::clone(gray)).into_rgb8()),
            Content::Colors(colors) => Ok(colors.clone()),
            Content::Owners(mask) => Ok(mask.to_rgb()),
        }
    }

    /// Pixels in color, row by row.
    #[cfg(feature = "chromium")]
    pub(crate) fn rows(&self) -> Result<Rows<'_>, CaptureError> {
        match &self.content {
            Content::Png(png) => Rows::open(png),
            _ => Ok(Rows::of_pixels(self.decode_rgb()?)),
        }
    }

    /// Pixels as luminance, 0 black to 255 white.
    pub fn decode_gray(&self) -> Result<Arc<GrayImage>, CaptureError> {
        let png = match &self.content {
            Content::Png(png) => png,
            Content::Gray(gray) => return Ok(Arc::clone(gray)),
            Content::Colors(colors) => return Ok(Arc::new(luminance_image(colors))),
            Content::Owners(mask) => return Ok(Arc::new(luminance_image(&mask.to_rgb()))),
        };
        if let Some(gray) = self.kept_gray.get() {
            return Ok(Arc::clone(gray));
        }
        let mut rows = Rows::open(png)?;
        let mut gray = GrayRows::new(&rows);
        while let Some(mut row) = rows.next()? {
            gray.push(&mut row);
        }
        Ok(Arc::new(gray.finish()))
    }
}

/// The luminance of a picture, computed while its rows are read.
pub(crate) struct GrayRows {
    width: u32,
    height: u32,
    gray: Vec<u8>,
}

impl GrayRows {
    /// For the picture of which these are the rows.
    pub(crate) fn new(rows: &Rows<'_>) -> Self {
        let (width, height) = (rows.width, rows.height);
        Self { width, height, gray: Vec::with_capacity(width as usize * height as usize) }
    }

    /// Adds a row, after those above it.
    pub(crate) fn push(&mut self, row: &mut Row<'_>) {
        let start = self.gray.len();
        debug_assert_eq!(start, row.y as usize * self.width as usize, "rows are added in their order");
        if row.repeats {
            self.gray.extend_from_within(start - self.width as usize..);
        } else {
            self.gray.resize(start + self.width as usize, 0);
            row.write_gray(&mut self.gray[start..]);
        }
    }

    /// The luminance of all rows.
    pub(crate) fn finish(self) -> GrayImage {
        GrayImage::from_raw(self.width, self.height, self.gray).expect("one byte a pixel")
    }
}

fn luminance_image(colors: &RgbImage) -> GrayImage {
    let mut gray = GrayImage::new(colors.width(), colors.height());
    luminance(colors, &mut gray);
    gray
}

/// Encodes pixels as PNG, fast and lossless.
///
/// # Errors
/// If the picture is too large, or has no pixels.
pub fn encode_png(pixels: &RgbImage) -> Result<Picture, CaptureError> {
    encode(pixels).map(Picture::from_png)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_picture_is_an_error() {
        assert!(Picture::from_png(b"GIF89a".to_vec()).decode_rgb().is_err());
        assert!(Picture::from_png(b"GIF89a".to_vec()).decode_gray().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn gray_is_that_of_the_colors(
            values in proptest::collection::vec(prop_oneof![Just(255u8), any::<u8>()], 37 * 20 * 3),
            // With few rows and a palette, or with too many colors.
            rows in prop_oneof![Just(4u32), Just(20)],
        ) {
            let pixels = RgbImage::from_fn(37, rows, |x, y| {
                let place = 3 * (37 * y + x) as usize;
                image::Rgb([values[place], values[place + 1], values[place + 2]])
            });
            let gray = encode_png(&pixels).unwrap().decode_gray().unwrap();
            prop_assert_eq!(&*gray, &DynamicImage::ImageRgb8(pixels).into_luma8());
        }
    }
}
