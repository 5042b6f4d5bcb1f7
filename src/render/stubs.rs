//! Replacements for the engines that this build leaves out.

use super::options::RenderOptions;
#[cfg(not(feature = "chromium"))]
use super::page_options::Cancel;
use super::rendered::Rendered;
use crate::error::RenderError;
#[cfg(not(feature = "chromium"))]
use crate::net::Proxy;
use crate::page::Page;
#[cfg(not(feature = "chromium"))]
use std::sync::Arc;

/// Replacement for the built-in engine.
#[cfg(not(feature = "builtin"))]
pub(super) struct Builtin;

#[cfg(not(feature = "builtin"))]
impl Builtin {
    pub(super) fn new() -> Self {
        Self
    }

    // Called as the real one is.
    #[allow(clippy::unused_self)]
    pub(super) fn render_with(&self, _: &Page, _: &RenderOptions) -> Result<Rendered, RenderError> {
        Err(RenderError::Engine("this build has no built-in engine; build it with the feature builtin".to_owned()))
    }
}

/// Replacement for Chromium: it cannot be created.
#[cfg(not(feature = "chromium"))]
pub(super) enum Chromium {}

#[cfg(not(feature = "chromium"))]
impl Chromium {
    pub(super) fn launch(_: RenderOptions, _: Arc<Proxy>, _: Proxy) -> Result<Self, RenderError> {
        Err(RenderError::Engine("this build does not contain Chromium; build it with the feature chromium".to_owned()))
    }

    pub(super) fn render(&self, _: &Page, _: &RenderOptions, _: &Cancel) -> Result<Rendered, RenderError> {
        match *self {}
    }

    pub(super) fn version(&self) -> Option<String> {
        match *self {}
    }

    pub(super) fn restarts(&self) -> usize {
        match *self {}
    }

    pub(super) fn cpu_ms(&self) -> u64 {
        match *self {}
    }
}
