//! Gold of structure: the Markdown that a person made of a page's main text, kept without the
//! page's text.
//!
//! A page belongs to its publisher, so the project does not hold its text. The Markdown is kept as
//! a [`Recipe`]: short literals for the marks, and ranges of the page's own text ([`PageText`]) for
//! the rest. [`pack`](packing::pack) makes the parts of a recipe, [`unpack`](packing::unpack) gives
//! the Markdown back byte for byte. [`recipes`] reads the file with the recipes, and binds a recipe
//! to its page by the page's SHA-256.

pub mod packing;
pub mod recipe;
pub mod recipes;

pub use recipe::PageText;
pub use recipe::{Part, Range, Recipe, Source};
pub use recipes::{make_recipe, read_recipes};
pub(crate) use recipes::{markdown_of, recipes_of_folder};
