//! Pictures and HTML pages that show what an evaluation found.
//!
//! `index` has all pages, `comparison` one page with its gold, `fidelity` what two engines make of
//! a page; `folder` writes the first two, and is the only file here that writes files.

pub mod comparison;
mod diff;
mod evaluation_page;
pub mod fidelity;
pub mod folder;
pub mod index;

pub(crate) use evaluation_page::GENERATOR;
