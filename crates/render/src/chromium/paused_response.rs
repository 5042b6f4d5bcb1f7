//! Pauses the responses of documents, so that the browser gets their text in the encoding that
//! their bytes indicate. Only a page that seems to be misread is loaded this way (`encoding`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use vclean_core::html::{charset, decode, expand_short_form};

/// Builds the pattern of responses to pause, so that their bytes can be read.
pub(super) fn documents() -> Value {
    json!({ "urlPattern": "*", "resourceType": "Document", "requestStage": "Response" })
}

/// The response of the main document while its bytes are read.
#[derive(Debug)]
pub(super) struct PausedResponse {
    /// Number of the call that requests its bytes.
    pub(super) call: u64,
    /// Parameters of the event that reported the pause.
    pub(super) params: Value,
}

/// Returns true if a request is paused because its response has arrived.
pub(super) fn is_response(params: &Value) -> bool {
    params["responseStatusCode"].is_u64() || params["responseErrorReason"].is_string()
}

/// Returns true if a response is a document of the main frame.
pub(super) fn is_document_of(params: &Value, frame: &str) -> bool {
    let is_success = params["responseStatusCode"]
        .as_u64()
        .is_some_and(|status| (200..300).contains(&status));
    is_success && params["frameId"] == frame && params["resourceType"] == "Document"
}

/// Builds the call that resumes a response unchanged.
pub(super) fn as_it_is(params: &Value) -> (&'static str, Value) {
    (
        "Fetch.continueResponse",
        json!({ "requestId": params["requestId"] }),
    )
}

/// Replaced headers: those about the transfer of the bytes, which does not apply to our response,
/// and the one that names the encoding.
const REPLACED_HEADERS: [&str; 4] = [
    "content-encoding",
    "content-length",
    "content-type",
    "transfer-encoding",
];

impl PausedResponse {
    /// Builds the call that responds with the page's text in UTF-8, and declares this in the
    /// header. `message` is the browser's response to the request for the bytes.
    pub(super) fn reply(&self, message: &str) -> (&'static str, Value) {
        let Some(bytes) = content(message) else {
            return as_it_is(&self.params);
        };
        let headers = self.params["responseHeaders"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let is_named = |header: &Value, name: &str| {
            header["name"]
                .as_str()
                .is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        let content_type = headers
            .iter()
            .find(|header| is_named(header, "content-type"));
        let content_type = content_type
            .and_then(|header| header["value"].as_str())
            .unwrap_or("text/html");
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let text = decode(&bytes, charset(content_type)).text;
        let named =
            json!({ "name": "Content-Type", "value": format!("{media_type}; charset=utf-8") });
        let kept = headers
            .iter()
            .filter(|header| !REPLACED_HEADERS.iter().any(|name| is_named(header, name)));
        let params = json!({
            "requestId": self.params["requestId"],
            "responseCode": self.params["responseStatusCode"],
            "responseHeaders": kept.chain([&named]).collect::<Vec<_>>(),
            "body": STANDARD.encode(&*expand_short_form(&text)),
        });
        ("Fetch.fulfillRequest", params)
    }
}

/// Decodes the bytes of a response in a message of the browser.
fn content(message: &str) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Message {
        result: Content,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Content {
        body: String,
        base64_encoded: bool,
    }
    let Message {
        result: Content {
            body,
            base64_encoded,
        },
    } = serde_json::from_str(message).ok()?;
    if base64_encoded {
        STANDARD.decode(&body).ok()
    } else {
        Some(body.into_bytes())
    }
}
