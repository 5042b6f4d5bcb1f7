//! The threads that do the work of requests.
//!
//! The blocking pool of Tokio is not used because of two properties: if the system refuses a
//! thread, work waits forever or the program panics; and work that never ends keeps its place. Here
//! the first thread is started before any work is taken, further ones as far as the system allows
//! them, and a thread whose work exceeds its time limit is replaced by a new one. (A thread cannot
//! be ended from outside: it ends when its work does, or with the program.)

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};
use tokio::sync::oneshot;
use vclean_run::executor::{MAX_OVERRUN, STACK_BYTES, busy, too_slow};
use vclean_run::guarded;

/// Progress of work. It changes only while the state of the threads is locked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Wanted,
    GivenUp,
    Done,
}

/// Work and its progress.
struct Job {
    work: Box<dyn FnOnce() + Send>,
    progress: Arc<Mutex<Progress>>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Number of threads that wait for work.
    idle: usize,
    /// Number of threads that wait for work or do work that is wanted.
    threads: usize,
    /// Number of threads with abandoned work.
    overrun: usize,
    is_closed: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads of a service. They end when this is dropped and their work is done.
#[derive(Clone)]
pub(super) struct Workers(Arc<Closing>);

/// Ends the threads when the last clone of [`Workers`] is dropped.
struct Closing(Arc<Shared>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Workers {
    /// Starts the first of at most `most` threads.
    ///
    /// # Errors
    /// If the system refuses the thread.
    pub(super) fn start(most: usize) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            most: most.max(1),
        });
        shared.state().threads = 1;
        spawn(&shared)?;
        Ok(Self(Arc::new(Closing(shared))))
    }

    /// Does work on a thread. A panic becomes an error, and so does work that takes longer than
    /// `limit`.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        limit: Option<Duration>,
        work: impl FnOnce() -> Result<R, String> + Send + 'static,
    ) -> Result<R, String> {
        let shared = &self.0.0;
        if shared.state().overrun >= MAX_OVERRUN {
            return Err(busy().into());
        }
        let progress = Arc::new(Mutex::new(Progress::Wanted));
        let (begin, begun) = oneshot::channel();
        let (send, receive) = oneshot::channel();
        let job = move || {
            // There is no receiver if the request has ended or the work was abandoned.
            let _ = begin.send(());
            let _ = send.send(guarded(work));
        };
        self.submit(Job {
            work: Box::new(job),
            progress: Arc::clone(&progress),
        });
        let lost = "the system starts no thread for it; raise its limit of processes or of memory"
            .to_owned();
        let Some(limit) = limit else {
            return receive.await.unwrap_or(Err(lost));
        };
        // The time in the queue does not count.
        if begun.await.is_err() {
            return Err(lost);
        }
        if let Ok(result) = tokio::time::timeout(limit, receive).await {
            result.unwrap_or(Err(lost))
        } else {
            self.give_up(&progress);
            Err(too_slow(limit).into())
        }
    }

    fn submit(&self, job: Job) {
        let shared = &self.0.0;
        let mut state = shared.state();
        state.jobs.push_back(job);
        if state.jobs.len() > state.idle && state.threads < shared.most {
            state.threads += 1;
            // If there is no further thread, the work waits for one of the existing ones.
            if spawn(shared).is_err() {
                state.threads -= 1;
            }
        }
        if state.threads == 0 {
            // All threads are occupied by abandoned work.
            state.jobs.clear();
        }
        drop(state);
        shared.changed.notify_one();
    }

    /// Abandons running work and replaces its thread with a new one.
    fn give_up(&self, progress: &Mutex<Progress>) {
        let shared = &self.0.0;
        let mut state = shared.state();
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        if *progress == Progress::Done {
            return;
        }
        *progress = Progress::GivenUp;
        state.overrun += 1;
        if spawn(shared).is_err() {
            state.threads -= 1;
        }
    }
}

fn spawn(shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::clone(shared);
    let thread = thread::Builder::new()
        .name("vclean-worker".to_owned())
        .stack_size(STACK_BYTES);
    thread.spawn(move || work(&shared)).map(drop)
}

/// Does submitted work until the pool is closed or the work of this thread was abandoned.
fn work(shared: &Shared) {
    let mut state = shared.state();
    loop {
        if let Some(Job { work, progress }) = state.jobs.pop_front() {
            drop(state);
            work();
            state = shared.state();
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            if *progress == Progress::GivenUp {
                state.overrun -= 1;
                return;
            }
            *progress = Progress::Done;
        } else if state.is_closed {
            return;
        } else {
            state.idle += 1;
            state = shared
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Instant;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    }

    #[test]
    fn work_that_is_over_its_time_loses_its_place() {
        let workers = Workers::start(1).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let endless = {
            let is_over = Arc::clone(&is_over);
            move || {
                while !is_over.load(SeqCst) {
                    thread::sleep(Duration::from_millis(2));
                }
                Ok(0)
            }
        };
        let begin = Instant::now();
        let limit = Some(Duration::from_millis(60));
        runtime().block_on(async {
            let error = workers.run(limit, endless).await.unwrap_err();
            assert!(
                error.contains("took longer than 0.06 s") && error.contains("`timeout`"),
                "{error}"
            );
            assert_eq!(workers.run(limit, || Ok(7)).await, Ok(7));
        });
        assert!(begin.elapsed() < Duration::from_secs(20));
        assert_eq!(workers.0.0.state().overrun, 1);
        is_over.store(true, SeqCst);
        while workers.0.0.state().overrun > 0 {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "the thread ends with its work"
            );
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(workers.0.0.state().threads, 1);
    }

    #[test]
    fn a_panic_is_an_error_and_the_thread_stays() {
        let workers = Workers::start(1).unwrap();
        runtime().block_on(async {
            let error = workers
                .run(None, || -> Result<(), String> { panic!("of the work") })
                .await
                .unwrap_err();
            assert!(error.contains("of the work"), "{error}");
            assert_eq!(workers.run(None, || Ok(1)).await, Ok(1));
        });
    }
}
