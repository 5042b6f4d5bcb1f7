//! The iterator of `Cleaner.clean_many`: pages are cleaned in threads, and the documents come in
//! the order of the pages.
//!
//! Python's iterator is read only by the thread that requests the next document, so it need not be
//! thread-safe.

use crate::document::Document;
use crate::errors::exception;
use crate::input::Page;
use crate::waiting::{Fault, guarded, too_long, wait};
use crate::watch::Watch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use vclean::CleanedPage;
use vclean::pipeline::{PageCleaner, StopRequest};
use vclean::run::{Filter, Measured};

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

/// The work on the pages.
pub(crate) struct Plan {
    pub(crate) work: Work,
    pub(crate) threads: usize,
    pub(crate) ahead: Option<usize>,
    pub(crate) failures: Failures,
    /// Time limit for the cleaning of a page.
    pub(crate) limit: Option<Duration>,
    pub(crate) filter: Option<Filter>,
}

/// A cleaned page, and its measures for the filter.
type Measurements = (CleanedPage, Option<Measured>);

type Outcome = Result<Result<Measurements, vclean::Error>, Fault>;

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
    plan: Arc<Plan>,
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
        plan: Plan,
    ) -> Self {
        let plan = Arc::new(plan);
        let stop = StopRequest::default();
        let watch = plan
            .limit
            .map(|limit| Arc::new(Watch::start(limit, stop.clone())));
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..plan.threads {
            let (waiting, cleaner) = (Arc::clone(&waiting), Arc::clone(&cleaner));
            let (plan, stop, watch) = (Arc::clone(&plan), stop.clone(), watch.clone());
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
                    let _ = answer.send(guarded(|| {
                        plan.run(&cleaner, (&stop, watch.as_deref()), page)
                    }));
                }
            });
        }
        let state = State {
            pages: Some(pages.unbind()),
            jobs: Some(jobs),
            pending: VecDeque::new(),
        };
        Self {
            state: Mutex::new(state),
            plan,
            process: std::process::id(),
            stop,
        }
    }

    /// Reads pages until enough are being cleaned, or there are no more.
    fn fill(&self, py: Python<'_>, state: &mut State) {
        let ahead = self.plan.ahead.unwrap_or(2 * self.plan.threads);
        while state.pending.len() < ahead {
            let Some(pages) = &state.pages else { return };
            let Some(next) = pages.bind(py).clone().next() else {
                state.pages = None;
                state.jobs = None;
                return;
            };
            let read = next.map(|any| match self.plan.work {
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

impl Plan {
    fn run(
        &self,
        cleaner: &vclean::Cleaner,
        (stop, watch): (&StopRequest, Option<&Watch>),
        page: Page,
    ) -> Result<Measurements, vclean::Error> {
        let name = page.name.clone();
        let page = page.open()?;
        let capture = match self.work {
            Work::Clean => None,
            Work::RenderAndClean => Some(cleaner.render(&page)?),
        };
        // Rendering has the same limit for itself.
        let stop = stop.for_part();
        if let Some(watch) = watch {
            watch.add(stop.clone());
        }
        let pages: PageCleaner = cleaner.pages().clone().stopped_by(stop);
        crate::fork::without_forks(|| {
            let cleaned = match capture {
                None => pages.clean(&page)?,
                Some(capture) => pages.clean_capture(&capture)?,
            };
            let filter = self.filter.as_ref();
            let measured = filter.map(|filter| filter.measure(&cleaned.document, &page));
            Ok((Page::named(name, cleaned), measured))
        })
    }

    /// Returns true if a filter drops the next document.
    fn drops(&self, label: &str, measured: Option<&Measured>) -> bool {
        let filtered = self.filter.as_ref().zip(measured);
        filtered.is_some_and(|(filter, measured)| filter.drops(label, measured).is_some())
    }

    fn exception(&self, py: Python<'_>, label: &str, error: &vclean::Error) -> PyErr {
        match (error, self.limit) {
            (vclean::Error::Stopped, Some(limit)) => too_long(py, label, limit),
            _ => Page::error(py, label, error),
        }
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
                    Some(Ok(Ok((cleaned, measured)))) => {
                        let is_dropped = py.detach(|| self.plan.drops(label, measured.as_ref()));
                        Ok((!is_dropped).then_some(cleaned))
                    }
                    Some(Ok(Err(error))) => Err(self.plan.exception(py, label, &error)),
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
                Ok(Some(cleaned)) => {
                    return Ok(Some(Py::new(py, Document::live(cleaned))?.into_any()));
                }
                Err(error) if self.plan.failures == Failures::Raise => return Err(error),
                Err(error) if self.plan.failures == Failures::Return => {
                    return Ok(Some(error.into_value(py).into_any()));
                }
                Ok(None) | Err(_) => {}
            }
        }
    }
}
