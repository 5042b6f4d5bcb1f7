//! Makes `os.fork` safe: a process is forked only while no thread is inside the library, because
//! locks held by another thread would stay locked in the child forever.
//!
//! Forks are rare, so threads that wait for one poll. The child has none of the parent's threads,
//! so it creates its own pool for the library's parallel work.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

static INSIDE: AtomicUsize = AtomicUsize::new(0);
static FORKING: AtomicBool = AtomicBool::new(false);

/// Interval at which waiting threads poll.
const INTERVAL: Duration = Duration::from_micros(200);
/// Longest wait of a fork for pages that are being cleaned; the largest pages take some seconds.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Guard that counts a thread as inside the library.
struct Inside;

impl Inside {
    fn enter() -> Self {
        loop {
            INSIDE.fetch_add(1, Ordering::SeqCst);
            if !FORKING.load(Ordering::SeqCst) {
                return Self;
            }
            INSIDE.fetch_sub(1, Ordering::SeqCst);
            thread::sleep(INTERVAL);
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The threads for parallel work; `None` before the first page, and in a new child. Locked only
/// while a thread is inside.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// Runs `work` while forks are blocked. The caller must not hold Python's lock.
pub(crate) fn without_forks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let _inside = Inside::enter();
    let pool = {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.is_none() {
            *pool = ThreadPoolBuilder::new().build().ok().map(Arc::new);
        }
        pool.clone()
    };
    match pool {
        Some(pool) => pool.install(work),
        // No thread could be started.
        None => work(),
    }
}

/// Waits until no thread is inside the library; called before a fork.
#[pyfunction]
pub(crate) fn _before_fork(py: Python<'_>) {
    py.detach(|| {
        // Another thread may be forking too.
        while FORKING.swap(true, Ordering::SeqCst) {
            thread::sleep(INTERVAL);
        }
        let started = Instant::now();
        while INSIDE.load(Ordering::SeqCst) > 0 && started.elapsed() < LONGEST_WAIT {
            thread::sleep(INTERVAL);
        }
    });
}

/// Allows threads to enter again; called after a fork, in the parent.
#[pyfunction]
pub(crate) fn _after_fork_in_parent() {
    FORKING.store(false, Ordering::SeqCst);
}

/// Resets the state; called after a fork, in the child, which has one thread.
#[pyfunction]
pub(crate) fn _after_fork_in_child() {
    INSIDE.store(0, Ordering::SeqCst);
    // Its threads exist only in the parent, so it cannot be dropped.
    std::mem::forget(POOL.lock().unwrap_or_else(PoisonError::into_inner).take());
    FORKING.store(false, Ordering::SeqCst);
}
