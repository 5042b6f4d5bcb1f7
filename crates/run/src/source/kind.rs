//! Definition of a kind of input.

use vclean_core::error::SourceError;
use vclean_core::page::Page;

/// A kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// How to write such an input.
    pub example: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Whether an input is of this kind; the first kind that accepts it opens it.
    pub recognizes: fn(&str) -> bool,
    /// Opens it.
    pub open: fn(&str) -> Pages,
}

/// The pages of one input, opened one by one. An error concerns one page; the others follow.
pub type Pages = Box<dyn Iterator<Item = Result<Page, SourceError>> + Send>;

/// An input of one page.
pub(super) fn once(page: Result<Page, SourceError>) -> Pages {
    Box::new(std::iter::once(page))
}
