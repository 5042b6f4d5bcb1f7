//! Starts the engines of a cleaner.

use crate::error::RenderError;
use crate::render::{RenderOptions, Renderer};
use std::sync::{Arc, Mutex, PoisonError};

/// The engines of a cleaner, started when the first page needs them.
#[derive(Default)]
pub(super) struct Engines {
    options: RenderOptions,
    renderer: Mutex<Option<Arc<Renderer>>>,
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Engines")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Engines {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self {
            options,
            renderer: Mutex::new(None),
        }
    }

    /// The renderer, started if this is the first call.
    pub(super) fn renderer(&self) -> Result<Arc<Renderer>, RenderError> {
        let mut started = self.renderer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(renderer) = &*started {
            return Ok(Arc::clone(renderer));
        }
        let renderer = Arc::new(Renderer::launch(self.options.clone())?);
        *started = Some(Arc::clone(&renderer));
        Ok(renderer)
    }
}
