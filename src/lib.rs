//! vclean: cleans web pages by looking at them.
pub mod batch;
pub mod capture;
pub mod classify;
pub mod clean;
pub mod cli;
pub mod emit;
pub mod error;
pub mod evaluate;
pub mod features;
pub mod pipeline;
#[cfg(feature = "chromium")]
pub mod render;
pub mod report;
pub mod source;
pub mod target;
pub mod train;
