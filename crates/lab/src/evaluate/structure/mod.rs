//! The benchmark of structure: compares Markdown with Markdown that was made of the same pages by
//! hand.
//!
//! [`markdown`] reads Markdown into a [`Structure`], [`parts`] has the table of what is scored, and
//! [`sets`] measures the pages of data sets; [`summary`] makes the table of means. The scores
//! follow WebMainBench (Liu et al. 2025, "Dripper: Token-Efficient Main HTML Extraction with a
//! Lightweight LM"; github.com/opendatalab/WebMainBench): edit similarity of text, code and
//! formulas, and TEDS of tables. Unlike there, code, tables and formulas are left out of the text,
//! all tables of a page count and not the first alone, and headings, lists, links, emphasis and
//! quotations have scores of their own. The gold is in [`gold::structure`](crate::gold::structure).

pub(crate) mod markdown;
mod model;
pub(crate) mod parts;
mod reader;
pub mod sets;
pub mod summary;
mod tables;
mod tree;

pub use parts::Scores;
