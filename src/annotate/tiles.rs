//! The page image in strips, so that a browser loads only the part of a long page that it shows.

use super::prepared::PreparedPage;
use crate::capture::encode_png;
use crate::error::CaptureError;

/// Height of a strip in pixels; the last one of a page is lower.
pub(super) const TILE_HEIGHT_PX: u32 = 1024;

/// Size of the page image in pixels, width and height; zero without a picture.
pub(super) fn picture_size(page: &PreparedPage) -> (u32, u32) {
    page.picture().map_or((0, 0), image::RgbImage::dimensions)
}

/// A strip of the page image as PNG, counted from 0 at the top; `None` if there is none.
///
/// # Errors
/// If it cannot be encoded.
pub(super) fn tile(page: &PreparedPage, number: u32) -> Result<Option<Vec<u8>>, CaptureError> {
    let Some(picture) = page.picture() else { return Ok(None) };
    let (width, height) = picture.dimensions();
    let Some(top) = number.checked_mul(TILE_HEIGHT_PX).filter(|top| *top < height) else { return Ok(None) };
    let strip = image::imageops::crop_imm(picture, 0, top, width, TILE_HEIGHT_PX.min(height - top)).to_image();
    Ok(Some(encode_png(&strip)?.png()?.into_owned()))
}
