//! Worker threads with a large stack that lay out pages. They are reused; a thread that exceeds the time limit of its
//! page is abandoned.
//!
//! A new thread per page would be simpler, but each new thread takes memory from another arena of the allocator, and
//! the fragmented memory of a page is not returned. 300 pages six times over left 509 MB with new threads, and 373 MB
//! with reused ones.

use super::lay_out::{LayoutJob, LayoutResult, lay_out};
use crate::error::RenderError;
use crate::text::excerpt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Number of threads still running after their time limit from which on no new page is accepted.
const MAX_OVERRUN: usize = 4;

/// The result of a page; the error of a panic is the first line of its message.
type JobResult = Result<Result<LayoutResult, RenderError>, String>;

/// The idle threads; the others are busy with a page.
pub(super) struct Threads {
    stack_bytes: usize,
    idle: Mutex<Vec<Worker>>,
    overrun: Arc<AtomicUsize>,
}

/// A thread that waits for pages.
struct Worker {
    pages: Sender<(LayoutJob, Sender<JobResult>)>,
    is_given_up: Arc<AtomicBool>,
}

impl Threads {
    pub(super) fn new(stack_bytes: usize) -> Self {
        Self { stack_bytes, idle: Mutex::default(), overrun: Arc::default() }
    }

    /// Lays out a page, and waits at most `limit_ms`.
    pub(super) fn run(&self, job: LayoutJob, limit_ms: u64) -> Result<LayoutResult, RenderError> {
        if self.overrun.load(Ordering::Relaxed) >= MAX_OVERRUN {
            return Err(RenderError::Limit(format!(
                "{MAX_OVERRUN} pages before this one still keep the built-in engine busy; use `engine` chromium for it"
            )));
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let worker = idle.map_or_else(|| self.start(), Ok)?;
        let (send, receive) = mpsc::channel();
        // If the thread has ended, the missing result is noticed below.
        let _ = worker.pages.send((job, send));
        match receive.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(result)) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                result
            }
            // The engine has thread-local state, so a thread that panicked is not reused.
            Ok(Err(message)) => Err(RenderError::Crash(format!(
                "the built-in engine failed on the page: {message}; use `engine` chromium for it"
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
                // Its last page ended only now.
                if gone.load(Ordering::Acquire) {
                    overrun.fetch_sub(1, Ordering::Relaxed);
                }
            })
            .map_err(|error| RenderError::Crash(format!("cannot start a thread for the page: {error}")))?;
        Ok(Worker { pages, is_given_up })
    }
}

/// Lays out pages until the sender is dropped.
fn work(waiting: &Receiver<(LayoutJob, Sender<JobResult>)>) {
    while let Ok((job, answer)) = waiting.recv() {
        let result = panic::catch_unwind(AssertUnwindSafe(|| lay_out(job))).map_err(|payload| panic_message(&*payload));
        let has_panicked = result.is_err();
        let _ = answer.send(result);
        if has_panicked {
            break;
        }
    }
}

/// The first line of a panic message.
fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    excerpt(text.lines().next().unwrap_or("no message"), 200).to_owned()
}
