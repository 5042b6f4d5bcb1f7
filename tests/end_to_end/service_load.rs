//! `vclean serve` under load: the full queue, clients that hang up, browsers that die, and the end.

use crate::processes::{descendants, processes};
use crate::program::one_browser;
use crate::service_client::{Answer, Service, escaped};
use crate::support::{Server, fixtures};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

const LOCAL: [&str; 7] = ["--allow-private", "--ignore-robots", "--delay", "0", "--retries", "0", "--per-host"];

fn options<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&LOCAL, more].concat()
}

/// A server that answers each request after a pause; returns its address.
fn slow_server(pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                thread::sleep(pause);
                let page = "<p>A page that took its time on the way from a slow server to its reader.";
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: ";
                let _ = write!(stream, "{head}{}\r\n\r\n{page}", page.len());
            });
        }
    });
    format!("http://{address}/")
}

/// A server that announces more of a page than it sends; returns its address.
fn breaking_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n";
            let _ = write!(stream, "{head}<p>A page of which its server sends the beginning, and then breaks off.");
            // Long enough for the browser to show the beginning.
            thread::sleep(Duration::from_millis(500));
        }
    });
    format!("http://{address}/")
}

#[test]
fn a_page_that_its_server_breaks_off_frees_its_place_soon() {
    let _alone = one_browser();
    let server = Server::start();
    let service = Service::start(&options(&["9", "--jobs", "1", "--timeout", "90"]));
    // The browser is there then.
    assert_eq!(service.get(&format!("/v1/clean?url={}", escaped(&server.url("article/")))).status, 200);
    let began = Instant::now();
    let answer = service.get(&format!("/v1/clean?url={}", escaped(&breaking_server())));
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    assert_eq!((answer.status, answer.json()["engine"].as_str()), (200, Some("chromium")), "{}", answer.text());
    assert!(answer.json()["warnings"].to_string().contains("broke off the connection"), "{}", answer.text());
    service.wait_for("vclean_pages_running", 0);
}

#[test]
fn a_full_queue_refuses_until_there_is_room_again() {
    let slow = slow_server(Duration::from_secs(3));
    let service = Service::start(&options(&["9", "--jobs", "1", "--queue", "1", "--timeout", "30"]));
    let path = format!("/v1/clean?engine=none&url={}", escaped(&slow));
    let waiting = [service.begin(&path), service.begin(&path)];
    thread::sleep(Duration::from_millis(500));
    let full = service.post("/v1/clean", &json!({ "html": "<p>a" }));
    assert_eq!(full.status, 503, "{}", full.text());
    assert!(full.head.contains("retry-after: ") && full.error().contains("try again later"), "{}", full.head);
    // Monitors are answered all the same.
    assert_eq!(service.get("/healthz").status, 200);
    for stream in waiting {
        let answer = Answer::read(stream);
        assert!(answer.status == 200 && answer.text().contains("took its time"), "{}", answer.text());
    }
    assert_eq!(service.post("/v1/clean", &json!({ "html": "<p>a" })).status, 200);
}

#[test]
fn a_page_has_no_more_time_than_its_request_says() {
    let slow = slow_server(Duration::from_mins(1));
    let service = Service::start(&options(&["9", "--jobs", "1"]));
    let began = Instant::now();
    let answer = service.post("/v1/clean", &json!({ "url": slow, "engine": "none", "timeout_ms": 700 }));
    assert_eq!(answer.status, 504, "{}", answer.text());
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(service.post("/v1/clean", &json!({ "html": "<p>a" })).status, 200);
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
    assert!(answer.status == 200 && answer.text().contains("took its time"), "{}", answer.text());
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    assert!(std::net::TcpStream::connect(service.address).is_err());

    // A page that takes longer than the grace time is given up.
    let endless = slow_server(Duration::from_mins(10));
    let mut service = Service::start(&options(&["9", "--grace", "1"]));
    let _stream = service.begin(&format!("/v1/clean?engine=none&url={}", escaped(&endless)));
    service.wait_for("vclean_pages_waiting", 1);
    let began = Instant::now();
    service.terminate();
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn the_work_of_a_client_that_hangs_up_ends() {
    let service = Service::start(&["--jobs", "1"]);
    let article = std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap();
    let line = json!({ "html": article.repeat(20) }).to_string() + "\n";
    let body = line.repeat(200);
    let length = body.len().to_string();
    let headers = [("Content-Type", "application/x-ndjson"), ("Content-Length", length.as_str())];
    let mut stream = service.send(service.head("POST", "/v1/batch", &headers).as_bytes());
    stream.write_all(&body.as_bytes()[..3 * line.len()]).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    drop(stream);
    service.wait_for("vclean_pages_running", 0);
    service.wait_for("vclean_pages_waiting", 0);
    let figures = service.get("/metrics").text();
    let pages = figures.lines().find_map(|line| line.strip_prefix("vclean_batch_pages_total ")).unwrap();
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
    let headers = [("Content-Type", "application/x-ndjson"), ("Content-Length", length.as_str())];
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
        let found = log.lines().find(|line| line.contains(message) && !line.contains("/metrics"));
        serde_json::from_str(found.unwrap_or_else(|| panic!("{message} is not in {log}"))).unwrap()
    };
    let batch = entry("\"path\":\"/v1/batch\"");
    assert!(batch["duration_ms"].as_u64().unwrap() >= 2000 && batch["pages"] == 3 && batch["failed"] == 1, "{batch}");
    let failed = entry("page failed");
    assert!(failed["reason"] == "wrong_request" && failed["id"] == batch["id"], "{failed}");
    let refused = service.post("/v1/clean", &json!({ "base64": "JVBERi0xLjQ=" }));
    assert_eq!(refused.status, 415);
    assert_eq!(entry("\"path\":\"/v1/clean\"")["reason"], "no_page");
    assert!(!service.log().contains("/etc/hostname"), "{}", service.log());
}

#[test]
fn a_tab_is_free_again_when_its_client_hangs_up_and_a_browser_that_dies_is_replaced() {
    let _alone = one_browser();
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
    let began = Instant::now();
    cleaned("article/");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());

    // The browser dies while a page is in work, and the page is answered.
    let stream = service.begin(&path("infinite-scroll/"));
    service.wait_for("vclean_pages_running", 1);
    let below = |program: &str| {
        let all = processes();
        let below = descendants(&all, service.id());
        below.into_iter().filter(|id| all[id].command[0].contains(program)).collect::<Vec<u32>>()
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
    // Also if the process that watches over the browser is gone.
    below("/sh").into_iter().for_each(kill);
    service.terminate();
    assert_eq!(service.wait().code(), Some(0), "{}", service.log());
    let began = Instant::now();
    while running.iter().any(|id| processes().contains_key(id)) {
        assert!(began.elapsed() < Duration::from_secs(10), "no process of the browser is left");
        thread::sleep(Duration::from_millis(50));
    }
}
