//! The connection to a browser: an unnamed pair of sockets that only our process and the browser
//! hold (`--remote-debugging-pipe`). A debugging port would be open to every user of the machine,
//! and to pages.
//!
//! A message is a JSON text followed by a NUL byte. One thread reads all of them and passes each to
//! the session of its page, or to the call that waits for it.

use super::protocol::parsed;
use memchr::memchr;
use memchr::memmem::{find, rfind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use vclean_core::error::RenderError;

/// Time limit for one write; a working browser reads at once.
const WRITE_LIMIT: Duration = Duration::from_secs(20);
/// Largest message, in bytes. Heuristic: a picture of noise of 2,560 x 30,000 px has 307 MB; one of
/// a real page at most a tenth of that.
pub(super) const MAX_MESSAGE_BYTES: usize = 320 << 20;
/// Maximum number of unread bytes for one page: the largest message, and events meanwhile. A page
/// that sends more is abandoned.
const MAX_WAITING_BYTES: usize = MAX_MESSAGE_BYTES + (64 << 20);
/// Length of the end of a message, which names its session.
const TAIL_BYTES: usize = 200;
/// Call numbers have 31 bits.
const MAX_NUMBER: u64 = i32::MAX as u64;

/// An incoming message for a page.
pub(super) enum Delivery {
    /// The complete JSON text.
    Message(String),
    /// A message that is too long to be read.
    TooLong,
}

/// The connection to a browser. Clones share it.
#[derive(Clone)]
pub(super) struct Pipe(Arc<Shared>);

struct Shared {
    writer: Mutex<UnixStream>,
    routes: Mutex<Routes>,
    last: AtomicU64,
}

/// Receivers of the incoming messages.
#[derive(Default)]
struct Routes {
    is_closed: bool,
    sessions: BTreeMap<String, Route>,
    /// Pending calls to the browser itself, by number.
    calls: BTreeMap<u64, Sender<Delivery>>,
}

struct Route {
    sender: Sender<Delivery>,
    /// Number of unread bytes.
    waiting: Arc<AtomicUsize>,
}

fn closed(cause: &str) -> RenderError {
    RenderError::Crash(format!(
        "the browser closed its connection: {cause}; try again"
    ))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pipe {
    /// Starts reading from our end of the connection.
    ///
    /// # Errors
    /// If the system has no more threads or files.
    pub(super) fn open(stream: UnixStream) -> io::Result<Self> {
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let reader = stream.try_clone()?;
        let shared = Arc::new(Shared {
            writer: Mutex::new(stream),
            routes: Mutex::new(Routes::default()),
            last: AtomicU64::new(0),
        });
        let pipe = Self(Arc::clone(&shared));
        std::thread::Builder::new()
            .name("vclean-pipe".into())
            .spawn(move || {
                let mut reader = BufReader::with_capacity(1 << 20, reader);
                while let Ok(Some(message)) = next_message(&mut reader, MAX_MESSAGE_BYTES) {
                    shared.deliver(message);
                }
                shared.close();
            })?;
        Ok(pipe)
    }

    /// Calls the browser itself and waits for its response, at most `limit`.
    ///
    /// # Errors
    /// [`RenderError::Crash`] if it refuses, does not respond in time or has closed the connection.
    pub(super) fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> Result<T, RenderError> {
        let (sender, receiver) = channel();
        let number = self.0.number();
        {
            let mut routes = lock(&self.0.routes);
            if routes.is_closed {
                return Err(closed("it has ended"));
            }
            routes.calls.insert(number, sender);
        }
        let sent = self
            .0
            .write(&json!({ "id": number, "method": method, "params": params }));
        let received = sent.and_then(|()| match receiver.recv_timeout(limit) {
            Ok(Delivery::Message(text)) => parsed(&text, method),
            Ok(Delivery::TooLong) => Err(closed("its answer is too long")),
            Err(RecvTimeoutError::Timeout) => Err(RenderError::Crash(format!(
                "the browser does not answer to {method} within {} s; try again",
                limit.as_secs()
            ))),
            Err(RecvTimeoutError::Disconnected) => Err(closed("it has ended")),
        });
        lock(&self.0.routes).calls.remove(&number);
        received
    }

    /// Attaches to a target, such as a page.
    ///
    /// # Errors
    /// Those of [`Self::call`].
    pub(super) fn attach(&self, target: &str, limit: Duration) -> Result<PipeSession, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attached {
            session_id: String,
        }
        let params = json!({ "targetId": target, "flatten": true });
        let Attached { session_id } = self.call("Target.attachToTarget", &params, limit)?;
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let mut routes = lock(&self.0.routes);
        if routes.is_closed {
            return Err(closed("it has ended"));
        }
        routes.sessions.insert(
            session_id.clone(),
            Route {
                sender,
                waiting: Arc::clone(&waiting),
            },
        );
        drop(routes);
        Ok(PipeSession {
            pipe: self.clone(),
            id: session_id,
            receiver,
            waiting,
        })
    }
}

/// The part of the connection that belongs to one page.
pub(super) struct PipeSession {
    pipe: Pipe,
    id: String,
    receiver: Receiver<Delivery>,
    waiting: Arc<AtomicUsize>,
}

impl Drop for PipeSession {
    fn drop(&mut self) {
        lock(&self.pipe.0.routes).sessions.remove(&self.id);
    }
}

impl PipeSession {
    /// Sends a call and returns its number.
    pub(super) fn send(&self, method: &str, params: &Value) -> Result<u64, RenderError> {
        let number = self.pipe.0.number();
        self.pipe.0.write(
            &json!({ "id": number, "method": method, "params": params, "sessionId": self.id }),
        )?;
        Ok(number)
    }

    /// Returns the next message, or `None` if there is none within `limit`.
    ///
    /// # Errors
    /// [`RenderError::Crash`] if the page or the browser is gone.
    pub(super) fn receive(&self, limit: Duration) -> Result<Option<Delivery>, RenderError> {
        match self.receiver.recv_timeout(limit) {
            Ok(delivery) => {
                if let Delivery::Message(text) = &delivery {
                    self.waiting.fetch_sub(text.len(), Ordering::Relaxed);
                }
                Ok(Some(delivery))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(closed("the page's target is gone")),
        }
    }
}

impl Shared {
    fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) % MAX_NUMBER + 1
    }

    fn write(&self, message: &Value) -> Result<(), RenderError> {
        let mut text = message.to_string().into_bytes();
        text.push(0);
        let written = lock(&self.writer).write_all(&text);
        written.map_err(|error| {
            // A partly written message would merge with the next one.
            self.close();
            closed(&error.to_string())
        })
    }

    /// Ends all sessions and calls.
    fn close(&self) {
        let mut routes = lock(&self.routes);
        *routes = Routes {
            is_closed: true,
            ..Routes::default()
        };
    }

    fn deliver(&self, message: Message) {
        let mut routes = lock(&self.routes);
        if let Some(session) = session_of(message.tail()) {
            let Some(route) = routes.sessions.get(session) else {
                return;
            };
            let length = message.length();
            let waiting = route.waiting.fetch_add(length, Ordering::Relaxed) + length;
            let session = session.to_owned();
            if waiting > MAX_WAITING_BYTES || route.sender.send(message.into_delivery()).is_err() {
                routes.sessions.remove(&session);
            }
            return;
        }
        if let Some(sender) =
            response_number(message.start()).and_then(|number| routes.calls.remove(&number))
        {
            // If this fails, the receiver is gone.
            let _ = sender.send(message.into_delivery());
        } else if let Some(gone) = message.detached() {
            routes.sessions.remove(&gone);
        }
    }
}

/// A message from the browser.
enum Message {
    Whole(Vec<u8>),
    /// Start and end of a message that is too long.
    TooLong {
        start: Vec<u8>,
        tail: Vec<u8>,
    },
}

impl Message {
    fn start(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) => bytes,
            Self::TooLong { start, .. } => start,
        }
    }

    fn tail(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) => &bytes[bytes.len().saturating_sub(TAIL_BYTES)..],
            Self::TooLong { tail, .. } => tail,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::TooLong { .. } => 0,
        }
    }

    fn into_delivery(self) -> Delivery {
        match self {
            // Chromium writes only UTF-8, so the length stays the same.
            Self::Whole(bytes) => {
                String::from_utf8(bytes).map_or(Delivery::TooLong, Delivery::Message)
            }
            Self::TooLong { .. } => Delivery::TooLong,
        }
    }

    /// Returns the session that ended, if the message reports one.
    fn detached(&self) -> Option<String> {
        const METHOD: &str = "Target.detachedFromTarget";
        let Self::Whole(bytes) = self else {
            return None;
        };
        find(&bytes[..bytes.len().min(TAIL_BYTES)], METHOD.as_bytes())?;
        let event: Value = serde_json::from_slice(bytes).ok()?;
        let is_detached = event["method"] == METHOD;
        event["params"]["sessionId"]
            .as_str()
            .filter(|_| is_detached)
            .map(str::to_owned)
    }
}

/// Returns the session that a message belongs to. Chromium writes it last, so content of the page
/// cannot be in this position.
fn session_of(tail: &[u8]) -> Option<&str> {
    const NAME: &[u8] = b",\"sessionId\":\"";
    let end = tail.strip_suffix(b"\"}")?;
    let id = &end[rfind(end, NAME)? + NAME.len()..];
    let is_id = !id.is_empty() && id.iter().all(u8::is_ascii_alphanumeric);
    std::str::from_utf8(id).ok().filter(|_| is_id)
}

/// Returns the number of the call that a message responds to. Chromium writes it first, so a large
/// response is parsed only once.
pub(super) fn response_number(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"{\"id\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// Reads the next message; `None` at the end. If it has more than `limit` bytes, only its start and
/// end are kept.
fn next_message(reader: &mut impl BufRead, limit: usize) -> io::Result<Option<Message>> {
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(limit as u64 + 1)
        .read_until(0, &mut bytes)?;
    if bytes.pop_if(|last| *last == 0).is_some() {
        return Ok(Some(Message::Whole(bytes)));
    }
    if bytes.len() <= limit {
        return Ok(None);
    }
    let mut tail = bytes.split_off(bytes.len().saturating_sub(TAIL_BYTES));
    bytes.truncate(TAIL_BYTES);
    bytes.shrink_to_fit();
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let end = memchr(0, buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        tail.extend_from_slice(&part[part.len().saturating_sub(TAIL_BYTES)..]);
        tail.drain(..tail.len().saturating_sub(TAIL_BYTES));
        let length = part.len() + usize::from(end.is_some());
        reader.consume(length);
        if end.is_some() {
            return Ok(Some(Message::TooLong { start: bytes, tail }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates our end and that of a simulated browser.
    fn pair() -> (Pipe, UnixStream) {
        let (ours, browser) = UnixStream::pair().unwrap();
        (Pipe::open(ours).unwrap(), browser)
    }

    /// Reads one of our messages and responds to it.
    fn answer(browser: &UnixStream, with: impl Fn(&Value) -> String) {
        let mut message = Vec::new();
        BufReader::with_capacity(1, browser)
            .read_until(0, &mut message)
            .unwrap();
        message.pop();
        let message: Value = serde_json::from_slice(&message).unwrap();
        (&*browser)
            .write_all(format!("{}\0", with(&message)).as_bytes())
            .unwrap();
    }

    fn attach(pipe: &Pipe, browser: &UnixStream, id: &str) -> PipeSession {
        std::thread::scope(|scope| {
            let attached = scope.spawn(|| pipe.attach("T", Duration::from_secs(9)).unwrap());
            answer(browser, |call| {
                format!(
                    "{{\"id\":{},\"result\":{{\"sessionId\":\"{id}\"}}}}",
                    call["id"]
                )
            });
            attached.join().unwrap()
        })
    }

    fn received(session: &PipeSession) -> Option<String> {
        match session.receive(Duration::from_secs(9)) {
            Ok(Some(Delivery::Message(text))) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn messages_go_to_the_page_that_they_belong_to() {
        let (pipe, browser) = pair();
        let (one, two) = (
            attach(&pipe, &browser, "AA1"),
            attach(&pipe, &browser, "BB2"),
        );
        let number = two.send("Page.enable", &json!({})).unwrap();
        answer(&browser, |call| {
            assert_eq!(
                (&call["sessionId"], &call["id"]),
                (&json!("BB2"), &json!(number))
            );
            format!("{{\"id\":{number},\"result\":{{}},\"sessionId\":\"BB2\"}}")
        });
        // Text from a page cannot look like the end of a message.
        let forged = r#"{"method":"Network.x","params":{"url":",\"sessionId\":\"BB2\"}"},"sessionId":"AA1"}"#;
        (&browser)
            .write_all(format!("{forged}\0").as_bytes())
            .unwrap();
        assert_eq!(received(&one).as_deref(), Some(forged));
        assert_eq!(
            response_number(received(&two).unwrap().as_bytes()),
            Some(number)
        );
        let gone = "{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"AA1\",\"targetId\":\"T\"}}\0";
        (&browser).write_all(gone.as_bytes()).unwrap();
        assert!(
            matches!(
                one.receive(Duration::from_secs(9)),
                Err(RenderError::Crash(_))
            ),
            "its target is gone"
        );
        assert!(matches!(two.receive(Duration::ZERO), Ok(None)));
        drop(browser);
        assert!(
            matches!(
                two.receive(Duration::from_secs(9)),
                Err(RenderError::Crash(_))
            ),
            "the browser is gone"
        );
        assert!(
            pipe.call::<Value>("Browser.getVersion", &json!({}), Duration::from_secs(9))
                .is_err()
        );
    }

    #[test]
    fn a_browser_that_does_not_answer_is_noticed() {
        let (pipe, _browser) = pair();
        let error = pipe
            .call::<Value>("Browser.getVersion", &json!({}), Duration::from_millis(50))
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("does not answer to Browser.getVersion"),
            "{error}"
        );
        assert!(lock(&pipe.0.routes).calls.is_empty());
    }

    #[test]
    fn of_a_message_that_is_too_long_the_addressee_is_known() {
        let long = format!(
            "{{\"id\":7,\"result\":\"{}\",\"sessionId\":\"AA1\"}}",
            "x".repeat(5000)
        );
        let text = format!("{long}\0{{\"id\":8}}\0{{\"id\":9");
        let mut reader = BufReader::with_capacity(64, text.as_bytes());
        let first = next_message(&mut reader, 1000).unwrap().unwrap();
        assert_eq!(
            (response_number(first.start()), session_of(first.tail())),
            (Some(7), Some("AA1"))
        );
        assert!(matches!(first.into_delivery(), Delivery::TooLong));
        let second = next_message(&mut reader, 1000).unwrap().unwrap();
        assert_eq!(
            (response_number(second.start()), session_of(second.tail())),
            (Some(8), None)
        );
        assert!(
            next_message(&mut reader, 1000).unwrap().is_none(),
            "a message that is cut off is none"
        );
    }
}
