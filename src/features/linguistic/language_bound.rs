//! What the language-bound groups know of a page.

use crate::language::{Cutter, Keywords};

/// What the language-bound groups know of a page.
#[derive(Debug)]
pub(in super::super) struct LanguageBound<'k> {
    /// ISO 639-1 code, `""` where it is not known.
    pub language: String,
    /// The keywords to count, if any.
    pub keywords: Option<&'k Keywords>,
}

impl LanguageBound<'_> {
    /// Cuts text of the page's language.
    pub(super) fn cutter(&self) -> Cutter {
        Cutter::new(&self.language)
    }
}
