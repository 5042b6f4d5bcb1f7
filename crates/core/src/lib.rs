//! One web page, from its bytes or its capture to its text: the core of vclean.
//!
//! It touches no network and no clock, and no file unless the feature `files` is on; its answer for
//! the same page is the same everywhere. [`pipeline`] is the one way of a page through all of it.

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
pub mod target;
pub mod text;
