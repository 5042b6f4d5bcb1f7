//! Webhooks: an address that is told by POST when a job begins, has a result and ends, in
//! Firecrawl's format. It is reached under the same network policy as pages, so it has to be
//! public.
//!
//! Each event is sent in its turn, and again if it is not taken. After some events that were not
//! taken, nothing more is sent.

use super::job_folder::{Kind, Status};
use super::jobs::Job;
use super::options::Token;
use super::problem::Problem;
use super::service::Service;
use hmac::{Hmac, KeyInit, Mac};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::Sha256;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use url::Url;
use vclean_core::error::RenderError;
use vclean_render::{LoadOptions, address};

/// The header with the signature: the HMAC-SHA256 (RFC 2104) of the body, in hexadecimal digits.
const SIGNATURE: &str = "X-Firecrawl-Signature";
/// Longest time for one try. Heuristic: who is told should answer before working.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Pauses before an event is sent again. Heuristic: a restart of the other side takes less.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
];
/// Number of events in a row that may be lost before nothing more is sent.
const MAX_LOST: usize = 3;

/// An address that is told of a job.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Webhook {
    Address(String),
    Options(WebhookOptions),
}

/// An address that is told of a job, and of what.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookOptions {
    /// The http or https address.
    url: String,
    /// Headers of its requests.
    #[serde(default)]
    headers: Option<Map<String, Value>>,
    /// Values of your own, which are in every body.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// The events that are told; all by default.
    #[serde(default)]
    events: Option<Vec<EventKind>>,
}

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EventKind {
    Started,
    /// A page has a result.
    Page,
    Completed,
    /// The job has failed or was cancelled.
    Failed,
}

/// Something that happens to a job.
#[derive(Debug)]
pub(super) enum Event {
    Started,
    /// A page has this result.
    Page(Arc<RawValue>),
    Ended {
        status: Status,
        warning: Option<String>,
    },
}

impl Event {
    fn kind(&self) -> EventKind {
        match self {
            Self::Started => EventKind::Started,
            Self::Page(_) => EventKind::Page,
            Self::Ended {
                status: Status::Completed,
                ..
            } => EventKind::Completed,
            Self::Ended { .. } => EventKind::Failed,
        }
    }
}

/// The outcome of one try.
enum Sent {
    Taken,
    /// Another try would not change it.
    Refused(String),
    Failed(String),
}

/// The body of a request to a webhook.
#[derive(Serialize)]
struct Told<'a> {
    success: bool,
    r#type: String,
    id: &'a str,
    data: Vec<&'a RawValue>,
    metadata: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// A webhook whose address and headers were checked.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    url: Url,
    headers: Vec<(String, String)>,
    metadata: Map<String, Value>,
    events: Option<Vec<EventKind>>,
}

/// Tells a webhook of the events of one job.
#[derive(Debug, Clone)]
pub(super) struct Hook(UnboundedSender<Event>);

impl Hook {
    /// Sends an event, in the background.
    pub(super) fn tell(&self, event: Event) {
        // There is nobody to be told after too many failures.
        let _ = self.0.send(event);
    }
}

impl Webhook {
    /// Checks the address and the headers.
    ///
    /// # Errors
    /// If they are wrong.
    pub(super) fn check(self) -> Result<Receiver, Problem> {
        let options = match self {
            Self::Address(url) => WebhookOptions {
                url,
                ..WebhookOptions::default()
            },
            Self::Options(options) => options,
        };
        let wrong = |cause: String| Problem::request(format!("`webhook` is wrong: {cause}"));
        let url = address(&options.url).map_err(|error| wrong(error.to_string()))?;
        let headers = options.headers.unwrap_or_default();
        let checked: Result<LoadOptions, _> =
            serde_json::from_value(json!({ "headers": &headers }));
        checked.map_err(|error| wrong(error.to_string()))?;
        let text = |(name, value): (String, Value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (name, value)
        };
        Ok(Receiver {
            url,
            headers: headers.into_iter().map(text).collect(),
            metadata: options.metadata.unwrap_or_default(),
            events: options.events,
        })
    }
}

impl Receiver {
    /// Begins to tell of a job, in the background.
    pub(super) fn listen(self, service: &Arc<Service>, job: &Arc<Job>) -> Hook {
        let (sender, events) = unbounded_channel();
        tokio::spawn(self.send_all(Arc::clone(service), Arc::clone(job), events));
        Hook(sender)
    }

    async fn send_all(
        self,
        service: Arc<Service>,
        job: Arc<Job>,
        mut events: UnboundedReceiver<Event>,
    ) {
        let mut lost = 0;
        while lost < MAX_LOST
            && let Some(event) = events.recv().await
        {
            let kind = event.kind();
            if self
                .events
                .as_ref()
                .is_some_and(|kinds| !kinds.contains(&kind))
            {
                continue;
            }
            let Some(body) = self.body(&job, &event) else {
                continue;
            };
            let sent = tokio::select! {
                sent = self.send(&service, body) => sent,
                () = service.stop.wait() => return,
            };
            match sent {
                Ok(()) => lost = 0,
                Err(cause) => {
                    lost += 1;
                    service.metrics.count_failure("webhook");
                    job.lose_event(&cause);
                }
            }
        }
    }

    fn body(&self, job: &Job, event: &Event) -> Option<Vec<u8>> {
        let kind = event.kind();
        let (data, error) = match event {
            Event::Started => (Vec::new(), None),
            Event::Page(result) => (vec![&**result], None),
            Event::Ended { status, warning } => {
                let cause = warning.as_deref().unwrap_or(status.name());
                (Vec::new(), (kind == EventKind::Failed).then_some(cause))
            }
        };
        let name = serde_json::to_value(kind).ok()?;
        let owner = match job.kind {
            Kind::Crawl => "crawl",
            Kind::Batch => "batch_scrape",
        };
        let told = Told {
            success: kind != EventKind::Failed,
            r#type: format!("{owner}.{}", name.as_str()?),
            id: &job.id,
            data,
            metadata: &self.metadata,
            error,
        };
        serde_json::to_vec(&told).ok()
    }

    /// Sends a body until it is taken.
    ///
    /// # Errors
    /// If it is not taken.
    async fn send(&self, service: &Arc<Service>, body: Vec<u8>) -> Result<(), String> {
        let mut headers = self.headers.clone();
        headers.push(("Content-Type".into(), "application/json".into()));
        if let Some(secret) = &service.options.webhook_secret {
            headers.push((SIGNATURE.into(), signature(secret, &body)));
        }
        let request = Arc::new((self.url.clone(), headers, body));
        let mut pauses = PAUSES.iter();
        loop {
            let (post, request) = (Arc::clone(service), Arc::clone(&request));
            let post = move || {
                let (url, headers, body) = &*request;
                Ok(match post.renderer.post(url, headers, body, TIMEOUT) {
                    Ok(200..=299) => Sent::Taken,
                    Ok(status) => Sent::Failed(format!("it answers with status {status}")),
                    Err(error) => {
                        let is_final = matches!(error, RenderError::Forbidden(_));
                        let cause = Problem::from(error).cause;
                        if is_final {
                            Sent::Refused(cause)
                        } else {
                            Sent::Failed(cause)
                        }
                    }
                })
            };
            let sent = service.workers.run(Some(2 * TIMEOUT), post).await;
            let cause = match sent.unwrap_or_else(Sent::Failed) {
                Sent::Taken => return Ok(()),
                Sent::Refused(cause) => return Err(cause),
                Sent::Failed(cause) => cause,
            };
            let Some(pause) = pauses.next() else {
                return Err(cause);
            };
            tokio::time::sleep(*pause).await;
        }
    }
}

/// The signature of a body.
fn signature(secret: &Token, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).expect("a key has any length");
    mac.update(body);
    let mut text = "sha256=".to_owned();
    for byte in mac.finalize().into_bytes() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_signed() {
        // Computed with `openssl dgst -sha256 -hmac 0123456789abcdef`.
        let secret = Token::new("0123456789abcdef").unwrap();
        assert_eq!(
            signature(&secret, b"gulls"),
            "sha256=5c508aa173a6577fe9bc5b9d11b4581435118c314584f12fa9caf361047b07b1"
        );
    }

    #[test]
    fn webhooks_are_checked() {
        let check = |text: &str| {
            let webhook: Webhook = serde_json::from_str(text).unwrap();
            webhook.check().map_err(|problem| problem.cause)
        };
        let found = check("\"https://a.example/x\"").unwrap();
        assert!(found.url.as_str() == "https://a.example/x" && found.events.is_none());
        let found = check(
            r#"{"url": "http://a.example/", "headers": {"X-Key": "k"}, "events": ["page", "failed"]}"#,
        )
        .unwrap();
        assert_eq!(found.headers, [("X-Key".to_owned(), "k".to_owned())]);
        assert_eq!(found.events.unwrap(), [EventKind::Page, EventKind::Failed]);
        for wrong in [
            "\"file:///etc/passwd\"",
            "\"gulls\"",
            r#"{"url": "https://a.example/", "headers": {"Host": "b.example"}}"#,
        ] {
            let cause = check(wrong).unwrap_err();
            assert!(cause.contains("`webhook` is wrong"), "{cause}");
        }
    }
}
