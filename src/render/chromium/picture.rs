//! Takes the two pictures of the page: in one piece if the browser can, in strips if the page is taller.
//!
//! `captureBeyondViewport` is the usual way to take a picture of a whole page: for each picture, the browser stops
//! clipping the page to the viewport, lays it out again, paints it, and restores the viewport (245 + 215 ms of CPU on
//! pages of 5,600 px). Our browser is started with a flag that switches the clipping off (`Tab::paints_below`). Both
//! pictures are then cut out of one enlarged visible area (140 ms each), with identical pixels.

use super::protocol::{SCREENSHOT, screenshot_params, screenshot_png};
use super::tab::Tab;
use crate::capture::{Picture, encode_png};
use crate::error::{RenderError, Warning, WarningKind};
use crate::render::RenderOptions;
use image::RgbImage;
use std::time::Duration;

/// Tallest picture taken in one piece, in px; tested up to this height. Joining strips takes a second of CPU time in
/// our process.
const STRIP_PX: u32 = 32_000;

/// Size of both pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    width: u32,
    height: u32,
}

/// Size of the pictures for a page of the given size in CSS px: at least as wide as the viewport and at most twice as
/// wide, and no taller than allowed.
pub(super) fn size(page_width_px: f32, page_height_px: f32, options: &RenderOptions) -> Size {
    let [width, height] = options.viewport_px;
    Size {
        width: (page_width_px.ceil() as u32).clamp(width, width.saturating_mul(2)),
        height: (page_height_px.ceil() as u32).clamp(height.min(options.max_height_px), options.max_height_px.max(1)),
    }
}

impl Size {
    /// Width in px.
    pub(super) fn width(self) -> u32 {
        self.width
    }

    /// Height in px.
    pub(super) fn height(self) -> u32 {
        self.height
    }

    /// Whether pictures of this size are taken in one piece.
    pub(super) fn is_in_one_piece(self) -> bool {
        self.height <= STRIP_PX
    }

    /// The warning for a page whose pictures end early.
    pub(super) fn warning(self, page_height_px: f32) -> Option<Warning> {
        (page_height_px.ceil() > self.height as f32).then(|| {
            let text = format!("the page is {page_height_px:.0} px tall; the pictures end at {} px", self.height);
            Warning::new(WarningKind::TooTall, text)
        })
    }
}

/// Prepares the tab for both pictures of a page of this size.
pub(super) fn prepare(tab: &mut Tab, size: Size) -> Result<(), RenderError> {
    if is_whole(tab, size) { tab.set_visible_area(Some([size.width, size.height])) } else { Ok(()) }
}

/// Whether pictures of this size are cut out of the tab's visible area.
fn is_whole(tab: &Tab, size: Size) -> bool {
    tab.paints_below && size.is_in_one_piece()
}

/// A picture that was requested from the browser.
pub(super) struct Begun {
    size: Size,
    /// Number of the call; `None` for strips, which are taken in `finish`.
    number: Option<u64>,
}

/// Requests a picture of the page.
pub(super) fn begin(tab: &mut Tab, size: Size) -> Result<Begun, RenderError> {
    let number = if size.is_in_one_piece() {
        let beyond = !is_whole(tab, size);
        Some(tab.begin(SCREENSHOT, &screenshot_params(size.width, 0, size.height, beyond, tab.screen_scale))?)
    } else {
        None
    };
    Ok(Begun { size, number })
}

/// Waits for a picture.
pub(super) fn finish(
    tab: &mut Tab,
    begun: &Begun,
    step: &'static str,
    limit: Duration,
) -> Result<Picture, RenderError> {
    let size = begun.size;
    if let Some(number) = begun.number {
        let text = tab.finish(number, step, limit)?;
        return Ok(Picture::from_png(screenshot_png(&text, step)?));
    }
    let mut whole = RgbImage::new(size.width, size.height);
    let mut top = 0;
    while top < size.height {
        let height = STRIP_PX.min(size.height - top);
        let text = tab.call_text(
            SCREENSHOT,
            &screenshot_params(size.width, top, height, true, tab.screen_scale),
            step,
            limit,
        )?;
        let part = Picture::from_png(screenshot_png(&text, step)?);
        let part = part.decode_rgb().map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))?;
        image::imageops::replace(&mut whole, &part, 0, i64::from(top));
        top += height;
    }
    encode_png(&whole).map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_bounds() {
        let options = RenderOptions::default();
        assert_eq!(size(1280.0, 5000.2, &options), Size { width: 1280, height: 5001 });
        assert_eq!(size(90_000.0, 10.0, &options), Size { width: 2560, height: 1024 });
        let tall = size(1280.0, 1e9, &options);
        assert_eq!(tall.height, options.max_height_px);
        assert!(tall.warning(1e9).is_some() && tall.warning(100.0).is_none());
    }
}
