//! Requests that a tab pauses so that we can decide about them: the sign-in to the proxy, the
//! documents of saved pages, and all requests of pages of web archives.
//!
//! Everything that a page of an archive loads comes from the archive, under its original address,
//! and from nowhere else. The browser passes every request of the page to us, https as well as
//! http. So the page keeps its own origin and address, and relative addresses, `<base>`, style
//! sheets, their imports and fonts resolve to the same addresses as for the crawler. An address
//! that is not in the archive gets a 404 response; nothing is fetched.
//!
//! Such pages are rendered in sealed tabs, which have no access to the network. There are two
//! barriers. Every request of a page is paused by the browser's `Fetch` domain and is answered by
//! us, or fails. Connections that bypass this domain (sockets, workers, preconnect hints) belong to
//! a browser context with a proxy that blocks everything; and the browser itself resolves no names
//! (`launch`).

use crate::load::OwnHost;
use crate::net::{PROXY_USER, redirect_target};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;
use url::Url;
use vclean_core::error::{Warning, WarningKind};
use vclean_core::page::{Resource, Resources};

/// The resources that a tab may load. Fixed when the tab is opened, since it depends on the tab's
/// browser context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Everything that the network policy allows, and saved pages with their files.
    Network,
    /// Saved pages with their files, and nothing from the network.
    Files,
    /// The archive of its page, and nothing from the network.
    Archive,
}

/// Builds the call that responds to a request for a password. Only the proxy gets one.
pub(super) fn password(password: Option<&str>, params: &Value) -> (&'static str, Value) {
    let is_proxy = params["authChallenge"]["source"] == "Proxy";
    let response = match password.filter(|_| is_proxy) {
        Some(password) => {
            json!({ "response": "ProvideCredentials", "username": PROXY_USER, "password": password })
        }
        None => json!({ "response": "CancelAuth" }),
    };
    (
        "Fetch.continueWithAuth",
        json!({ "requestId": params["requestId"], "authChallengeResponse": response }),
    )
}

/// Builds the settings for saved pages (`is_saved`) or for pages of the network. A saved page sends
/// no `Referer`, which would contain its made-up host, and its documents are paused.
pub(super) fn saved_page_settings(is_saved: bool) -> [(&'static str, Value); 2] {
    let documents = json!({ "patterns": [{ "urlPattern": "*", "resourceType": "Document", "requestStage": "Request" }] });
    if is_saved {
        [
            (
                "Network.setExtraHTTPHeaders",
                json!({ "headers": { "Referer": "" } }),
            ),
            ("Fetch.enable", documents),
        ]
    } else {
        [
            ("Network.setExtraHTTPHeaders", json!({ "headers": {} })),
            ("Fetch.disable", json!({})),
        ]
    }
}

/// Builds the call that responds to a paused request of a saved page. Once the main frame shows the
/// page, it cannot load another document, so a saved page cannot be left.
pub(super) fn saved_page_reply(
    params: &Value,
    frame: &str,
    is_shown: bool,
) -> (&'static str, Value) {
    let id = &params["requestId"];
    let leaves = is_shown && params["frameId"] == frame && params["resourceType"] == "Document";
    if leaves {
        return (
            "Fetch.failRequest",
            json!({ "requestId": id, "errorReason": "Aborted" }),
        );
    }
    // The `Referer` setting does not apply to documents.
    let headers = params["request"]["headers"]
        .as_object()
        .into_iter()
        .flatten();
    let headers: Vec<Value> = headers
        .filter(|(name, _)| !name.eq_ignore_ascii_case("referer"))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .chain([json!({ "name": "Referer", "value": "" })])
        .collect();
    (
        "Fetch.continueRequest",
        json!({ "requestId": id, "headers": headers }),
    )
}

/// Builds the call that responds to a paused request with an empty page, without contacting a
/// server.
pub(super) fn empty_page_reply(params: &Value) -> (&'static str, Value) {
    let headers = json!([{ "name": "Content-Type", "value": "text/html" }, { "name": "Cache-Control", "value": "no-store" }]);
    let body = STANDARD.encode("<!doctype html>");
    let id = &params["requestId"];
    (
        "Fetch.fulfillRequest",
        json!({ "requestId": id, "responseCode": 200, "responseHeaders": headers, "body": body }),
    )
}

/// Headers that only the host of the page gets.
#[derive(Debug)]
pub(super) struct OwnHeaders {
    own: OwnHost,
    headers: Vec<(String, String)>,
}

impl OwnHeaders {
    /// Creates these headers for this host.
    pub(super) fn new(own: OwnHost, headers: Vec<(String, String)>) -> Self {
        Self { own, headers }
    }

    /// Builds the call that responds to a paused request. The headers are added if the request goes
    /// to their host and belongs to the page itself (`frame` is its main frame, which shows the
    /// address `shown`). Every request is paused, including those after a redirect.
    pub(super) fn reply(&self, params: &Value, frame: &str, shown: &str) -> (&'static str, Value) {
        let (id, request) = (&params["requestId"], &params["request"]);
        let is_own = |address: &str| Url::parse(address).is_ok_and(|url| self.own.is(&url));
        let is_of_page =
            params["frameId"] == frame && (params["resourceType"] == "Document" || is_own(shown));
        let is_given = is_of_page && request["url"].as_str().is_some_and(is_own);
        let ours = |name: &str| {
            self.headers
                .iter()
                .find(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let sent = request["headers"].as_object().into_iter().flatten();
        let is_kept = |(name, value): &(&String, &Value)| match ours(name) {
            Some((_, own)) => !is_given && *value != own,
            None => true,
        };
        let kept = sent
            .filter(is_kept)
            .map(|(name, value)| json!({ "name": name, "value": value }));
        let given = self.headers.iter().filter(|_| is_given);
        let headers: Vec<Value> = kept
            .chain(given.map(|(name, value)| json!({ "name": name, "value": value })))
            .collect();
        (
            "Fetch.continueRequest",
            json!({ "requestId": id, "headers": headers }),
        )
    }
}

/// Builds the pattern that pauses every request.
pub(super) fn every_request() -> Value {
    json!({ "urlPattern": "*", "requestStage": "Request" })
}

/// Builds the settings that make a tab pause its requests, to be sent before it loads anything.
pub(super) fn archive_settings() -> [(&'static str, Value); 2] {
    [
        ("Fetch.enable", json!({ "patterns": [every_request()] })),
        // The cache may contain the same address from another archive.
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
    ]
}

/// Builds the call that responds to a paused request: with the content from `recorded_page` if a
/// page is being rendered (`frame` is its main frame), else with a failure. Once the main frame
/// shows the page (`is_shown`), it cannot load another.
pub(super) fn archive_reply(
    recorded_page: Option<&mut RecordedPage>,
    params: &Value,
    frame: &str,
    is_shown: bool,
) -> (&'static str, Value) {
    let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
    let id = &params["requestId"];
    let Some(recorded_page) = recorded_page else {
        return (
            "Fetch.failRequest",
            json!({ "requestId": id, "errorReason": "BlockedByClient" }),
        );
    };
    let is_document = params["resourceType"] == "Document";
    let is_main = is_document && params["frameId"] == frame;
    if is_main && is_shown {
        return (
            "Fetch.failRequest",
            json!({ "requestId": id, "errorReason": "Aborted" }),
        );
    }
    let (url, method) = (
        text(&params["request"]["url"]),
        text(&params["request"]["method"]),
    );
    let headers = params["request"]["headers"].as_object();
    let origin = headers.and_then(|headers| {
        headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("origin"))
    });
    let response = recorded_page.respond(&Request {
        url: &url,
        method: &method,
        origin: origin.and_then(|(_, value)| value.as_str()),
        is_document,
        is_main,
    });
    let headers: Vec<Value> = response
        .headers
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let params = json!({
        "requestId": id,
        "responseCode": response.status,
        "responsePhrase": "Archived",
        "responseHeaders": headers,
        "body": STANDARD.encode(&response.body),
    });
    ("Fetch.fulfillRequest", params)
}

/// Maximum number of requests of one page. Heuristic: ten times that of heavy pages.
const MAX_REQUESTS: usize = 5_000;
/// Limit for everything that one page loads, in bytes; the same as in `page_events` for live pages.
const MAX_BYTES: u64 = 256 << 20;

/// A request of the page, as reported by the `Fetch` domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// Requested address, after redirects.
    pub(super) url: &'a str,
    /// Method, such as `GET`.
    pub(super) method: &'a str,
    /// Origin of the requester, if the browser gives it.
    pub(super) origin: Option<&'a str>,
    /// True if a document is requested, as for a frame.
    is_document: bool,
    /// True for the main document of the page.
    pub(super) is_main: bool,
}

/// The response to a request, built from the archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordedResponse {
    /// Recorded status, or 404 if the archive has no usable response.
    pub(super) status: u16,
    /// Names and values of the headers that the browser gets.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Content without its transfer and content codings.
    pub(super) body: Vec<u8>,
}

/// A page of an archive while it is rendered.
#[derive(Debug)]
pub(super) struct RecordedPage {
    archive: Arc<dyn Resources>,
    address: String,
    /// The source text of the page, until it has been sent.
    html: Option<String>,
    requests: usize,
    bytes: u64,
    is_over: bool,
}

impl RecordedPage {
    /// Creates a page with this address and source text.
    pub(super) fn new(archive: &Arc<dyn Resources>, url: Option<&str>, html: String) -> Self {
        let known = url
            .and_then(|url| Url::parse(url).ok())
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        // A page without an address gets a name that never resolves (RFC 2606).
        let address = known.map_or_else(|| "http://archived.invalid/".to_owned(), String::from);
        Self {
            archive: Arc::clone(archive),
            address,
            html: Some(html),
            requests: 0,
            bytes: 0,
            is_over: false,
        }
    }

    /// Returns the address at which the browser loads the page.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the warning about limits that the page exceeded.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.is_over.then(|| {
            let limit = MAX_BYTES >> 20;
            let text = format!(
                "the page requests more than {MAX_REQUESTS} resources or {limit} MB of the archive; some are missing"
            );
            Warning::new(WarningKind::MissingParts, text)
        })
    }

    /// Responds to a request of the page. The first response for the main document is the page
    /// itself.
    fn respond(&mut self, request: &Request) -> RecordedResponse {
        if request.is_main
            && let Some(html) = self.html.take()
        {
            return response(200, "text/html; charset=utf-8", request, html.into_bytes());
        }
        self.requests += 1;
        if self.requests > MAX_REQUESTS || self.bytes > MAX_BYTES {
            self.is_over = true;
            return missing(request);
        }
        if !matches!(request.method, "GET" | "HEAD") {
            return missing(request);
        }
        let Ok(url) = Url::parse(request.url) else {
            return missing(request);
        };
        let Some(found) = self.archive.find(&url) else {
            return missing(request);
        };
        let Resource {
            status,
            content_type,
            location,
            body,
        } = found;
        self.bytes += body.len() as u64;
        let mut response = response(status, &content_type, request, body);
        if let Some(to) = location.and_then(|to| redirect_target(&url, &to)) {
            response.headers.push(("Location", to.into()));
        }
        response
    }
}

fn missing(request: &Request) -> RecordedResponse {
    // An empty document; otherwise the browser would show its own error page.
    let body = if request.is_document {
        "<!doctype html>"
    } else {
        ""
    };
    response(
        404,
        if request.is_document { "text/html" } else { "" },
        request,
        body.into(),
    )
}

/// Builds a response. Of the original headers, the browser gets only those that it needs to read
/// the content; others could set cookies or send reports. Cross-origin rules are not restored,
/// since all content of an archive is public.
fn response(status: u16, content_type: &str, request: &Request, body: Vec<u8>) -> RecordedResponse {
    let mut headers = vec![("Cache-Control", "no-store".to_owned())];
    if !content_type.is_empty() && content_type.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        headers.push(("Content-Type", content_type.to_owned()));
    }
    let origin = request
        .origin
        .filter(|origin| origin.bytes().all(|byte| matches!(byte, b'!'..=b'~')));
    headers.push((
        "Access-Control-Allow-Origin",
        origin.unwrap_or("*").to_owned(),
    ));
    if origin.is_some() {
        headers.push(("Access-Control-Allow-Credentials", "true".to_owned()));
    }
    // The browser accepts only these statuses.
    let status = if (200..600).contains(&status) {
        status
    } else {
        404
    };
    RecordedResponse {
        status,
        headers,
        body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Archive, Part};

    #[test]
    fn only_the_proxy_gets_the_password() {
        let answer = |source: &str, known| {
            password(
                known,
                &json!({ "requestId": "1", "authChallenge": { "source": source } }),
            )
            .1
            .to_string()
        };
        assert!(answer("Proxy", Some("secret")).contains("secret"));
        assert!(
            answer("Server", Some("secret")).contains("CancelAuth")
                && !answer("Server", Some("secret")).contains("secret")
        );
        assert!(answer("Proxy", None).contains("CancelAuth"));
    }

    #[test]
    fn headers_go_to_their_host_and_to_requests_of_the_page_itself() {
        let own = "https://a.example/page";
        let headers = vec![("Authorization".to_owned(), "secret".to_owned())];
        let headers = OwnHeaders::new(
            OwnHost::from_url(&Url::parse(own).unwrap()).unwrap(),
            headers,
        );
        let is_sent = |url: &str, frame: &str, kind: &str, shown: &str, carried: &str| {
            let sent = json!({ "Accept": "*/*", "authorization": carried });
            let params = json!({
                "requestId": "1", "frameId": frame, "resourceType": kind, "request": { "url": url, "headers": sent },
            });
            let reply = headers.reply(&params, "main", shown).1.to_string();
            assert!(reply.contains("*/*"), "{reply}");
            reply.contains("secret")
        };
        assert!(is_sent(own, "main", "Document", "", "x"));
        assert!(is_sent("https://a.example/data", "main", "Fetch", own, "x"));
        for (url, frame, kind, shown) in [
            ("https://b.example/", "main", "Document", own),
            ("http://a.example/", "main", "Document", own),
            ("https://b.example/picture", "main", "Image", own),
            ("https://a.example/data", "frame", "Fetch", own),
            (
                "https://a.example/data",
                "main",
                "Fetch",
                "https://b.example/",
            ),
        ] {
            assert!(
                !is_sent(url, frame, kind, shown, "secret"),
                "{url} {frame} {kind}: also not if it carries it already"
            );
        }
    }

    #[test]
    fn a_saved_page_cannot_be_left() {
        let request = |frame: &str, kind: &str| json!({ "requestId": "1", "frameId": frame, "resourceType": kind });
        assert_eq!(
            saved_page_reply(&request("F", "Document"), "F", false).0,
            "Fetch.continueRequest"
        );
        assert_eq!(
            saved_page_reply(&request("F", "Document"), "F", true).0,
            "Fetch.failRequest"
        );
        assert_eq!(
            saved_page_reply(&request("inner", "Document"), "F", true).0,
            "Fetch.continueRequest"
        );
        assert_eq!(
            saved_page_reply(&request("F", "Image"), "F", true).0,
            "Fetch.continueRequest"
        );
    }

    #[test]
    fn without_a_page_requests_fail() {
        let (method, params) = archive_reply(
            None,
            &json!({ "requestId": "7", "request": { "url": "http://a.example/" } }),
            "F",
            false,
        );
        assert_eq!(
            (method, params["requestId"].as_str()),
            ("Fetch.failRequest", Some("7"))
        );
    }

    fn request<'a>(url: &'a str, method: &'a str) -> Request<'a> {
        Request {
            url,
            method,
            origin: None,
            is_document: false,
            is_main: false,
        }
    }

    fn header<'a>(response: &'a RecordedResponse, name: &str) -> Option<&'a str> {
        response
            .headers
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Creates a page and its archive; the folder must outlive them.
    fn recorded_page(folder: &tempfile::TempDir) -> RecordedPage {
        let records = [
            (
                "https://a.example/",
                "200 OK\r\nContent-Type: text/html\r\n\r\n<p>page",
            ),
            (
                "http://cdn.example/a.css",
                "200 OK\r\nContent-Type: text/css\r\nSet-Cookie: a=1\r\n\r\np {}",
            ),
            (
                "https://a.example/moved",
                "301 Moved\r\nLocation: //cdn.example/a.css?x\r\n\r\n",
            ),
            (
                "https://a.example/odd",
                "999 Odd\r\nContent-Type: a\u{7f}b\r\n\r\nodd",
            ),
        ];
        let record = |(url, response): (&str, &str)| {
            let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n");
            format!(
                "{head}Content-Length: {}\r\n\r\nHTTP/1.1 {response}\r\n\r\n",
                response.len() + 9
            )
        };
        let archive: String = records.into_iter().map(record).collect();
        let path = folder.path().join("x.warc");
        std::fs::write(&path, archive).unwrap();
        let archive: Arc<dyn Resources> = Arc::new(Archive::new(vec![Part::file(&path).unwrap()]));
        RecordedPage::new(&archive, Some("https://a.example/"), "<p>page".to_owned())
    }

    #[test]
    fn a_page_loads_from_its_archive_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorded_page = recorded_page(&folder);
        assert_eq!(recorded_page.address(), "https://a.example/");
        let page = recorded_page.respond(&Request {
            is_main: true,
            is_document: true,
            ..request("https://a.example/", "GET")
        });
        assert_eq!((page.status, page.body.as_slice()), (200, &b"<p>page"[..]));
        let css = recorded_page.respond(&request("https://cdn.example/a.css", "GET"));
        assert_eq!(
            (
                css.status,
                css.body.as_slice(),
                header(&css, "Content-Type")
            ),
            (200, &b"p {}"[..], Some("text/css"))
        );
        assert!(
            css.headers
                .iter()
                .all(|(name, _)| !name.eq_ignore_ascii_case("set-cookie"))
        );
        let moved = recorded_page.respond(&request("https://a.example/moved", "GET"));
        assert_eq!(
            (moved.status, header(&moved, "Location")),
            (301, Some("https://cdn.example/a.css?x"))
        );
        let odd = recorded_page.respond(&request("https://a.example/odd", "GET"));
        assert_eq!((odd.status, header(&odd, "Content-Type")), (404, None));
        for (url, method) in [
            ("https://a.example/none", "GET"),
            ("http://cdn.example/a.css", "POST"),
            ("no url", "GET"),
        ] {
            let response = recorded_page.respond(&request(url, method));
            assert_eq!((response.status, response.body.len()), (404, 0));
        }
        let frame = recorded_page.respond(&Request {
            is_document: true,
            ..request("https://a.example/none", "GET")
        });
        assert_eq!(
            (frame.status, header(&frame, "Content-Type")),
            (404, Some("text/html"))
        );
    }

    #[test]
    fn requests_over_the_limit_get_no_content() {
        let folder = tempfile::tempdir().unwrap();
        let mut recorded_page = recorded_page(&folder);
        for _ in 0..MAX_REQUESTS {
            assert_eq!(
                recorded_page
                    .respond(&request("http://cdn.example/a.css", "GET"))
                    .status,
                200
            );
        }
        assert!(recorded_page.warning().is_none());
        assert_eq!(
            recorded_page
                .respond(&request("http://cdn.example/a.css", "GET"))
                .status,
            404
        );
        assert!(recorded_page.warning().is_some());
    }
}
