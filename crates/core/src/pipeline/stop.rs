//! A request to stop the cleaning of a page.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop the cleaning of a page, which clones share. It is heeded between the stages of
/// the work, each of which takes at most some seconds.
#[derive(Debug, Clone, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Asks for the end of the work.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails if the end of the work was asked for.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) {
            Err(Error::Stopped)
        } else {
            Ok(())
        }
    }
}
