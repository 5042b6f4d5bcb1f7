//! Errors that prevent or end a run as a whole. Errors of single pages go to the
//! [`Observer`](super::Observer).

use super::crawl::FrontierError;
use super::journal::JournalError;
use std::io;
use std::path::PathBuf;
use vclean_core::error::{ModelError, SourceError};
use vclean_core::files::FileError;

/// Why a run cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The list of inputs cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The model or method cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The journal of an earlier run cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The addresses of an earlier crawl cannot be used.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// A file or folder of the output cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output cannot be opened.
    #[error("cannot write {}: {cause}", path.display())]
    Output {
        /// File or folder of the output, as the user named it.
        path: PathBuf,
        /// The system's error message.
        cause: io::Error,
    },
    /// The output exists and was not written by an earlier run.
    #[error(
        "{} exists and no journal of a run is beside it; name another output, or replace it with `overwrite` (`resume` continues a run that was interrupted)",
        .0.display()
    )]
    ForeignOutput(PathBuf),
    /// Options that contradict each other.
    #[error("{0}")]
    Options(String),
    /// The memory that the system allows is too small.
    #[error(
        "the memory of the program is limited to {allowed_mb} MB (ulimit -v), and it needs {needed_mb} MB; raise the limit"
    )]
    Memory {
        /// Address space that the system allows, in MB.
        allowed_mb: u64,
        /// Address space that the program needs, in MB.
        needed_mb: u64,
    },
    /// The worker threads cannot be started.
    #[error(
        "cannot start the threads: {0}; raise the limit of processes (ulimit -u) or of memory (ulimit -v), or use fewer `jobs`"
    )]
    Threads(io::Error),
}
