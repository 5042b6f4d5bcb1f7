//! Renders pages: takes a [`Page`](crate::source::Page), gives a [`Capture`](crate::capture::Capture) with tree, boxes, styles, screenshot and node mask.
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
mod installed_fonts;
mod options;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod recorded;
mod rendered;
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
pub use options::RenderOptions;
pub use rendered::{Rendered, Timings};
pub use renderer::Renderer;
