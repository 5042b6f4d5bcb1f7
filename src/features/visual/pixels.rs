//! The pictures of a capture, decoded: what the pixel measures start from.

use crate::capture::{NodeMask, Pictures};
use crate::error::CaptureError;
use image::GrayImage;
use std::sync::Arc;

/// The gray page image and the node mask, same size, one pixel a CSS pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Luminance, 0 black to 255 white.
    pub gray: Arc<GrayImage>,
    /// Which text node owns each pixel.
    pub mask: NodeMask,
}

impl Pixels {
    /// Decodes both pictures.
    ///
    /// Fails with [`CaptureError::Picture`] where one cannot be decoded or their sizes differ.
    pub fn decode(pictures: &Pictures) -> Result<Self, CaptureError> {
        let (gray, mask) = rayon::join(|| pictures.screenshot.decode_gray(), || NodeMask::decode(&pictures.mask));
        Self::pair(gray?, mask?)
    }

    /// Pairs an image with its mask; fails as [`Self::decode`] does where their sizes differ.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Picture, encode_png};
    use image::{Rgb, RgbImage};

    #[test]
    fn pictures_of_one_size_make_pixels() {
        let page = encode_png(&RgbImage::from_pixel(4, 3, Rgb([255; 3]))).unwrap();
        let mask = encode_png(&RgbImage::from_pixel(4, 3, Rgb([0, 0, 9]))).unwrap();
        let pixels = Pixels::decode(&Pictures::new(page.clone(), mask)).unwrap();
        assert_eq!(pixels.gray.get_pixel(1, 1).0, [255]);
        assert_eq!(pixels.mask.owners()[0], 9);
        let small = encode_png(&RgbImage::new(4, 2)).unwrap();
        let error = Pixels::decode(&Pictures::new(page.clone(), small)).unwrap_err();
        assert!(error.to_string().contains("4 x 3 pixels, the mask 4 x 2"), "{error}");
        let broken = Pictures::new(page, Picture::from_png(vec![1, 2]));
        assert!(Pixels::decode(&broken).is_err());
    }
}
