//! The messages of the browser: responses and events.

use serde::Deserialize;
use serde_json::Value;
use tungstenite::Utf8Bytes;

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
