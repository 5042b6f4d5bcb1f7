//! Placeholder for Chromium in builds without it.

use super::options::{Cancel, RenderOptions};
use super::rendered::Rendered;
use crate::net::Proxy;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vclean_core::error::RenderError;
use vclean_core::page::Page;

/// A browser that cannot be launched.
pub(super) enum Chromium {}

fn missing() -> RenderError {
    RenderError::Engine(
        "this build does not contain Chromium; build it with the feature chromium".to_owned(),
    )
}

impl Chromium {
    pub(super) fn launch(_: RenderOptions, _: Arc<Proxy>, _: Proxy) -> Result<Self, RenderError> {
        Err(missing())
    }

    pub(super) fn render(
        &self,
        _: &Page,
        _: &RenderOptions,
        _: &Cancel,
    ) -> Result<Rendered, RenderError> {
        match *self {}
    }

    pub(super) fn restarts(&self) -> usize {
        match *self {}
    }

    pub(super) fn cpu_ms(&self) -> u64 {
        match *self {}
    }
}

/// Returns an error, since this build does not support browsers.
///
/// # Errors
/// [`RenderError::Engine`] in all cases.
pub fn find_browser(_: Option<&Path>) -> Result<PathBuf, RenderError> {
    Err(missing())
}

/// Always false: this build never starts a browser.
pub(super) fn is_root() -> bool {
    false
}
