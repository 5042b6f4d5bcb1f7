//! How calls reach a page and its messages come back: by a socket of our own, or by a connection of the library's user.

use super::calls::Calls;
use super::message::Incoming;
use super::socket::Socket;
use crate::error::RenderError;
use crate::render::Cancel;
use serde_json::Value;
use std::time::Instant;

/// A connection to one page.
pub(super) enum Connection {
    /// Our own.
    Socket(Box<Socket>),
    /// That of the library's user.
    Calls(Calls),
}

impl Connection {
    /// From now on, waiting for a message ends soon after `cancel` is set.
    pub(super) fn end_when(&mut self, cancel: &Cancel) {
        match self {
            Self::Socket(socket) => socket.end_when(cancel),
            Self::Calls(_) => {}
        }
    }

    /// Sends a call and returns its number; `deadline` is the end of the page's time.
    pub(super) fn send(&mut self, method: &str, params: &Value, deadline: Option<Instant>) -> Result<u64, RenderError> {
        match self {
            Self::Socket(socket) => socket.send(method, params, deadline),
            Self::Calls(calls) => Ok(calls.send(method, params)),
        }
    }

    /// The next message, or `None` if there is none before `deadline`.
    ///
    /// # Errors
    /// [`RenderError::Limit`] if it is too long, [`RenderError::Crash`] if the connection is closed,
    /// [`RenderError::Cancelled`] if the page is not wanted any more.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Incoming>, RenderError> {
        match self {
            Self::Socket(socket) => socket.receive(deadline),
            Self::Calls(calls) => Ok(calls.receive(deadline)),
        }
    }
}
