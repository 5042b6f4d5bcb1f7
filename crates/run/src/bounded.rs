//! The queue of a batch: reads items while there is room, and hands over results in order.

use super::Stop;
use super::work::{Ending, Item, Order, Outcome};
use super::workers::WORKER_STACK_BYTES;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use std::{io, panic, thread};
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Results per job that may wait for an earlier, slower one. Beyond it no new work begins, so that
/// memory stays bounded while a page hangs until its time limit. Heuristic: the text of a page is
/// small, and a time-out lasts as long as some ten pages.
pub(super) const WAITING_RESULTS_PER_JOB: usize = 16;

/// How long work in progress may go on after the batch was stopped. Its results are kept if it
/// finishes in this time.
const STOP_LIMIT: Duration = Duration::from_secs(1);

/// How much work is done at the same time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Items that were begun and are not finished.
    pub(super) in_flight: usize,
    /// The number of jobs, which limits the waiting results.
    pub(super) jobs: usize,
}

/// Runs a batch: `begin` starts the work on an item.
pub(super) fn run_with<T, R, N, B, F>(
    items: impl IntoIterator<Item = Item<T, N>> + Send + 'static,
    limits: Limits,
    order: Order,
    stop: &Stop,
    begin: B,
    mut sink: impl FnMut(Outcome<R, N>) -> ControlFlow<()>,
) -> io::Result<Ending>
where
    T: Send + 'static,
    R: Send + 'static,
    N: Send + 'static,
    B: Fn(T) -> F,
    F: Future<Output = Result<R, String>> + Send + 'static,
{
    let runtime = start_runtime()?;
    let (sender, receiver) = mpsc::channel(1);
    let feeder = thread::Builder::new()
        .name("vclean-inputs".into())
        .stack_size(WORKER_STACK_BYTES)
        .spawn(move || {
            for item in items {
                if sender.blocking_send(item).is_err() {
                    break;
                }
            }
        })?;
    stop.listen(&runtime);
    let ending = runtime.block_on(drive(receiver, limits, order, stop, &begin, &mut sink));
    if ending == Ending::Stopped {
        // Does not wait for work that was given up.
        runtime.shutdown_background();
        return Ok(ending);
    }
    if ending == Ending::Complete && feeder.join().is_err() {
        return Err(io::Error::other(
            "the list of inputs could not be read to its end",
        ));
    }
    Ok(ending)
}

/// The runtime of the queue, with one thread.
fn start_runtime() -> io::Result<Runtime> {
    // Tokio panics if the system refuses its thread.
    thread::Builder::new()
        .name("vclean-probe".into())
        .spawn(|| ())?
        .join()
        .map_err(|_| io::Error::other("a thread failed"))?;
    let start = || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder
            .worker_threads(1)
            .max_blocking_threads(1)
            .thread_name("vclean-queue")
            .enable_all()
            .build()
    };
    panic::catch_unwind(start)
        .unwrap_or_else(|_| Err(io::Error::other("the system starts no further thread")))
}

/// The queue: begins work while there is room, and hands over results in order.
async fn drive<T, R, N, B, F>(
    mut items: mpsc::Receiver<Item<T, N>>,
    limits: Limits,
    order: Order,
    stop: &Stop,
    begin: &B,
    sink: &mut impl FnMut(Outcome<R, N>) -> ControlFlow<()>,
) -> Ending
where
    T: Send + 'static,
    R: Send + 'static,
    N: Send + 'static,
    B: Fn(T) -> F,
    F: Future<Output = Result<R, String>> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(limits.in_flight));
    let (sender, mut finished) = mpsc::unbounded_channel();
    // Finished results that wait for an earlier one; the number of items begun and of those handed
    // over.
    let mut waiting: BTreeMap<u64, Outcome<R, N>> = BTreeMap::new();
    let (mut begun, mut handed) = (0u64, 0u64);
    let mut ending = Ending::Complete;
    let mut draws = true;
    let given_up = async {
        stop.wait().await;
        tokio::time::sleep(STOP_LIMIT).await;
    };
    tokio::pin!(given_up);
    while draws || handed < begun {
        let has_room = begun - handed < (limits.jobs * WAITING_RESULTS_PER_JOB) as u64;
        tokio::select! {
            biased;
            () = stop.wait(), if draws => {
                ending = Ending::Stopped;
                draws = false;
            }
            () = &mut given_up => {
                if order != Order::Strict {
                    // Finished results that wait for an item which is given up.
                    let _ = waiting.into_values().try_for_each(&mut *sink);
                }
                return Ending::Stopped;
            }
            received = finished.recv(), if handed < begun => {
                let (number, outcome): (u64, Outcome<R, N>) = received.expect("a sender lives in this function");
                waiting.insert(number, outcome);
                if hand_over(&mut waiting, &mut handed, order, sink).is_break() {
                    // Running work ends by itself when the runtime is dropped.
                    return Ending::Declined;
                }
            }
            drawn = draw(&permits, &mut items), if draws && has_room => match drawn {
                Some((permit, Item { name, content })) => {
                    let (work, sender, number) = (begin(content), sender.clone(), begun);
                    begun += 1;
                    tokio::spawn(async move {
                        let result = work.await;
                        drop(permit);
                        // There is no receiver any more if the sink ended the batch.
                        let _ = sender.send((number, Outcome { name, result }));
                    });
                }
                None => draws = false,
            },
        }
    }
    ending
}

/// Hands over the waiting results that are next in order.
fn hand_over<R, N>(
    waiting: &mut BTreeMap<u64, Outcome<R, N>>,
    handed: &mut u64,
    order: Order,
    sink: &mut impl FnMut(Outcome<R, N>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while let Some(entry) = waiting.first_entry() {
        if order != Order::Finished && *entry.key() != *handed {
            break;
        }
        *handed += 1;
        sink(entry.remove())?;
    }
    ControlFlow::Continue(())
}

/// Waits for a free place in a pool.
pub(super) async fn acquire(pool: Arc<Semaphore>) -> OwnedSemaphorePermit {
    pool.acquire_owned()
        .await
        .expect("the semaphore is never closed")
}

/// Waits for a free place, then for an item: in this order, so that no item is read before work on
/// it can begin.
async fn draw<T, N>(
    permits: &Arc<Semaphore>,
    items: &mut mpsc::Receiver<Item<T, N>>,
) -> Option<(OwnedSemaphorePermit, Item<T, N>)> {
    let permit = acquire(Arc::clone(permits)).await;
    items.recv().await.map(|item| (permit, item))
}
