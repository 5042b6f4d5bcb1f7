//! Requests that a tab pauses, so that we decide about them: the sign-in to the proxy, and the documents of saved pages.

use crate::net::USER;
use serde_json::{Value, json};

/// The call that responds to a request for a password. Only the proxy gets one.
pub(super) fn password(password: Option<&str>, params: &Value) -> (&'static str, Value) {
    let is_proxy = params["authChallenge"]["source"] == "Proxy";
    let response = match password.filter(|_| is_proxy) {
        Some(password) => json!({ "response": "ProvideCredentials", "username": USER, "password": password }),
        None => json!({ "response": "CancelAuth" }),
    };
    ("Fetch.continueWithAuth", json!({ "requestId": params["requestId"], "authChallengeResponse": response }))
}

/// The settings for saved pages (`is_saved`) or for pages of the network. A saved page sends no `Referer`, which would
/// have its made-up host, and its documents are paused.
pub(super) fn settings(is_saved: bool) -> [(&'static str, Value); 2] {
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
pub(super) fn reply(params: &Value, frame: &str, is_shown: bool) -> (&'static str, Value) {
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
        assert_eq!(reply(&request("F", "Document"), "F", false).0, "Fetch.continueRequest");
        assert_eq!(reply(&request("F", "Document"), "F", true).0, "Fetch.failRequest");
        assert_eq!(reply(&request("inner", "Document"), "F", true).0, "Fetch.continueRequest");
        assert_eq!(reply(&request("F", "Image"), "F", true).0, "Fetch.continueRequest");
    }
}
