//! The requests over HTTP that are being answered. They are kept because a client cancels one with
//! a notification, which arrives as a separate request. Requests have numbers within a session,
//! which the client names in a header; nothing else is stored about the session.

use super::super::places::Caller;
use axum::http::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The header with the id of a session.
pub(super) const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// The members of a message that identify it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) id: Value,
    #[serde(default)]
    pub(super) method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Debug, Default, Deserialize)]
struct Params {
    /// The `id` of the request that a notification cancels.
    #[serde(default, rename = "requestId")]
    request_id: Value,
}

impl Message {
    /// The `id` of the request that this notification cancels.
    pub(super) fn cancelled(&self) -> Option<&Value> {
        Some(&self.params.request_id)
            .filter(|id| self.method == "notifications/cancelled" && !id.is_null())
    }
}

/// The session in which a message was sent. Messages without a session share one for each caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    caller: Caller,
    id: Option<Vec<u8>>,
}

impl Session {
    pub(super) fn new(caller: Caller, headers: &HeaderMap) -> Self {
        Self {
            caller,
            id: headers.get(SESSION_HEADER).map(|id| id.as_bytes().to_vec()),
        }
    }
}

/// The calls that are being answered. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<Call>>>);

#[derive(Debug)]
struct Call {
    session: Session,
    id: Value,
    cancel: oneshot::Sender<()>,
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call. The returned receiver is ready when the call is canceled; drop it when the call
    /// was answered.
    pub(super) fn begin(&self, session: Session, id: Value) -> oneshot::Receiver<()> {
        let (cancel, cancelled) = oneshot::channel();
        let mut calls = self.lock();
        calls.retain(|call| !call.cancel.is_closed());
        calls.push(Call {
            session,
            id,
            cancel,
        });
        cancelled
    }

    /// Cancels a call. If several clients without sessions use the same number, it is not known
    /// whose call is meant, and none is canceled.
    pub(super) fn cancel(&self, session: &Session, id: &Value) {
        let mut calls = self.lock();
        calls.retain(|call| !call.cancel.is_closed());
        let mut found = calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.session == *session && call.id == *id);
        if let (Some((found, _)), None) = (found.next(), found.next()) {
            // There is no receiver if the call was just answered.
            let _ = calls.swap_remove(found).cancel.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_cancelled_by_its_own_session_only() {
        let session = |token, id: Option<&str>| {
            let headers = id
                .map(|id| (SESSION_HEADER, id.parse().unwrap()))
                .into_iter()
                .collect();
            Session::new(
                Caller {
                    token: Some(token),
                    address: None,
                },
                &headers,
            )
        };
        let calls = Calls::default();
        let mut call = calls.begin(session(0, Some("a")), json!(1));
        let others = [
            (session(0, Some("b")), json!(1)),
            (session(1, Some("a")), json!(1)),
            (session(0, None), json!(1)),
            (session(0, Some("a")), json!("1")),
            (session(0, Some("a")), Value::Null),
        ];
        for (session, id) in &others {
            calls.cancel(session, id);
        }
        assert!(
            call.try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Empty)
        );
        calls.cancel(&session(0, Some("a")), &json!(1));
        assert!(call.try_recv().is_ok() && calls.lock().is_empty());
        // Without sessions, two clients of one caller may use the same number.
        let mut first = calls.begin(session(0, None), json!(1));
        let second = calls.begin(session(0, None), json!(1));
        calls.cancel(&session(0, None), &json!(1));
        assert!(first.try_recv().is_err());
        drop(second);
        calls.cancel(&session(0, None), &json!(1));
        assert!(first.try_recv().is_ok());
    }
}
