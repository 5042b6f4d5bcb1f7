//! Why pages with comments cannot be made.

use crate::error::DataError;
use crate::files::FileError;
use std::io;
use std::path::PathBuf;

/// Pages with comments cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraftError {
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something else exists where the folder is to be written.
    #[error("{} exists already and was not made by vclean graft-comments; name a new folder", .0.display())]
    Occupied(PathBuf),
    /// The folder to be written is one of the data sets, or contains one.
    #[error("{} is a data set that is read; name another folder for the output", .0.display())]
    Input(PathBuf),
    /// The finished folder cannot be moved to its place.
    #[error("cannot write {}: {cause}", path.display())]
    Move {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// Two data sets have the same name, by which their pages are named.
    #[error("two data sets are called {0}; rename the folder of one of them")]
    SameName(String),
    /// No page can be made.
    #[error(
        "no training page of {sets} can be given comments; they must be saved as HTML, have gold text that matches them, \
         and be no listings, collections or forums"
    )]
    NoPage {
        /// The names of the sets.
        sets: String,
    },
}
