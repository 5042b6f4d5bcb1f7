//! Tests that servers receive a caller's headers, cookies and local storage only where they belong,
//! in the real browser and without one: two servers record all requests.

use super::tests::shared;
use crate::{EngineChoice, LoadOptions, PageOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use vclean_core::capture::Capture;
use vclean_core::error::RenderError;
use vclean_core::page::Page;

/// The servers of a page, `http://127.0.0.1:OWN`, and of another host, `http://localhost:OTHER`.
struct Servers {
    own: u16,
    other: u16,
    /// Host and path of each request, and its whole head in lower case.
    heads: Arc<Mutex<Vec<(String, String)>>>,
}

impl Servers {
    fn start() -> Self {
        let listeners = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let [own, other] = [0, 1].map(|index: usize| listeners[index].local_addr().unwrap().port());
        let heads = Arc::new(Mutex::new(Vec::new()));
        for listener in listeners {
            let heads = Arc::clone(&heads);
            std::thread::spawn(move || {
                for client in listener.incoming().flatten() {
                    let heads = Arc::clone(&heads);
                    std::thread::spawn(move || drop(answer(&client, &heads, own, other)));
                }
            });
        }
        Self { own, other, heads }
    }

    /// Returns the head of the last request for a path of the page's own server (`is_own`) or of
    /// the other one.
    #[track_caller]
    fn head(&self, is_own: bool, path: &str) -> String {
        let host = if is_own {
            format!("127.0.0.1:{}", self.own)
        } else {
            format!("localhost:{}", self.other)
        };
        let heads = self.heads.lock().unwrap();
        let found = heads
            .iter()
            .rev()
            .find(|(target, _)| *target == format!("{host}{path}"));
        found
            .unwrap_or_else(|| panic!("{host}{path} was not requested: {heads:?}"))
            .1
            .clone()
    }

    /// Renders the page at a path, or fetches it if the engine needs no browser.
    fn render(
        &self,
        path: &str,
        engine: EngineChoice,
        options: &str,
    ) -> Result<Capture, RenderError> {
        let load: LoadOptions = serde_json::from_str(options).unwrap();
        let options = PageOptions {
            engine: Some(engine),
            load: Some(load),
            ..PageOptions::default()
        };
        let page = Page::from_url(format!("http://127.0.0.1:{}{path}", self.own));
        shared()
            .render(&page, &options)
            .map(|rendered| rendered.capture)
    }

    /// Lists the paths, by their hosts, of requests with a text in their head.
    fn with(&self, text: &str) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        heads
            .iter()
            .filter(|(_, head)| head.contains(text))
            .map(|(target, _)| target.clone())
            .collect()
    }
}

fn answer(
    mut client: &TcpStream,
    heads: &Mutex<Vec<(String, String)>>,
    own: u16,
    other: u16,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 3);
    while length > 2 {
        length = reader.read_line(&mut head)?;
    }
    let head = head.to_ascii_lowercase();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let host = head
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default()
        .to_owned();
    heads.lock().unwrap().push((format!("{host}{path}"), head));
    let page = |body: String| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{body}")
    };
    let moved =
        |to: String| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nConnection: close\r\n\r\n");
    let text = match path.as_str() {
        "/page" | "/again" => page(format!(
            "<link rel=stylesheet href=/own.css><p id=p>page</p><img src=http://localhost:{other}/foreign.png>\
             <iframe src=http://localhost:{other}/frame></iframe><img src=/moves-away.png><script>
             p.textContent = ['agent', navigator.userAgent, navigator.language, navigator.maxTouchPoints, innerWidth, innerHeight,
                 localStorage.key0, document.cookie].join('|');
             fetch('/own-data'); fetch('http://localhost:{other}/foreign-data', {{ mode: 'no-cors' }});</script>"
        )),
        "/moves" => moved(format!("http://localhost:{other}/landed")),
        "/moves-home" => moved("/page".into()),
        "/moves-away.png" => moved(format!("http://localhost:{other}/away.png")),
        "/frame" | "/landed" => page(format!("<p>other</p><img src=http://127.0.0.1:{own}/back.png>")),
        _ => "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=600\r\nConnection: close\r\n\r\nx".into(),
    };
    client.write_all(text.as_bytes())
}

fn text(capture: &Capture) -> String {
    capture
        .dom
        .ids()
        .filter_map(|id| capture.dom.text(id))
        .collect()
}

#[test]
fn headers_and_cookies_reach_the_host_of_the_page_and_no_other() {
    let servers = Servers::start();
    let options = r#"{
        "headers": { "X-Token": "hunter2", "Cookie": "fromheader=hunter3", "Accept": "text/html;q=0.7" },
        "cookies": { "sid": "hunter4" },
        "wait_for": "idle"
    }"#;
    for path in ["/page", "/moves-home", "/moves"] {
        servers
            .render(path, EngineChoice::Chromium, options)
            .unwrap();
    }
    for path in [
        "/page",
        "/own.css",
        "/own-data",
        "/moves-away.png",
        "/moves-home",
        "/moves",
    ] {
        let head = servers.head(true, path);
        assert!(head.contains("x-token: hunter2"), "{path}: {head}");
        assert!(
            head.contains("fromheader=hunter3") && head.contains("sid=hunter4"),
            "{path}: {head}"
        );
    }
    assert!(
        servers
            .head(true, "/page")
            .contains("accept: text/html;q=0.7"),
        "it replaces that of the browser"
    );
    // The other host got many requests but no headers of the caller.
    for path in [
        "/foreign.png",
        "/frame",
        "/foreign-data",
        "/away.png",
        "/landed",
    ] {
        let head = servers.head(false, path);
        assert!(
            !head.contains("hunter") && !head.contains("x-token"),
            "{path}: {head}"
        );
    }
    // Requests that a page of the other host sends to the own host have no headers either.
    assert!(!servers.head(true, "/back.png").contains("x-token"));
    // None of it remains for the next page.
    let before = servers.with("hunter").len();
    servers
        .render("/again", EngineChoice::Chromium, "{}")
        .unwrap();
    assert_eq!(servers.with("hunter").len(), before);
    assert!(servers.head(true, "/again").contains("/again"));
}

#[test]
fn pages_that_are_fetched_without_a_browser_get_the_same() {
    let servers = Servers::start();
    let options = r#"{
        "headers": { "X-Token": "hunter2" }, "cookies": { "sid": "hunter4" }, "user_agent": "Reader/1", "accept_language": "de",
        "storage_state": { "cookies": [{ "name": "kept", "value": "hunter5", "domain": "127.0.0.1" }] }
    }"#;
    servers
        .render("/moves", EngineChoice::Builtin, options)
        .unwrap();
    let (own, other) = (servers.head(true, "/moves"), servers.head(false, "/landed"));
    assert!(
        own.contains("x-token: hunter2") && own.contains("cookie: kept=hunter5; sid=hunter4"),
        "{own}"
    );
    assert!(!other.contains("hunter"), "{other}");
    for head in [own, other] {
        assert!(
            head.contains("user-agent: reader/1") && head.contains("accept-language: de"),
            "{head}"
        );
    }
}

#[test]
fn a_storage_state_is_that_of_its_host() {
    let servers = Servers::start();
    let (own, other) = (servers.own, servers.other);
    let options = format!(
        r#"{{ "storage_state": {{
            "cookies": [
                {{ "name": "mine", "value": "hunter6", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": false,
                  "secure": false, "sameSite": "Lax" }},
                {{ "name": "theirs", "value": "hunter7", "domain": "localhost", "path": "/" }}
            ],
            "origins": [
                {{ "origin": "http://127.0.0.1:{own}", "localStorage": [{{ "name": "key0", "value": "stored here" }}] }},
                {{ "origin": "http://localhost:{other}", "localStorage": [{{ "name": "key0", "value": "elsewhere" }}] }}
            ]
        }} }}"#
    );
    let capture = servers
        .render("/page", EngineChoice::Chromium, &options)
        .unwrap();
    assert!(
        text(&capture).contains("stored here|mine=hunter6"),
        "{}",
        text(&capture)
    );
    assert_eq!(
        servers.with("hunter7"),
        Vec::<String>::new(),
        "cookies of other hosts are not even sent to them"
    );
    let next = servers
        .render("/page", EngineChoice::Chromium, "{}")
        .unwrap();
    assert!(
        !text(&next).contains("stored here") && !text(&next).contains("mine="),
        "{}",
        text(&next)
    );
    let error = servers
        .render("/page", EngineChoice::Builtin, &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`storage_state` is for Chromium"), "{error}");
}

#[test]
fn a_page_is_seen_in_the_window_and_by_the_browser_that_are_asked_for() {
    let servers = Servers::start();
    let phone = servers
        .render("/page", EngineChoice::Chromium, r#"{"mobile": true}"#)
        .unwrap();
    let found = text(&phone);
    assert!(
        found.contains("Mobile Safari") && found.contains("|5|412|915|"),
        "{found}"
    );
    assert_eq!(phone.record.viewport_px, Some([412, 915]));
    let picture = phone
        .pictures
        .as_ref()
        .unwrap()
        .screenshot
        .decode_rgb()
        .unwrap();
    assert_eq!(picture.width(), 412);
    assert!(servers.head(true, "/page").contains("android"));
    let options =
        r#"{"user_agent": "Reader/1", "accept_language": "de-AT,de;q=0.8", "viewport": "800x700"}"#;
    let other = servers
        .render("/page", EngineChoice::Chromium, options)
        .unwrap();
    assert!(
        text(&other).contains("agent|Reader/1|de-AT|0|800|700|"),
        "{}",
        text(&other)
    );
    assert!(
        servers
            .head(false, "/frame")
            .contains("accept-language: de-at,de;q=0.9")
    );
    let usual = servers
        .render("/page", EngineChoice::Chromium, "{}")
        .unwrap();
    assert!(
        text(&usual).contains("|0|1280|1024|") && text(&usual).contains("Chrome/"),
        "{}",
        text(&usual)
    );
    let saved = Page::from_html("page", "<p>x");
    let load = serde_json::from_str(r#"{"headers": {"X": "y"}}"#).unwrap();
    let refused = shared().render(
        &saved,
        &PageOptions {
            load: Some(load),
            ..PageOptions::default()
        },
    );
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("`headers` is for pages that are loaded from their address")
    );
}
