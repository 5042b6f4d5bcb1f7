//! The core of vclean: takes one web page from its bytes or its capture to its text.
//!
//! It uses no network and no clock, and no files unless the feature `files` is on. It gives the
//! same result for the same page on every machine. [`pipeline`] takes a page through all stages.

pub mod capture;
pub mod classify;
pub mod document;
pub mod elements;
pub mod emit;
pub mod error;
pub mod explain;
pub mod features;
#[cfg(feature = "files")]
pub mod files;
#[cfg(not(feature = "files"))]
#[path = "files/placeholder.rs"]
mod files;
pub mod hash;
pub mod html;
pub mod language;
pub mod page;
pub mod pipeline;
#[cfg(feature = "pixels")]
pub mod rendering;
pub mod state;
pub mod target;
pub mod text;

// For the macro `by_name` in crates that have no schemas of their own.
#[cfg(feature = "schemars")]
#[doc(hidden)]
pub use schemars;
