//! Requests that a tab pauses, so that we decide about them: the sign-in to the proxy, the documents of saved pages, and
//! all requests of pages of web archives.
//!
//! Pages of archives are rendered in sealed tabs, which have no access to the network. There are two barriers. Every
//! request of a page is paused by the browser's `Fetch` domain and is answered by us, or fails. Connections that do not
//! pass through this domain (sockets, workers, preconnect hints) belong to a browser context with a proxy that blocks
//! everything; and the browser itself resolves no names (`launch`).

use super::recorded::{RecordedPage, Request};
use crate::net::PROXY_USER;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// What a tab may load. It is fixed when the tab is opened, because it depends on the tab's browser context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// What the policy of the network allows, and saved pages with the files beside them.
    Network,
    /// Saved pages with the files beside them, and nothing from the network.
    Files,
    /// The archive of its page, and nothing from the network.
    Archive,
}

/// The call that responds to a request for a password. Only the proxy gets one.
pub(super) fn password(password: Option<&str>, params: &Value) -> (&'static str, Value) {
    let is_proxy = params["authChallenge"]["source"] == "Proxy";
    let response = match password.filter(|_| is_proxy) {
        Some(password) => json!({ "response": "ProvideCredentials", "username": PROXY_USER, "password": password }),
        None => json!({ "response": "CancelAuth" }),
    };
    ("Fetch.continueWithAuth", json!({ "requestId": params["requestId"], "authChallengeResponse": response }))
}

/// The settings for saved pages (`is_saved`) or for pages of the network. A saved page sends no `Referer`, which would
/// have its made-up host, and its documents are paused.
pub(super) fn saved_page_settings(is_saved: bool) -> [(&'static str, Value); 2] {
    let documents =
        json!({ "patterns": [{ "urlPattern": "*", "resourceType": "Document", "requestStage": "Request" }] });
    if is_saved {
        [("Network.setExtraHTTPHeaders", json!({ "headers": { "Referer": "" } })), ("Fetch.enable", documents)]
    } else {
        [("Network.setExtraHTTPHeaders", json!({ "headers": {} })), ("Fetch.disable", json!({}))]
    }
}

/// The call that responds to a paused request. A saved page is shown, and not the one that it leads to: once the main
/// frame shows it, this frame loads nothing else, and the page stays as it is.
pub(super) fn saved_page_reply(params: &Value, frame: &str, is_shown: bool) -> (&'static str, Value) {
    let id = &params["requestId"];
    let leaves = is_shown && params["frameId"] == frame && params["resourceType"] == "Document";
    if leaves {
        return ("Fetch.failRequest", json!({ "requestId": id, "errorReason": "Aborted" }));
    }
    // The setting for the header does not apply to documents.
    let headers = params["request"]["headers"].as_object().into_iter().flatten();
    let headers: Vec<Value> = headers
        .filter(|(name, _)| !name.eq_ignore_ascii_case("referer"))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .chain([json!({ "name": "Referer", "value": "" })])
        .collect();
    ("Fetch.continueRequest", json!({ "requestId": id, "headers": headers }))
}

/// Settings of a tab before it loads anything, so that its requests are paused.
pub(super) fn archive_settings() -> [(&'static str, Value); 2] {
    [
        ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*", "requestStage": "Request" }] })),
        // An earlier page may have loaded the same address from another archive.
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
    ]
}

/// The call that responds to a paused request: with the content from `recorded_page` if a page is being rendered
/// (`frame` is its main frame), else with a failure. Once the main frame shows the page (`is_shown`), it loads no other.
pub(super) fn archive_reply(
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
    let response = recorded_page.respond(&Request {
        url: &url,
        method: &method,
        origin: origin.and_then(|(_, value)| value.as_str()),
        is_document,
        is_main,
    });
    let headers: Vec<Value> =
        response.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let params = json!({
        "requestId": id,
        "responseCode": response.status,
        "responsePhrase": "Archived",
        "responseHeaders": headers,
        "body": STANDARD.encode(&response.body),
    });
    ("Fetch.fulfillRequest", params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_proxy_gets_the_password() {
        let of = |source: &str, known| {
            password(known, &json!({ "requestId": "1", "authChallenge": { "source": source } })).1.to_string()
        };
        assert!(of("Proxy", Some("secret")).contains("secret"));
        assert!(
            of("Server", Some("secret")).contains("CancelAuth") && !of("Server", Some("secret")).contains("secret")
        );
        assert!(of("Proxy", None).contains("CancelAuth"));
    }

    #[test]
    fn a_saved_page_cannot_be_left() {
        let request = |frame: &str, kind: &str| json!({ "requestId": "1", "frameId": frame, "resourceType": kind });
        assert_eq!(saved_page_reply(&request("F", "Document"), "F", false).0, "Fetch.continueRequest");
        assert_eq!(saved_page_reply(&request("F", "Document"), "F", true).0, "Fetch.failRequest");
        assert_eq!(saved_page_reply(&request("inner", "Document"), "F", true).0, "Fetch.continueRequest");
        assert_eq!(saved_page_reply(&request("F", "Image"), "F", true).0, "Fetch.continueRequest");
    }

    #[test]
    fn without_a_page_requests_fail() {
        let (method, params) =
            archive_reply(None, &json!({ "requestId": "7", "request": { "url": "http://a.example/" } }), "F", false);
        assert_eq!((method, params["requestId"].as_str()), ("Fetch.failRequest", Some("7")));
    }
}
