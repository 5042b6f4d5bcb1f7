//! Limits of the system: threads, memory, file sizes. Limits that are too low are reported before
//! the work begins.

use super::error::RunError;
#[cfg(unix)]
use std::sync::Arc;
use std::{io, thread};

/// Address space that cleaning needs with one thread, and with each further one, in bytes.
/// Measured: small pages fail below 110 MB with one job, and below 200 MB with eight.
const BASE_BYTES: u64 = 160 << 20;
const THREAD_BYTES: u64 = 24 << 20;
/// Additional address space for the built-in engine in bytes: its threads have large stacks, and
/// fonts are mapped.
const RENDERING_BYTES: u64 = 512 << 20;

/// The work that a program will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Pages are cleaned, each on one thread.
    Clean,
    /// Calculations are divided among threads: fitting, evaluations.
    Calculate,
    /// Pages are rendered, possibly with the built-in engine, which needs more memory.
    Render,
}

/// Checks that the system provides the memory that the program needs, and starts the threads for
/// divided calculations (rayon's) if they are needed: as many as there are processors, or one if
/// the system allows no more. Programs call this once, before any other thread starts.
///
/// # Errors
/// If the system does not give the memory, or no thread.
pub fn prepare(purpose: Purpose) -> Result<(), RunError> {
    check_address_space(purpose == Purpose::Render)?;
    if purpose == Purpose::Clean {
        return Ok(());
    }
    let start = |threads| {
        let built = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global();
        // Threads that were started before can be used instead.
        built.is_ok() || rayon_is_running()
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    if start(processors) || start(1) {
        return Ok(());
    }
    Err(RunError::Threads(io::Error::other("too few threads")))
}

/// Returns true if rayon's threads work.
fn rayon_is_running() -> bool {
    std::panic::catch_unwind(|| rayon::current_num_threads() > 0).unwrap_or(false)
}

/// Refuses a limit of the address space that is so low that an allocation would fail and end the
/// program.
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

/// Turns exceeding the system's limit of file sizes (`ulimit -f`) into a write error, as with a
/// full disk, instead of the end of the program.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    // The handler stays for the life of the program; nobody reads the flag.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Does nothing: there is no such limit.
#[cfg(not(unix))]
pub fn survive_file_size_limit() {}
