//! A request to end the loading of a page early, including its fetches.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A request to end the loading of a page early. Clones share one state.
#[derive(Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    is_set: AtomicBool,
    /// Callbacks that run when the request is set.
    ends: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Cancel")
            .field(&self.is_set())
            .finish()
    }
}

impl Cancel {
    /// Requests that the loading end soon. Chromium closes the tab and frees its slot, and the
    /// connections of a fetch are closed. The built-in engine finishes a page that it has started,
    /// which takes a fraction of a second.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
        let ends = std::mem::take(&mut *self.0.ends.lock().unwrap_or_else(PoisonError::into_inner));
        for end in ends {
            end();
        }
    }

    /// Returns true if the loading was requested to end.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }

    /// Registers `end` to be called when the request is set; calls it at once if it is already set.
    pub(crate) fn on_set(&self, end: impl FnOnce() + Send + 'static) {
        self.0
            .ends
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Box::new(end));
        if self.is_set() {
            self.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_the_same_request() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        other.set();
        assert!(cancel.is_set());
        let (ends, ended) = std::sync::mpsc::channel();
        cancel.on_set(move || ends.send(()).unwrap());
        assert!(ended.recv().is_ok(), "it is set already");
    }
}
