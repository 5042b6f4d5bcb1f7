//! The error of one page as users see it: its kind, and cause and remedy in one line.

use serde::{Deserialize, Serialize};

/// The part of the work on a page that failed; the same in all interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input cannot be read, or is not a page.
    Source,
    /// The page exceeds a limit of size, number or time.
    Limit,
    /// The page cannot be loaded: its server or the network failed.
    Network,
    /// The page may not be loaded: its address is not public, or `robots.txt` forbids it.
    Policy,
    /// The browser or the built-in engine failed.
    Engine,
    /// The model or the method cannot do what was requested.
    Model,
    /// The result cannot be written.
    Output,
    /// An internal error in vclean.
    Fault,
}

impl ErrorKind {
    /// All kinds, in the order of declaration.
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

    /// The name of the kind in files, responses and exceptions.
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

/// The reason why a page has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PageError {
    /// The part of the work that failed.
    pub kind: ErrorKind,
    /// The cause and its remedy, in one line.
    pub message: String,
}

impl PageError {
    /// Creates an error of this kind.
    #[allow(clippy::needless_pass_by_value)] // Callers have no further use for the message.
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
