//! A rendered page, and the time of each stage.

use crate::capture::Capture;

/// Wall time of each stage of one page, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timings {
    /// From the address to the load event.
    pub navigate_ms: f64,
    /// Until the page is stable.
    pub settle_ms: f64,
    /// Tree, boxes and styles, by the browser.
    pub snapshot_ms: f64,
    /// Conversion to [`crate::capture::Dom`] and [`crate::capture::Layout`].
    pub convert_ms: f64,
    /// The screenshot.
    pub screenshot_ms: f64,
    /// Coloring the text and taking the second screenshot.
    pub mask_ms: f64,
    /// Deciding which text is shown.
    pub showing_ms: f64,
    /// The page painted by the built-in engine for people to look at.
    pub paint_ms: f64,
    /// The whole page.
    pub total_ms: f64,
}

/// A rendered page and its times.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The page.
    pub capture: Capture,
    /// The time of each stage.
    pub timings: Timings,
}
