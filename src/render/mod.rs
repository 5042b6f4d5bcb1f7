//! Renders pages: takes a [`Page`](crate::source::Page), gives a [`Capture`] with tree, boxes, styles, screenshot and node mask.
//!
//! Two engines do it: Chromium (`chromium`), and one inside the program (`builtin`), which needs no browser and runs no
//! scripts. `engine` chooses between them, page by page where it is left to it, and `renderer` does as it says.
//!
//! A page is hostile. It sees no file of ours and no private address (`proxy`, `address`, `saved`), nothing but its
//! archive where it comes from one (`archived`), runs in the browser's sandbox or not at all, ends after its time is up, and
//! takes nothing down with it but its own tab.

#[cfg(feature = "builtin")]
mod builtin;
#[cfg(feature = "chromium")]
mod chromium;
mod doctor;
mod engine;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod idle_browser;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod recorded;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod renderer;
mod response;
#[cfg(not(all(feature = "builtin", feature = "chromium")))]
mod stubs;
#[cfg(all(test, feature = "chromium", target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests;

#[cfg(feature = "chromium")]
pub use chromium::find_browser;
pub use doctor::{Check, diagnose};
pub use engine::{EngineChoice, Fallback};
pub use renderer::Renderer;

use crate::capture::Capture;
use std::path::PathBuf;

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Which engine renders.
    pub engine: EngineChoice,
    /// What becomes of pages that the built-in engine fails on; `None` goes by the engine, see [`Self::fallback`].
    pub fallback: Option<Fallback>,
    /// The browser; `None` looks for one: the variable `VCLEAN_BROWSER`, then the usual names on PATH.
    pub browser: Option<PathBuf>,
    /// Without the browser's sandbox; for trusted pages only.
    pub no_sandbox: bool,
    /// Viewport in CSS px, width and height. Models are trained at 1280 x 1024.
    pub viewport_px: [u32; 2],
    /// Time limit for loading a page, in ms; what is there by then is taken.
    pub page_timeout_ms: u64,
    /// Time limit for each stage of settling (quiet, scroll, quiet again), in ms.
    pub settle_ms: u64,
    /// Whether the built-in engine also paints the page, to be looked at. Features are measured on what it draws for them,
    /// in a tenth of the time.
    pub paint: bool,
    /// Height at which the pictures of a page end, in px.
    pub max_height_px: u32,
    /// Pages may reach loopback, private and link-local addresses.
    pub allow_private: bool,
    /// Pages may reach nothing on the network.
    pub offline: bool,
    /// Whether the pages' scripts run; `None` runs them for addresses and not for saved pages.
    pub scripts: Option<bool>,
    /// Tabs, hence pages rendered at the same time, at least 1.
    pub tabs: usize,
    /// Pages after which a browser is replaced by a new one, at least 1.
    pub pages_per_browser: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            engine: EngineChoice::Auto,
            fallback: None,
            browser: None,
            no_sandbox: false,
            viewport_px: [1280, 1024],
            page_timeout_ms: 60_000,
            settle_ms: 3_000,
            paint: false,
            max_height_px: 30_000,
            allow_private: false,
            offline: false,
            scripts: None,
            tabs: 2,
            pages_per_browser: 200,
        }
    }
}

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
