//! Placeholder for rendering in builds without it.

/// Stands for the engines of a cleaner that renders nothing.
#[derive(Debug, Default)]
pub(super) struct Engines;
