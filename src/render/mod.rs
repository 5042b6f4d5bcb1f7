//! Renders pages: converts a [`Page`](crate::page::Page) to a [`Capture`](crate::capture::Capture) with tree, boxes,
//! styles, screenshot and node mask.
//!
//! There are two engines: Chromium (`chromium`), and the built-in engine (`builtin`), which needs no browser and runs
//! no scripts. `engine` defines the choice between them, which may be automatic per page, and `renderer` applies it.
//!
//! Pages are hostile input. A page cannot read our files and cannot reach private addresses (`proxy`, `address`,
//! `saved`). A page of an archive gets content from that archive only (`recorded`). Scripts run in the browser's
//! sandbox or not at all. Each page has a time limit, and a crash affects only its own tab.

#[cfg(feature = "builtin")]
mod builtin;
#[cfg(feature = "chromium")]
mod chromium;
mod doctor;
mod engine;
#[cfg_attr(not(any(feature = "builtin", feature = "chromium")), allow(dead_code))]
mod hidden_page;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod idle_browser;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod installed_fonts;
#[cfg(feature = "chromium")]
mod open_page;
mod options;
mod page_options;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod recorded;
mod rendered;
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod renderer;
mod response;
#[cfg(any(feature = "builtin", feature = "chromium"))]
mod showing;
#[cfg(not(all(feature = "builtin", feature = "chromium")))]
mod stubs;
#[cfg(all(test, feature = "chromium", target_os = "linux"))]
mod tests;

#[cfg(feature = "chromium")]
pub use chromium::{capture_open_page, find_browser};
pub use doctor::{Check, diagnose};
pub use engine::{EngineChoice, Fallback};
#[cfg(feature = "chromium")]
pub use open_page::{OpenPageOptions, PageConnection};
pub use options::RenderOptions;
pub use page_options::{Cancel, PageOptions};
pub use rendered::{Rendered, Timings};
pub use renderer::Renderer;
#[cfg(feature = "run")]
pub(crate) use response::address;
