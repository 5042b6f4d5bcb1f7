//! Tests rate limits and robots.txt as the server sees them: which requests arrive, and when.

use crate::program::{files, one_browser, text_named, vclean};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A page that is long enough to have text.
const STORY: &str = "<!DOCTYPE html><html lang=en><title>The ferry</title><body style=\"width:700px;margin:auto\"><h1>The ferry</h1>\
    <p>The ferry to the far bank ran twice a day, and on Sundays not at all, which suited the ferryman, who kept bees \
    and thought little of people who could not wait for a Monday. Nobody ever asked him why he had chosen the river.</p>\
    <p>When the bridge came he took his boat up the hill, turned it over, and lived under it until the bees moved in.</p>";

/// The path of each request, and when it arrived.
type Requests = Arc<Mutex<Vec<(String, Instant)>>>;

/// Starts a server with a robots.txt; pages below `/busy` respond with 503 twice. Returns its port
/// and its requests.
fn server(robots: &'static str) -> (u16, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    // The thread ends with the process; a test starts few.
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || answer(&client, robots, &seen));
        }
    });
    (port, requests)
}

fn answer(mut client: &TcpStream, robots: &str, requests: &Requests) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let (mut request, mut header) = (String::new(), String::new());
    reader.read_line(&mut request)?;
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let before = {
        let mut requests = requests.lock().unwrap();
        requests.push((path.clone(), Instant::now()));
        requests.iter().filter(|(other, _)| *other == path).count()
    };
    let (status, headers, body) = match path.as_str() {
        "/robots.txt" => ("200 OK", "", robots),
        "/favicon.ico" => ("404 Not Found", "", ""),
        "/busy" if before <= 2 => ("503 Service Unavailable", "retry-after: 1\r\n", "busy"),
        "/rests" => ("429 Too Many Requests", "retry-after: 86400\r\n", "enough"),
        _ => ("200 OK", "", STORY),
    };
    let kind = if path == "/robots.txt" {
        "text/plain"
    } else {
        "text/html"
    };
    write!(
        client,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Returns the times at which `path` was requested.
fn times(requests: &Requests, path: &str) -> Vec<Instant> {
    requests
        .lock()
        .unwrap()
        .iter()
        .filter(|(other, _)| other == path)
        .map(|&(_, when)| when)
        .collect()
}

#[test]
fn robots_txt_is_obeyed_unless_it_is_ignored_on_request() {
    let (port, requests) = server("User-agent: vclean\nDisallow: /private\n");
    let url = |path: &str| format!("http://127.0.0.1:{port}/{path}");
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let arguments = [
        "render-and-clean",
        "--allow-private",
        "--out",
        &folder,
        "--delay",
        "0",
    ];
    let pages = [url("private/diary"), url("open")];
    let arguments = arguments
        .into_iter()
        .chain(pages.iter().map(String::as_str));
    let outcome = {
        let _alone = one_browser();
        vclean(arguments.clone())
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(&pages[0], &["robots.txt", "127.0.0.1", "--ignore-robots"]);
    assert!(text_named(out.path(), "open").contains("kept bees"));
    assert_eq!(files(out.path()).len(), 1);
    assert_eq!(
        (
            times(&requests, "/robots.txt").len(),
            times(&requests, "/private/diary").len()
        ),
        (1, 0)
    );

    let outcome = {
        let _alone = one_browser();
        vclean(arguments.chain(["--ignore-robots", "--overwrite"]))
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(text_named(out.path(), "diary").contains("kept bees"));
    assert_eq!(
        (
            times(&requests, "/robots.txt").len(),
            times(&requests, "/private/diary").len()
        ),
        (1, 1)
    );
}

#[test]
fn pages_of_a_host_are_loaded_in_order_with_pauses_and_other_hosts_in_between() {
    let (port, requests) = server("User-agent: *\nCrawl-delay: 1.5\n");
    let page = |host: &str, path: &str| format!("http://{host}:{port}/{path}");
    // Another name of the same server counts as another host.
    let pages = [
        page("127.0.0.1", "a1"),
        page("127.0.0.1", "a2"),
        page("127.0.0.1", "a3"),
        page("localhost", "b1"),
    ];
    let arguments = [
        "render-and-clean",
        "--allow-private",
        "--delay",
        "0.2",
        "--jobs",
        "2",
        "--format",
        "json",
    ];
    let outcome = {
        let _alone = one_browser();
        vclean(
            arguments
                .into_iter()
                .chain(pages.iter().map(String::as_str)),
        )
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let at = |path: &str| {
        let times = times(&requests, path);
        assert_eq!(times.len(), 1, "{path} was asked for once");
        times[0]
    };
    let pause = Duration::from_millis(1500);
    assert!(
        at("/a2") - at("/a1") >= pause,
        "{:?}",
        at("/a2") - at("/a1")
    );
    assert!(
        at("/a3") - at("/a2") >= pause,
        "{:?}",
        at("/a3") - at("/a2")
    );
    assert!(at("/b1") < at("/a2"), "the other host was not held up");
    let places: Vec<usize> = pages
        .iter()
        .map(|page| outcome.stdout.find(page.as_str()).unwrap())
        .collect();
    assert!(
        places.is_sorted(),
        "results come in the order of the inputs: {places:?}"
    );
}

#[test]
fn a_busy_server_is_retried_after_the_requested_pause() {
    let (port, requests) = server("");
    let arguments = ["render-and-clean", "--allow-private", "--delay", "0"];
    let page = format!("http://127.0.0.1:{port}/busy");
    let outcome = {
        let _alone = one_browser();
        vclean(arguments.into_iter().chain([page.as_str()]))
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("kept bees"), "{}", outcome.stdout);
    let came = times(&requests, "/busy");
    assert_eq!(came.len(), 3);
    assert!(
        came.windows(2)
            .all(|pair| pair[1] - pair[0] >= Duration::from_secs(1)),
        "{came:?}"
    );

    // A pause of a day is too long, both for this page and for the next one of the host.
    let pages = ["rests", "open"].map(|path| format!("http://127.0.0.1:{port}/{path}"));
    let outcome = {
        let _alone = one_browser();
        vclean(
            arguments
                .into_iter()
                .chain(pages.iter().map(String::as_str)),
        )
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(&pages[0], &["429", "later"]);
    outcome.assert_fails(&pages[1], &["left alone", "127.0.0.1"]);
    assert_eq!(
        (
            times(&requests, "/rests").len(),
            times(&requests, "/open").len()
        ),
        (1, 0)
    );
}
