//! Gold of structure: the Markdown that a person made of a page's main text, kept without the page's text.
//!
//! A page belongs to its publisher, so the project does not hold its text. The Markdown is kept as a [`Recipe`]: short
//! literals for the marks, and ranges of the page's own text for the rest. [`pack`](pack::pack) makes the parts of a
//! recipe, [`unpack`](unpack::unpack) gives the Markdown back byte for byte, and [`page_text`] is what the ranges refer
//! to. [`recipes`] reads the file with the recipes, and binds a recipe to its page by the page's SHA-256.

pub mod pack;
pub mod page_text;
pub mod recipe;
pub mod recipes;
pub mod unpack;

pub use page_text::PageText;
pub use recipe::{Part, Range, Recipe, Source};
pub use recipes::{make_recipe, markdown_of, read_recipes};
