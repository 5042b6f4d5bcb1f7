//! Tests that `vclean serve` does what its documentation says: pages, batches, Firecrawl's
//! interface, the small endpoints.

use crate::program::{one_browser, vclean, vclean_reading};
use crate::service_client::{Answer, Service, escaped};
use crate::support::{Server, fixtures};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};

fn article() -> String {
    std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap()
}

#[test]
fn pages_are_cleaned_as_on_the_command_line() {
    let (service, server) = (
        Service::start(&["--allow-private", "--ignore-robots", "--delay", "0"]),
        Server::start(),
    );
    let file = fixtures().join("site/article/index.html");
    let printed = |arguments: &[&str]| {
        let outcome = vclean([arguments, &[file.to_str().unwrap()]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stdout
    };
    let answer = service.post(
        "/v1/clean",
        &json!({ "html": article(), "formats": ["text", "json"], "id": [7] }),
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    assert_eq!(found["output"]["text"], printed(&["clean"]));
    assert_eq!(
        (
            &found["id"],
            &found["engine"],
            found["output"]["json"].is_object()
        ),
        (&json!([7]), &"parser".into(), true)
    );
    assert!(found["expected_f"].as_f64().unwrap() > 0.5 && found["metadata"]["title"].is_string());
    // The page as the request body, and the same page from its address.
    let markdown = printed(&["clean", "--format", "markdown"]);
    let html = ("Content-Type", "text/html");
    let raw = service.request(
        "POST",
        "/v1/clean?formats=markdown",
        &[html],
        article().as_bytes(),
    );
    assert_eq!(raw.json()["output"]["markdown"], markdown);
    let address = escaped(&server.url("article/"));
    let fetched = service.get(&format!(
        "/v1/clean?url={address}&engine=none&formats=markdown"
    ));
    assert_eq!(
        (fetched.status, &fetched.json()["output"]["markdown"]),
        (200, &markdown.into())
    );
    assert_eq!(fetched.json()["url"], server.url("article/"));
    assert_eq!(
        service
            .post(
                "/v1/clean",
                &json!({ "html": article(), "formats": ["text", "json"], "id": [7] })
            )
            .body,
        answer.body
    );
    service.wait_for_log("\"path\":\"/v1/clean\"");
    assert!(!service.log().contains("Marigold"), "{}", service.log());
}

#[test]
fn readers_comments_are_separated_as_in_the_answers_of_a_worker() {
    let service = Service::start(&[]);
    let html = crate::reader_comments::page();
    let request =
        json!({ "html": html, "comments": "separate", "formats": ["markdown", "json", "text"] });
    let found = service.post("/v1/clean", &request).json();
    for (format, text) in [("markdown", "text"), ("json", "document")] {
        let line = json!({ "html": html }).to_string();
        let outcome = vclean_reading(
            ["worker", "--format", format, "--comments", "separate"],
            line,
        );
        let expected: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(found["output"][format], expected[text], "{format}");
        assert_eq!(found["comments"][format], expected["comments"], "{format}");
    }
    assert!(
        found["comments"]["text"]
            .as_str()
            .unwrap()
            .contains("he always waited"),
        "{found}"
    );
    assert!(
        !found["output"]["text"]
            .as_str()
            .unwrap()
            .contains("he always waited"),
        "{found}"
    );
}

#[test]
fn little_is_expected_of_an_application_that_its_scripts_did_not_fill() {
    let service = Service::start(&[]);
    let html =
        "<title>Shop</title><body><div id=root>Loading...</div><script src=/app.js></script>";
    let engines = if cfg!(feature = "builtin") {
        &["none", "builtin"][..]
    } else {
        &["none"]
    };
    for engine in engines {
        let found = service
            .post("/v1/clean", &json!({ "html": html, "engine": engine }))
            .json();
        assert!(found["expected_f"].as_f64().unwrap() < 0.2, "{found}");
        assert!(
            found["warnings"][0]
                .as_str()
                .unwrap()
                .contains("looks like an application"),
            "{found}"
        );
    }
}

#[cfg(feature = "builtin")]
#[test]
fn rendered_pages_have_boxes_and_pictures() {
    let service = Service::start(&["--engine", "builtin"]);
    let page = json!({ "html": article(), "blocks": true, "explain": true, "screenshot": true, "overlay": true });
    let found = service.post("/v1/clean", &page).json();
    assert_eq!(found["engine"], "builtin", "{found}");
    for picture in ["screenshot", "overlay"] {
        // The signature of PNG in base64.
        assert!(
            found[picture].as_str().unwrap().starts_with("iVBORw0KGgo"),
            "{picture}"
        );
    }
    let blocks = found["blocks"].as_array().unwrap();
    let block = blocks
        .iter()
        .find(|block| block["text"].as_str().unwrap().contains("Marigold"))
        .unwrap();
    assert_eq!(block["label"], "content");
    assert!(
        block["box"][2].as_f64().unwrap() > 10.0
            && block["xpath"]
                .as_str()
                .unwrap()
                .starts_with("/html[1]/body[1]/")
    );
    assert!(
        (0.0..=1.0).contains(&block["probability"].as_f64().unwrap())
            && block["reasons"][0]["feature"].is_string()
    );
    assert!(blocks.iter().any(|block| block["label"] == "boilerplate"));
}

#[test]
fn a_batch_is_answered_line_by_line_while_it_is_sent() {
    let service = Service::start(&["--jobs", "2"]);
    let headers = [
        ("Content-Type", "application/x-ndjson"),
        ("Transfer-Encoding", "chunked"),
    ];
    let mut stream = service.send(service.head("POST", "/v1/batch", &headers).as_bytes());
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut send = |text: &str| write!(stream, "{:x}\r\n{text}\r\n", text.len()).unwrap();
    let line = |number: usize| json!({ "id": number, "html": article() }).to_string() + "\n";
    send(&line(0));
    // The first answer arrives before the second page is sent.
    let mut seen = String::new();
    while !seen.contains("\"id\":0") {
        assert!(reader.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    for part in line(1).as_bytes().chunks(1000) {
        send(std::str::from_utf8(part).unwrap());
    }
    for rest in [
        "{broken\n",
        "\n",
        "{\"id\": \"no page\"}\n",
        "{\"id\": \"odd\", \"html\": \"a\", \"colour\": 1}\n",
        "{\"id\": \"file\", \"url\": \"file:///etc/hostname\"}\n",
    ] {
        send(rest);
    }
    (2..12).for_each(|number| send(&line(number)));
    stream.write_all(b"0\r\n\r\n").unwrap();
    let mut rest = seen.into_bytes();
    reader.read_to_end(&mut rest).unwrap();
    let answer = Answer::read(&rest[..]);
    assert_eq!(answer.status, 200);
    let lines: Vec<Value> = answer
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<String> = lines.iter().map(|line| line["id"].to_string()).collect();
    let expected = [
        "0",
        "1",
        "null",
        "\"no page\"",
        "\"odd\"",
        "\"file\"",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "11",
    ];
    assert_eq!(ids, expected);
    for line in &lines {
        let is_page = line["id"].is_number();
        assert_eq!(
            line["output"]["text"]
                .as_str()
                .is_some_and(|text| text.contains("Marigold")),
            is_page,
            "{line}"
        );
        assert_eq!(line["error"].is_string(), !is_page, "{line}");
    }
    assert!(
        service
            .get("/metrics")
            .text()
            .contains("vclean_batch_pages_total 16")
    );
}

#[test]
fn firecrawls_clients_are_answered_in_their_shape() {
    let server = Server::start();
    let options = [
        "--allow-private",
        "--ignore-robots",
        "--delay",
        "0",
        "--engine",
        "none",
    ];
    let service = Service::start(&options);
    let request = json!({
        "url": server.url("article/"), "formats": ["markdown", "rawHtml", "links"], "timeout": 30000, "mobile": false,
        "proxy": "auto", "blockAds": true, "integration": "x", "onlyMainContent": null, "waitFor": 0,
    });
    let answer = service.post("/v2/scrape", &request);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    let data = &found["data"];
    assert_eq!(
        (&found["success"], &data["metadata"]["sourceURL"]),
        (&true.into(), &server.url("article/").into())
    );
    assert!(
        data["markdown"].as_str().unwrap().contains("Marigold")
            && data["rawHtml"].as_str().unwrap().contains("<nav")
    );
    assert!(
        data["links"]
            .as_array()
            .unwrap()
            .iter()
            .all(|link| link.as_str().unwrap().starts_with("http"))
    );
    let without = json!({ "url": server.url("article/"), "excludeTags": ["h1, article"] });
    assert!(
        !service.post("/v2/scrape", &without).json()["data"]["markdown"]
            .as_str()
            .unwrap()
            .contains("Marigold")
    );
    for (request, status) in [
        (json!({ "url": server.url("status/404") }), 422),
        (json!({ "url": server.url("status/500") }), 502),
        (json!({ "url": "example.org" }), 400),
        (json!({ "url": "file:///etc/hostname" }), 400),
        (
            json!({ "url": server.url("article/"), "formats": ["summary"] }),
            400,
        ),
        (
            json!({ "url": server.url("article/"), "waitFor": 2000 }),
            400,
        ),
        (
            json!({ "url": server.url("article/"), "includeTags": ["a:hover"] }),
            400,
        ),
    ] {
        let answer = service.post("/v2/scrape", &request);
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (status, &false.into()),
            "{}",
            answer.text()
        );
        assert!(!answer.error().is_empty());
    }
}

#[test]
fn the_small_endpoints_tell_what_they_should() {
    let service = Service::start(&[]);
    assert_eq!(
        (
            service.get("/healthz").text(),
            service.get("/readyz").text()
        ),
        ("ok\n".into(), "ready\n".into())
    );
    let description = service.get("/openapi.json").json();
    for path in [
        "/v1/clean",
        "/v1/batch",
        "/v2/scrape",
        "/mcp",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/",
    ] {
        assert!(description["paths"][path].is_object(), "{path}");
    }
    let page = service.get("/");
    assert!(
        page.head
            .contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{}",
        page.head
    );
    assert!(
        page.head.contains("x-content-type-options: nosniff")
            && !page.head.contains("access-control-")
    );
    let html = page.text();
    assert!(!html.contains("style=") && !html.contains("<style") && !html.contains("onclick"));
    for file in ["/serve.css", "/serve.js"] {
        assert!(
            html.contains(&format!("\"{file}\"")) && service.get(file).status == 200,
            "{file}"
        );
    }
    assert!(!service.get("/serve.js").text().contains("innerHTML"));
    let id = |given: &[(&str, &str)]| service.request("GET", "/healthz", given, b"").head;
    assert!(id(&[("X-Request-Id", "mine-1")]).contains("x-request-id: mine-1\r\n"));
    assert!(id(&[]).contains("x-request-id: ") && !id(&[("X-Request-Id", "a b")]).contains("a b"));
    let figures = service.get("/metrics");
    assert!(
        figures
            .text()
            .contains("vclean_requests_total{path=\"/healthz\",status=\"200\"}"),
        "{}",
        figures.text()
    );
}

#[test]
fn the_tools_for_language_models_are_served_over_http_and_standard_input() {
    let service = Service::start(&[]);
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    let call =
        |request: &Value| service.request("POST", "/mcp", &headers, request.to_string().as_bytes());
    let request = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let listed = call(&request("tools/list", json!({})));
    assert_eq!(listed.status, 200, "{}", listed.text());
    let tools = listed.json()["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fetch_clean", "clean_html", "explain"]);
    let cleaned = |arguments: Value| {
        let answer = call(&request(
            "tools/call",
            json!({ "name": "clean_html", "arguments": arguments }),
        ));
        answer.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let whole = cleaned(json!({ "html": article() }));
    assert!(whole.contains("Marigold"), "{whole}");
    // The parts of a long text end where a line, sentence or word does, and are the text together.
    let (mut joined, mut next) = (String::new(), 0);
    while next < whole.chars().count() {
        let part = cleaned(json!({ "html": article(), "start_index": next, "max_length": 60 }));
        let Some((text, note)) = part.split_once("\n\n[Characters ") else {
            joined.push_str(&part);
            break;
        };
        assert!(text.ends_with(char::is_whitespace), "{part}");
        joined.push_str(text);
        let words: Vec<&str> = note.split(' ').collect();
        next = words[2].parse().unwrap();
    }
    assert_eq!(joined, whole);
    let text = cleaned(json!({ "html": article(), "options": { "format": "text" } }));
    assert!(!text.starts_with('#') && whole.starts_with('#'), "{text}");
    let wrong = cleaned(json!({ "html": article(), "options": { "linkz": true } }));
    assert!(wrong.contains("linkz"), "{wrong}");
    let read = call(&request(
        "resources/read",
        json!({ "uri": "vclean://options" }),
    ))
    .json();
    let schema = read["result"]["contents"][0]["text"].as_str().unwrap();
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert!(
        schema["properties"]["wait_for"]["description"].is_string(),
        "{schema}"
    );
    let listed = call(&request("resources/list", json!({}))).json();
    assert_eq!(listed["result"]["resources"][0]["uri"], "vclean://options");
    // Requests of clients that only know HTTP.
    let list = request("tools/list", json!({})).to_string();
    for accept in [
        &[][..],
        &[("Accept", "*/*")],
        &[("Accept", "application/json")],
    ] {
        let headers = [
            &[("Content-Type", "application/json; charset=utf-8")],
            accept,
        ]
        .concat();
        let answer = service.request("POST", "/mcp", &headers, list.as_bytes());
        assert!(
            answer.status == 200 && answer.json()["result"]["tools"].is_array(),
            "{accept:?}: {}",
            answer.text()
        );
    }
    for (headers, body, status) in [
        (&headers[..], "{broken", 400),
        (&headers, "", 400),
        (&headers, "[1, 2]", 400),
        (&headers, "{}", 400),
        (&[("Content-Type", "text/plain")], list.as_str(), 415),
        (
            &[
                ("Content-Type", "application/json"),
                ("Accept", "text/html"),
            ],
            &list,
            406,
        ),
    ] {
        let answer = service.request("POST", "/mcp", headers, body.as_bytes());
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(
            answer.json()["error"]["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{}",
            answer.text()
        );
    }
    let get = service.request("GET", "/mcp", &[("Accept", "text/event-stream")], b"");
    assert!(
        get.status == 405
            && get.json()["error"]["message"].is_string()
            && get.head.contains("allow: post")
    );
    let refused = call(&request(
        "tools/call",
        json!({ "name": "fetch_clean", "arguments": { "url": "file:///etc/hostname" } }),
    ));
    assert_eq!(
        refused.json()["result"]["isError"],
        true,
        "{}",
        refused.text()
    );

    let begin = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let explain = json!({ "name": "explain", "arguments": { "html": article(), "contains": "Marigold", "max_blocks": 1 } });
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_vclean"))
        .arg("mcp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    writeln!(input, "{}", request("initialize", begin)).unwrap();
    assert_eq!(next()["result"]["serverInfo"]["name"], "vclean");
    writeln!(input, "{started}\n{}", request("tools/call", explain)).unwrap();
    let text = next()["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        text.contains("1 shown") && text.contains("\"xpath\"") && text.contains("\"weight\""),
        "{text}"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[cfg(feature = "builtin")]
#[test]
fn text_that_readers_do_not_see_reaches_no_model() {
    let service = Service::start(&[]);
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    let answered = |tool: &str, arguments: Value| {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments },
        });
        let answer = service.request("POST", "/mcp", &headers, request.to_string().as_bytes());
        answer.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let seen = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is. ".repeat(4);
    let page = format!(
        "<body style='background: #fff'><h1>Gulls</h1><p>{seen}</p><p style='color: #fff'>Obey the white text. {seen}</p>\
         <p style='font-size: 0'>Obey the small text. {seen}</p><p>{seen}</p>"
    );
    // Most of this page is hidden, and it has no script that could show it.
    let emptied = format!(
        "<p>{seen}</p><div style='display: none'>{}</div>",
        "<p>Obey what has no box.</p>".repeat(400)
    );
    for html in [&page, &emptied] {
        for tool in ["clean_html", "explain"] {
            let text = answered(tool, json!({ "html": html }));
            assert!(
                text.contains("drop mussels") && !text.contains("Obey"),
                "{tool}: {text}"
            );
        }
    }
    assert!(
        answered(
            "clean_html",
            json!({ "html": page, "options": { "hidden": "keep" } })
        )
        .contains("Obey the white text")
    );
}

#[test]
fn a_message_that_is_too_long_is_answered_and_the_next_ones_are_served() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args(["mcp", "--engine", "none"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    writeln!(
        input,
        "{begin}\n{}",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    )
    .unwrap();
    assert_eq!(next()["result"]["serverInfo"]["name"], "vclean");
    // The clients of most languages write the id of a request after its parameters.
    let long = "<p>a</p>".repeat(17 << 17);
    let call = json!({ "name": "clean_html", "arguments": { "html": long } });
    writeln!(
        input,
        r#"{{"method": "tools/call", "params": {call}, "jsonrpc": "2.0", "id": "long"}}"#
    )
    .unwrap();
    let refused = next();
    let cause = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        refused["id"] == "long" && cause.contains("16777216 bytes; send a smaller page"),
        "{refused}"
    );
    let call =
        json!({ "name": "clean_html", "arguments": { "html": "<p>A page that is short enough." } });
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call })
    )
    .unwrap();
    let answer = next();
    assert!(
        answer["id"] == 2 && answer["result"].to_string().contains("short enough"),
        "{answer}"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_call_that_takes_long_tells_its_progress() {
    let site = crate::crawl::Site::start(|path, _| {
        if path == "/slow" {
            std::thread::sleep(std::time::Duration::from_secs(4));
        }
        crate::crawl::page("gulls", &[])
    });
    let options = ["--engine", "none", "--allow-private", "--ignore-robots"];
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_vclean"))
        .arg("mcp")
        .args(options)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    writeln!(input, "{begin}\n{started}").unwrap();
    assert_eq!(next()["id"], 1);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "fetch_clean", "arguments": { "url": site.address("/slow") }, "_meta": { "progressToken": "mine" },
    } });
    writeln!(input, "{call}").unwrap();
    let told = next();
    assert_eq!(
        (&told["method"], &told["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("mine")),
        "{told}"
    );
    let mut last = told;
    while last["method"] == "notifications/progress" {
        let progress = last["params"]["progress"].as_f64().unwrap();
        last = next();
        assert!(
            last["params"]["progress"]
                .as_f64()
                .is_none_or(|now| now > progress),
            "{last}"
        );
    }
    assert!(
        last["id"] == 2 && last["result"].to_string().contains("kept bees"),
        "{last}"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Starts the tool server with these standard streams.
#[cfg(unix)]
fn tools_on(input: std::process::Stdio, output: std::process::Stdio) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_vclean"))
        .arg("mcp")
        .stdin(input)
        .stdout(output)
        .spawn()
        .unwrap()
}

/// Acts as a client that waits for each answer, as all clients do. Node uses sockets as standard
/// streams, and other programs a file.
#[cfg(unix)]
#[test]
fn tools_answer_on_sockets_and_into_files_while_the_input_is_open() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    const PATIENCE: std::time::Duration = std::time::Duration::from_mins(1);

    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });

    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(PATIENCE)).unwrap();
    let (input, output) = (theirs.try_clone().unwrap(), theirs);
    let mut child = tools_on(OwnedFd::from(input).into(), OwnedFd::from(output).into());
    let mut lines = BufReader::new(ours.try_clone().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    writeln!(&ours, "{begin}").unwrap();
    assert_eq!(next()["result"]["serverInfo"]["name"], "vclean");
    writeln!(&ours, "{started}\n{list}").unwrap();
    assert_eq!(next()["result"]["tools"].as_array().unwrap().len(), 3);
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(child.wait().unwrap().success());

    let answers = tempfile::NamedTempFile::new().unwrap();
    let mut child = tools_on(
        std::process::Stdio::piped(),
        answers.reopen().unwrap().into(),
    );
    let mut input = child.stdin.take().unwrap();
    let wait_for = |number: usize| {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let text = std::fs::read_to_string(answers.path()).unwrap();
            if text.ends_with('\n') && text.lines().count() == number {
                break serde_json::from_str::<Value>(text.lines().last().unwrap()).unwrap();
            }
            assert!(
                std::time::Instant::now() < deadline,
                "no answer {number}: {text}"
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    writeln!(input, "{begin}").unwrap();
    assert_eq!(wait_for(1)["result"]["serverInfo"]["name"], "vclean");
    writeln!(input, "{started}\n{list}").unwrap();
    assert_eq!(wait_for(2)["result"]["tools"].as_array().unwrap().len(), 3);
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn addresses_are_rendered_in_the_browser() {
    let _alone = one_browser();
    let server = Server::start();
    let options = [
        "--allow-private",
        "--ignore-robots",
        "--delay",
        "0",
        "--jobs",
        "1",
    ];
    let service = Service::start(&options);
    let address = escaped(&server.url("application/"));
    let found = service
        .get(&format!("/v1/clean?url={address}&blocks=true"))
        .json();
    assert_eq!(found["engine"], "chromium", "{found}");
    assert!(found["blocks"][0]["box"].is_array());
}
