//! Placeholder for rendering in builds without it.

/// Nothing can be chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct RenderOptions;

/// No engine.
#[derive(Debug)]
pub(super) struct Engines;

impl Engines {
    pub(super) fn new(_: RenderOptions) -> Self {
        Self
    }
}
