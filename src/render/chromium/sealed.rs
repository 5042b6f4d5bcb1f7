//! Sealed tabs, which have no access to the network. Pages of web archives are rendered in them.
//!
//! There are two barriers. Every request of a page is paused by the browser's `Fetch` domain and is answered by us, or
//! fails. Connections that do not pass through this domain (sockets, workers, preconnect hints) belong to a browser
//! context with a proxy that blocks everything; and the browser itself resolves no names (`launch`).

use super::answer::parsed;
use super::launch::Process;
use super::message::Incoming;
use super::socket::Socket;
use crate::error::RenderError;
use crate::render::recorded::{RecordedPage, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Longest wait for a tab to open.
const OPEN_LIMIT: Duration = Duration::from_secs(30);

/// Opens a tab with its own browser context, whose proxy is `blocking_proxy_port` on the loopback interface; returns
/// the id of its target.
///
/// `headless_chrome` can only create contexts with the browser's own proxy.
pub(super) fn open(process: &Process, blocking_proxy_port: u16) -> Result<String, RenderError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Context {
        browser_context_id: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Target {
        target_id: String,
    }
    let mut socket = Socket::connect(process.port, &process.path)?;
    let params =
        json!({ "proxyServer": format!("http://127.0.0.1:{blocking_proxy_port}"), "proxyBypassList": "<-loopback>" });
    let context: Context = call(&mut socket, "Target.createBrowserContext", &params)?;
    let blank = json!({ "url": "about:blank", "browserContextId": context.browser_context_id });
    let target: Target = call(&mut socket, "Target.createTarget", &blank)?;
    Ok(target.target_id)
}

fn call<T: DeserializeOwned>(socket: &mut Socket, method: &str, params: &Value) -> Result<T, RenderError> {
    let number = socket.send(method, params, None)?;
    let deadline = Instant::now() + OPEN_LIMIT;
    loop {
        match socket.receive(deadline)? {
            Some(Incoming::Answer(answered, text)) if answered == number => return parsed(&text, method),
            Some(_) => {}
            None => return Err(RenderError::Crash("the browser opens no tab; try again".to_owned())),
        }
    }
}

/// Settings of a tab before it loads anything, so that its requests are paused.
pub(super) fn settings() -> [(&'static str, Value); 2] {
    [
        ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*", "requestStage": "Request" }] })),
        // An earlier page may have loaded the same address from another archive.
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
    ]
}

/// The call that responds to a paused request: with the content from `recorded_page` if a page is being rendered
/// (`frame` is its main frame), else with a failure. Once the main frame shows the page (`is_shown`), it loads no other.
pub(super) fn reply(
    recorded_page: Option<&mut RecordedPage>,
    params: &Value,
    frame: &str,
    is_shown: bool,
) -> (&'static str, Value) {
    let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
    let id = &params["requestId"];
    let Some(recorded_page) = recorded_page else {
        return ("Fetch.failRequest", json!({ "requestId": id, "errorReason": "BlockedByClient" }));
    };
    let is_document = params["resourceType"] == "Document";
    let is_main = is_document && params["frameId"] == frame;
    if is_main && is_shown {
        return ("Fetch.failRequest", json!({ "requestId": id, "errorReason": "Aborted" }));
    }
    let (url, method) = (text(&params["request"]["url"]), text(&params["request"]["method"]));
    let headers = params["request"]["headers"].as_object();
    let origin = headers.and_then(|headers| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("origin")));
    let answer = recorded_page.answer(&Request {
        url: &url,
        method: &method,
        origin: origin.and_then(|(_, value)| value.as_str()),
        is_document,
        is_main,
    });
    let headers: Vec<Value> =
        answer.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let params = json!({
        "requestId": id,
        "responseCode": answer.status,
        "responsePhrase": "Archived",
        "responseHeaders": headers,
        "body": STANDARD.encode(&answer.body),
    });
    ("Fetch.fulfillRequest", params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_page_requests_fail() {
        let (method, params) =
            reply(None, &json!({ "requestId": "7", "request": { "url": "http://a.example/" } }), "F", false);
        assert_eq!((method, params["requestId"].as_str()), ("Fetch.failRequest", Some("7")));
    }
}
