//! Ends the work on pages that take longer than their limit.

use crate::waiting::INTERVAL;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use vclean::pipeline::StopRequest;

/// Pages, each with the time of its end, which may be done before.
type Ends = Arc<Mutex<Vec<(Instant, StopRequest)>>>;

/// A thread that ends pages when their time is over.
pub(crate) struct Watch {
    limit: Duration,
    ends: Ends,
}

impl Watch {
    /// Starts the thread, which ends with the whole work.
    pub(crate) fn start(limit: Duration, whole: StopRequest) -> Self {
        let ends = Ends::default();
        let watched = Arc::clone(&ends);
        thread::spawn(move || {
            while !whole.is_set() {
                thread::sleep(INTERVAL);
                let mut ends = watched.lock().unwrap_or_else(PoisonError::into_inner);
                ends.retain(|(end, page)| {
                    let is_late = Instant::now() > *end;
                    if is_late {
                        page.set();
                    }
                    !is_late
                });
            }
        });
        Self { limit, ends }
    }

    /// Watches a page from now on.
    pub(crate) fn add(&self, page: StopRequest) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.push((Instant::now() + self.limit, page));
    }
}
