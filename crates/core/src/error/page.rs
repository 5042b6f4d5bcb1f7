//! The error of one page at the edge of the program: its kind, and cause and remedy in one line.

use super::{CaptureError, Error, RenderError, SourceError};
use serde::{Deserialize, Serialize};

/// Which part of the work on a page failed; the same in all interfaces.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// What was given cannot be read, or is no page.
    #[default]
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
    pub fn new(kind: ErrorKind, message: impl ToString) -> Self {
        Self {
            kind,
            message: message.to_string(),
        }
    }
}

impl<E: Into<Error>> From<E> for PageError {
    fn from(error: E) -> Self {
        let error = error.into();
        Self::new(error.kind(), error)
    }
}

impl From<PageError> for String {
    fn from(error: PageError) -> Self {
        error.message
    }
}

impl Error {
    /// What failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Source(error) => error.kind(),
            Self::Render(error) => error.kind(),
            Self::Capture(error) => error.kind(),
            Self::Model(_) => ErrorKind::Model,
            Self::Gold(_) => ErrorKind::Source,
            Self::Limit(_) => ErrorKind::Limit,
        }
    }
}

impl SourceError {
    /// What failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLarge { .. } => ErrorKind::Limit,
            Self::InFolder { cause, .. } => cause.kind(),
            Self::Capture(error) => error.kind(),
            Self::Read { .. } | Self::Unusable(_) => ErrorKind::Source,
        }
    }
}

impl CaptureError {
    /// What failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Write { .. } => ErrorKind::Output,
            _ => ErrorKind::Source,
        }
    }
}

impl RenderError {
    /// What failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Browser(_) | Self::Engine(_) | Self::Crash(_) | Self::Cancelled => {
                ErrorKind::Engine
            }
            Self::Load(_) | Self::Server(_) | Self::Later { .. } => ErrorKind::Network,
            Self::Forbidden(_) => ErrorKind::Policy,
            Self::TimeOut { .. } | Self::TooSlow { .. } | Self::Limit(_) => ErrorKind::Limit,
            Self::Source(error) => error.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ModelError;
    use super::*;

    #[test]
    fn each_error_has_the_kind_of_what_failed() {
        let kind = |error: Error| PageError::from(error).kind.name();
        let large = SourceError::TooLarge { bytes: 2, limit: 1 };
        assert_eq!(kind(large.into()), "limit");
        let inner = SourceError::Unusable("no page".to_owned());
        assert_eq!(kind(RenderError::Source(inner).into()), "source");
        assert_eq!(kind(RenderError::Load("gone".into()).into()), "network");
        assert_eq!(kind(RenderError::Crash("died".into()).into()), "engine");
        assert_eq!(kind(ModelError::Setting("x".into()).into()), "model");
        let names = ErrorKind::ALL.map(|kind| serde_json::to_value(kind).unwrap());
        assert_eq!(
            names,
            ErrorKind::ALL.map(|kind| serde_json::Value::from(kind.name()))
        );
    }
}
