//! Records the events of a page while it loads: the response of the main document, the number of
//! bytes received, dialogs, downloads, crashes.

use super::connection::Event;
use super::network_activity::NetworkActivity;
use crate::net::{Cause, retry_after_s};
use crate::response::{http_error, not_a_page};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::SystemTime;
use vclean_core::error::RenderError;
use vclean_core::text::excerpt;

/// Size limit of the main document, in decoded bytes.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;
/// Size limit of a page with everything it loads, in decoded bytes.
const MAX_PAGE_BYTES: u64 = 256 << 20;
/// Maximum number of hosts that are recorded for a page.
const MAX_HOSTS: usize = 1000;
/// Number of dialogs that are closed before the page's scripts are stopped.
const MAX_DIALOGS: u32 = 10;

/// The immediate reaction to an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reaction {
    /// The event needs no reaction.
    None,
    /// Close the dialog that blocks the page.
    CloseDialog,
    /// Close the dialog and disable the page's scripts.
    StopScripts,
    /// Stop loading: the page exceeds a limit.
    StopLoading,
}

/// The main document's request.
#[derive(Debug, Default)]
pub(super) struct MainDocument {
    request: String,
    /// Last requested address, after redirects.
    pub(super) url: String,
    /// HTTP status, 0 before the response.
    pub(super) status: u64,
    /// Reason phrase of the status.
    reason: String,
    /// Media type from the response, as the browser determined it.
    media_type: String,
    /// Pause that the server requests, in seconds.
    after_s: Option<u64>,
    /// Number of decoded bytes so far.
    pub(super) bytes: u64,
    /// True if its server closed the connection too early; then it is never loaded completely.
    pub(super) is_cut_off: bool,
    /// The browser's error code, `net::ERR_…`, or empty.
    pub(super) failure: String,
    /// True if it failed for any reason, including an abort with or without a new document.
    pub(super) has_failed: bool,
}

/// The state of one page.
#[derive(Debug, Default)]
pub(super) struct PageEvents {
    /// Id of the tab's main frame.
    pub(super) frame: String,
    /// The document that the main frame requested last.
    pub(super) main: MainDocument,
    /// Id of the document that the main frame shows, or empty.
    loader: String,
    /// Address of the document that the main frame shows.
    pub(super) shown: String,
    /// True if the browser shows its own error page for an address that it could not load.
    is_unreachable: bool,
    /// Number of documents that the main frame has shown.
    pub(super) commits: u32,
    /// Number of documents that the main frame has requested.
    pub(super) documents: u32,
    /// True if that document is loaded with everything it needs.
    pub(super) loaded: bool,
    /// Number of dialogs so far.
    pub(super) dialogs: u32,
    /// Requests that have not ended.
    pub(super) activity: NetworkActivity,
    /// Hosts that the page has requested resources from.
    pub(super) hosts: BTreeSet<String>,
    /// File name, if the address is a download.
    download: Option<String>,
    total_bytes: u64,
    over: Option<String>,
    crashed: bool,
}

/// Returns the host of an address.
fn host(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl PageEvents {
    /// Creates the state for a tab with the main frame `frame`.
    pub(super) fn for_frame(frame: &str) -> Self {
        Self {
            frame: frame.to_owned(),
            ..Self::default()
        }
    }

    /// Resets the state for the next page.
    pub(super) fn reset(&mut self) {
        let frame = std::mem::take(&mut self.frame);
        *self = Self {
            frame,
            ..Self::default()
        };
    }

    /// Records an event and returns the reaction to it.
    pub(super) fn record(&mut self, event: &Event) -> Reaction {
        let params = &event.params;
        self.activity.record(event, self.is_main_document(params));
        match event.method.as_str() {
            "Page.loadEventFired" => self.loaded = self.commits > 0,
            "Page.frameNavigated" => {
                let frame = &params["frame"];
                if text(&frame["id"]) == self.frame {
                    text(&frame["loaderId"]).clone_into(&mut self.loader);
                    text(&frame["url"]).clone_into(&mut self.shown);
                    self.is_unreachable = frame["unreachableUrl"].is_string();
                    self.commits += 1;
                    self.loaded = false;
                }
            }
            "Page.javascriptDialogOpening" => {
                self.dialogs += 1;
                return if self.dialogs >= MAX_DIALOGS {
                    Reaction::StopScripts
                } else {
                    Reaction::CloseDialog
                };
            }
            "Page.downloadWillBegin" | "Browser.downloadWillBegin" => {
                self.download = Some(text(&params["suggestedFilename"]).to_owned());
            }
            "Inspector.targetCrashed" => self.crashed = true,
            "Network.requestWillBeSent" if self.is_main_document(params) => {
                self.documents += 1;
                self.main = MainDocument {
                    request: text(&params["requestId"]).to_owned(),
                    url: text(&params["request"]["url"]).to_owned(),
                    ..MainDocument::default()
                };
            }
            "Network.requestWillBeSent" => self.record_host(text(&params["request"]["url"])),
            "Network.webSocketCreated" => self.record_host(text(&params["url"])),
            "Network.responseReceived" if text(&params["requestId"]) == self.main.request => {
                let response = &params["response"];
                self.main.status = response["status"].as_u64().unwrap_or(0);
                text(&response["statusText"]).clone_into(&mut self.main.reason);
                text(&response["mimeType"]).clone_into(&mut self.main.media_type);
                let header = |name: &str| {
                    let mut headers = response["headers"].as_object()?.iter();
                    headers
                        .find(|(other, _)| other.eq_ignore_ascii_case(name))
                        .map(|(_, value)| text(value).to_owned())
                };
                self.main.after_s = header("retry-after")
                    .and_then(|value| retry_after_s(&value, SystemTime::now()));
            }
            "Network.loadingFailed" if text(&params["requestId"]) == self.main.request => {
                text(&params["errorText"]).clone_into(&mut self.main.failure);
                self.main.has_failed |= self.commits > 0;
                self.main.is_cut_off |= self.commits > 0 && params["canceled"] != true;
            }
            "Network.dataReceived" => return self.count_bytes(params),
            _ => {}
        }
        Reaction::None
    }

    /// Returns true if a request is for a document of the main frame.
    fn is_main_document(&self, params: &Value) -> bool {
        text(&params["type"]) == "Document" && text(&params["frameId"]) == self.frame
    }

    fn record_host(&mut self, url: &str) {
        if self.hosts.len() < MAX_HOSTS {
            self.hosts.extend(host(url));
        }
    }

    /// Counts the bytes of a page. A page over a limit stops loading.
    fn count_bytes(&mut self, params: &Value) -> Reaction {
        let length = params["dataLength"].as_u64().unwrap_or(0);
        self.total_bytes += length;
        let is_main = text(&params["requestId"]) == self.main.request;
        self.main.bytes += if is_main { length } else { 0 };
        let over = if self.main.bytes > MAX_DOCUMENT_BYTES {
            Some(("the document", MAX_DOCUMENT_BYTES))
        } else if self.total_bytes > MAX_PAGE_BYTES {
            Some(("the page with all it loads", MAX_PAGE_BYTES))
        } else {
            None
        };
        if let (Some((what, limit)), None) = (over, &self.over) {
            self.over = Some(format!(
                "{what} has more than the {} MB a page may have",
                limit >> 20
            ));
            return Reaction::StopLoading;
        }
        Reaction::None
    }

    /// Returns true if the page is over a limit of size.
    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Returns true if the main frame shows the document that it requested last.
    pub(super) fn has_shown_last(&self) -> bool {
        !self.loader.is_empty() && self.loader == self.main.request
    }

    /// Returns true if the page's process is dead.
    pub(super) fn is_dead(&self) -> bool {
        self.crashed
    }

    /// Returns an error if it is known that the page cannot be used. `cause` returns the proxy's
    /// error for a host.
    pub(super) fn verdict(&self, cause: impl Fn(&str) -> Option<Cause>) -> Result<(), RenderError> {
        if let Some(over) = &self.over {
            return Err(RenderError::Limit(over.clone()));
        }
        let main = &self.main;
        // A script, a refresh or a click has led there; for the first document, `Page.navigate`
        // reports the error.
        if self.is_unreachable && self.commits > 1 {
            let error = network_error(&main.failure, host(&main.url).and_then(|host| cause(&host)));
            let led = |cause| format!("it leads to {}: {cause}", excerpt(&main.url, 200));
            return Err(match error {
                RenderError::Load(cause) => RenderError::Load(led(cause)),
                RenderError::Later { cause, after_s } => RenderError::Later {
                    cause: led(cause),
                    after_s,
                },
                error => error,
            });
        }
        // These may be statuses of the proxy itself. It keeps no cause for a host that responds.
        if matches!(main.status, 403 | 502)
            && let Some(cause) = host(&main.url).and_then(|host| cause(&host))
        {
            return Err(cause.into());
        }
        let media_type = main.media_type.as_str();
        if !media_type.is_empty() && !is_page(media_type) {
            return Err(not_a_page(media_type));
        }
        if let Some(name) = &self.download {
            return Err(RenderError::Load(format!(
                "the address is a file to download ({name}), not a web page"
            )));
        }
        // The browser follows every redirection that names an address.
        if main.status >= 400 || matches!(main.status, 204 | 301 | 302 | 303 | 307 | 308) {
            return Err(http_error(main.status, &main.reason, main.after_s));
        }
        Ok(())
    }
}

/// Returns true if the browser shows this media type as a document with text.
fn is_page(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || media_type.ends_with("xml")
        || media_type.ends_with("json")
        || media_type == "multipart/related"
        || media_type == "message/rfc822"
}

/// Describes an error of Chromium's network stack, `net::ERR_…`. `cause` is the proxy's error for
/// the host.
pub(super) fn network_error(code: &str, cause: Option<Cause>) -> RenderError {
    let code = code.trim_start_matches("net::");
    let is_of_connection = matches!(
        code,
        "ERR_TUNNEL_CONNECTION_FAILED" | "ERR_PROXY_CONNECTION_FAILED" | "ERR_EMPTY_RESPONSE"
    );
    if let Some(cause) = cause.filter(|_| is_of_connection) {
        return cause.into();
    }
    let sentence = match code {
        "ERR_TUNNEL_CONNECTION_FAILED" => {
            "the server cannot be reached; check the address and the network"
        }
        "ERR_NAME_NOT_RESOLVED" => "the name cannot be resolved; check the address and the network",
        "ERR_TOO_MANY_REDIRECTS" => "the address redirects without end; check the address",
        "ERR_EMPTY_RESPONSE" => {
            "the server closed the connection without an answer; try again later"
        }
        "ERR_CONNECTION_CLOSED" | "ERR_CONNECTION_RESET" | "ERR_CONNECTION_ABORTED" => {
            "the server broke off the connection; try again later"
        }
        "ERR_TIMED_OUT" | "ERR_CONNECTION_TIMED_OUT" => {
            "the server did not answer in time; try again later"
        }
        "ERR_ABORTED" => "the server sent a file or nothing, and no page; check the address",
        "ERR_INVALID_URL" => "the address is not valid; check the address",
        "ERR_UNSAFE_PORT" => "the browser does not load pages from this port; use another",
        "ERR_CONTENT_DECODING_FAILED" => {
            "the server's compressed answer is damaged; try again later"
        }
        "ERR_INVALID_RESPONSE" | "ERR_INVALID_HTTP_RESPONSE" | "ERR_RESPONSE_HEADERS_TRUNCATED" => {
            "the server's response is not HTTP; check the address"
        }
        "ERR_FILE_NOT_FOUND" => "the saved page cannot be read by the browser; run vclean doctor",
        "ERR_BLOCKED_BY_RESPONSE"
        | "ERR_BLOCKED_BY_CLIENT"
        | "ERR_UNKNOWN_URL_SCHEME"
        | "ERR_ACCESS_DENIED"
        | "ERR_UNSAFE_REDIRECT"
        | "ERR_DISALLOWED_URL_SCHEME" => "pages may not load this address; check the address",
        _ if code.starts_with("ERR_CERT_")
            || code.starts_with("ERR_SSL_")
            || code.contains("CERTIFICATE") =>
        {
            return RenderError::Load(format!(
                "the server's certificate or encryption is not valid ({code}); check the address, or try http"
            ));
        }
        _ => {
            return RenderError::Load(format!(
                "the page cannot be loaded ({code}); check the address or try again later"
            ));
        }
    };
    let is_temporary = matches!(
        code,
        "ERR_TUNNEL_CONNECTION_FAILED"
            | "ERR_EMPTY_RESPONSE"
            | "ERR_CONNECTION_CLOSED"
            | "ERR_CONNECTION_RESET"
            | "ERR_CONNECTION_ABORTED"
            | "ERR_TIMED_OUT"
            | "ERR_CONNECTION_TIMED_OUT"
    );
    let sentence = sentence.to_owned();
    if is_temporary {
        Cause::Temporary(sentence)
    } else {
        Cause::Permanent(sentence)
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(method: &str, params: Value) -> Event {
        Event {
            method: method.to_owned(),
            params,
        }
    }

    fn watching() -> PageEvents {
        let mut events = PageEvents {
            frame: "F".into(),
            ..PageEvents::default()
        };
        events.record(&event(
            "Network.requestWillBeSent",
            json!({ "type": "Document", "frameId": "F", "requestId": "1", "request": { "url": "http://a.example/" } }),
        ));
        events
    }

    fn answer(status: u64, kind: &str, headers: &Value) -> Event {
        event(
            "Network.responseReceived",
            json!({ "requestId": "1", "response": { "status": status, "statusText": "", "mimeType": kind, "headers": headers } }),
        )
    }

    #[test]
    fn responses_without_a_page_give_an_error() {
        for (status, kind, expected) in [
            (404, "text/html", "404 Not Found; check the address"),
            (503, "text/html", "503 Service Unavailable; try again later"),
            (200, "application/pdf", "application/pdf, not a web page"),
            (200, "image/png", "image/png"),
        ] {
            let mut events = watching();
            events.record(&answer(status, kind, &json!({})));
            let error = events.verdict(|_| None).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let mut events = watching();
        events.record(&answer(200, "text/html", &json!({})));
        assert!(events.verdict(|_| None).is_ok());
    }

    #[test]
    fn the_cause_of_the_proxy_is_used_if_there_is_one() {
        for (status, is_known, expected) in [
            (403, true, "it is private"),
            (403, false, "403 Forbidden"),
            (404, true, "404 Not Found"),
        ] {
            let mut events = watching();
            events.record(&answer(status, "text/html", &json!({})));
            let error = events.verdict(|host| {
                (is_known && host == "a.example")
                    .then(|| Cause::Permanent("it is private".to_owned()))
            });
            assert!(error.unwrap_err().to_string().contains(expected));
        }
    }

    #[test]
    fn hosts_of_all_requests_are_recorded() {
        let mut events = watching();
        for url in [
            "http://b.example/x",
            "https://c.example:8443/",
            "data:,x",
            "http://b.example/y",
        ] {
            events.record(&event(
                "Network.requestWillBeSent",
                json!({ "type": "Image", "request": { "url": url } }),
            ));
        }
        events.record(&event(
            "Network.webSocketCreated",
            json!({ "url": "ws://d.example/" }),
        ));
        assert_eq!(
            events.hosts.iter().collect::<Vec<_>>(),
            ["b.example", "c.example", "d.example"]
        );
    }

    #[test]
    fn dialogs_and_downloads_are_limited() {
        let mut events = watching();
        let dialog = event("Page.javascriptDialogOpening", json!({}));
        let reactions: Vec<_> = (0..MAX_DIALOGS).map(|_| events.record(&dialog)).collect();
        assert_eq!(reactions[0], Reaction::CloseDialog);
        assert_eq!(reactions[MAX_DIALOGS as usize - 1], Reaction::StopScripts);
        let flood = event(
            "Network.dataReceived",
            json!({ "requestId": "1", "dataLength": 65 << 20 }),
        );
        assert_eq!(events.record(&flood), Reaction::StopLoading);
        assert!(matches!(
            events.verdict(|_| None),
            Err(RenderError::Limit(_))
        ));
    }

    #[test]
    fn network_errors_become_messages() {
        let text = |code| network_error(code, None).to_string();
        assert!(text("net::ERR_CERT_DATE_INVALID").contains("certificate"));
        assert!(text("net::ERR_TOO_MANY_REDIRECTS").contains("redirects without end"));
        assert!(text("net::ERR_SOMETHING_NEW").contains("ERR_SOMETHING_NEW"));
        let known = network_error(
            "net::ERR_TUNNEL_CONNECTION_FAILED",
            Some(Cause::Permanent("it is private".into())),
        );
        assert_eq!(known.to_string(), "it is private");
    }
}
