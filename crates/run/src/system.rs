//! What the system allows the program: threads, memory, sizes of files. What is too little is told
//! before the work begins.

use super::error::RunError;
use super::workers::WORKER_STACK_BYTES;
use std::sync::mpsc;
use std::{io, thread};

/// Threads that a run needs besides those of the calculations: for its queue, its inputs and its
/// work.
const RUN_THREADS: usize = 3;

/// Address space that cleaning needs with one thread, and with each further one, in bytes.
/// Measured: small pages fail below 110 MB with one job, and below 200 MB with eight.
const BASE_BYTES: u64 = 160 << 20;
const THREAD_BYTES: u64 = 24 << 20;
/// What the built-in engine needs in addition: its threads have large stacks, and fonts are mapped.
const RENDERING_BYTES: u64 = 512 << 20;

/// What a program will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Pages are cleaned, each on one thread.
    Clean,
    /// Calculations are divided among threads: fitting, evaluations.
    Calculate,
    /// Pages are rendered.
    Render,
}

/// Checks that the system gives the threads that a run needs, and starts those for calculations
/// that are divided (rayon's) if there will be some: as many as there are processors, or one if the
/// system gives no more. Programs call this once, before any other thread starts.
///
/// # Errors
/// If the system does not give the threads or the memory that a run needs at least.
pub fn prepare_threads(purpose: Purpose) -> Result<(), RunError> {
    check_address_space(purpose == Purpose::Render)?;
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut refused = None;
    for count in [processors, 1] {
        match try_threads(count + RUN_THREADS) {
            Ok(()) if purpose == Purpose::Clean => return Ok(()),
            Ok(()) => {
                let built = rayon::ThreadPoolBuilder::new()
                    .num_threads(count)
                    .build_global();
                // Threads that were started before are as good.
                let is_there = built.is_ok() || rayon_is_running();
                return if is_there {
                    Ok(())
                } else {
                    Err(RunError::Threads(io::Error::other("too few threads")))
                };
            }
            Err(error) => refused = Some(error),
        }
    }
    Err(RunError::Threads(
        refused.unwrap_or_else(|| io::Error::other("too few threads")),
    ))
}

/// Whether rayon's threads do work.
fn rayon_is_running() -> bool {
    std::panic::catch_unwind(|| rayon::current_num_threads() > 0).unwrap_or(false)
}

/// Starts `count` threads at the same time and ends them again.
fn try_threads(count: usize) -> io::Result<()> {
    let mut threads = Vec::new();
    let mut begin = || {
        let (hold, held) = mpsc::channel::<()>();
        let builder = thread::Builder::new()
            .name("vclean-probe".to_owned())
            .stack_size(WORKER_STACK_BYTES);
        let thread = builder.spawn(move || {
            // Returns when the sender is dropped.
            let _ = held.recv();
        })?;
        threads.push((hold, thread));
        Ok(())
    };
    let begun = (0..count).try_for_each(|_| begin());
    for (hold, thread) in threads {
        drop(hold);
        // The threads do nothing that could panic.
        let _ = thread.join();
    }
    begun
}

/// Refuses a limit of the address space with which an allocation would fail and end the program.
#[cfg(unix)]
fn check_address_space(renders: bool) -> Result<(), RunError> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let processors = thread::available_parallelism().map_or(1, usize::from) as u64;
    let needed = BASE_BYTES + THREAD_BYTES * processors + if renders { RENDERING_BYTES } else { 0 };
    match limit {
        Some(limit) if limit < needed => Err(RunError::Memory {
            allowed_mb: limit >> 20,
            needed_mb: needed.div_ceil(1 << 20),
        }),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_address_space(_: bool) -> Result<(), RunError> {
    Ok(())
}

/// Makes a file that grows over the limit of the system (`ulimit -f`) an error of writing, as a
/// full disk is one, rather than the end of the program.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    use tokio::signal::unix::{SignalKind, signal};
    // A handler stays for the life of the program; it has nothing to do.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
    else {
        return;
    };
    let _guard = runtime.enter();
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
}

/// Does nothing: there is no such limit.
#[cfg(not(unix))]
pub fn survive_file_size_limit() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_tried_and_ended() {
        try_threads(3).unwrap();
        for purpose in [Purpose::Clean, Purpose::Calculate, Purpose::Render] {
            prepare_threads(purpose).unwrap();
        }
    }
}
