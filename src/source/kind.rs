//! What a kind of input is.

use super::page::Pages;

/// A kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// How one names such an input.
    pub example: &'static str,
    /// What is opened, in a sentence.
    pub doc: &'static str,
    /// Whether an input is of this kind; the first that says so opens it.
    pub recognizes: fn(&str) -> bool,
    /// Opens it.
    pub open: fn(&str) -> Pages,
}
