//! A request to stop the cleaning of a page.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A request to stop the cleaning of a page, which clones share. It is heeded between the stages of
/// the work, each of which takes at most some seconds.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    is_set: Arc<AtomicBool>,
    end: Option<Instant>,
}

impl StopRequest {
    /// Asks for the end of the work.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// This request, which also asks for the end of the work at a time.
    #[must_use]
    pub fn until(&self, end: Instant) -> Self {
        Self {
            is_set: Arc::clone(&self.is_set),
            end: Some(end),
        }
    }

    /// Fails if the end of the work was asked for.
    pub(super) fn check(&self) -> Result<(), Error> {
        let is_late = || self.end.is_some_and(|end| Instant::now() > end);
        if self.is_set.load(Ordering::Relaxed) || is_late() {
            Err(Error::Stopped)
        } else {
            Ok(())
        }
    }
}
