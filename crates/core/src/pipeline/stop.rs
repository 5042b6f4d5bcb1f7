//! A request to stop the cleaning of a page.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop the cleaning of a page, which clones share. It is heeded between the stages of
/// the work, each of which takes at most some seconds.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    own: Arc<AtomicBool>,
    outer: Option<Arc<AtomicBool>>,
}

impl StopRequest {
    /// Asks for the end of the work.
    pub fn set(&self) {
        self.own.store(true, Ordering::Relaxed);
    }

    /// A request for a part of the work, which ends with the whole.
    #[must_use]
    pub fn for_part(&self) -> Self {
        Self {
            own: Arc::default(),
            outer: Some(Arc::clone(&self.own)),
        }
    }

    /// True if the end of the work was asked for.
    pub fn is_set(&self) -> bool {
        let mut requests = std::iter::once(&self.own).chain(&self.outer);
        requests.any(|request| request.load(Ordering::Relaxed))
    }

    /// Fails if the end of the work was asked for.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.is_set() {
            Err(Error::Stopped)
        } else {
            Ok(())
        }
    }
}
