//! Renders pages: converts a [`Page`](vclean_core::page::Page) to a
//! [`Capture`](vclean_core::capture::Capture) with tree, boxes, styles, screenshot and node mask.
//!
//! There are two engines: Chromium (`chromium`), and the built-in engine (`builtin`), which needs
//! no browser and runs no scripts. `options` defines the choice between them, which may be
//! automatic per page, and `renderer` applies it.
//!
//! Pages are hostile input. A page cannot read our files and cannot reach private addresses
//! (`net`). A page of an archive gets content from that archive only (`chromium::requests`).
//! Scripts run in the browser's sandbox or not at all. Each page has a time limit, and a crash
//! affects only its own tab.

// A build without one of the engines does not use all of this code.
#![cfg_attr(
    not(all(feature = "builtin", feature = "chromium")),
    allow(dead_code, unused_imports)
)]

pub mod archive;
#[cfg_attr(not(feature = "builtin"), path = "no_builtin.rs")]
mod builtin;
#[cfg_attr(not(feature = "chromium"), path = "no_chromium.rs")]
mod chromium;
mod doctor;
mod load;
pub mod net;
mod options;
mod programs;
mod rendered;
mod renderer;
mod response;

pub use chromium::find_browser;
#[cfg(feature = "chromium")]
pub use chromium::{OpenPageOptions, PageConnection, capture_open_page};
pub use doctor::{Check, diagnose};
pub use load::{
    Action, Actions, Consent, Cookie, Direction, Header, HeaderText, LoadOptions, ROBOT_USER_AGENT,
    SameSite, Secret, StorageState, StoredCookie, StoredEntry, StoredOrigin, Viewport, WaitFor,
    is_same_server,
};
pub use net::OutboundProxy;
pub use options::{Cancel, EngineChoice, Fallback, PageOptions, RenderOptions, Scripts, TimeLimit};
pub use rendered::{Rendered, Timings};
pub use renderer::Renderer;
pub use response::address;
