//! The engine inside the program: lays saved pages out without a browser. The only user of Blitz.

use super::{RenderOptions, Rendered};
use crate::error::RenderError;
use crate::source::Page;

/// Renders pages without a browser. Threads share it.
pub(super) struct Builtin {
    options: RenderOptions,
}

impl Builtin {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self { options }
    }

    /// Renders a saved page.
    pub(super) fn render(&self, page: &Page) -> Result<Rendered, RenderError> {
        let _ = (&self.options, page);
        Err(RenderError::Load("the built-in engine renders nothing yet".into()))
    }
}
