//! A picture of a capture: PNG bytes, unpacked when a stage needs its pixels, or pixels that were never packed.

use super::NodeMask;
use super::gray::luminance;
use super::rows::{Rows, decode_whole};
use crate::error::CaptureError;
use image::{DynamicImage, GrayImage, RgbImage};
use std::borrow::Cow;
use std::sync::Arc;

/// A picture: PNG bytes, decoded when a stage needs its pixels, or what a renderer drew in this process, never encoded
/// unless it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    content: Content,
}

/// What a picture is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Png(Vec<u8>),
    Gray(Arc<GrayImage>),
    Colors(RgbImage),
    Owners(NodeMask),
}

impl Picture {
    /// Wraps PNG bytes; they are checked when decoded.
    pub fn from_png(png: Vec<u8>) -> Self {
        Self { content: Content::Png(png) }
    }

    /// A page image without color.
    pub fn from_gray(gray: GrayImage) -> Self {
        Self { content: Content::Gray(Arc::new(gray)) }
    }

    /// A page image in color.
    pub fn from_rgb(colors: RgbImage) -> Self {
        Self { content: Content::Colors(colors) }
    }

    /// The picture of a node mask.
    pub fn from_mask(mask: NodeMask) -> Self {
        Self { content: Content::Owners(mask) }
    }

    pub(super) fn content(&self) -> &Content {
        &self.content
    }

    /// The PNG bytes.
    ///
    /// # Errors
    /// If the picture is too large to be encoded.
    pub fn png(&self) -> Result<Cow<'_, [u8]>, CaptureError> {
        let encoded = match &self.content {
            Content::Png(png) => return Ok(Cow::Borrowed(png)),
            _ => encode_png(&self.decode_rgb()?)?,
        };
        match encoded.content {
            Content::Png(png) => Ok(Cow::Owned(png)),
            _ => unreachable!("a picture is encoded as PNG"),
        }
    }

    /// Pixels in color.
    pub fn decode_rgb(&self) -> Result<RgbImage, CaptureError> {
        match &self.content {
            Content::Png(png) => decode_whole(png),
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
        let mut rows = Rows::open(png)?;
        let (width, height) = (rows.width, rows.height);
        let length = width as usize;
        let mut gray = vec![0; length * height as usize];
        while let Some(row) = rows.next()? {
            let start = row.y as usize * length;
            if row.repeats {
                gray.copy_within(start - length..start, start);
            } else {
                luminance(row.rgb, &mut gray[start..start + length]);
            }
        }
        Ok(Arc::new(GrayImage::from_raw(width, height, gray).expect("one byte a pixel")))
    }
}

fn luminance_image(colors: &RgbImage) -> GrayImage {
    let mut gray = GrayImage::new(colors.width(), colors.height());
    luminance(colors, &mut gray);
    gray
}

/// Encodes pixels as PNG, fast and lossless.
pub fn encode_png(pixels: &RgbImage) -> Result<Picture, CaptureError> {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    let mut png = Vec::new();
    // Rows of a page repeat the row above.
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Up);
    pixels.write_with_encoder(encoder).map_err(|error| CaptureError::Picture { cause: error.to_string() })?;
    Ok(Picture::from_png(png))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        fn gray_is_that_of_the_colors(values in proptest::collection::vec(prop_oneof![Just(255u8), any::<u8>()], 37 * 4 * 3)) {
            let pixels = RgbImage::from_raw(37, 4, values).unwrap();
            let gray = encode_png(&pixels).unwrap().decode_gray().unwrap();
            prop_assert_eq!(&*gray, &DynamicImage::ImageRgb8(pixels).into_luma8());
        }
    }
}
