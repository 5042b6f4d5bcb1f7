//! Threads that pages are laid out on: with a deep stack, used again and again, given up with a page that overruns its time.
//!
//! A thread a page would do, but each new one takes its memory from another of the allocator's arenas, and what a page leaves there
//! in pieces stays: 509 MB after 300 pages six times over, where threads that stay need 373.

use super::lay_out::{Job, Laid, lay_out};
use crate::error::RenderError;
use crate::text::excerpt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Threads that overran their page's time and still run, from which on no page is begun.
const MAX_OVERRUN: usize = 4;

/// What came of a page; a panic is its first line.
type Answer = Result<Result<Laid, RenderError>, String>;

/// The threads that are free; others are out with a page.
pub(super) struct Threads {
    stack_bytes: usize,
    idle: Mutex<Vec<Worker>>,
    overrun: Arc<AtomicUsize>,
}

/// A thread that waits for pages.
struct Worker {
    pages: Sender<(Job, Sender<Answer>)>,
    is_given_up: Arc<AtomicBool>,
}

impl Threads {
    pub(super) fn new(stack_bytes: usize) -> Self {
        Self { stack_bytes, idle: Mutex::default(), overrun: Arc::default() }
    }

    /// Lays a page out, and waits no longer than `limit_ms`.
    pub(super) fn run(&self, job: Job, limit_ms: u64) -> Result<Laid, RenderError> {
        if self.overrun.load(Ordering::Relaxed) >= MAX_OVERRUN {
            return Err(RenderError::Limit(format!(
                "{MAX_OVERRUN} pages before this one still keep the built-in engine busy; use `engine` chromium for it"
            )));
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let worker = idle.map_or_else(|| self.start(), Ok)?;
        let (send, receive) = mpsc::channel();
        // A thread that waits takes what it is given; were it gone, the answer would be missing below.
        let _ = worker.pages.send((job, send));
        match receive.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(result)) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                result
            }
            // The engine keeps things by thread; one that panicked is not used again.
            Ok(Err(said)) => Err(RenderError::Crash(format!(
                "the built-in engine failed on the page: {said}; use `engine` chromium for it"
            ))),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                Err(RenderError::Crash("the built-in engine's thread ended; use `engine` chromium for the page".into()))
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.overrun.fetch_add(1, Ordering::Relaxed);
                worker.is_given_up.store(true, Ordering::Release);
                Err(RenderError::TimeOut { step: "laying the page out", limit_ms })
            }
        }
    }

    fn start(&self) -> Result<Worker, RenderError> {
        let (pages, waiting) = mpsc::channel();
        let is_given_up = Arc::new(AtomicBool::new(false));
        let (overrun, gone) = (Arc::clone(&self.overrun), Arc::clone(&is_given_up));
        thread::Builder::new()
            .name("vclean-engine".to_owned())
            .stack_size(self.stack_bytes)
            .spawn(move || {
                work(&waiting);
                // Its last page is over only now.
                if gone.load(Ordering::Acquire) {
                    overrun.fetch_sub(1, Ordering::Relaxed);
                }
            })
            .map_err(|error| RenderError::Crash(format!("cannot start a thread for the page: {error}")))?;
        Ok(Worker { pages, is_given_up })
    }
}

/// Takes pages until nobody brings any.
fn work(waiting: &Receiver<(Job, Sender<Answer>)>) {
    while let Ok((job, answer)) = waiting.recv() {
        let result = panic::catch_unwind(AssertUnwindSafe(|| lay_out(job))).map_err(|payload| said(&*payload));
        let has_panicked = result.is_err();
        let _ = answer.send(result);
        if has_panicked {
            break;
        }
    }
}

/// The first line of what a panic said.
fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    excerpt(text.lines().next().unwrap_or("no message"), 200).to_owned()
}
