//! Training pages with readers' comments, made from training pages without: a comment section and
//! sometimes a list of related stories are inserted under the main text, in markup like that of
//! real comment systems.
//!
//! Few training pages have comments whose text is known, so models take long comment sections for
//! content. [`make_synthetic_comments`] makes a data folder of such pages: `sentences` provides
//! text of other pages in the same language, `markup` draws the markup, `section` writes the
//! section, `page` chooses where it goes and puts it into the tree, and `folder` writes the result.
//! All draws of a page depend on the seed and the page only.

mod chance;
mod folder;
mod languages;
mod making;
mod markup;
mod page;
mod section;
mod sentences;

pub use folder::{SyntheticError, SyntheticFolder};
pub use making::{SyntheticOptions, SyntheticPages, make_synthetic_comments};
