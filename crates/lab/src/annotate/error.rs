//! Errors when pages are labelled.

use std::io;
use std::path::PathBuf;
use vclean_core::error::{CaptureError, DataError, Error, ModelError, SourceError};
use vclean_core::files::FileError;

/// Labelling cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotateError {
    /// A file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file that cannot be read.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A change cannot be stored; the labels stay as they were.
    #[error("the change was not stored, because {} cannot be written: {cause}; free some space or repair the folder, then repeat the change", path.display())]
    Append {
        /// The journal of the page.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A journal is damaged before its last line.
    #[error("line {line} of {} is damaged: {cause}; restore the file from a copy, or remove it and label the page again", path.display())]
    Journal {
        /// The journal of the page.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Parser error, unknown format version, or an action that does not apply.
        cause: String,
    },
    /// The page is not the one that was labelled.
    #[error("the page {id} has other blocks ({found}) than when it was labelled ({stored}); name another `out`, or remove {}", journal.display())]
    OtherBlocks {
        /// Name of the page.
        id: String,
        /// Number of its blocks.
        found: usize,
        /// Number of blocks in the journal.
        stored: usize,
        /// The journal with other blocks.
        journal: PathBuf,
    },
    /// Another program writes the labels of this person.
    #[error("another program labels in {} at this time; close it, or name another `annotator`", folder.display())]
    Locked {
        /// The folder of the labels.
        folder: PathBuf,
    },
    /// A port of this machine cannot be used.
    #[error("port {port} cannot be used: {cause}; name another `port`, or 0 for a free one")]
    Port {
        /// The port that was asked for.
        port: u16,
        /// The error of the system.
        cause: io::Error,
    },
    /// A command line argument or an input does not fit; the message says why.
    #[error("{0}")]
    Input(String),
    /// A file or folder cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A page cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A capture cannot be read or written.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A model cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A page cannot be cleaned.
    #[error(transparent)]
    Page(#[from] Error),
}
