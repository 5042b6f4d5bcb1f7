//! Many pages: a pool of worker threads with a bounded queue, results in input order, and a flag that ends it early.
//!
//! Stands between `cli` and the stages of one page. It knows nothing of pages: what is worked on, what comes out and
//! where it goes are the caller's. Tokio runs the queue; the work blocks (a browser tab, a parser), so each piece runs
//! on a blocking thread behind a semaphore of `jobs` permits.
//!
//! What holds: results arrive in input order whatever the number of jobs; no more than `jobs` pieces of work hold their
//! input at once; a piece that panics becomes an error of that piece and the batch goes on.

mod stop;

pub use stop::Stop;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

/// Results that may wait for an earlier, slower one, for each job: beyond it no new work begins, so that memory stays
/// flat behind a page that hangs until its time limit. Taste: text of a page is small, a time-out lasts some ten pages.
const WAITING_RESULTS_PER_JOB: usize = 16;

/// Stack of a worker thread in bytes; pages are hostile, and some parsers below us recurse a little.
const WORKER_STACK_BYTES: usize = 16 << 20;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    /// What messages call it.
    pub name: String,
    /// What the work takes.
    pub content: T,
}

/// What came of one piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<R> {
    /// Name of the item.
    pub name: String,
    /// What the work gave, or in one line why it could not.
    pub result: Result<R, String>,
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every item was worked on and handed over.
    Complete,
    /// [`Stop`] was set: what was in flight was handed over, the rest was not begun.
    Stopped,
    /// The receiver of the results wants no more.
    Declined,
}

/// Works on every item with `jobs` threads (at least one) and hands the outcomes to `sink` in the order of the items.
///
/// The items are drawn on a thread of their own, so that a slow list (a pipe) holds up nobody. `sink` runs on the
/// caller's thread and may end the batch with [`ControlFlow::Break`].
///
/// # Errors
/// If the threads cannot be started, or drawing the items panics.
pub fn run<T, R>(
    items: impl IntoIterator<Item = Item<T>> + Send + 'static,
    jobs: usize,
    stop: &Stop,
    work: impl Fn(T) -> Result<R, String> + Send + Sync + 'static,
    mut sink: impl FnMut(Outcome<R>) -> ControlFlow<()>,
) -> io::Result<Ending>
where
    T: Send + 'static,
    R: Send + 'static,
{
    let jobs = jobs.max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(jobs)
        .thread_stack_size(WORKER_STACK_BYTES)
        .thread_name("vclean-worker")
        .enable_all()
        .build()?;
    let (sender, receiver) = mpsc::channel(1);
    let feeder =
        thread::Builder::new().name("vclean-inputs".into()).stack_size(WORKER_STACK_BYTES).spawn(move || {
            for item in items {
                if sender.blocking_send(item).is_err() {
                    break;
                }
            }
        })?;
    stop.listen(&runtime);
    let ending = runtime.block_on(drive(receiver, jobs, stop, Arc::new(work), &mut sink));
    if ending == Ending::Complete && feeder.join().is_err() {
        return Err(io::Error::other("the list of inputs could not be read to its end"));
    }
    Ok(ending)
}

/// The queue: begins work while there is room, hands over from the front.
async fn drive<T: Send + 'static, R: Send + 'static>(
    mut items: mpsc::Receiver<Item<T>>,
    jobs: usize,
    stop: &Stop,
    work: Arc<impl Fn(T) -> Result<R, String> + Send + Sync + 'static>,
    sink: &mut impl FnMut(Outcome<R>) -> ControlFlow<()>,
) -> Ending {
    let permits = Arc::new(Semaphore::new(jobs));
    let mut queue: VecDeque<JoinHandle<Outcome<R>>> = VecDeque::new();
    let mut ending = Ending::Complete;
    let mut draws = true;
    while draws || !queue.is_empty() {
        let has_room = queue.len() < jobs * WAITING_RESULTS_PER_JOB;
        tokio::select! {
            biased;
            () = stop.wait(), if draws => {
                ending = Ending::Stopped;
                draws = false;
            }
            outcome = front(&mut queue), if !queue.is_empty() => {
                queue.pop_front();
                if sink(outcome).is_break() {
                    // What is in flight ends by itself when the runtime is dropped.
                    return Ending::Declined;
                }
            }
            drawn = draw(&permits, &mut items), if draws && has_room => match drawn {
                Some((permit, Item { name, content })) => {
                    let work = Arc::clone(&work);
                    queue.push_back(tokio::task::spawn_blocking(move || {
                        let _permit = permit;
                        Outcome { name, result: guarded(|| work(content)) }
                    }));
                }
                None => draws = false,
            },
        }
    }
    ending
}

/// Waits for the oldest piece of work.
async fn front<R>(queue: &mut VecDeque<JoinHandle<Outcome<R>>>) -> Outcome<R> {
    let oldest = queue.front_mut().expect("the branch is taken only with work in the queue");
    // A worker catches its own panics and is never aborted.
    oldest.await.expect("workers end by returning")
}

/// Waits for a free worker, then for an item: in this order, so that no item is held without work being done on it.
async fn draw<T>(
    permits: &Arc<Semaphore>,
    items: &mut mpsc::Receiver<Item<T>>,
) -> Option<(tokio::sync::OwnedSemaphorePermit, Item<T>)> {
    let permit = Arc::clone(permits).acquire_owned().await.expect("the semaphore is never closed");
    items.recv().await.map(|item| (permit, item))
}

thread_local! {
    /// Where the last panic of this thread happened, for its message.
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics silent and remembers where they happened, so that [`run`] can name the place in the item's error.
/// For programs, once, before any thread starts; set `RUST_BACKTRACE` to keep the usual report beside it.
pub fn quiet_panics() {
    let usual = panic::take_hook();
    let keeps_report = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |report| {
        let is_worker = thread::current().name().is_some_and(|name| name.starts_with("vclean-"));
        if keeps_report || !is_worker {
            usual(report);
        }
        let place = report.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PANIC_PLACE.with(|cell| *cell.borrow_mut() = place);
    }));
}

/// Runs `work`; a panic becomes an error in one line.
fn guarded<R>(work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    PANIC_PLACE.with(|cell| cell.borrow_mut().take());
    // What the work shares with others are the renderer and the model; both stay usable after a panic.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let said = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let place = PANIC_PLACE.with(|cell| cell.borrow_mut().take()).unwrap_or_else(|| "an unknown place".to_owned());
        let said = said.lines().next().unwrap_or_default();
        Err(format!("a fault in vclean at {place}: {said}; please report it with the page"))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    fn numbers(count: usize) -> Vec<Item<usize>> {
        (0..count).map(|content| Item { name: content.to_string(), content }).collect()
    }

    /// Slow where the number is even, so that threads finish out of order.
    #[allow(clippy::unnecessary_wraps)]
    fn uneven(number: usize) -> Result<usize, String> {
        if number.is_multiple_of(2) {
            thread::sleep(Duration::from_millis(3));
        }
        Ok(number * number)
    }

    #[test]
    fn results_come_in_input_order_for_any_number_of_jobs() {
        let collect = |jobs| {
            let mut results = Vec::new();
            let ending = run(numbers(40), jobs, &Stop::new(), uneven, |outcome| {
                results.push(outcome);
                ControlFlow::Continue(())
            });
            assert_eq!(ending.unwrap(), Ending::Complete);
            results
        };
        let alone = collect(1);
        assert_eq!(alone.len(), 40);
        assert_eq!(alone[7], Outcome { name: "7".into(), result: Ok(49) });
        assert_eq!(alone, collect(4));
        assert_eq!(alone, collect(0));
    }

    #[test]
    fn no_more_work_than_jobs_and_no_more_input_than_needed() {
        let at_once = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let drawn = Arc::new(AtomicUsize::new(0));
        let handed = Arc::new(AtomicUsize::new(0));
        let ahead = Arc::new(AtomicUsize::new(0));
        let items = numbers(200).into_iter().inspect({
            let (drawn, handed, ahead) = (Arc::clone(&drawn), Arc::clone(&handed), Arc::clone(&ahead));
            move |_| {
                let lead = drawn.fetch_add(1, SeqCst) + 1 - handed.load(SeqCst);
                ahead.fetch_max(lead, SeqCst);
            }
        });
        let work = {
            let (at_once, most) = (Arc::clone(&at_once), Arc::clone(&most));
            move |number| {
                most.fetch_max(at_once.fetch_add(1, SeqCst) + 1, SeqCst);
                // The first page hangs: everything behind it must wait without piling up.
                thread::sleep(Duration::from_millis(if number == 0 { 80 } else { 0 }));
                at_once.fetch_sub(1, SeqCst);
                Ok(number)
            }
        };
        run(items, 3, &Stop::new(), work, |_| {
            handed.fetch_add(1, SeqCst);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(most.load(SeqCst) <= 3);
        assert_eq!(handed.load(SeqCst), 200);
        // In the queue, in the channel, and one in the feeder's hand.
        assert!(ahead.load(SeqCst) <= 3 * WAITING_RESULTS_PER_JOB + 3, "{}", ahead.load(SeqCst));
    }

    #[test]
    fn a_panic_is_the_error_of_its_item_only() {
        let mut results = Vec::new();
        let work = |number: usize| {
            assert!(number != 2, "number two\nsecond line");
            Ok(number)
        };
        run(numbers(5), 2, &Stop::new(), work, |outcome| {
            results.push(outcome.result);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 4);
        let error = results[2].as_ref().unwrap_err();
        assert!(error.contains("number two") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn stopping_hands_over_what_is_in_flight_and_begins_nothing_new() {
        let stop = Stop::new();
        let mut results = Vec::new();
        let ending = run(
            numbers(1000),
            2,
            &stop.clone(),
            |number| {
                thread::sleep(Duration::from_millis(1));
                Ok(number)
            },
            |outcome| {
                results.push(outcome.result.unwrap());
                if results.len() == 5 {
                    stop.set();
                }
                ControlFlow::Continue(())
            },
        );
        assert_eq!(ending.unwrap(), Ending::Stopped);
        assert!(results.len() >= 5 && results.len() < 50, "{}", results.len());
        assert!(results.iter().enumerate().all(|(index, &number)| index == number));
    }

    #[test]
    fn a_receiver_that_wants_no_more_ends_the_batch() {
        let mut seen = 0;
        let ending = run(numbers(1000), 2, &Stop::new(), Ok, |_| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(ending.unwrap(), Ending::Declined);
        assert_eq!(seen, 3);
    }

    #[test]
    fn a_list_that_panics_is_an_error() {
        let items = numbers(3).into_iter().inspect(|item| assert!(item.content < 2, "broken list"));
        assert!(run(items, 1, &Stop::new(), Ok, |_| ControlFlow::Continue(())).is_err());
    }
}
