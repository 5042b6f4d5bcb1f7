//! Placeholder for the built-in engine in builds without it.

use super::options::RenderOptions;
use super::rendered::Rendered;
use vclean_core::error::RenderError;
use vclean_core::page::Page;

/// A placeholder engine whose renderings always fail.
pub(super) struct Builtin;

impl Builtin {
    pub(super) fn new() -> Self {
        Self
    }

    // Same signature as the real engine.
    #[allow(clippy::unused_self)]
    pub(super) fn render(&self, _: &Page, _: &RenderOptions) -> Result<Rendered, RenderError> {
        Err(RenderError::Engine(
            "this build has no built-in engine; build it with the feature builtin".to_owned(),
        ))
    }
}
