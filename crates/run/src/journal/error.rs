//! Why a journal cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another run is using the journal.
    #[error("another run is writing to {0}; wait for its end, or give this one an output of its own")]
    Locked(PathBuf),
    /// There are results of an earlier run, and no option says what to do with them.
    #[error("{0} holds the results of an earlier run; `resume` continues it, `overwrite` begins anew")]
    Taken(PathBuf),
    /// The earlier run had other arguments.
    #[error(
        "the earlier run had `{name}` {was}, this one has {is}: their results do not belong together; repeat its options, or begin anew with `overwrite`"
    )]
    Differs {
        /// Of the argument.
        name: String,
        /// Its value then.
        was: String,
        /// Its value now.
        is: String,
    },
    /// It is damaged before its last checkpoint, which a crash cannot cause.
    #[error("{path}, line {line}: {cause}; begin anew with `overwrite`")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Of the damage, from 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
    /// It cannot be read or written.
    #[error("{path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error message.
        cause: io::Error,
    },
}
