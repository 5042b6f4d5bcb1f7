//! Processes the pages of a run: works on each, delivers results in order, and counts failures.

use super::Stop;
use super::crawl::Frontier;
use super::error::RunError;
use super::executor;
use super::inputs::{Inputs, NamedPage, PageName};
use super::options::{PAGE_LIMIT, RunOptions};
use super::panics::guarded;
use super::politeness::Politeness;
use super::politeness::queue::{HostPermit, Sorter, queue};
use super::report::Observer;
use super::state::RunState;
use super::work::{Ending, Item, Order, Outcome, Pools};
use crate::source::PassedOver;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use vclean_core::error::{ErrorKind, PageError, Warnings};
use vclean_core::page::{Body, Page};

/// The result of one page.
#[derive(Debug)]
pub struct Done<R> {
    /// The result of the caller's function for the page.
    pub content: R,
    /// Problems that did not stop the work.
    pub warnings: Warnings,
}

/// The outcome of storing a result.
#[derive(Debug)]
pub enum StoreOutcome {
    /// It is stored. Holds the size of its own file in bytes, if it has one.
    Stored(Option<u64>),
    /// It is dropped, and has no output.
    Dropped,
    /// No more results are wanted.
    Declined,
    /// It cannot be written.
    Unwritten(String),
}

/// Works on every page and passes the results to `receive`, in the order of the inputs unless the
/// options say otherwise. Pages that fail are reported and counted.
///
/// # Errors
/// If threads cannot be started.
pub fn each<R: Send + 'static, O: Observer>(
    inputs: Inputs,
    options: &RunOptions,
    state: RunState,
    stop: &Stop,
    observer: &mut O,
    work: impl Fn(&str, &Page) -> Result<Done<R>, PageError> + Send + Sync + 'static,
    receive: impl FnMut(&PageName, R, &mut O, &mut RunState) -> StoreOutcome,
) -> Result<Ended, RunError> {
    let (passed_over, is_one_page) = (inputs.passed_over(), inputs.is_one_page());
    let work = move |NamedPage { stem, page }: NamedPage| work(&stem, &page?);
    let mut collector = Collector::new(observer, state, passed_over, receive);
    let items = due(&mut collector.state, inputs);
    if is_one_page && options.page_limit.is_none() {
        // Without pages, no thread is needed.
        let mut ending = Ok(Ending::Complete);
        for Item { name, content } in items {
            let result = guarded(|| work(content));
            if collector.take(Outcome { name, result }).is_break() {
                ending = Ok(Ending::Declined);
            }
        }
        return collector.end(ending);
    }
    let ending = executor::run(
        items,
        options.jobs(),
        Some(options.page_limit.unwrap_or(PAGE_LIMIT)),
        options.order(),
        stop,
        work,
        |outcome| collector.take(outcome),
    );
    collector.end(ending)
}

/// How pages are rendered in a run.
pub struct Rendering {
    /// Places for pages that are being rendered, and for pages that are being cleaned.
    pub pools: Pools,
    /// Rate limits of the hosts of pages that have an address.
    pub politeness: Arc<Politeness>,
    /// Called regularly for a warning about the whole run.
    pub warning: RunWarning,
}

/// A function that returns a warning about the whole run, once there is one.
pub(crate) type RunWarning = Box<dyn Fn() -> Option<String>>;

/// Like [`each`], but in two stages: `render` with the first pool, such as the tabs of a browser,
/// `work` with the second. Pages whose host is in a pause are overtaken by others.
///
/// # Errors
/// If threads cannot be started.
#[allow(clippy::too_many_arguments)]
pub(crate) fn each_rendered<S: Send + 'static, R: Send + 'static, O: Observer>(
    inputs: Inputs,
    options: &RunOptions,
    rendering: Rendering,
    state: RunState,
    stop: &Stop,
    observer: &mut O,
    render: impl Fn(&str, &Page) -> Result<S, PageError> + Send + Sync + 'static,
    work: impl Fn(&str, &Page, S) -> Result<Done<R>, PageError> + Send + Sync + 'static,
    receive: impl FnMut(&PageName, R, &mut O, &mut RunState) -> StoreOutcome,
) -> Result<Ended, RunError> {
    let passed_over = inputs.passed_over();
    let first = move |(permit, NamedPage { stem, page }): (HostPermit, NamedPage)| {
        let page = page?;
        let rendered = render(&stem, &page);
        drop(permit);
        Ok((stem, page, rendered?))
    };
    let second = move |(stem, page, rendered): (String, Page, S)| work(&stem, &page, rendered);
    let crawl = inputs.crawl();
    let mut collector = Collector::new(observer, state, passed_over, receive);
    collector.warning = Some(rendering.warning);
    collector.crawl.clone_from(&crawl);
    rendering.politeness.end_when({
        let stop = stop.clone();
        move || stop.is_set()
    });
    let (items, mut sorter) = queued(
        due(&mut collector.state, inputs),
        crawl.is_some(),
        rendering.politeness,
    );
    let order = options.order();
    let ending = executor::run_stages(
        items,
        rendering.pools,
        Some(options.page_limit.unwrap_or(PAGE_LIMIT)),
        order,
        stop,
        first,
        second,
        |outcome| match &mut sorter {
            Some(sorter) if order != Order::Finished => sorter
                .put(outcome)
                .into_iter()
                .try_for_each(|outcome| collector.take(outcome)),
            _ => collector.take(outcome),
        },
    );
    if matches!(ending, Ok(Ending::Stopped))
        && order != Order::Strict
        && let Some(sorter) = &mut sorter
    {
        // Deliver the results of pages that overtook pages which were not begun.
        let _ = sorter
            .rest()
            .into_iter()
            .try_for_each(|outcome| collector.take(outcome));
    }
    collector.end(ending)
}

/// A page with the permission to load it.
type Permitted = Item<(HostPermit, NamedPage), PageName>;

/// The pages, those of ready hosts first, and the [`Sorter`] that restores their order. The pages
/// of a crawl are not queued again, because the frontier waits for their hosts already: a queue
/// that reads ahead would wait for addresses whose pages wait in it.
fn queued<R>(
    due: impl Iterator<Item = Item<NamedPage, PageName>> + Send + 'static,
    is_crawl: bool,
    politeness: Arc<Politeness>,
) -> (
    Box<dyn Iterator<Item = Permitted> + Send>,
    Option<Sorter<R>>,
) {
    if is_crawl {
        let permit = |Item { name, content }| Item {
            name,
            content: (HostPermit::unlimited(), content),
        };
        return (Box::new(due.map(permit)), None);
    }
    let (queue, sorter) = queue(politeness, due, address);
    let items = queue.map(|(permit, Item { name, content })| Item {
        name,
        content: (permit, content),
    });
    (Box::new(items), Some(sorter))
}

/// The address of a page, if it has one.
fn address(item: &Item<NamedPage, PageName>) -> Option<String> {
    match &item.content.page {
        Ok(Page {
            body: Body::Address(address),
            ..
        }) => Some(address.clone()),
        _ => None,
    }
}

/// The pages that are not done yet.
fn due(
    state: &mut RunState,
    inputs: Inputs,
) -> impl Iterator<Item = Item<NamedPage, PageName>> + Send + use<> {
    state.watch_expected(inputs.expected());
    let mut is_due = state.is_due();
    let crawl = inputs.crawl();
    inputs.into_items().filter(move |item| {
        let stem = &item.content.stem;
        let is_due = is_due(stem);
        if let Some(crawl) = crawl.as_ref().filter(|_| !is_due) {
            // The links of this page are known from the earlier run.
            crawl.finished(stem, Vec::new(), Vec::new());
        }
        is_due
    })
}

/// Receives the results, one after the other.
struct Collector<'a, O, F> {
    observer: &'a mut O,
    state: RunState,
    passed_over: PassedOver,
    receive: F,
    /// `None` after the warning was reported.
    warning: Option<RunWarning>,
    crawl: Option<Arc<Frontier>>,
    failed: usize,
    is_unwritten: bool,
}

impl<'a, O: Observer, F> Collector<'a, O, F> {
    fn new(observer: &'a mut O, state: RunState, passed_over: PassedOver, receive: F) -> Self {
        Self {
            observer,
            state,
            passed_over,
            receive,
            warning: None,
            crawl: None,
            failed: 0,
            is_unwritten: false,
        }
    }

    fn take<R>(&mut self, outcome: Outcome<Done<R>, PageName, PageError>) -> ControlFlow<()>
    where
        F: FnMut(&PageName, R, &mut O, &mut RunState) -> StoreOutcome,
    {
        let Outcome { name, result } = outcome;
        if let Some(text) = self.warning.as_ref().and_then(|warning| warning()) {
            self.observer.run_warning(&text);
            self.warning = None;
        }
        let noted = match result {
            Ok(done) => {
                for warning in &done.warnings {
                    self.observer.page_warning(&name.input, warning);
                }
                match (self.receive)(&name, done.content, self.observer, &mut self.state) {
                    StoreOutcome::Stored(bytes) => self.state.done(&name, bytes),
                    StoreOutcome::Dropped => self.state.dropped(&name),
                    StoreOutcome::Declined => return ControlFlow::Break(()),
                    StoreOutcome::Unwritten(cause) => Err(io::Error::other(cause)),
                }
            }
            // The output of other pages could not be written either.
            Err(error) if error.kind == ErrorKind::Output => Err(io::Error::other(error)),
            Err(error) => {
                self.failed += 1;
                self.observer.page_failed(&name.input, &error.message);
                self.state.failed(&name, error)
            }
        };
        if let Some(text) = self.state.take_warning() {
            self.observer.run_warning(&text);
        }
        self.observer.page_done(&self.state.figures());
        match noted {
            Ok(()) => ControlFlow::Continue(()),
            Err(cause) => {
                self.unwritten(&cause);
                ControlFlow::Break(())
            }
        }
    }

    fn unwritten(&mut self, cause: &io::Error) {
        if self.is_unwritten {
            return;
        }
        self.observer.run_error(&format!(
            "the output cannot be written: {cause}; nothing that was written is lost"
        ));
        self.is_unwritten = true;
    }

    fn end(mut self, ending: io::Result<Ending>) -> Result<Ended, RunError> {
        if let Some(crawl) = &self.crawl {
            crawl.end();
        }
        let ending = ending.map_err(RunError::Threads)?;
        let is_complete = ending == Ending::Complete && !self.is_unwritten;
        // The next run completes the output from the last checkpoint.
        let ended = if self.is_unwritten {
            self.state.give_up()
        } else {
            self.state.end(is_complete)
        };
        if let Err(cause) = ended {
            self.unwritten(&cause);
        }
        if let Some(text) = self.state.take_warning() {
            self.observer.run_warning(&text);
        }
        if let Some(crawl) = &self.crawl {
            crawl
                .notes()
                .iter()
                .for_each(|note| self.observer.run_note(note));
        }
        if let Some(text) = self.passed_over.summary() {
            self.observer.run_note(&text);
        }
        if let Some(text) = self.state.corpus_summary() {
            self.observer.run_note(&text);
        }
        self.observer.run_done(&self.state.figures());
        let old_failures = self.state.old_failures();
        if old_failures > 0 && is_complete {
            self.observer.run_error(&format!(
                "{old_failures} pages failed in earlier runs and were not tried again; `retry_failed` tries them"
            ));
        }
        let has_lost_output = self.observer.has_lost_output() || self.is_unwritten;
        Ok(Ended {
            ending,
            failed: self.failed + old_failures,
            has_lost_output,
        })
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Tells whether all pages were processed.
    pub ending: Ending,
    /// Pages that failed, in this run or in an earlier one that it continued.
    pub failed: usize,
    /// True if some results could not be written.
    pub has_lost_output: bool,
}
