//! Placeholder for rendering in builds without it.

/// No engine.
#[derive(Debug, Default)]
pub(super) struct Engines;
