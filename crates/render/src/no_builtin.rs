//! Placeholder for the built-in engine in builds without it.

use super::options::RenderOptions;
use super::rendered::Rendered;
use vclean_core::error::RenderError;
use vclean_core::page::Page;

/// An engine that renders nothing.
pub(super) struct Builtin;

impl Builtin {
    pub(super) fn new() -> Self {
        Self
    }

    // Called as the real one is.
    #[allow(clippy::unused_self)]
    pub(super) fn render(&self, _: &Page, _: &RenderOptions) -> Result<Rendered, RenderError> {
        Err(RenderError::Engine(
            "this build has no built-in engine; build it with the feature builtin".to_owned(),
        ))
    }
}
