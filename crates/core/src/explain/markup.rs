//! Functions for all HTML pages: escaped text, names of outcomes, and pictures embedded as `data:`
//! addresses.

use crate::classify::Label;
#[cfg(feature = "pixels")]
use crate::error::{CaptureError, Error};
#[cfg(feature = "pixels")]
use base64::Engine as _;
#[cfg(feature = "pixels")]
use image::{RgbImage, imageops::FilterType};
use std::fmt::{self, Write};

/// The outcome for a block with this label, in a word.
pub(super) fn outcome(label: Label) -> &'static str {
    match label {
        Label::Content => "kept",
        Label::Comments | Label::Boilerplate => "dropped",
    }
}

/// Text that is displayed with escapes for element content and quoted attributes.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                // HTML does not allow these characters.
                '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\x7f' => {
                    out.write_char('\u{fffd}')?;
                }
                other => out.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Largest picture in the report, in pixels: about 12,000 px of a page 1280 wide; taller pages are
/// scaled down, so that a browser can show them and the file has only a few megabytes. Heuristic.
#[cfg(feature = "pixels")]
const MAX_PIXELS: f64 = 16_000_000.0;
/// Maximum number of rows of a JPEG picture.
#[cfg(feature = "pixels")]
const MAX_HEIGHT_PX: f64 = 60_000.0;
/// JPEG quality, 1 to 100. Heuristic: small text stays readable.
#[cfg(feature = "pixels")]
const JPEG_QUALITY: u8 = 80;

/// A picture, ready for embedding.
pub struct Embedded {
    /// The JPEG picture as a `data:` address.
    pub address: String,
    /// Width of the page it shows, in CSS px, before scaling.
    pub width_px: f32,
    /// Height of the page it shows, in CSS px, before scaling.
    pub height_px: f32,
}

/// Scales a picture down if it is too large, and encodes it.
///
/// # Errors
/// If the picture cannot be encoded.
#[cfg(feature = "pixels")]
pub fn embed(pixels: &RgbImage) -> Result<Embedded, Error> {
    let (width, height) = (f64::from(pixels.width()), f64::from(pixels.height()));
    let scale = (MAX_PIXELS / (width * height))
        .sqrt()
        .min(MAX_HEIGHT_PX / height)
        .min(1.0);
    let scaled;
    let shown = if scale < 1.0 {
        let size = |length: f64| ((length * scale) as u32).max(1);
        scaled = image::imageops::resize(pixels, size(width), size(height), FilterType::Triangle);
        &scaled
    } else {
        pixels
    };
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY)
        .encode_image(shown)
        .map_err(|error| CaptureError::Picture {
            cause: error.to_string(),
        })?;
    let address = format!(
        "data:image/jpeg;base64,{}",
        base64::engine::general_purpose::STANDARD.encode(jpeg)
    );
    Ok(Embedded {
        address,
        width_px: width as f32,
        height_px: height as f32,
    })
}

#[cfg(test)]
#[cfg(feature = "pixels")]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_its_size_unless_it_is_too_large() {
        let small = embed(&RgbImage::new(30, 20)).unwrap();
        assert!(small.address.starts_with("data:image/jpeg;base64,"));
        assert_eq!((small.width_px, small.height_px), (30.0, 20.0));
        let tall = embed(&RgbImage::new(2, 70_000)).unwrap();
        let packed = tall
            .address
            .strip_prefix("data:image/jpeg;base64,")
            .unwrap();
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(packed)
            .unwrap();
        assert_eq!(image::load_from_memory(&bytes).unwrap().height(), 60_000);
        assert_eq!(tall.height_px, 70_000.0);
    }
}
