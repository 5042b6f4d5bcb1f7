//! Works on many items with threads, and delivers their results in order.
//!
//! It does not depend on pages: the caller defines the items, the work and the receiver of the
//! results. Invariants: results arrive in the order of the items whatever the number of threads,
//! unless the caller wants them as they finish; a bounded number of items is in memory at once; a
//! panic becomes the error of its item; a thread whose work exceeds its time limit is replaced by a
//! new one, because a thread cannot be ended from outside.

use super::Stop;
use super::panics::guarded;
use super::work::{Ending, Item, Order, Outcome, Pools};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use vclean_core::error::{ErrorKind, PageError};

/// Stack of a worker thread in bytes. Pages may be hostile, and some of the parsers used are
/// recursive.
pub const STACK_BYTES: usize = 16 << 20;
/// Results per thread that may wait for an earlier, slower one. With more, no new work begins, so
/// that memory stays bounded while a page hangs until its time limit. Heuristic: the text of a page
/// is small, and a timeout lasts as long as some ten pages.
const WAITING_RESULTS: usize = 16;
/// How long work in progress may continue after the batch was stopped. Its results are kept if it
/// finishes in this time.
const STOP_LIMIT: Duration = Duration::from_secs(1);
/// Interval between two checks of the stop flag and the time limits.
const TICK: Duration = Duration::from_millis(20);
/// Number of threads with abandoned work that is still running from which no more work is begun:
/// they would take the processors from all other pages.
pub const MAX_OVERRUN: usize = 16;

/// Works on every item with `jobs` threads (at least one) and passes the outcomes to `sink` on the
/// caller's thread, which may end the batch with [`ControlFlow::Break`]. Work that takes longer
/// than `limit` is abandoned and its item fails.
///
/// The items are read on a thread of their own, so that a slow list (a pipe) does not delay the
/// work.
///
/// # Errors
/// If a thread cannot be started, or reading the items panics.
pub fn run<T, R, N, E>(
    items: impl IntoIterator<Item = Item<T, N>> + Send + 'static,
    jobs: usize,
    limit: Option<Duration>,
    order: Order,
    stop: &Stop,
    work: impl Fn(T) -> Result<R, E> + Send + Sync + 'static,
    sink: impl FnMut(Outcome<R, N, E>) -> ControlFlow<()>,
) -> io::Result<Ending>
where
    T: Send + 'static,
    R: Send + 'static,
    N: Send + 'static,
    E: From<PageError> + Send + 'static,
{
    let batch = Batch::new(jobs.max(1));
    let done = batch.done();
    let (tasks, stage) = Stage::start(jobs, limit, work, batch.discard(), done)?;
    batch.feed(items, tasks)?;
    batch.collect(vec![stage], order, stop, sink)
}

/// Like [`run`], but in two stages with separate threads, so that both work at the same time.
/// `limit` applies to the second stage; the first has limits of its own.
///
/// # Errors
/// If a thread cannot be started, or reading the items panics.
#[allow(clippy::too_many_arguments)]
pub(crate) fn run_stages<T, S, R, N, E>(
    items: impl IntoIterator<Item = Item<T, N>> + Send + 'static,
    pools: Pools,
    limit: Option<Duration>,
    order: Order,
    stop: &Stop,
    first: impl Fn(T) -> Result<S, E> + Send + Sync + 'static,
    second: impl Fn(S) -> Result<R, E> + Send + Sync + 'static,
    sink: impl FnMut(Outcome<R, N, E>) -> ControlFlow<()>,
) -> io::Result<Ending>
where
    T: Send + 'static,
    S: Send + 'static,
    R: Send + 'static,
    N: Send + 'static,
    E: From<PageError> + Send + 'static,
{
    let batch = Batch::new(pools.first.max(1) + 2 * pools.second.max(1));
    let (failed, done) = (batch.done(), batch.done());
    let (rendered, stage) = Stage::start(pools.second, limit, second, || false, done)?;
    let hand_on = move |number, name, result| match result {
        // If there is no receiver, the batch has ended.
        Ok(content) => drop(rendered.send(Task {
            number,
            name,
            content,
        })),
        Err(cause) => failed(number, name, Err(cause)),
    };
    let (tasks, first) = Stage::start(pools.first, None, first, batch.discard(), hand_on)?;
    batch.feed(items, tasks)?;
    batch.collect(vec![first, stage], order, stop, sink)
}

/// An item that is being worked on.
struct Task<T, N> {
    /// Its number among the items.
    number: u64,
    name: N,
    content: T,
}

/// An outcome with the number of its item.
type Numbered<R, N, E> = (u64, Outcome<R, N, E>);

/// A message from a thread to the collector.
enum Message<R, N, E> {
    Done(u64, Outcome<R, N, E>),
    /// An item was not begun, because the batch was stopped.
    Discarded,
    /// All items have been read.
    Read,
    /// Reading the items panicked.
    Broken,
}

/// Limits the items that are read and not delivered. The state is their number, and true if no more
/// are wanted.
struct Gate {
    state: Mutex<(usize, bool)>,
    changed: Condvar,
    most: usize,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, (usize, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another item may be worked on. Returns false if no more are wanted.
    fn enter(&self) -> bool {
        let state = self.state();
        let wait = |(open, is_closed): &mut (usize, bool)| *open >= self.most && !*is_closed;
        let mut state = self
            .changed
            .wait_while(state, wait)
            .unwrap_or_else(PoisonError::into_inner);
        state.0 += usize::from(!state.1);
        !state.1
    }

    fn leave(&self) {
        self.state().0 -= 1;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.state().1 = true;
        self.changed.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.state().1
    }
}

/// Ends the threads even if the caller panics.
struct CloseAtEnd(Arc<Gate>);

impl Drop for CloseAtEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The channels between the thread that reads the items, the workers and the collector.
struct Batch<R, N, E> {
    gate: Arc<Gate>,
    sender: Sender<Message<R, N, E>>,
    messages: Receiver<Message<R, N, E>>,
}

impl<R: Send + 'static, N: Send + 'static, E: From<PageError> + Send + 'static> Batch<R, N, E> {
    fn new(threads: usize) -> Self {
        let (sender, messages) = mpsc::channel();
        let gate = Gate {
            state: Mutex::default(),
            changed: Condvar::new(),
            most: threads * WAITING_RESULTS,
        };
        Self {
            gate: Arc::new(gate),
            sender,
            messages,
        }
    }

    /// Returns a function that sends an outcome to the collector.
    fn done(&self) -> impl Fn(u64, N, Result<R, E>) + Send + Sync + use<R, N, E> {
        let sender = self.sender.clone();
        move |number, name, result| {
            drop(sender.send(Message::Done(number, Outcome { name, result })));
        }
    }

    /// Returns a function that discards an item and returns true, if the batch has ended.
    fn discard(&self) -> impl Fn() -> bool + Send + Sync + use<R, N, E> {
        let (gate, sender) = (Arc::clone(&self.gate), self.sender.clone());
        move || gate.is_closed() && sender.send(Message::Discarded).is_ok()
    }

    /// Reads the items on a thread of its own.
    fn feed<T: Send + 'static>(
        &self,
        items: impl IntoIterator<Item = Item<T, N>> + Send + 'static,
        tasks: SyncSender<Task<T, N>>,
    ) -> io::Result<()> {
        let (gate, sender) = (Arc::clone(&self.gate), self.sender.clone());
        let read = move || {
            let numbered = (0..).zip(items);
            for (number, Item { name, content }) in numbered {
                let task = Task {
                    number,
                    name,
                    content,
                };
                if !gate.enter() || tasks.send(task).is_err() {
                    break;
                }
            }
            Ok(())
        };
        spawn("vclean-inputs", move || {
            let read: Result<(), String> = guarded(read);
            let read = read.map_or(Message::Broken, |()| Message::Read);
            drop(sender.send(read));
        })
        .map(drop)
    }

    /// Delivers results until there are no more or the batch ends early.
    fn collect(
        self,
        mut stages: Vec<Stage<N>>,
        order: Order,
        stop: &Stop,
        mut sink: impl FnMut(Outcome<R, N, E>) -> ControlFlow<()>,
    ) -> io::Result<Ending> {
        let Self {
            gate,
            sender,
            messages,
        } = self;
        drop(sender);
        let _closing = CloseAtEnd(Arc::clone(&gate));
        let mut waiting: BTreeMap<u64, Outcome<R, N, E>> = BTreeMap::new();
        let (mut next, mut is_read, mut stopped) = (0, false, None);
        loop {
            stop.listen();
            if stopped.is_none() && stop.is_set() {
                stopped = Some(Instant::now());
                gate.close();
            }
            if stopped.is_some_and(|since: Instant| since.elapsed() > STOP_LIMIT) {
                if order != Order::Strict {
                    // Deliver the finished results that wait for an abandoned item.
                    let _ = waiting.into_values().try_for_each(&mut sink);
                }
                return Ok(Ending::Stopped);
            }
            if (is_read || stopped.is_some()) && gate.state().0 == 0 {
                if stopped.is_some() {
                    return Ok(Ending::Stopped);
                }
                stages.into_iter().for_each(Stage::join);
                return Ok(Ending::Complete);
            }
            match messages.recv_timeout(TICK) {
                Ok(Message::Done(number, outcome)) => drop(waiting.insert(number, outcome)),
                Ok(Message::Discarded) => gate.leave(),
                Ok(Message::Read) => is_read = true,
                Ok(Message::Broken) => {
                    return Err(io::Error::other(
                        "the list of inputs could not be read to its end",
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("no thread is left for the work"));
                }
            }
            for stage in &mut stages {
                waiting.extend(stage.give_up_late()?);
            }
            while let Some(entry) = waiting.first_entry() {
                if order != Order::Finished && *entry.key() != next {
                    break;
                }
                next += 1;
                gate.leave();
                if sink(entry.remove()).is_break() {
                    return Ok(Ending::Declined);
                }
            }
        }
    }
}

/// The item that a thread works on, with its deadline; `None` if the thread waits or its work was
/// abandoned.
type Slot<N> = Arc<Mutex<Option<(u64, N, Option<Instant>)>>>;
/// A thread and the item that it works on.
type Worker<N> = (Slot<N>, JoinHandle<()>);

/// Threads that do one kind of work.
struct Stage<N> {
    /// Starts one more thread of this stage.
    start: Box<dyn Fn() -> io::Result<Worker<N>>>,
    workers: Vec<Worker<N>>,
    limit: Option<Duration>,
    /// Number of threads with abandoned work that is still running.
    overrun: Arc<AtomicUsize>,
}

impl<N: Send + 'static> Stage<N> {
    /// Starts the threads: at least one, at most `threads`, and no more than the system allows.
    /// `discard` is called before each item; if it returns true, the item is not worked on.
    fn start<T: Send + 'static, S: 'static, E: From<PageError> + 'static>(
        threads: usize,
        limit: Option<Duration>,
        work: impl Fn(T) -> Result<S, E> + Send + Sync + 'static,
        discard: impl Fn() -> bool + Send + Sync + 'static,
        done: impl Fn(u64, N, Result<S, E>) + Send + Sync + 'static,
    ) -> io::Result<(SyncSender<Task<T, N>>, Self)> {
        let (sender, tasks) = mpsc::sync_channel(0);
        let overrun = Arc::new(AtomicUsize::new(0));
        let shared = Arc::new((Mutex::new(tasks), work, discard, done, Arc::clone(&overrun)));
        let start = move || {
            let slot = Slot::<N>::default();
            let (own, shared) = (Arc::clone(&slot), Arc::clone(&shared));
            let thread = spawn("vclean-worker", move || {
                let (tasks, work, discard, done, overrun) = &*shared;
                while let Ok(task) = { lock(tasks).recv() } {
                    if discard() {
                        continue;
                    }
                    let Task {
                        number,
                        name,
                        content,
                    } = task;
                    *lock(&own) = Some((number, name, limit.map(|limit| Instant::now() + limit)));
                    let result = if overrun.load(SeqCst) < MAX_OVERRUN {
                        guarded(|| work(content))
                    } else {
                        Err(busy().into())
                    };
                    let Some((number, name, _)) = lock(&own).take() else {
                        overrun.fetch_sub(1, SeqCst);
                        return;
                    };
                    done(number, name, result);
                }
            })?;
            Ok((slot, thread))
        };
        let mut workers = vec![start()?];
        workers.extend((1..threads).map_while(|_| start().ok()));
        let stage = Self {
            start: Box::new(start),
            workers,
            limit,
            overrun,
        };
        Ok((sender, stage))
    }

    /// Abandons work that exceeds its time limit, and replaces its thread with a new one.
    fn give_up_late<R, E: From<PageError>>(&mut self) -> io::Result<Vec<Numbered<R, N, E>>> {
        let mut late = Vec::new();
        for index in 0..self.workers.len() {
            let is_late = |running: &mut (u64, N, Option<Instant>)| {
                running.2.is_some_and(|end| end < Instant::now())
            };
            let Some((number, name, _)) = lock(&self.workers[index].0).take_if(is_late) else {
                continue;
            };
            self.overrun.fetch_add(1, SeqCst);
            self.workers[index] = (self.start)()?;
            let result = Err(too_slow(self.limit.unwrap_or_default()).into());
            late.push((number, Outcome { name, result }));
        }
        Ok(late)
    }

    /// Waits for the threads, which end when there is no more work.
    fn join(self) {
        for (_, thread) in self.workers {
            // Panics of the work have become errors of their items.
            let _ = thread.join();
        }
    }
}

/// The error of work that is not begun, because too much abandoned work is still running.
pub fn busy() -> PageError {
    let message = format!(
        "{MAX_OVERRUN} pages before this one took too long and still keep the processors busy; leave them out"
    );
    PageError::new(ErrorKind::Limit, message)
}

/// The error of work that took longer than its limit.
pub fn too_slow(limit: Duration) -> PageError {
    let seconds = limit.as_secs_f64();
    let message = format!(
        "the work on it took longer than {seconds} s; raise `timeout`, or leave the page out"
    );
    PageError::new(ErrorKind::Limit, message)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.stack_size(STACK_BYTES).spawn(work)
}

#[cfg(test)]
#[path = "../tests/unit/executor.rs"]
mod tests;
