//! What every verb that goes through pages does: a batch, one line a problem, and the exit code at the end.

use super::console::Console;
use super::inputs::{Inputs, Label, Sheet};
use super::ledger::Ledger;
use super::options::BatchArguments;
use super::{INTERRUPTED, SOME_FAILED, console};
use crate::batch::{self, Ending, Item, Order, Outcome, Pools, Stop};
use crate::politeness::Politeness;
use crate::politeness::queue::{Place, queue};
use crate::source::{Body, Page};
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

/// What came of one page.
#[derive(Debug)]
pub(super) struct Done<R> {
    /// What the verb wants of it.
    pub(super) content: R,
    /// What went wrong without stopping it.
    pub(super) warnings: Vec<String>,
}

/// Why a page came to nothing.
#[derive(Debug)]
pub(super) enum Fault {
    /// Something is wrong with the page; the others follow.
    Page(String),
    /// Its output cannot be written; nor can that of others.
    Output(String),
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::Page(format!("{error:#}"))
    }
}

impl From<crate::error::Error> for Fault {
    fn from(error: crate::error::Error) -> Self {
        Self::Page(super::advice::with_options(&error))
    }
}

/// What a worker hands over: a page, or why nothing can be written.
type Handed<R> = Result<Done<R>, String>;

/// What was done with a result.
#[derive(Debug)]
pub(super) enum Taken {
    /// It is where it belongs; the size of its own file in bytes, where it has one.
    Stored(Option<u64>),
    /// Nobody reads results any more.
    Declined,
    /// It cannot be written.
    Unwritten(String),
}

/// Works on every page and hands the results over in input order. Pages that fail are reported and counted; `receive`
/// may end the run when nobody reads its results any more.
///
/// # Errors
/// If threads cannot be started.
pub(super) fn each<R: Send + 'static>(
    inputs: Inputs,
    arguments: &BatchArguments,
    ledger: Ledger,
    work: impl Fn(&str, &Page) -> Result<Done<R>, Fault> + Send + Sync + 'static,
    receive: impl FnMut(&Label, R, &mut Console, &mut Ledger) -> Taken,
) -> anyhow::Result<Ended> {
    let work = move |sheet: Sheet| handed(sheet.page.map_err(Fault::Page).and_then(|page| work(&sheet.stem, &page)));
    let (mut desk, stop) = Desk::new(&inputs, arguments, ledger, receive);
    let items = desk.items(inputs);
    let ending = batch::run(items, arguments.jobs(), arguments.order(), &stop, work, |outcome| desk.take(outcome));
    desk.end(ending)
}

/// How pages are rendered in a batch.
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
pub(super) struct Rendering {
    /// Tabs, and processors for the rest.
    pub(super) pools: Pools,
    /// Manners towards the hosts of pages that have an address.
    pub(super) politeness: Arc<Politeness>,
    /// What is to be told once a run, as soon as there is such a thing.
    pub(super) notice: Notice,
}

/// Says what the user should know of the whole run, where there is such a thing by now.
pub(super) type Notice = Box<dyn Fn() -> Option<String>>;

/// The same in two stages: `see` with the first pool, such as the tabs of a browser, `work` with the second. Pages whose
/// host must be waited for are overtaken by others.
///
/// # Errors
/// As [`each`].
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
pub(super) fn each_staged<S: Send + 'static, R: Send + 'static>(
    inputs: Inputs,
    arguments: &BatchArguments,
    rendering: Rendering,
    ledger: Ledger,
    see: impl Fn(&str, &Page) -> Result<S, Fault> + Send + Sync + 'static,
    work: impl Fn(&str, &Page, S) -> Result<Done<R>, Fault> + Send + Sync + 'static,
    receive: impl FnMut(&Label, R, &mut Console, &mut Ledger) -> Taken,
) -> anyhow::Result<Ended> {
    let first = move |(place, Sheet { stem, page }): (Place, Sheet)| {
        let page = page?;
        let seen = see(&stem, &page);
        drop(place);
        match seen {
            Ok(seen) => Ok(Ok((stem, page, seen))),
            Err(Fault::Output(cause)) => Ok(Err(cause)),
            Err(Fault::Page(cause)) => Err(cause),
        }
    };
    let second = move |seen: Result<(String, Page, S), String>| match seen {
        Ok((stem, page, seen)) => handed(work(&stem, &page, seen)),
        Err(cause) => Ok(Err(cause)),
    };
    let (mut desk, stop) = Desk::new(&inputs, arguments, ledger, receive);
    desk.notice = Some(rendering.notice);
    rendering.politeness.end_when({
        let stop = stop.clone();
        move || stop.is_set()
    });
    let (queue, mut places) = queue(rendering.politeness, desk.items(inputs), address);
    let items = queue.map(|(place, Item { name, content })| Item { name, content: (place, content) });
    let order = arguments.order();
    let ending = batch::run_stages(items, rendering.pools, order, &stop, first, second, |outcome| match order {
        Order::Input => places.put(outcome).into_iter().try_for_each(|outcome| desk.take(outcome)),
        Order::Finished => desk.take(outcome),
    });
    if matches!(ending, Ok(Ending::Stopped)) {
        // Done before others that were not begun.
        let _ = places.rest().into_iter().try_for_each(|outcome| desk.take(outcome));
    }
    desk.end(ending)
}

/// The address of a page that has one.
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
fn address(item: &Item<Sheet, Label>) -> Option<String> {
    match &item.content.page {
        Ok(Page { body: Body::Address(address), .. }) => Some(address.clone()),
        _ => None,
    }
}

/// A page's own fault is an error of the batch's item, any other comes through to the desk.
fn handed<R>(result: Result<Done<R>, Fault>) -> Result<Handed<R>, String> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(Fault::Output(cause)) => Ok(Err(cause)),
        Err(Fault::Page(cause)) => Err(cause),
    }
}

/// Where results arrive, one after the other.
struct Desk<F> {
    console: Console,
    ledger: Ledger,
    receive: F,
    /// Taken when it was told.
    notice: Option<Notice>,
    failed: usize,
    is_unwritten: bool,
}

impl<F> Desk<F> {
    fn new(inputs: &Inputs, arguments: &BatchArguments, ledger: Ledger, receive: F) -> (Self, Stop) {
        let console = Console::new(inputs.len(), !inputs.is_one_page(), arguments.quiet);
        let stop = Stop::on_interrupt(|| {
            console::complain("stopping after the pages in flight; press Ctrl-C again to leave at once");
        });
        (Self { console, ledger, receive, notice: None, failed: 0, is_unwritten: false }, stop)
    }

    /// The pages that are still to be done.
    fn items(&mut self, inputs: Inputs) -> impl Iterator<Item = Item<Sheet, Label>> + Send + 'static {
        let mut is_due = self.ledger.is_due();
        inputs.into_items().filter(move |item| is_due(&item.content.stem))
    }

    fn take<R>(&mut self, outcome: Outcome<Handed<R>, Label>) -> ControlFlow<()>
    where
        F: FnMut(&Label, R, &mut Console, &mut Ledger) -> Taken,
    {
        let Outcome { name, result } = outcome;
        self.tell();
        let noted = match result {
            Ok(Ok(done)) => {
                for warning in &done.warnings {
                    self.console.warning(&name.input, warning);
                }
                match (self.receive)(&name, done.content, &mut self.console, &mut self.ledger) {
                    Taken::Stored(bytes) => self.ledger.done(&name, bytes),
                    Taken::Declined => return ControlFlow::Break(()),
                    Taken::Unwritten(cause) => Err(io::Error::other(cause)),
                }
            }
            Ok(Err(cause)) => Err(io::Error::other(cause)),
            Err(cause) => {
                self.failed += 1;
                self.console.error(&name.input, &cause);
                self.ledger.failed(&name, cause)
            }
        };
        self.console.advance(&self.ledger.remark());
        match noted {
            Ok(()) => ControlFlow::Continue(()),
            Err(cause) => {
                self.unwritten(&cause);
                ControlFlow::Break(())
            }
        }
    }

    /// Tells what is to be told once, where it has not been.
    fn tell(&mut self) {
        if let Some(text) = self.notice.as_ref().and_then(|notice| notice()) {
            self.console.notice(&text);
            self.notice = None;
        }
    }

    fn unwritten(&mut self, cause: &io::Error) {
        if self.is_unwritten {
            return;
        }
        self.console.complain(&format!("the output cannot be written: {cause}; nothing that was written is lost"));
        self.is_unwritten = true;
    }

    fn end(mut self, ending: io::Result<Ending>) -> anyhow::Result<Ended> {
        let ending = ending?;
        let is_complete = ending == Ending::Complete && !self.is_unwritten;
        // What was half written is left to the next run, which goes on from what is safe.
        let ended = if self.is_unwritten { self.ledger.give_up() } else { self.ledger.end(is_complete) };
        if let Err(cause) = ended {
            self.unwritten(&cause);
        }
        self.console.finish();
        let old_failures = self.ledger.old_failures();
        if old_failures > 0 && is_complete {
            self.console.complain(&format!(
                "{old_failures} pages failed in earlier runs and were not tried again; --retry-failed tries them"
            ));
        }
        let has_lost_output = self.console.has_lost_output() || self.is_unwritten;
        Ok(Ended { ending, failed: self.failed + old_failures, has_lost_output })
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    ending: Ending,
    failed: usize,
    has_lost_output: bool,
}

impl Ended {
    /// Whether the user ended the run before all pages were done.
    pub(super) fn is_interrupted(self) -> bool {
        self.ending == Ending::Stopped
    }

    /// The exit code; an interrupted run says how to go on.
    pub(super) fn code(self, how_to_go_on: &str) -> ExitCode {
        if self.is_interrupted() {
            console::complain(&format!("stopped before the end; {how_to_go_on}"));
            INTERRUPTED.into()
        } else if self.failed > 0 || self.has_lost_output {
            SOME_FAILED.into()
        } else {
            ExitCode::SUCCESS
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_tells_how_it_ended() {
        let ended = |ending, failed| Ended { ending, failed, has_lost_output: false };
        let code = |ended: Ended| format!("{:?}", ended.code("x"));
        let is = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(ended(Ending::Complete, 0)), is(0));
        assert_eq!(code(ended(Ending::Complete, 3)), is(2));
        assert_eq!(code(ended(Ending::Stopped, 0)), is(130));
        // Nobody reads any more, as behind `| head`: no failure.
        assert_eq!(code(ended(Ending::Declined, 0)), is(0));
        assert_eq!(code(Ended { has_lost_output: true, ..ended(Ending::Declined, 0) }), is(2));
    }
}
