//! What every verb that goes through pages does: a batch, one line a problem, and the exit code at the end.

use super::console::Console;
use super::inputs::{Inputs, Sheet};
use super::options::BatchArguments;
use super::{INTERRUPTED, SOME_FAILED, console};
use crate::batch::{self, Ending, Item, Outcome, Stop};
use crate::politeness::Politeness;
use crate::politeness::queue::{Place, queue};
use crate::source::{Body, Page};
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

/// Works on every page and hands the results over in input order. Pages that fail are reported and counted; `receive`
/// may end the run when nobody reads its results any more. With `politeness`, pages whose host must be waited for are
/// overtaken by others.
///
/// # Errors
/// If threads cannot be started.
pub(super) fn each<R: Send + 'static>(
    inputs: Inputs,
    arguments: &BatchArguments,
    politeness: Option<Arc<Politeness>>,
    work: impl Fn(&str, &Page) -> Result<Done<R>, String> + Send + Sync + 'static,
    mut receive: impl FnMut(&str, R, &mut Console) -> ControlFlow<()>,
) -> anyhow::Result<Ended> {
    let mut console = Console::new(inputs.len(), !inputs.is_one_page(), arguments.quiet);
    let mut failed = 0;
    let stop = Stop::on_interrupt(|| {
        console::complain("stopping after the pages in flight; press Ctrl-C again to leave at once");
    });
    let work = move |sheet: Sheet| work(&sheet.stem, &sheet.page?);
    let mut sink = |outcome: Outcome<Done<R>>| {
        console.advance();
        match outcome.result {
            Ok(done) => {
                for warning in &done.warnings {
                    console.warning(&outcome.name, warning);
                }
                receive(&outcome.name, done.content, &mut console)
            }
            Err(cause) => {
                failed += 1;
                console.error(&outcome.name, &cause);
                ControlFlow::Continue(())
            }
        }
    };
    let items = inputs.into_items();
    let ending = match politeness {
        None => batch::run(items, arguments.jobs(), &stop, work, sink)?,
        Some(politeness) => {
            politeness.end_when({
                let stop = stop.clone();
                move || stop.is_set()
            });
            let (queue, mut order) = queue(politeness, items, address);
            let items = queue.map(|(place, Item { name, content })| Item { name, content: (place, content) });
            let work = move |(_place, sheet): (Place, Sheet)| work(sheet);
            let ending = batch::run(items, arguments.jobs(), &stop, work, |outcome| {
                order.put(outcome).into_iter().try_for_each(&mut sink)
            })?;
            if ending == Ending::Stopped {
                // Done before others that were not begun.
                let _ = order.rest().into_iter().try_for_each(&mut sink);
            }
            ending
        }
    };
    console.finish();
    let has_lost_output = console.has_lost_output();
    Ok(Ended { ending, failed, has_lost_output })
}

/// The address of a page that has one.
fn address(item: &Item<Sheet>) -> Option<String> {
    match &item.content.page {
        Ok(Page { body: Body::Address(address), .. }) => Some(address.clone()),
        _ => None,
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
