//! The error of one page at the edge of the program: its kind, and cause and remedy in one line.

use serde::{Deserialize, Serialize};

/// Which part of the work on a page failed; the same in all interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// What was given cannot be read, or is no page.
    Source,
    /// The page is over a limit of size, number or time.
    Limit,
    /// The page cannot be loaded: its server or the network failed.
    Network,
    /// The page may not be loaded: its address is not public, or `robots.txt` forbids it.
    Policy,
    /// The browser or the built-in engine failed.
    Engine,
    /// The model or the method cannot do what is asked for.
    Model,
    /// The result cannot be written.
    Output,
    /// A fault in vclean.
    Fault,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Source,
        Self::Limit,
        Self::Network,
        Self::Policy,
        Self::Engine,
        Self::Model,
        Self::Output,
        Self::Fault,
    ];

    /// Its name in files, responses and exceptions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Limit => "limit",
            Self::Network => "network",
            Self::Policy => "policy",
            Self::Engine => "engine",
            Self::Model => "model",
            Self::Output => "output",
            Self::Fault => "fault",
        }
    }
}

/// Why a page has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PageError {
    /// What failed.
    pub kind: ErrorKind,
    /// Cause and remedy, in one line.
    pub message: String,
}

impl PageError {
    /// An error of this kind.
    #[allow(clippy::needless_pass_by_value)] // As callers pass it on.
    pub fn new(kind: ErrorKind, message: impl ToString) -> Self {
        Self {
            kind,
            message: message.to_string(),
        }
    }
}

impl From<PageError> for String {
    fn from(error: PageError) -> Self {
        error.message
    }
}
