//! Runs the library's blocking calls without Python's lock, so that other threads continue and
//! Ctrl-C ends the wait.

use crate::errors::exception;
use crate::fork::without_forks;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a waiting call checks for Ctrl-C.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

/// The work panicked: a bug in the library, never the fault of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault;

impl Fault {
    pub(crate) fn exception(py: Python<'_>, page: &str) -> PyErr {
        let page = if page.is_empty() { "the page" } else { page };
        exception(
            py,
            "VcleanError",
            &format!("{page}: a fault in vclean; please report it with the page"),
        )
    }
}

/// Runs the work and converts a panic to a [`Fault`].
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Fault)
}

/// Runs work of some milliseconds in this thread.
pub(crate) fn do_quickly<T: Send>(
    py: Python<'_>,
    page: &str,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| without_forks(|| guarded(work)))
        .map_err(|_| Fault::exception(py, page))
}

/// Runs work that may take long in a separate thread. Ctrl-C and the time limit end the wait, and
/// `stop` then ends the work.
pub(crate) fn do_patiently<T: Send + 'static>(
    py: Python<'_>,
    page: &str,
    limit: Option<Duration>,
    stop: impl FnOnce(),
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let end = limit.map(|limit| (Instant::now() + limit, limit));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // This fails if the caller no longer waits.
        let _ = sender.send(guarded(work));
    });
    let check = |py: Python<'_>| match end {
        Some((end, limit)) if Instant::now() > end => Err(too_long(py, page, limit)),
        _ => Ok(()),
    };
    match wait_unless(py, &Mutex::new(receiver), check) {
        Ok(Some(result)) => result.map_err(|_| Fault::exception(py, page)),
        Ok(None) => Err(Fault::exception(py, page)),
        Err(interrupted) => {
            stop();
            Err(interrupted)
        }
    }
}

/// Creates the exception for a page that takes longer than its limit.
pub(crate) fn too_long(py: Python<'_>, page: &str, limit: Duration) -> PyErr {
    let page = if page.is_empty() { "the page" } else { page };
    let cause = format!(
        "{page}: cleaning takes more than {} s; raise `timeout`",
        limit.as_secs_f64()
    );
    exception(py, "LimitError", &cause)
}

/// Waits for a message; returns `None` if the sender is gone.
///
/// # Errors
/// The exception that a signal handler raised, such as `KeyboardInterrupt`.
pub(crate) fn wait<T: Send>(py: Python<'_>, receiver: &Mutex<Receiver<T>>) -> PyResult<Option<T>> {
    wait_unless(py, receiver, |_| Ok(()))
}

/// Waits like [`wait`], until `check` fails.
fn wait_unless<T: Send>(
    py: Python<'_>,
    receiver: &Mutex<Receiver<T>>,
    check: impl Fn(Python<'_>) -> PyResult<()>,
) -> PyResult<Option<T>> {
    loop {
        check(py)?;
        let received = py.detach(|| {
            receiver
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv_timeout(INTERVAL)
        });
        match received {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}
