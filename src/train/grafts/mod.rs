//! Training pages with readers' comments, made from training pages without: a comment section and sometimes a list of related
//! stories are inserted under the main text, in markup like that of real comment systems.
//!
//! Few training pages have comments whose text is known, so models take long comment sections for content. [`graft_comments`]
//! makes a data folder of such pages: `place` chooses where the section goes, `sentences` provides text of other pages in
//! the same language, `markup` and `systems` draw the markup, `comments` and `related` write the section, `insert`
//! puts it into the tree, and `folder` writes the result. All draws of a page depend on the seed and the page only.

mod chance;
mod comments;
mod element;
mod error;
mod folder;
mod insert;
mod language;
mod languages;
mod look;
mod making;
mod markup;
mod other_scripts;
mod page;
mod place;
mod reader;
mod related;
mod section;
mod sentences;
mod systems;

pub use error::GraftError;
pub use folder::GraftFolder;
pub use making::{GraftOptions, Grafted, graft_comments};
