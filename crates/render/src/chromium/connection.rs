//! How calls reach a page and its messages come back: by a socket of our own, or by a connection of the library's user.
//!
//! `headless_chrome` holds the lock of its socket during a read of 100 ms, so that every call through it takes 100 ms.
//! The calls of a page use a separate socket, where a call takes 0.4 ms.

use crate::options::Cancel;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};
use std::{io, thread};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, Utf8Bytes, WebSocket};
use vclean_core::error::RenderError;

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

/// A message of the browser.
pub(super) enum Incoming {
    /// The response to the call of this number; the whole message.
    Response(u64, Utf8Bytes),
    /// An event.
    Event(Event),
}

/// An event of the protocol.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    /// Name, such as `Page.loadEventFired`.
    pub(super) method: String,
    /// Its parameters.
    #[serde(default)]
    pub(super) params: Value,
}

/// Longest wait for one write; a working browser reads at once.
const WRITE_LIMIT: Duration = Duration::from_secs(20);
/// Largest message, in bytes. Heuristic: a picture of noise of 2,560 x 30,000 px has 307 MB, one of a real page at most a
/// tenth of that.
const MAX_MESSAGE_BYTES: usize = 320 << 20;

/// How often a waiting read checks whether the page is still wanted.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

/// The socket to a page.
pub(super) struct Socket {
    stream: WebSocket<TimedStream>,
    last: u64,
}

/// A connection whose reads and writes fail after a point in time. A limit per read would not be enough: a long message
/// that arrives slowly takes many reads.
struct TimedStream {
    stream: TcpStream,
    deadline: Instant,
    /// Makes reads fail before the deadline.
    cancel: Cancel,
}

impl TimedStream {
    /// The time left, or the error that none is left.
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for TimedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.left()?;
            if self.cancel.is_set() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            self.stream.set_read_timeout(Some(left.min(CANCEL_INTERVAL)))?;
            match self.stream.read(buffer) {
                Err(error) if is_time_out(&error) => {}
                result => return result,
            }
        }
    }
}

impl Write for TimedStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn closed(error: &dyn std::fmt::Display) -> RenderError {
    RenderError::Crash(format!("the browser closed its connection: {error}; try again"))
}

impl Socket {
    /// Connects to the browser that listens on `port`: to a target by `/devtools/page/ID`, or by the browser's own
    /// path.
    pub(super) fn connect(port: u16, path: &str) -> Result<Self, RenderError> {
        let stream = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), WRITE_LIMIT)
            .map_err(|error| closed(&error))?;
        stream.set_nodelay(true).map_err(|error| closed(&error))?;
        let stream = TimedStream { stream, deadline: Instant::now() + WRITE_LIMIT, cancel: Cancel::default() };
        let config = WebSocketConfig::default()
            .accept_unmasked_frames(true)
            .read_buffer_size(1 << 20)
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let address = format!("ws://127.0.0.1:{port}{path}");
        let (stream, _) =
            tungstenite::client::client_with_config(address, stream, Some(config)).map_err(|error| closed(&error))?;
        Ok(Self { stream, last: 0 })
    }

    /// From now on, waiting for a message ends soon after `cancel` is set.
    pub(super) fn end_when(&mut self, cancel: &Cancel) {
        self.stream.get_mut().cancel = cancel.clone();
    }

    /// Sends a call and returns its number; `deadline` is the end of the page's time.
    pub(super) fn send(&mut self, method: &str, params: &Value, deadline: Option<Instant>) -> Result<u64, RenderError> {
        self.last += 1;
        let text = json!({ "id": self.last, "method": method, "params": params }).to_string();
        let own = Instant::now() + WRITE_LIMIT;
        self.stream.get_mut().deadline = deadline.map_or(own, |deadline| deadline.min(own));
        self.stream.send(Message::text(text)).map_err(|error| closed(&error))?;
        Ok(self.last)
    }

    /// The next message, or `None` if there is none before `deadline`.
    ///
    /// # Errors
    /// [`RenderError::Limit`] if it is too long, [`RenderError::Crash`] if the connection is closed,
    /// [`RenderError::Cancelled`] if the page is not wanted any more.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Incoming>, RenderError> {
        self.stream.get_mut().deadline = deadline;
        loop {
            let text = match self.stream.read() {
                Ok(Message::Text(text)) => text,
                Ok(Message::Close(_)) => return Err(closed(&"the page's target is gone")),
                Ok(_) => continue,
                Err(tungstenite::Error::Io(error)) if is_time_out(&error) => return Ok(None),
                Err(tungstenite::Error::Capacity(_)) => {
                    let limit = MAX_MESSAGE_BYTES >> 20;
                    return Err(RenderError::Limit(format!("the page is more than {limit} MB of data in the browser")));
                }
                Err(_) if self.stream.get_ref().cancel.is_set() => return Err(RenderError::Cancelled),
                Err(error) => return Err(closed(&error)),
            };
            if let Some(number) = response_number(&text) {
                return Ok(Some(Incoming::Response(number, text)));
            }
            if let Ok(event) = serde_json::from_str(&text) {
                return Ok(Some(Incoming::Event(event)));
            }
        }
    }
}

/// The number of the call that a message responds to. Chromium writes it first, so a large response is parsed only
/// once.
fn response_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("{\"id\":")?;
    digits[..digits.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// The connection of the library's user, and the response that waits to be read.
pub(super) struct Calls {
    connection: Box<dyn PageConnection>,
    last: u64,
    waiting: Option<Incoming>,
}

impl Calls {
    pub(super) fn new(connection: Box<dyn PageConnection>) -> Self {
        Self { connection, last: 0, waiting: None }
    }

    /// Makes a call; its response waits to be received.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let message = match self.connection.call(method, &params.to_string()) {
            Ok(result) => format!("{{\"id\":{},\"result\":{result}}}", self.last),
            Err(cause) => json!({ "id": self.last, "error": { "message": cause } }).to_string(),
        };
        self.waiting = Some(Incoming::Response(self.last, message.into()));
        self.last
    }

    /// The response that waits; if there is none, waits until `deadline`, because none will come.
    pub(super) fn receive(&mut self, deadline: Instant) -> Option<Incoming> {
        if self.waiting.is_none() {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
        self.waiting.take()
    }
}

/// A connection to an open page by the Chrome DevTools Protocol, such as the CDP session of Playwright or Selenium.
pub trait PageConnection: Send {
    /// Calls `method` with `params` (a JSON object) and waits for its result, which is a JSON object too.
    ///
    /// # Errors
    /// The message of the browser or of the connection.
    fn call(&mut self, method: &str, params: &str) -> Result<String, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_distinguished_from_events() {
        assert_eq!(response_number("{\"id\":17,\"result\":{}}"), Some(17));
        assert_eq!(response_number("{\"method\":\"Page.loadEventFired\",\"params\":{}}"), None);
    }
}
