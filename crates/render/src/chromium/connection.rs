//! Transports calls to a page and its messages back: over the pipe to our browser, or by a
//! connection of the library's user.

use super::pipe::{Delivery, MAX_MESSAGE_BYTES, PipeSession, response_number};
use crate::options::Cancel;
use serde::Deserialize;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};
use vclean_core::error::RenderError;

/// A connection to one page.
pub(super) enum Connection {
    /// A session of our own browser.
    Session(Session),
    /// A connection of the library's user.
    Calls(Calls),
}

impl Connection {
    /// From now on, waiting for a message ends soon after `cancel` is set.
    pub(super) fn end_when(&mut self, cancel: &Cancel) {
        match self {
            Self::Session(session) => session.cancel = cancel.clone(),
            Self::Calls(_) => {}
        }
    }

    /// Sends a call and returns its number.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> Result<u64, RenderError> {
        match self {
            Self::Session(session) => session.pipe.send(method, params),
            Self::Calls(calls) => Ok(calls.send(method, params)),
        }
    }

    /// Returns the next message, or `None` if there is none before `deadline`.
    ///
    /// # Errors
    /// [`RenderError::Limit`] if it is too long, [`RenderError::Crash`] if the connection is
    /// closed, [`RenderError::Cancelled`] if the page is not wanted any more.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Incoming>, RenderError> {
        match self {
            Self::Session(session) => session.receive(deadline),
            Self::Calls(calls) => Ok(calls.receive(deadline)),
        }
    }
}

/// A message from the browser.
pub(super) enum Incoming {
    /// Number of the call, and the whole text of its response.
    Response(u64, String),
    /// A notification that no call requested.
    Event(Event),
}

/// An event of the protocol.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    /// Name, such as `Page.loadEventFired`.
    pub(super) method: String,
    /// Parameters, an object whose fields depend on the method.
    #[serde(default)]
    pub(super) params: Value,
}

/// Interval at which a waiting read checks if the page is still wanted.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

/// The session of a page in our own browser.
pub(super) struct Session {
    pipe: PipeSession,
    /// Ends a wait before its deadline.
    cancel: Cancel,
}

impl Session {
    /// Creates a session for a page that is attached.
    pub(super) fn new(pipe: PipeSession) -> Self {
        Self {
            pipe,
            cancel: Cancel::default(),
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Option<Incoming>, RenderError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            if self.cancel.is_set() {
                return Err(RenderError::Cancelled);
            }
            match self.pipe.receive(left.min(CANCEL_INTERVAL))? {
                None => {}
                Some(Delivery::TooLong) => {
                    let limit = MAX_MESSAGE_BYTES >> 20;
                    return Err(RenderError::Limit(format!(
                        "the page is more than {limit} MB of data in the browser"
                    )));
                }
                Some(Delivery::Message(text)) => {
                    if let Some(number) = response_number(text.as_bytes()) {
                        return Ok(Some(Incoming::Response(number, text)));
                    }
                    if let Ok(event) = serde_json::from_str(&text) {
                        return Ok(Some(Incoming::Event(event)));
                    }
                }
            }
        }
    }
}

/// The connection of the library's user, and a response that was not yet received.
pub(super) struct Calls {
    connection: Box<dyn PageConnection>,
    last: u64,
    waiting: Option<Incoming>,
}

impl Calls {
    pub(super) fn new(connection: Box<dyn PageConnection>) -> Self {
        Self {
            connection,
            last: 0,
            waiting: None,
        }
    }

    /// Makes a call and stores its response for [`Self::receive`].
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let message = match self.connection.call(method, &params.to_string()) {
            Ok(result) => format!("{{\"id\":{},\"result\":{result}}}", self.last),
            Err(cause) => json!({ "id": self.last, "error": { "message": cause } }).to_string(),
        };
        self.waiting = Some(Incoming::Response(self.last, message));
        self.last
    }

    /// Returns the stored response. Without one, waits until `deadline`, because none will come.
    pub(super) fn receive(&mut self, deadline: Instant) -> Option<Incoming> {
        if self.waiting.is_none() {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
        self.waiting.take()
    }
}

/// A connection to an open page by the Chrome DevTools Protocol, such as the CDP session of
/// Playwright or Selenium.
pub trait PageConnection: Send {
    /// Calls `method` with `params` (a JSON object) and waits for its result, which is a JSON
    /// object too.
    ///
    /// # Errors
    /// The message of the browser or of the connection.
    fn call(&mut self, method: &str, params: &str) -> Result<String, String>;
}
