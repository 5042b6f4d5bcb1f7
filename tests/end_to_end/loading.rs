//! Tests the loading options in the program and the service: conditions to wait for, secrets that
//! are sent, actions, and refusals.

use crate::program::{one_browser, vclean};
use crate::service_client::Service;
use crate::support::fixtures;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A server whose page fills after a second and shows more after a click; it records the heads of
/// its requests.
struct Shop {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

const PAGE: &str = "<!doctype html><title>Shop</title><main><h1>Lamps of the harbor</h1>\
    <p>The lamplighter of Corrie Street kept a list of every window that was dark, and read it aloud on Sundays to whoever came.</p>\
    <button onclick=\"document.querySelector('main').insertAdjacentHTML('beforeend', '<p>Behind the button stood a paragraph about \
    the copper lamps, which nobody had lit since the harbor froze in the winter of the long nights.</p>')\">more</button></main>\
    <script>setTimeout(() => document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=late>Later came a paragraph about \
    the keeper, who counted the ships by their lamps and wrote their names into a ledger of blue paper.</p>'), 1500)</script>";

impl Shop {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&heads);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let heads = Arc::clone(&shared);
                thread::spawn(move || drop(answer(&client, &heads)));
            }
        });
        Self { port, heads }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Returns the number of requests for the page that have a text in their head.
    fn requests_with(&self, text: &str) -> usize {
        self.heads
            .lock()
            .unwrap()
            .iter()
            .filter(|head| head.starts_with("get /page") && head.contains(text))
            .count()
    }
}

fn answer(mut client: &TcpStream, heads: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 3);
    while length > 2 {
        length = reader.read_line(&mut head)?;
    }
    let head = head.to_ascii_lowercase();
    let is_page = head.starts_with("get /page");
    heads.lock().unwrap().push(head);
    let (status, body) = if is_page {
        ("200 OK", PAGE)
    } else {
        ("404 Not Found", "")
    };
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{body}"
    )
}

const POLITE: [&str; 4] = ["--allow-private", "--ignore-robots", "--delay", "0"];

fn render(shop: &Shop, options: &[&str]) -> crate::program::Outcome {
    let _alone = one_browser();
    let page = shop.url("page");
    vclean(
        ["render-and-clean", page.as_str()]
            .iter()
            .chain(&POLITE)
            .chain(options),
    )
}

#[test]
fn the_program_waits_sends_and_acts() {
    let shop = Shop::start();
    let plain = render(&shop, &[]);
    assert!(
        plain.stdout.contains("lamplighter") && !plain.stdout.contains("ledger"),
        "{}",
        plain.stdout
    );
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    std::fs::write(
        &state,
        r#"{"cookies": [{"name": "kept", "value": "k1", "domain": "127.0.0.1", "path": "/"}]}"#,
    )
    .unwrap();
    let full = render(
        &shop,
        &[
            "--wait-for",
            "selector:#late",
            "--header",
            "X-Token: t1",
            "--cookie",
            "sid=s1",
            "--storage-state",
            state.to_str().unwrap(),
            "--user-agent",
            "Reader/1",
            "--accept-language",
            "de",
            "--viewport",
            "900x800",
            "--actions",
            r#"[{"type": "click", "selector": "button"}]"#,
        ],
    );
    assert_eq!(full.code, Some(0), "{}", full.stderr);
    assert!(
        full.stdout.contains("ledger") && full.stdout.contains("copper lamps"),
        "{}",
        full.stdout
    );
    for text in [
        "x-token: t1",
        "sid=s1",
        "kept=k1",
        "user-agent: reader/1",
        "accept-language: de",
    ] {
        assert_eq!(
            shop.requests_with(text),
            1,
            "{text}: {:?}",
            shop.heads.lock().unwrap()
        );
    }
    let late = render(&shop, &["--wait-for", "text:never", "--timeout", "4"]);
    assert!(
        late.stdout.contains("ledger")
            && late.stderr.contains("--wait-for text:never did not come"),
        "{}",
        late.stderr
    );
}

#[test]
fn what_an_engine_cannot_do_is_refused_by_name() {
    let shop = Shop::start();
    for (options, cause) in [
        (
            ["--engine", "builtin", "--wait-for", "idle"].as_slice(),
            "--wait-for is for Chromium",
        ),
        (
            &["--engine", "builtin", "--mobile"],
            "--mobile is for Chromium",
        ),
        (
            &["--engine", "builtin", "--consent", "reject"],
            "--consent is for Chromium",
        ),
        (
            &["--render", "auto", "--wait-for", "idle"],
            "--wait-for is for pages that are rendered",
        ),
        (
            &["--render", "auto", "--hidden", "drop"],
            "--hidden drop is for pages that are rendered",
        ),
        (
            &["--actions", r#"[{"type": "screenshot"}]"#],
            "number 1 of `actions`",
        ),
        (&["--wait-for", "soon"], "invalid value soon for `wait_for`"),
        (&["--proxy", "socks5://127.0.0.1"], "speak socks5"),
    ] {
        let outcome = render(&shop, options);
        assert_eq!(
            outcome.code,
            Some(1),
            "{options:?}: {} {}",
            outcome.stdout,
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains(cause),
            "{options:?}: {}",
            outcome.stderr
        );
    }
    let page = fixtures().join("site/article/index.html");
    let page = page.to_str().unwrap();
    let saved = vclean(["render-and-clean", page, "--header", "X: y"]);
    saved.assert_fails(page, &["`headers`", "from their address"]);
    assert!(shop.heads.lock().unwrap().is_empty());
}

#[test]
fn the_service_waits_sends_and_acts_in_both_interfaces() {
    let shop = Shop::start();
    let _alone = one_browser();
    let service = Service::start(&["--allow-private", "--ignore-robots", "--delay", "0"]);
    let ours = json!({
        "url": shop.url("page"), "wait_for": ["selector:#late"], "headers": { "X-Token": "hunter2" }, "cookies": { "sid": "hunter3" },
        "actions": [{ "type": "click", "selector": "button" }],
    });
    let answer = service.post("/v1/clean", &ours);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = answer.json()["output"]["text"].to_string();
    assert!(
        text.contains("ledger") && text.contains("copper lamps"),
        "{text}"
    );
    let firecrawl = json!({
        "url": shop.url("page"), "waitFor": 2000, "headers": { "X-Token": "hunter2", "Cookie": "sid=hunter3" }, "mobile": true,
        "actions": [{ "type": "click", "selector": "button" }],
    });
    let answer = service.post("/v2/scrape", &firecrawl);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let markdown = answer.json()["data"]["markdown"].to_string();
    assert!(
        markdown.contains("ledger") && markdown.contains("copper lamps"),
        "{markdown}"
    );
    assert_eq!(
        (
            shop.requests_with("x-token: hunter2"),
            shop.requests_with("sid=hunter3")
        ),
        (2, 2)
    );
    assert_eq!(shop.requests_with("android"), 1);
    // The next client's page gets none of these headers, and the log has no secret.
    assert_eq!(
        service
            .post("/v1/clean", &json!({ "url": shop.url("page") }))
            .status,
        200
    );
    assert_eq!(shop.requests_with("hunter"), 2);
    assert!(!service.log().contains("hunter"), "{}", service.log());
    let never = json!({ "url": shop.url("page"), "wait_for": "text:never", "timeout_ms": 6000 });
    let warnings = service.post("/v1/clean", &never).json()["warnings"].to_string();
    assert!(warnings.contains("text:never did not come"), "{warnings}");
}

#[test]
fn a_page_that_cannot_be_laid_out_is_not_parsed_where_hidden_text_must_be_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    // More nodes than the engine accepts, in as many blocks as a page may have.
    let paragraph = format!(
        "<p>Herring gulls{}",
        " <b>drop</b> <i>mussels</i>".repeat(60)
    );
    std::fs::write(&file, format!("<h1>Gulls</h1>{}", paragraph.repeat(1_000))).unwrap();
    let run = |options: &[&str]| {
        vclean(
            [
                "render-and-clean",
                "--engine",
                "builtin",
                file.to_str().unwrap(),
            ]
            .iter()
            .chain(options),
        )
    };
    let usual = run(&[]);
    assert!(
        usual.code == Some(0) && usual.stderr.contains("parsed without layout"),
        "{}",
        usual.stderr
    );
    let strict = run(&["--hidden", "drop"]);
    assert_eq!(strict.stdout, "");
    strict.assert_fails(file.to_str().unwrap(), &["nodes"]);
}

/// Starts a proxy that answers every request itself; returns its port and the requests.
fn start_proxy() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&asked);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let asked = Arc::clone(&shared);
            thread::spawn(move || -> std::io::Result<()> {
                let mut reader = BufReader::new(&client);
                let (mut head, mut length) = (String::new(), 3);
                while length > 2 {
                    length = reader.read_line(&mut head)?;
                }
                let status = if head.starts_with("CONNECT") {
                    "502 Bad Gateway"
                } else {
                    "200 OK"
                };
                asked.lock().unwrap().push(head);
                write!(
                    &client,
                    "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{PAGE}"
                )
            });
        }
    });
    (port, asked)
}

#[test]
fn everything_goes_through_the_outbound_proxy() {
    let (port, asked) = start_proxy();
    let proxy = format!("http://me:hunter2@127.0.0.1:{port}");
    let run = |engine: &str, page: &str| {
        let _alone = one_browser();
        vclean([
            "render-and-clean",
            "--ignore-robots",
            "--delay",
            "0",
            "--retries",
            "0",
            "--engine",
            engine,
            "--proxy",
            &proxy,
            page,
        ])
    };
    for engine in crate::program::ENGINES {
        // The host name does not exist, so only the proxy can answer.
        let outcome = run(engine, "http://shop.example/page");
        assert!(
            outcome.stdout.contains("lamplighter"),
            "{engine}: {}",
            outcome.stderr
        );
        let encrypted = run(engine, "https://shop.example/page");
        encrypted.assert_fails("https://shop.example/page", &["answered 502"]);
        assert!(
            !encrypted.stderr.contains("hunter2"),
            "{}",
            encrypted.stderr
        );
    }
    let heads = asked.lock().unwrap().clone();
    // The Base64 code of `me:hunter2`.
    let authorization = "Proxy-Authorization: Basic bWU6aHVudGVyMg==";
    assert!(
        heads
            .iter()
            .any(|head| head.starts_with("GET http://shop.example/page HTTP/1.1")),
        "{heads:?}"
    );
    assert!(
        heads
            .iter()
            .any(|head| head.starts_with("CONNECT shop.example:443 HTTP/1.1")),
        "{heads:?}"
    );
    assert!(
        heads.iter().all(|head| head.contains(authorization)),
        "{heads:?}"
    );
    // Private addresses written as numbers, and this machine, are still refused.
    for page in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        "http://10.0.0.1/".to_owned(),
    ] {
        run("builtin", &page).assert_fails(&page, &["--allow-private"]);
    }
    assert_eq!(asked.lock().unwrap().len(), heads.len());
}

#[test]
fn a_page_with_sound_leaves_nothing_in_the_folder_for_temporary_files() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let page = format!(
        "http://127.0.0.1:{}/",
        listener.local_addr().unwrap().port()
    );
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut reader = BufReader::new(client.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 3);
            while length > 2 {
                length = reader.read_line(&mut line).unwrap_or(0);
            }
            let body = "<p>sound</p><script>const c = new AudioContext(); const o = c.createOscillator(); o.connect(c.destination);\
                        o.start(); c.resume(); document.title = c.state</script>";
            let _ = write!(
                client,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o777),
    )
    .unwrap();
    let _alone = one_browser();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_vclean"));
    program
        .args([
            "render-and-clean",
            &page,
            "--wait-for",
            "time:1s",
            "--engine",
            "chromium",
        ])
        .args(POLITE);
    let done = program.env("TMPDIR", folder.path()).output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
