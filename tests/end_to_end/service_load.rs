//! Tests `vclean serve` under load: a full queue, clients that disconnect, browsers that crash, and
//! shutdown.

use crate::processes::{descendants, processes};
use crate::program::only_browser;
use crate::service_client::{Answer, Service, escaped};
use crate::support::{Server, fixtures};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

const LOCAL: [&str; 7] = [
    "--allow-private",
    "--ignore-robots",
    "--delay",
    "0",
    "--retries",
    "0",
    "--per-host",
];

fn options<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&LOCAL, more].concat()
}

/// Starts a server that answers each request after a pause; returns its address.
pub fn slow_server(pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                thread::sleep(pause);
                let page =
                    "<p>A page that took its time on the way from a slow server to its reader.";
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: ";
                let _ = write!(stream, "{head}{}\r\n\r\n{page}", page.len());
            });
        }
    });
    format!("http://{address}/")
}

/// Starts a server that announces a longer page than it sends; returns its address.
fn breaking_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n";
            let _ = write!(
                stream,
                "{head}<p>A page of which its server sends the beginning, and then breaks off."
            );
            // Long enough for the browser to show the beginning of the page.
            thread::sleep(Duration::from_millis(500));
        }
    });
    format!("http://{address}/")
}

#[test]
fn a_page_that_its_server_breaks_off_frees_its_place_soon() {
    let _alone = only_browser();
    let server = Server::start();
    let service = Service::start(&options(&["9", "--jobs", "1", "--timeout", "90"]));
    // This request starts the browser.
    assert_eq!(
        service
            .get(&format!(
                "/v1/clean?url={}",
                escaped(&server.url("article/"))
            ))
            .status,
        200
    );
    let started = Instant::now();
    let answer = service.get(&format!("/v1/clean?url={}", escaped(&breaking_server())));
    assert!(
        started.elapsed() < Duration::from_secs(40),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        (answer.status, answer.json()["engine"].as_str()),
        (200, Some("chromium")),
        "{}",
        answer.text()
    );
    assert!(
        answer.json()["warnings"]
            .to_string()
            .contains("broke off the connection"),
        "{}",
        answer.text()
    );
    service.wait_for("vclean_pages_running", 0);
}

#[test]
fn a_full_queue_refuses_until_there_is_room_again() {
    let slow = slow_server(Duration::from_secs(3));
    let service = Service::start(&options(&[
        "9",
        "--jobs",
        "1",
        "--queue",
        "1",
        "--timeout",
        "30",
    ]));
    let path = format!("/v1/clean?engine=none&url={}", escaped(&slow));
    let waiting = [service.begin(&path), service.begin(&path)];
    thread::sleep(Duration::from_millis(500));
    let full = service.post("/v1/clean", &json!({ "html": "<p>a" }));
    assert_eq!(full.status, 503, "{}", full.text());
    assert!(
        full.head.contains("retry-after: ") && full.error().contains("try again later"),
        "{}",
        full.head
    );
    // Health checks are answered all the same.
    assert_eq!(service.get("/healthz").status, 200);
    for stream in waiting {
        let answer = Answer::read(stream);
        assert!(
            answer.status == 200 && answer.text().contains("took its time"),
            "{}",
            answer.text()
        );
    }
    assert_eq!(
        service.post("/v1/clean", &json!({ "html": "<p>a" })).status,
        200
    );
}

#[test]
fn one_of_several_tokens_has_a_share_of_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, "0123456789abcdef\nfedcba9876543210\n").unwrap();
    let slow = slow_server(Duration::from_mins(10));
    let arguments = [
        "9",
        "--jobs",
        "2",
        "--queue",
        "2",
        "--token-file",
        file.to_str().unwrap(),
    ];
    let service = Service::start(&options(&arguments));
    let path = format!("/v1/clean?engine=none&url={}", escaped(&slow));
    let greedy = [("Authorization", "Bearer 0123456789abcdef")];
    let begin = || service.send(service.head("GET", &path, &greedy).as_bytes());
    let _waiting = [begin(), begin(), begin()];
    let started = Instant::now();
    while !service
        .request("GET", "/metrics", &greedy, b"")
        .text()
        .contains("vclean_pages_waiting 3\n")
    {
        assert!(started.elapsed() < Duration::from_secs(30));
    }
    assert_eq!(service.request("GET", &path, &greedy, b"").status, 503);
    let headers = [
        ("Content-Type", "text/html"),
        ("Authorization", "Bearer fedcba9876543210"),
    ];
    let answer = service.request(
        "POST",
        "/v1/clean",
        &headers,
        b"<p>A page of the other one.",
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
}

/// Calls a tool of a service that processes one page at a time, cancels the call in each way that
/// clients use, and sends a page after each.
fn cancel_calls(service: &Service, page: &str) {
    let headers = |session: Option<&str>| {
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            (
                "Accept".to_owned(),
                "application/json, text/event-stream".to_owned(),
            ),
            ("MCP-Protocol-Version".to_owned(), "2025-11-25".to_owned()),
        ];
        headers.extend(session.map(|id| ("Mcp-Session-Id".to_owned(), id.to_owned())));
        headers
    };
    let head = |session: Option<&str>, body: &str| {
        let length = body.len().to_string();
        let headers = headers(session);
        let mut headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        headers.push(("Content-Length", &length));
        service.head("POST", "/mcp", &headers) + body
    };
    let begin = |session: Option<&str>, message: &serde_json::Value| {
        service.send(head(session, &message.to_string()).as_bytes())
    };
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    let sessions = [0, 1].map(|_| {
        let answer = Answer::read(begin(None, &initialize));
        assert_eq!(
            answer.json()["result"]["protocolVersion"],
            "2025-11-25",
            "{}",
            answer.text()
        );
        answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .unwrap()
            .to_owned()
    });
    let arguments = json!({ "url": page });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "fetch_clean", "arguments": arguments },
    });
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let notify =
        |session: Option<&str>| assert_eq!(Answer::read(begin(session, &cancelled)).status, 202);
    let [own, other] = sessions.each_ref().map(|session| Some(session.as_str()));
    for way in [
        "notification",
        "notification without a session",
        "closed connection",
    ] {
        let session = if way == "notification" { own } else { None };
        let stream = begin(session, &call);
        let started = if page.ends_with("hang") {
            "vclean_pages_running"
        } else {
            "vclean_pages_waiting"
        };
        service.wait_for(started, 1);
        // Calls of other clients have the same ids.
        notify(other);
        service.wait_for(started, 1);
        let started = Instant::now();
        if way == "closed connection" {
            drop(stream);
        } else {
            notify(session);
            let answer = Answer::read(stream);
            let (id, code) = (&answer.json()["id"], &answer.json()["error"]["code"]);
            assert!(*id == 1 && *code == -32800, "{way}: {}", answer.text());
        }
        while service.post("/v1/clean", &json!({ "html": "<p>a" })).status != 200 {
            assert!(started.elapsed() < Duration::from_secs(20), "{way}");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{way}: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn a_call_of_a_tool_that_is_cancelled_ends() {
    let service = Service::start(&options(&[
        "9", "--jobs", "1", "--queue", "0", "--engine", "none",
    ]));
    cancel_calls(&service, &slow_server(Duration::from_mins(10)));
}

#[test]
fn a_call_of_a_tool_that_is_cancelled_frees_the_browser() {
    let _alone = only_browser();
    let server = Server::start();
    let service = Service::start(&options(&[
        "9", "--jobs", "1", "--queue", "0", "--engine", "chromium",
    ]));
    let cleaned = |service: &Service| {
        service
            .get(&format!(
                "/v1/clean?url={}",
                escaped(&server.url("article/"))
            ))
            .status
    };
    assert_eq!(cleaned(&service), 200);
    cancel_calls(&service, &server.url("hang"));
    assert_eq!(cleaned(&service), 200);
}

#[test]
fn a_page_has_no_more_time_than_its_request_says() {
    let slow = slow_server(Duration::from_mins(1));
    let service = Service::start(&options(&["9", "--jobs", "1"]));
    let started = Instant::now();
    let answer = service.post(
        "/v1/clean",
        &json!({ "url": slow, "engine": "none", "timeout_ms": 700 }),
    );
    assert_eq!(answer.status, 504, "{}", answer.text());
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(
        service.post("/v1/clean", &json!({ "html": "<p>a" })).status,
        200
    );
}

#[test]
fn pages_in_work_are_finished_when_the_service_ends() {
    let slow = slow_server(Duration::from_secs(2));
    let mut service = Service::start(&options(&["9", "--jobs", "2", "--grace", "20"]));
    let path = format!("/v1/clean?engine=none&url={}", escaped(&slow));
    let stream = service.begin(&path);
    service.wait_for("vclean_pages_waiting", 1);
    service.terminate();
    let answer = Answer::read(stream);
    assert!(
        answer.status == 200 && answer.text().contains("took its time"),
        "{}",
        answer.text()
    );
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    assert!(std::net::TcpStream::connect(service.address).is_err());

    // A page that takes longer than the grace time is given up.
    let endless = slow_server(Duration::from_mins(10));
    let mut service = Service::start(&options(&["9", "--grace", "1"]));
    let _stream = service.begin(&format!("/v1/clean?engine=none&url={}", escaped(&endless)));
    service.wait_for("vclean_pages_waiting", 1);
    let started = Instant::now();
    service.terminate();
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn the_work_of_a_client_that_hangs_up_ends() {
    let service = Service::start(&["--jobs", "1"]);
    let article = std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap();
    let line = json!({ "html": article.repeat(20) }).to_string() + "\n";
    let body = line.repeat(200);
    let length = body.len().to_string();
    let headers = [
        ("Content-Type", "application/x-ndjson"),
        ("Content-Length", length.as_str()),
    ];
    let mut stream = service.send(service.head("POST", "/v1/batch", &headers).as_bytes());
    stream
        .write_all(&body.as_bytes()[..3 * line.len()])
        .unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    drop(stream);
    service.wait_for("vclean_pages_running", 0);
    service.wait_for("vclean_pages_waiting", 0);
    let figures = service.get("/metrics").text();
    let pages = figures
        .lines()
        .find_map(|line| line.strip_prefix("vclean_batch_pages_total "))
        .unwrap();
    assert!(pages.parse::<u32>().unwrap() < 10, "{pages}");
    service.wait_for("vclean_batches_running", 0);
    service.wait_for("vclean_requests_cancelled_total", 1);
    service.wait_for_log("\"reason\":\"client_gone\"");
}

#[test]
fn operators_see_how_a_batch_goes_and_why_pages_fail() {
    let slow = slow_server(Duration::from_secs(2));
    let service = Service::start(&options(&["9", "--jobs", "2"]));
    let line = |url: &str| json!({ "url": url, "engine": "none" }).to_string() + "\n";
    let body = line(&slow) + &line("file:///etc/hostname") + &line(&slow);
    let length = body.len().to_string();
    let headers = [
        ("Content-Type", "application/x-ndjson"),
        ("Content-Length", length.as_str()),
    ];
    let mut head = service.head("POST", "/v1/batch", &headers);
    head.push_str(&body);
    let stream = service.send(head.as_bytes());
    service.wait_for("vclean_batches_running", 1);
    service.wait_for("vclean_pages_waiting", 2);
    assert_eq!(Answer::read(stream).text().lines().count(), 3);
    service.wait_for("vclean_batches_running", 0);
    service.wait_for("vclean_failures_total{reason=\"wrong_request\"}", 1);
    let entry = |message: &str| -> serde_json::Value {
        service.wait_for_log(message);
        let log = service.log();
        let found = log
            .lines()
            .find(|line| line.contains(message) && !line.contains("/metrics"));
        serde_json::from_str(found.unwrap_or_else(|| panic!("{message} is not in {log}"))).unwrap()
    };
    let batch = entry("\"path\":\"/v1/batch\"");
    assert!(
        batch["duration_ms"].as_u64().unwrap() >= 2000
            && batch["pages"] == 3
            && batch["failed"] == 1,
        "{batch}"
    );
    let failed = entry("page failed");
    assert!(
        failed["reason"] == "wrong_request" && failed["id"] == batch["id"],
        "{failed}"
    );
    let refused = service.post("/v1/clean", &json!({ "base64": "JVBERi0xLjQ=" }));
    assert_eq!(refused.status, 415);
    assert_eq!(entry("\"path\":\"/v1/clean\"")["reason"], "no_page");
    assert!(
        !service.log().contains("/etc/hostname"),
        "{}",
        service.log()
    );
}

#[test]
fn a_tab_is_free_again_when_its_client_hangs_up_and_a_browser_that_dies_is_replaced() {
    let _alone = only_browser();
    let server = Server::start();
    let mut service = Service::start(&options(&["9", "--jobs", "1", "--timeout", "90"]));
    let path = |page: &str| format!("/v1/clean?url={}", escaped(&server.url(page)));
    let cleaned = |page: &str| {
        let answer = service.get(&path(page));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["engine"], "chromium");
    };
    cleaned("article/");
    // The only tab is busy with a page that never arrives.
    let stream = service.begin(&path("hang"));
    service.wait_for("vclean_pages_running", 1);
    thread::sleep(Duration::from_millis(500));
    drop(stream);
    let started = Instant::now();
    cleaned("article/");
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "{:?}",
        started.elapsed()
    );

    // The browser crashes while it renders a page, and the page is still answered.
    let stream = service.begin(&path("infinite-scroll/"));
    service.wait_for("vclean_pages_running", 1);
    let below = |program: &str| {
        let all = processes();
        let below = descendants(&all, service.id());
        below
            .into_iter()
            .filter(|id| all[id].command[0].contains(program))
            .collect::<Vec<u32>>()
    };
    let kill = |id: u32| {
        let id = rustix::process::Pid::from_raw(id as i32).unwrap();
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
    };
    below("chrom").into_iter().for_each(kill);
    let answer = Answer::read(stream);
    assert_eq!(answer.status, 200, "{}", answer.text());
    cleaned("article/");
    let running = below("chrom");
    assert!(!running.is_empty());
    service.wait_for_log("a browser died and is replaced; 1 so far");
    // The same happens without the process that watches over the browser.
    below("/sh").into_iter().for_each(kill);
    service.terminate();
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    let started = Instant::now();
    while running.iter().any(|id| processes().contains_key(id)) {
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "no process of the browser is left"
        );
        thread::sleep(Duration::from_millis(50));
    }
}
