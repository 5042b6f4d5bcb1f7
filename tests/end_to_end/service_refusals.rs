//! Tests the requests that `vclean serve` refuses, each a row of a table.

use crate::program::{one_browser, vclean};
use crate::service_client::{Answer, Service, escaped};
use crate::support::Server;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write;

/// A refused request: its description, method and path, headers, body, and the status of the
/// answer.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a [u8], u16);

/// The end of the error message for an address that is not public.
const POLICY: &str = "this service loads public addresses only";
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn private_addresses_are_refused_in_every_notation_by_every_endpoint() {
    let server = Server::start();
    let service = Service::start(&[
        "--engine",
        "none",
        "--ignore-robots",
        "--delay",
        "0",
        "--retries",
        "0",
    ]);
    let port = server.port();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "127.0.0.1.",
        "LOCALHOST",
        "user@127.0.0.1",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.0.1",
    ];
    for host in hosts {
        let page = format!("http://{host}:{port}/article/");
        for engine in ["none", "builtin"] {
            let answer = service.get(&format!("/v1/clean?engine={engine}&url={}", escaped(&page)));
            assert_eq!(answer.status, 403, "{page} {engine}: {}", answer.text());
            assert!(
                answer.error().ends_with(POLICY),
                "{page}: {}",
                answer.text()
            );
        }
        let answer = service.post("/v1/clean", &json!({ "url": page, "engine": "none" }));
        assert_eq!(answer.status, 403, "{page}: {}", answer.text());
        let line = json!({ "url": page, "engine": "none" }).to_string();
        let batch = [("Content-Type", "application/x-ndjson")];
        assert_eq!(
            service
                .request("POST", "/v1/batch", &batch, line.as_bytes())
                .json()["status"],
            403
        );
        let tool = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "explain", "arguments": { "url": page } },
        });
        let mcp = [JSON, ("Accept", "application/json, text/event-stream")];
        let answer = service.request("POST", "/mcp", &mcp, tool.to_string().as_bytes());
        let result = answer.json()["result"].take();
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(
            result["isError"] == true && text.ends_with(POLICY),
            "{page}: {}",
            answer.text()
        );
        assert_eq!(
            service.post("/v2/scrape", &json!({ "url": page })).status,
            403,
            "{page}"
        );
    }
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}

#[test]
fn a_private_address_is_refused_the_same_way_when_its_robots_txt_is_asked_for_first() {
    let server = Server::start();
    let service = Service::start(&["--delay", "0", "--retries", "0"]);
    let page = server.url("article/");
    for engine in ["none", "auto"] {
        let answer = service.get(&format!("/v1/clean?engine={engine}&url={}", escaped(&page)));
        assert_eq!(answer.status, 403, "{engine}: {}", answer.text());
        assert!(
            answer.error().ends_with(POLICY),
            "{engine}: {}",
            answer.text()
        );
    }
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}

#[test]
fn in_chromium_a_private_address_is_refused_and_a_private_part_is_left_out() {
    let server = Server::start();
    let options = [
        "--engine",
        "chromium",
        "--ignore-robots",
        "--delay",
        "0",
        "--retries",
        "0",
    ];
    let _alone = one_browser();
    let service = Service::start(&options);
    let answer = service.get(&format!(
        "/v1/clean?url={}",
        escaped(&server.url("article/"))
    ));
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert!(answer.error().ends_with(POLICY), "{}", answer.text());
    let text =
        "A page with a picture that is on a server of the network in which the service runs. "
            .repeat(3);
    let page = format!("<p>{text}<img src='{}'>", server.url("b.png"));
    let answer = service.post("/v1/clean", &json!({ "html": page })).json();
    let warnings = answer["warnings"].to_string();
    assert!(
        warnings.contains("this service does not load") && !warnings.contains("allow"),
        "{answer}"
    );
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}

#[test]
fn clients_are_not_told_what_is_wrong_with_the_browser_of_the_machine() {
    let service = Service::start_with(&[], &[("VCLEAN_BROWSER", "/nowhere/browser")]);
    let page =
        json!({ "html": "<p>A page for a browser that is not there.", "engine": "chromium" });
    let answer = service.post("/v1/clean", &page);
    assert_eq!(answer.status, 501, "{}", answer.text());
    assert!(
        answer.error().contains("engine") && !answer.text().contains("nowhere"),
        "{}",
        answer.text()
    );
    service.wait_for_log("/nowhere/browser");
}

#[test]
fn a_redirect_and_a_page_of_a_request_lead_nowhere_private() {
    let server = Server::start();
    // The test server is itself at a private address, so its redirect shows which ones are
    // followed.
    let options = [
        "--allow-private",
        "--ignore-robots",
        "--delay",
        "0",
        "--retries",
        "0",
    ];
    let service = Service::start(&options);
    let redirected = escaped(&server.url("redirect-file"));
    let answer = service.get(&format!("/v1/clean?engine=none&url={redirected}"));
    assert!(
        answer.status == 422 && answer.error().contains("file"),
        "{}",
        answer.text()
    );

    let service = Service::start(&[]);
    let host = format!("127.0.0.1:{}", server.port());
    let page = format!(
        "<link rel=stylesheet href='http://{host}/a.css'><img src='http://{host}/b.png'><iframe src='http://{host}/'>\
         </iframe><iframe src='file:///etc/hostname'></iframe><p>A page that asks for what it has no right to."
    );
    let engine = if cfg!(feature = "builtin") {
        "builtin"
    } else {
        "none"
    };
    let answer = service.post(
        "/v1/clean",
        &json!({ "html": page, "engine": engine, "url": format!("http://{host}/x") }),
    );
    let hostname = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    assert!(
        answer.status == 200 && answer.text().contains("no right to"),
        "{}",
        answer.text()
    );
    assert!(
        hostname.trim().len() < 4 || !answer.text().contains(hostname.trim()),
        "{}",
        answer.text()
    );
    assert_eq!(
        server.requests(),
        ["/redirect-file"],
        "no other request came through"
    );
}

#[test]
fn the_service_itself_is_out_of_reach_of_pages_whatever_is_allowed() {
    let options = [
        "--allow-private",
        "--ignore-robots",
        "--delay",
        "0",
        "--retries",
        "0",
    ];
    let service = Service::start(&options);
    let port = service.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "0",
        "0.0.0.0",
        "[::]",
        "[::ffff:127.0.0.1]",
        "127.3.2.1",
    ] {
        for engine in ["none", "builtin"] {
            let page = escaped(&format!("http://{host}:{port}/healthz"));
            let answer = service.get(&format!("/v1/clean?engine={engine}&url={page}"));
            assert_eq!(answer.status, 403, "{host} {engine}: {}", answer.text());
            assert!(
                answer.error().contains("belongs to the service itself"),
                "{host}: {}",
                answer.text()
            );
        }
    }
}

#[test]
fn requests_that_are_wrong_are_told_so() {
    let service = Service::start(&["--max-body", "100kB"]);
    let html = ("Content-Type", "text/html");
    let lines = ("Content-Type", "application/x-ndjson");
    let large = vec![b'x'; 101 << 10];
    let packed = gzip(&vec![b' '; 64 << 20]);
    let zip = ("Content-Encoding", "gzip");
    let long = "x".repeat(200 << 10);
    let cases: &[Case] = &[
        ("no such endpoint", "GET /v1/extract", &[], b"", 404),
        ("a file of the machine", "GET /etc/hostname", &[], b"", 404),
        (
            "a path that leads out",
            "GET /../../etc/hostname",
            &[],
            b"",
            404,
        ),
        ("another method", "DELETE /v1/clean", &[], b"", 405),
        ("a page without a type", "POST /v1/clean", &[], b"<p>a", 415),
        (
            "a form of another page",
            "POST /v1/clean",
            &[("Content-Type", "text/plain")],
            b"{\"html\": \"a\"}",
            415,
        ),
        (
            "a batch in another type",
            "POST /v1/batch",
            &[JSON],
            b"{}",
            415,
        ),
        ("no JSON", "POST /v1/clean", &[JSON], b"{html: 1}", 400),
        ("no page", "POST /v1/clean", &[JSON], b"{}", 400),
        (
            "a member that is not known",
            "POST /v1/clean",
            &[JSON],
            b"{\"html\": \"a\", \"path\": \"/etc/passwd\"}",
            400,
        ),
        (
            "a local file",
            "POST /v1/clean",
            &[JSON],
            b"{\"url\": \"file:///etc/hostname\"}",
            400,
        ),
        (
            "a path",
            "POST /v1/clean",
            &[JSON],
            b"{\"url\": \"/etc/hostname\"}",
            400,
        ),
        (
            "a capture by its path",
            "POST /v1/clean",
            &[JSON],
            b"{\"url\": \"captures/page\"}",
            400,
        ),
        (
            "a program of the browser",
            "GET /v1/clean?url=javascript:alert(1)",
            &[],
            b"",
            400,
        ),
        (
            "data as an address",
            "GET /v1/clean?url=data:text/html,a",
            &[],
            b"",
            400,
        ),
        (
            "a model in a file",
            "POST /v1/clean",
            &[JSON],
            b"{\"html\": \"a\", \"model\": \"/etc/hostname\"}",
            400,
        ),
        (
            "a policy of addresses",
            "GET /v1/clean?url=http://10.0.0.1/&allow_private=true",
            &[],
            b"",
            400,
        ),
        (
            "an address twice",
            "GET /v1/clean?url=http://a.example/&url=http://b.example/",
            &[],
            b"",
            400,
        ),
        (
            "a page that is a PDF",
            "POST /v1/clean",
            &[html],
            b"%PDF-1.4",
            415,
        ),
        ("a large page", "POST /v1/clean", &[html], &large, 413),
        (
            "a small body that unpacks to a large one",
            "POST /v1/clean",
            &[html, zip],
            &packed,
            413,
        ),
        (
            "a body that is not packed",
            "POST /v1/clean",
            &[html, zip],
            b"<p>a",
            400,
        ),
        (
            "another packing",
            "POST /v1/clean",
            &[html, ("Content-Encoding", "br")],
            b"<p>a",
            415,
        ),
        ("a large line", "POST /v1/batch", &[lines], &large, 200),
        (
            "a page of another site",
            "GET /v1/clean?url=http://a.example/",
            &[("Origin", "http://evil.example")],
            b"",
            403,
        ),
        (
            "another host (DNS rebinding)",
            "GET /healthz",
            &[("Host", "evil.example")],
            b"",
            403,
        ),
        (
            "a large head",
            "GET /healthz",
            &[("X-Long", &long)],
            b"",
            431,
        ),
    ];
    for (what, request, headers, body, status) in cases {
        let (method, path) = request.split_once(' ').unwrap();
        let answer = service.request(method, path, headers, body);
        assert_eq!(answer.status, *status, "{what}: {}", answer.text());
        assert!(!answer.head.contains("access-control-allow"), "{what}");
        if *status != 431 {
            assert!(
                !answer.error().is_empty() && answer.head.contains("x-request-id"),
                "{what}: {}",
                answer.text()
            );
        }
        if *status == 200 {
            assert_eq!(answer.json()["status"], 413, "{what}");
        }
    }
    let many: Vec<(String, String)> = (0..200)
        .map(|number| (format!("X-{number}"), "x".to_owned()))
        .collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(service.request("GET", "/healthz", &many, b"").status, 431);
    let answer = Answer::read(service.send(b"no HTTP at all\r\n\r\n"));
    assert_eq!(answer.status, 400, "{}", answer.head);
    // A compressed page that is small enough is accepted.
    let packed = service.request(
        "POST",
        "/v1/clean",
        &[html, zip],
        &gzip(b"<p>A page that was packed on its way."),
    );
    assert!(
        packed.json()["output"]["text"]
            .as_str()
            .unwrap()
            .contains("on its way"),
        "{}",
        packed.text()
    );
    assert!(
        !service.log().contains("/etc/hostname"),
        "{}",
        service.log()
    );
}

#[test]
fn slow_senders_are_cut_off() {
    let service = Service::start(&[]);
    let started = std::time::Instant::now();
    let mut stream = service.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
    let mut rest = Vec::new();
    // Sending one more byte now and then does not extend the time limit.
    while started.elapsed() < std::time::Duration::from_mins(1) && stream.write_all(b"x").is_ok() {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
    assert!(
        started.elapsed() < std::time::Duration::from_secs(40),
        "{:?}",
        started.elapsed()
    );
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    assert_eq!(service.get("/healthz").status, 200);
}

/// Sends more requests than the service processes at once, with and without the token of the one
/// that waits.
#[test]
fn senders_of_a_byte_a_second_lock_out_nobody() {
    const TOKENS: [&str; 2] = ["0123456789abcdef", "fedcba9876543210"];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, TOKENS.join("\n")).unwrap();
    let service = Service::start(&["--token-file", file.to_str().unwrap()]);
    let authorization = TOKENS.map(|token| format!("Bearer {token}"));
    let mut slow = Vec::new();
    for (path, kind) in [
        ("/v1/clean", "text/html"),
        ("/v1/clean", JSON.1),
        ("/v2/scrape", JSON.1),
        ("/mcp", JSON.1),
    ] {
        let headers = [
            ("Content-Type", kind),
            ("Content-Length", "500"),
            ("Authorization", &authorization[0]),
        ];
        let head = service.head("POST", path, &headers) + "{";
        slow.extend((0..30).map(|_| service.send(head.as_bytes())));
    }
    let page = json!({ "html": "<p>A page of somebody who sends it at once." }).to_string();
    let statuses = authorization.each_ref().map(|authorization| {
        let headers = [JSON, ("Authorization", authorization)];
        service
            .request("POST", "/v1/clean", &headers, page.as_bytes())
            .status
    });
    assert_eq!(statuses, [200, 200]);
    assert_eq!(Answer::read(slow.remove(0)).status, 408);
}

#[test]
fn a_request_that_announces_too_much_is_refused_at_once() {
    let service = Service::start(&[]);
    for kind in [("Content-Type", "text/html"), JSON] {
        let headers = [kind, ("Content-Length", "99999999999")];
        let head = service.head("POST", "/v1/clean", &headers) + "{";
        let begun = std::time::Instant::now();
        assert_eq!(Answer::read(service.send(head.as_bytes())).status, 413);
        assert!(begun.elapsed().as_secs() < 4, "it does not wait for more");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn tokens_are_needed_where_others_reach_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, "0123456789abcdef\n").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, cause) in [
        (&["--bind", "0.0.0.0:0"][..], "--token-file"),
        (&["--bind", "[::]:0"], "no token"),
        (
            &["--token", "0123456789abcdef"],
            "unexpected argument '--token'",
        ),
        (&["--token-file", "/nowhere/token"], "/nowhere/token"),
        (&["--bind", "localhost"], "invalid value"),
        (&["--host", "pages.example"], "--token-file"),
        (
            &["--host", "https://pages.example", "--token-file", file],
            "without scheme",
        ),
    ] {
        let outcome = vclean([&["serve"], arguments].concat());
        assert_eq!(outcome.code, Some(1), "{arguments:?}: {}", outcome.stderr);
        assert!(
            outcome.stderr.contains(cause) && outcome.stdout.is_empty(),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
    let hosts = [
        "--token-file",
        file,
        "--host",
        "pages.example",
        "--host",
        "other.example",
    ];
    let service = Service::start_with(&hosts, &[("VCLEAN_TOKEN", "fedcba9876543210")]);
    let page =
        json!({ "html": "<p>A page that only callers with a token may send to this service." })
            .to_string();
    let status = |path: &str, authorization: &str| {
        let headers = [JSON, ("Authorization", authorization)];
        service
            .request(
                if path == "/metrics" { "GET" } else { "POST" },
                path,
                &headers,
                page.as_bytes(),
            )
            .status
    };
    for path in ["/v1/clean", "/v1/batch", "/v2/scrape", "/mcp", "/metrics"] {
        for wrong in [
            "",
            "Bearer",
            "Bearer wrong",
            "Bearer 0123456789abcdeg",
            "Basic 0123456789abcdef",
        ] {
            assert_eq!(status(path, wrong), 401, "{path} {wrong}");
        }
    }
    assert_eq!(
        (
            status("/v1/clean", "Bearer 0123456789abcdef"),
            status("/v1/clean", "Bearer fedcba9876543210")
        ),
        (200, 200)
    );
    assert_eq!(
        (
            service.get("/healthz").status,
            service.get("/readyz").status,
            service.get("/").status
        ),
        (200, 200, 200)
    );
    // A proxy on this machine may keep the host that its clients name.
    for (host, expected) in [
        ("pages.example", 200),
        ("OTHER.example:443", 200),
        ("evil.example", 403),
    ] {
        assert_eq!(
            service
                .request("GET", "/healthz", &[("Host", host)], b"")
                .status,
            expected,
            "{host}"
        );
    }
    // The page on which the token can be entered is refused too.
    assert_eq!(
        (
            service.get("/serve.css").status,
            service.get("/serve.js").status
        ),
        (200, 200)
    );
    assert!(
        !service.log().contains("0123456789abcdef"),
        "{}",
        service.log()
    );
}
