//! The two pictures of a capture: the page as a reader sees it, and the node mask.

use super::NodeId;
use crate::error::CaptureError;
use image::{GrayImage, ImageReader, Limits, RgbImage};
use std::io::Cursor;

/// Largest picture that is decoded, in pixels: 1280 wide and 100,000 high, far above the renderer's own limit.
const MAX_PIXELS: u64 = 128_000_000;

/// A picture as PNG bytes, decoded when a stage needs its pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    png: Vec<u8>,
}

impl Picture {
    /// Wraps PNG bytes; they are checked when decoded.
    pub fn from_png(png: Vec<u8>) -> Self {
        Self { png }
    }

    /// The PNG bytes.
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Pixels in color.
    pub fn decode_rgb(&self) -> Result<RgbImage, CaptureError> {
        Ok(self.decode()?.into_rgb8())
    }

    /// Pixels as luminance, 0 black to 255 white.
    pub fn decode_gray(&self) -> Result<GrayImage, CaptureError> {
        Ok(self.decode()?.into_luma8())
    }

    fn decode(&self) -> Result<image::DynamicImage, CaptureError> {
        let fail = |cause: String| CaptureError::Picture { cause };
        let mut reader = ImageReader::with_format(Cursor::new(&self.png), image::ImageFormat::Png);
        let mut limits = Limits::default();
        limits.max_alloc = Some(MAX_PIXELS * 4);
        reader.limits(limits);
        reader.decode().map_err(|error| fail(error.to_string()))
    }
}

/// Which text node owns each pixel.
///
/// In the picture a pixel is white where no text is, and otherwise the 24-bit number `red << 16 | green << 8 | blue`
/// of the text node's [`NodeId`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeMask {
    width: u32,
    height: u32,
    owners: Vec<u32>,
}

impl NodeMask {
    /// Color of pixels that no text owns; also the largest number of nodes a mask can tell apart.
    pub const NOBODY: u32 = 0x00FF_FFFF;

    /// Reads the owners off a mask picture.
    pub fn decode(picture: &Picture) -> Result<Self, CaptureError> {
        let pixels = picture.decode_rgb()?;
        let (width, height) = pixels.dimensions();
        let owners = pixels
            .as_raw()
            .chunks_exact(3)
            .map(|rgb| u32::from(rgb[0]) << 16 | u32::from(rgb[1]) << 8 | u32::from(rgb[2]))
            .collect();
        Ok(Self { width, height, owners })
    }

    /// A mask from owners in row order, [`Self::NOBODY`] where no text is.
    pub fn from_owners(width: u32, height: u32, owners: Vec<u32>) -> Self {
        assert_eq!(owners.len(), width as usize * height as usize);
        Self { width, height, owners }
    }

    /// The color that marks `id` in a mask picture, red, green, blue.
    pub fn color(id: NodeId) -> [u8; 3] {
        let [_, red, green, blue] = (id.index() as u32).to_be_bytes();
        [red, green, blue]
    }

    /// Width in image pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in image pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Raw owner numbers in row order: a node's index or [`Self::NOBODY`].
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The text node that owns a pixel.
    pub fn owner(&self, x: u32, y: u32) -> Option<NodeId> {
        let number = self.owners[y as usize * self.width as usize + x as usize];
        (number != Self::NOBODY).then(|| NodeId::new(number as usize))
    }

    /// The mask as a picture again.
    pub fn to_rgb(&self) -> RgbImage {
        let bytes = self
            .owners
            .iter()
            .flat_map(|owner| {
                let [_, red, green, blue] = owner.to_be_bytes();
                [red, green, blue]
            })
            .collect();
        RgbImage::from_raw(self.width, self.height, bytes).expect("three bytes a pixel")
    }
}

/// Encodes pixels as PNG, fast and lossless.
pub fn encode_png(pixels: &RgbImage) -> Result<Picture, CaptureError> {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub);
    pixels.write_with_encoder(encoder).map_err(|error| CaptureError::Picture { cause: error.to_string() })?;
    Ok(Picture::from_png(png))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_survives_its_picture() {
        let mut owners = vec![NodeMask::NOBODY; 12];
        owners[3] = 7;
        owners[4] = 0x0001_0203;
        let mask = NodeMask::from_owners(4, 3, owners);
        let again = NodeMask::decode(&encode_png(&mask.to_rgb()).unwrap()).unwrap();
        assert_eq!(mask, again);
        assert_eq!(again.owner(3, 0), Some(NodeId::new(7)));
        assert_eq!(again.owner(0, 0), None);
        assert_eq!(NodeMask::color(NodeId::new(0x0001_0203)), [1, 2, 3]);
    }

    #[test]
    fn what_is_no_picture_is_an_error() {
        assert!(Picture::from_png(b"GIF89a".to_vec()).decode_rgb().is_err());
    }
}
