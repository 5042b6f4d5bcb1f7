//! The connection of a page that another program opened: each call is a call of its connection, and there are no events.

use super::message::Incoming;
use crate::render::PageConnection;
use serde_json::{Value, json};
use std::thread;
use std::time::Instant;

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
        self.waiting = Some(Incoming::Answer(self.last, message.into()));
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
