//! A blocking socket to one page.
//!
//! `headless_chrome` holds the lock of its socket during a read of 100 ms, so that every call through it takes 100 ms.
//! The calls of a page use a separate socket, where a call takes 0.4 ms.

use crate::error::RenderError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, Utf8Bytes, WebSocket};

/// Longest wait for one write; a working browser reads at once.
const WRITE_LIMIT: Duration = Duration::from_secs(20);
/// Largest message, in bytes; the picture of a page of 30,000 px is much smaller.
const MAX_MESSAGE_BYTES: usize = 1 << 30;

/// A message of the browser.
pub(super) enum Incoming {
    /// The response to the call of this number; the whole message.
    Answer(u64, Utf8Bytes),
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

/// The socket to a page.
pub(super) struct Socket {
    stream: WebSocket<TcpStream>,
    last: u64,
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
        let prepared = stream
            .set_nodelay(true)
            .and_then(|()| stream.set_write_timeout(Some(WRITE_LIMIT)))
            .and_then(|()| stream.set_read_timeout(Some(WRITE_LIMIT)));
        prepared.map_err(|error| closed(&error))?;
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

    /// Sends a call and returns its number.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> Result<u64, RenderError> {
        self.last += 1;
        let text = json!({ "id": self.last, "method": method, "params": params }).to_string();
        self.stream.send(Message::text(text)).map_err(|error| closed(&error))?;
        Ok(self.last)
    }

    /// The next message, or `None` if there is none before `deadline`.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Incoming>, RenderError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.stream.get_ref().set_read_timeout(Some(left)).map_err(|error| closed(&error))?;
            let text = match self.stream.read() {
                Ok(Message::Text(text)) => text,
                Ok(Message::Close(_)) => return Err(closed(&"the page's target is gone")),
                Ok(_) => continue,
                Err(tungstenite::Error::Io(error))
                    if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(closed(&error)),
            };
            if let Some(number) = answered(&text) {
                return Ok(Some(Incoming::Answer(number, text)));
            }
            if let Ok(event) = serde_json::from_str(&text) {
                return Ok(Some(Incoming::Event(event)));
            }
        }
    }
}

/// The number of the call that a message responds to. Chromium writes it first, so a large response is parsed only
/// once.
fn answered(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("{\"id\":")?;
    digits[..digits.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_distinguished_from_events() {
        assert_eq!(answered("{\"id\":17,\"result\":{}}"), Some(17));
        assert_eq!(answered("{\"method\":\"Page.loadEventFired\",\"params\":{}}"), None);
    }
}
