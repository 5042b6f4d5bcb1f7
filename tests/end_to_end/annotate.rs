//! The server of the labelling page, asked over HTTP as a browser asks it.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Paragraphs that the model takes for content, and a menu.
fn html(title: &str) -> String {
    format!(
        "<html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home page</a> <a href=/b>About us</a></nav>
        <article><h1>{title}</h1>
        <p>The kiln was opened on the third day, when the bricks no longer glowed and the wind had turned to the west.</p>
        <p>Everybody who had stacked it came to see, and nobody said a word until the first row was out in the yard.</p>
        </article><footer><p>Copyright 2020, all rights reserved</p></footer></body></html>"
    )
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A folder with bare HTML pages of these names.
fn pages(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("pages");
    for name in names {
        write(&place.join(name).with_extension("html"), &html(&format!("A story of {name}")));
    }
    (folder, place)
}

/// An answer of the server.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A running `vclean annotate`, with the cookie of one window.
struct Annotate {
    child: Child,
    port: u16,
    token: String,
    cookie: String,
    complaints: Receiver<String>,
}

impl Annotate {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vclean"));
        command.arg("annotate").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (told, complaints) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| {
            panic!("no address: {address:?} {:?}", complaints.iter().collect::<Vec<_>>());
        });
        let (port, token) = rest.split_once("/?token=").unwrap();
        let mut server =
            Self { child, port: port.parse().unwrap(), token: token.to_owned(), cookie: String::new(), complaints };
        let opened = server.get(&format!("/?token={token}"));
        assert_eq!((opened.status, opened.header("location")), (303, Some("/")));
        let cookie = opened.header("set-cookie").unwrap().to_owned();
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
        server.cookie = cookie.split(';').next().unwrap().to_owned();
        server
    }

    /// Sends a request and reads the whole answer. `headers` replace those that a browser sends.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let host = format!("127.0.0.1:{}", self.port);
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let usual = [("Host", host.as_str()), ("Cookie", &self.cookie)];
        let usual = usual.iter().filter(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        for (name, value) in usual.chain(headers).filter(|(_, value)| !value.is_empty()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that refuses a request may close before it has read the body.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[end + 4..].to_vec() }
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json"), ("X-Vclean", "1")];
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    fn project(&self) -> Value {
        self.get("/api/project").json()
    }

    /// The position of a page in the project.
    fn page_of(&self, id: &str) -> u64 {
        let project = self.project();
        let pages = project["pages"].as_array().unwrap().clone();
        pages.iter().find(|page| page["id"] == id).unwrap_or_else(|| panic!("{project}"))["page"].as_u64().unwrap()
    }

    fn page(&self, page: u64) -> Value {
        self.get(&format!("/api/pages/{page}")).json()
    }

    /// Gives labels to blocks, in one step.
    fn set(&self, page: u64, labels: &[(usize, &str)]) -> Value {
        let revision = self.page(page)["revision"].clone();
        let changes: Vec<Value> = labels.iter().map(|(block, label)| json!({"block": block, "label": label})).collect();
        let body =
            json!({"revision": revision, "tab": "t", "kind": "set", "changes": changes, "seconds": 1.5, "keys": 2});
        self.post(&format!("/api/pages/{page}/changes"), &body).json()
    }

    fn undo(&self, page: u64) -> Value {
        let revision = self.page(page)["revision"].clone();
        self.post(&format!("/api/pages/{page}/changes"), &json!({"revision": revision, "tab": "t", "kind": "undo"}))
            .json()
    }

    fn done(&self, page: u64) -> Value {
        let revision = self.page(page)["revision"].clone();
        self.post(&format!("/api/pages/{page}/done"), &json!({"revision": revision, "tab": "t", "done": true})).json()
    }

    fn labels(&self, page: u64) -> Vec<String> {
        let page = self.page(page);
        let blocks = page["blocks"].as_array().unwrap();
        blocks.iter().map(|block| block["label"].as_str().unwrap().to_owned()).collect()
    }

    fn kill(mut self) {
        // SIGKILL: the program gets no chance to write anything.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Annotate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn only_the_opened_window_may_ask() {
    let (folder, pages) = pages(&["a"]);
    let out = text(&folder.path().join("gold"));
    let server = Annotate::start(&[&text(&pages), "--out", &out]);
    let project = "/api/project";
    let status = |headers: &[(&str, &str)]| server.send("GET", project, headers, b"").status;
    let host = format!("127.0.0.1:{}", server.port);
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Cookie", "")]), 403);
    assert_eq!(status(&[("Cookie", "vclean=wrong")]), 403);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", &format!("evil.example:{}", server.port))]), 403);
    assert_eq!(status(&[("Host", &format!("localhost:{}", server.port))]), 200);
    assert_eq!(status(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Origin", &format!("http://{host}"))]), 200);
    // The token was used by this window; another window needs the address that was printed then.
    let again = server.send("GET", &format!("/?token={}", server.token), &[("Cookie", "")], b"");
    assert_eq!(again.status, 403);
    assert!(again.text().contains("printed a new one"), "{}", again.text());
    let line = server.complaints.recv_timeout(Duration::from_secs(10)).unwrap();
    let (_, token) = line.split_once("/?token=").unwrap();
    let other = server.send("GET", &format!("/?token={token}"), &[("Cookie", "")], b"");
    assert_eq!(other.status, 303);
    assert_eq!(server.send("GET", "/?token=", &[("Cookie", "")], b"").status, 403);

    let change = |headers: &[(&str, &str)]| server.send("POST", "/api/pages/0/changes", headers, b"{}").status;
    let json = ("Content-Type", "application/json");
    assert_eq!(change(&[json, ("X-Vclean", "1")]), 400);
    assert_eq!(change(&[json]), 403);
    assert_eq!(change(&[("X-Vclean", "1"), ("Content-Type", "text/plain")]), 403);
    assert_eq!(change(&[json, ("X-Vclean", "1"), ("Origin", "null")]), 403);

    let page = server.get("/");
    for (name, part) in [
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        for answer in [&page, &again, &server.get("/nowhere")] {
            assert!(answer.header(name).is_some_and(|value| value.contains(part)), "{name}: {}", answer.head);
        }
    }
}

#[test]
fn labels_are_changed_undone_and_survive_a_kill() {
    let (folder, pages) = pages(&["a", "b"]);
    let out = text(&folder.path().join("gold"));
    let arguments = [text(&pages), "--out".to_owned(), out];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = Annotate::start(&arguments);
    let page = server.page_of("b");
    let start = server.labels(page);
    let changed = server.set(page, &[(0, "content"), (1, "comments")]);
    assert_eq!(
        (&changed["revision"], &changed["labelled"], &changed["can_undo"]),
        (&json!(1), &json!(2), &json!(true))
    );
    assert_eq!(changed["changed"][1], json!({"block": 1, "label": "comments", "mark": null, "by": "me"}));
    server.set(page, &[(1, "unsure")]);
    let labels = server.labels(page);
    assert_eq!(labels[..2], ["content", "unsure"]);
    // A window that shows an older revision is told so, and changes nothing.
    let outdated = json!({"revision": 1, "tab": "u", "kind": "set", "changes": [{"block": 0, "label": "unsure"}]});
    let refused = server.post(&format!("/api/pages/{page}/changes"), &outdated);
    assert_eq!(refused.status, 409);
    assert_eq!(serde_json::from_slice::<Value>(&refused.body).unwrap()["revision"], 2);
    assert_eq!(server.labels(page), labels);
    server.kill();

    // As if the program had been killed in the middle of a line.
    let journal = folder.path().join("gold/annotations/me/b.jsonl");
    let mut torn = fs::OpenOptions::new().append(true).open(&journal).unwrap();
    torn.write_all(b"{\"kind\":\"set\",\"chan").unwrap();
    let server = Annotate::start(&arguments);
    let page = server.page_of("b");
    assert_eq!(server.labels(page), labels);
    server.undo(page);
    let undone = server.undo(page);
    assert_eq!((&undone["can_undo"], &undone["can_redo"]), (&json!(false), &json!(true)));
    assert_eq!(server.labels(page), start);
    let refused = server.post(&format!("/api/pages/{page}/changes"), &json!({"revision": 4, "kind": "undo"}));
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("nothing to undo"), "{}", refused.text());
}
