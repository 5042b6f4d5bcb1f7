//! The iterator of `Cleaner.clean_many`: pages are cleaned in threads, and the documents come in
//! the order of the pages.
//!
//! Python's iterator is read only by the thread that requests the next document, so it need not be
//! thread-safe.

use crate::document::Document;
use crate::errors::exception;
use crate::input::Page;
use crate::waiting::{Fault, guarded, wait};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use vclean::CleanedPage;
use vclean::pipeline::{PageCleaner, StopRequest};

/// Treatment of pages that fail; see `errors` in `_vclean.pyi`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failures {
    Return,
    Raise,
    Skip,
}

impl Failures {
    pub(crate) fn named(name: &str) -> Option<Self> {
        [
            ("return", Self::Return),
            ("raise", Self::Raise),
            ("skip", Self::Skip),
        ]
        .into_iter()
        .find_map(|(known, choice)| (known == name).then_some(choice))
    }
}

/// The operation on each page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Clean,
    RenderAndClean,
}

type Outcome = Result<Result<CleanedPage, vclean::Error>, Fault>;

struct Job {
    page: Page,
    answer: Sender<Outcome>,
}

/// A page that was read from the user's iterator.
enum Pending {
    /// A page that is being cleaned, with its name.
    Page(Mutex<Receiver<Outcome>>, String),
    /// The item is not a page.
    NoPage(PyErr),
    /// The user's iterator raised this exception.
    Failed(PyErr),
}

struct State {
    pages: Option<Py<PyIterator>>,
    jobs: Option<Sender<Job>>,
    pending: VecDeque<Pending>,
}

/// The documents of many pages, in order.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct CleanMany {
    state: Mutex<State>,
    work: Work,
    ahead: usize,
    failures: Failures,
    process: u32,
    /// Stops the pages that are being cleaned when the iterator is dropped.
    stop: StopRequest,
}

impl Drop for CleanMany {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl CleanMany {
    pub(crate) fn start(
        pages: Bound<'_, PyIterator>,
        cleaner: Arc<vclean::Cleaner>,
        work: Work,
        threads: usize,
        ahead: Option<usize>,
        failures: Failures,
    ) -> Self {
        let stop = StopRequest::default();
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let (waiting, cleaner) = (Arc::clone(&waiting), Arc::clone(&cleaner));
            let pages = cleaner.pages().clone().stopped_by(stop.clone());
            thread::spawn(move || {
                loop {
                    let job = waiting
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv();
                    let Ok(Job { page, answer }) = job else {
                        return;
                    };
                    // If this fails, the iterator is gone.
                    let _ = answer.send(guarded(|| work.run(&cleaner, &pages, page)));
                }
            });
        }
        let state = State {
            pages: Some(pages.unbind()),
            jobs: Some(jobs),
            pending: VecDeque::new(),
        };
        let ahead = ahead.unwrap_or(2 * threads);
        Self {
            state: Mutex::new(state),
            work,
            ahead,
            failures,
            process: std::process::id(),
            stop,
        }
    }

    /// Reads pages until enough are being cleaned, or there are no more.
    fn fill(&self, py: Python<'_>, state: &mut State) {
        while state.pending.len() < self.ahead {
            let Some(pages) = &state.pages else { return };
            let Some(next) = pages.bind(py).clone().next() else {
                state.pages = None;
                state.jobs = None;
                return;
            };
            let read = next.map(|any| match self.work {
                Work::Clean => Page::from_item(&any),
                Work::RenderAndClean => crate::cleaner::to_render(&any, None),
            });
            state.pending.push_back(match (read, &state.jobs) {
                (Ok(Ok(page)), Some(jobs)) => {
                    let (answer, answers) = channel();
                    let label = page.label();
                    // The threads live as long as the sender.
                    let _ = jobs.send(Job { page, answer });
                    Pending::Page(Mutex::new(answers), label)
                }
                (Ok(Ok(_)), None) => return,
                (Ok(Err(error)), _) => Pending::NoPage(error),
                (Err(error), _) => Pending::Failed(error),
            });
        }
    }
}

impl Work {
    fn run(
        self,
        cleaner: &vclean::Cleaner,
        pages: &PageCleaner,
        page: Page,
    ) -> Result<CleanedPage, vclean::Error> {
        let name = page.name.clone();
        let cleaned = match self {
            Self::Clean => crate::fork::without_forks(|| pages.clean(&page.open()?)),
            Self::RenderAndClean => {
                let capture = cleaner.render(&page.open()?)?;
                crate::fork::without_forks(|| pages.clean_capture(&capture))
            }
        };
        Ok(Page::named(name, cleaned?))
    }
}

#[pymethods]
impl CleanMany {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// Waits for the next document in a thread of its own, so that the event loop goes on.
    fn __anext__<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let following = this.py().import("vclean._following")?;
        following.getattr("following")?.call1((this,))
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if self.process != std::process::id() {
            let cause = "clean_many goes on only in the process that started it; call it again after a fork";
            return Err(exception(py, "VcleanError", cause));
        }
        let Ok(mut state) = self.state.try_lock() else {
            return Err(PyValueError::new_err(
                "clean_many is already executing in another thread",
            ));
        };
        loop {
            self.fill(py, &mut state);
            let result = match state.pending.front() {
                None => return Ok(None),
                Some(Pending::Page(answers, label)) => match wait(py, answers)? {
                    Some(Ok(Ok(cleaned))) => Ok(cleaned),
                    Some(Ok(Err(error))) => Err(Page::error(py, label, &error)),
                    Some(Err(_)) | None => Err(Fault::exception(py, label)),
                },
                Some(Pending::NoPage(error)) => Err(error.clone_ref(py)),
                Some(Pending::Failed(error)) => {
                    let error = error.clone_ref(py);
                    state.pending.pop_front();
                    return Err(error);
                }
            };
            state.pending.pop_front();
            match result {
                Ok(cleaned) => return Ok(Some(Py::new(py, Document::live(cleaned))?.into_any())),
                Err(error) if self.failures == Failures::Raise => return Err(error),
                Err(error) if self.failures == Failures::Return => {
                    return Ok(Some(error.into_value(py).into_any()));
                }
                Err(_) => {}
            }
        }
    }
}
