//! The errors of each stage, and the warnings about a page. Messages name the cause, its value and
//! the remedy; the caller adds the name of the page.

mod data;
mod page;
mod warning;

pub use data::DataError;
pub use page::{ErrorKind, PageError};
pub use warning::{Warning, WarningKind, Warnings};

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use thiserror::Error;

/// A capture on disk, or one of its pictures, cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// A file is missing or unreadable.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Path of the file that was to be read.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// The content of a file is not as it was written.
    #[error("{} is damaged: {cause}; render the page again", path.display())]
    Damaged {
        /// Path of the damaged file.
        path: PathBuf,
        /// Description of the damage.
        cause: String,
    },
    /// The folder was written by another version of the program.
    #[error("{} has format {found}, this version reads {known}; use the version that wrote it or render the page again", path.display())]
    Version {
        /// Path of the file that states the format.
        path: PathBuf,
        /// Format version of the folder.
        found: u32,
        /// Format version that this library reads.
        known: u32,
    },
    /// The folder holds captures of another engine.
    #[error(
        "{} was rendered by {found}, and captures of {asked} are asked for; name another folder for these, or say `engine` {found}",
        path.display()
    )]
    Engine {
        /// Path of the capture folder.
        path: PathBuf,
        /// Name of the engine that made the captures.
        found: &'static str,
        /// Name of the requested engine.
        asked: &'static str,
    },
    /// A picture cannot be decoded or encoded.
    #[error("the picture cannot be used: {cause}; render the page again")]
    Picture {
        /// The decoder's error message.
        cause: String,
    },
}

/// An input cannot be opened, or does not hold a page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file is missing or unreadable.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Path of the file that was to be read.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// The input is larger than a page may be.
    #[error("{bytes} bytes are more than the {limit} a page may have")]
    TooLarge {
        /// Size of the input in bytes.
        bytes: u64,
        /// Largest allowed size in bytes.
        limit: u64,
    },
    /// The content is not of the type that the name or the first bytes indicate.
    #[error("{0}")]
    Unusable(String),
    /// A file in a folder named by the user cannot be used.
    #[error("{}: {cause}", path.display())]
    InFolder {
        /// Path of the file in the folder.
        path: PathBuf,
        /// The error of this file.
        cause: Box<SourceError>,
    },
    /// The capture folder is damaged.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

/// A page cannot be rendered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no browser, or it does not start.
    #[error("{0}")]
    Browser(String),
    /// The engine does not support the request, or is not in this build.
    #[error("{0}")]
    Engine(String),
    /// The page cannot be loaded: it is unreachable, refused, an HTTP error, or not a page.
    #[error("{0}")]
    Load(String),
    /// The server of the page failed and answered with its own error.
    #[error("{0}")]
    Server(String),
    /// The policy of addresses forbids the address of the page, or one that it redirects to.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
    /// The page cannot be loaded now, but may be later: a connection failed, or a server is busy.
    #[error("{cause}")]
    Later {
        /// The cause and its remedy.
        cause: String,
        /// Pause requested by the server, in seconds.
        after_s: Option<u64>,
    },
    /// A step took longer than its limit, but may succeed the next time.
    #[error("{step} took longer than {limit_ms} ms; raise `timeout` or try again later")]
    TimeOut {
        /// Description of the step, for the message.
        step: &'static str,
        /// Time limit of the step, in milliseconds.
        limit_ms: u64,
    },
    /// The page as a whole took longer than its limit: it keeps the engine busy, and would do so
    /// again.
    #[error("the page takes more than {limit_ms} ms; raise `timeout`, or leave the page out")]
    TooSlow {
        /// Time limit of the page, in milliseconds.
        limit_ms: u64,
    },
    /// The caller no longer wants the page.
    #[error("the page was cancelled")]
    Cancelled,
    /// The browser or the page's process died.
    #[error("{0}")]
    Crash(String),
    /// The page exceeds a limit.
    #[error("{0}")]
    Limit(String),
    /// The saved page cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// A model cannot be read, does not fit the table, or cannot be trained.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file is missing or unreadable.
    #[error("cannot read model {}: {cause}", path.display())]
    Read {
        /// Path of the model file.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// The content is not a model of this version.
    #[error("not a usable model: {0}")]
    Format(String),
    /// The content is not a part-of-speech tagger of this version.
    #[error("not a usable tagger: {0}")]
    Tagger(String),
    /// A column that the model needs is not in the table.
    #[error("model {model} expects column {column}, the table has none; {remedy}")]
    Column {
        /// Name of the model, for the message.
        model: String,
        /// Feature column that the table lacks.
        column: String,
        /// Remedy, for the message.
        remedy: String,
    },
    /// The page was rendered by another engine than the model's training pages.
    #[error(
        "model {model} learned from captures of {learned} and this page was rendered by {rendered}, which lays pages out differently; {remedy}"
    )]
    Engine {
        /// Name of the model, for the message.
        model: String,
        /// Name of the engine that rendered its training pages.
        learned: &'static str,
        /// Name of the engine that rendered this page.
        rendered: &'static str,
        /// Remedy, for the message.
        remedy: String,
    },
    /// A hyperparameter is out of range.
    #[error("{parameter} is {value}, allowed is {range}")]
    Parameter {
        /// Name of the hyperparameter.
        parameter: &'static str,
        /// The value that was given.
        value: f64,
        /// Description of the allowed range.
        range: &'static str,
    },
    /// The method does not have this parameter, or the value is not allowed.
    #[error("{0}")]
    Setting(String),
    /// There are no usable training data.
    #[error("{0}")]
    Training(String),
    /// The model cannot guarantee the requested precision.
    #[error("{0}")]
    Precision(String),
}

/// Any error that can occur while a page is processed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The page could not be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A capture could not be read or decoded.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The model could not decide on the page.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The gold text could not be read.
    #[error(transparent)]
    Gold(#[from] DataError),
    /// The page exceeds a limit of a later stage.
    #[error("{0}")]
    Limit(String),
    /// The caller asked for the end of the work.
    #[error("the cleaning was stopped")]
    Stopped,
}

/// The reason why the address policy forbids an address. The remedy depends on the reader: a user
/// of the command line may lift the policy, a client of a service may not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ForbiddenAddress {
    /// The address is not public.
    #[error("the address of {host} is {kind}: {address}; use `allow_private` to load it")]
    NotPublic {
        /// The host as the request names it.
        host: String,
        /// The kind of the address in words, such as `private` or `a loopback address`.
        kind: &'static str,
        /// The address to which the host resolves.
        address: IpAddr,
    },
    /// No web server listens on this port, and browsers refuse it.
    #[error(
        "port {port} of {host} is not for web pages, and browsers refuse it; check the address"
    )]
    Port {
        /// The host as the request names it.
        host: String,
        /// Port number in the address.
        port: u16,
    },
    /// The port belongs to this program, such as the port of the browser it controls.
    #[error("{address} belongs to vclean itself and is never loaded")]
    Own {
        /// Address and port that would have been loaded.
        address: SocketAddr,
    },
}

impl<E: Into<Error>> From<E> for PageError {
    fn from(error: E) -> Self {
        let error = error.into();
        Self::new(error.kind(), error)
    }
}

impl Error {
    /// The part of the work that failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Source(error) => error.kind(),
            Self::Render(error) => error.kind(),
            Self::Capture(error) => error.kind(),
            Self::Model(_) => ErrorKind::Model,
            Self::Gold(_) => ErrorKind::Source,
            Self::Limit(_) | Self::Stopped => ErrorKind::Limit,
        }
    }
}

impl SourceError {
    /// The part of the work that failed.
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
    /// The part of the work that failed.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Write { .. } => ErrorKind::Output,
            _ => ErrorKind::Source,
        }
    }
}

impl RenderError {
    /// The part of the work that failed.
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
