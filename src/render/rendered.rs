//! A rendered page, and the time that each stage took.

use crate::capture::Capture;

/// Wall time of each stage of one page, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timings {
    /// From the address to the load event.
    pub navigate_ms: f64,
    /// Until the page stays as it is.
    pub settle_ms: f64,
    /// Tree, boxes and styles, by the browser.
    pub snapshot_ms: f64,
    /// The same as [`crate::capture::Dom`] and [`crate::capture::Layout`], by us.
    pub convert_ms: f64,
    /// The screenshot.
    pub screenshot_ms: f64,
    /// Coloring and second screenshot.
    pub mask_ms: f64,
    /// The page painted by the built-in engine, to be looked at.
    pub paint_ms: f64,
    /// All of it.
    pub total_ms: f64,
}

/// A rendered page and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The page.
    pub capture: Capture,
    /// Where the time went.
    pub timings: Timings,
}
