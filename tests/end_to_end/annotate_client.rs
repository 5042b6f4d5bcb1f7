//! An HTTP client that replaces the browser in tests of the labelling page; it sends the cookie of
//! a window.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A page with a menu and paragraphs that the model classifies as content.
pub fn html(title: &str) -> String {
    format!(
        "<html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home page</a> <a href=/b>About us</a></nav>
        <article><h1>{title}</h1>
        <p>The kiln was opened on the third day, when the bricks no longer glowed and the wind had turned to the west.</p>
        <p>Everybody who had stacked it came to see, and nobody said a word until the first row was out in the yard.</p>
        </article><footer><p>Copyright 2020, all rights reserved</p></footer></body></html>"
    )
}

pub fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Creates a folder with bare HTML pages of these names.
pub fn pages(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("pages");
    for name in names {
        write(
            &place.join(name).with_extension("html"),
            &html(&format!("A story of {name}")),
        );
    }
    (folder, place)
}

/// A response of the server.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// A running `vclean lab annotate`, with the cookie of one window.
pub struct Annotate {
    child: Child,
    pub port: u16,
    pub token: String,
    cookie: String,
    pub complaints: Receiver<String>,
}

impl Annotate {
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vclean"));
        command
            .args(["lab", "annotate"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (told, complaints) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            errors
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| told.send(line))
        });
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let rest = address
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .unwrap_or_else(|| {
                panic!(
                    "no address: {address:?} {:?}",
                    complaints.iter().collect::<Vec<_>>()
                );
            });
        let (port, token) = rest.split_once("/?token=").unwrap();
        let mut server = Self {
            child,
            port: port.parse().unwrap(),
            token: token.to_owned(),
            cookie: String::new(),
            complaints,
        };
        let opened = server.get(&format!("/?token={token}"));
        assert_eq!((opened.status, opened.header("location")), (303, Some("/")));
        let cookie = opened.header("set-cookie").unwrap().to_owned();
        assert!(
            cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"),
            "{cookie}"
        );
        cookie
            .split(';')
            .next()
            .unwrap()
            .clone_into(&mut server.cookie);
        server
    }

    /// Sends a request and reads the whole response. `headers` override those that a browser sends.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_mins(1)))
            .unwrap();
        let host = format!("127.0.0.1:{}", self.port);
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        let usual = [("Host", host.as_str()), ("Cookie", &self.cookie)];
        let usual = usual
            .iter()
            .filter(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        for (name, value) in usual.chain(headers).filter(|(_, value)| !value.is_empty()) {
            head += &[name, ": ", value, "\r\n"].concat();
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that refuses a request may close the connection before it has read the body.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json"), ("X-Vclean", "1")];
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    pub fn project(&self) -> Value {
        self.get("/api/project").json()
    }

    /// The position of a page in the project.
    pub fn page_of(&self, id: &str) -> u64 {
        let project = self.project();
        let pages = project["pages"].as_array().unwrap().clone();
        pages
            .iter()
            .find(|page| page["id"] == id)
            .unwrap_or_else(|| panic!("{project}"))["page"]
            .as_u64()
            .unwrap()
    }

    pub fn page(&self, page: u64) -> Value {
        self.get(&format!("/api/pages/{page}")).json()
    }

    /// Labels several blocks in one step.
    pub fn set(&self, page: u64, labels: &[(usize, &str)]) -> Value {
        let revision = self.page(page)["revision"].clone();
        let changes: Vec<Value> = labels
            .iter()
            .map(|(block, label)| json!({"block": block, "label": label}))
            .collect();
        let body = json!({"revision": revision, "tab": "t", "kind": "set", "changes": changes, "seconds": 1.5, "keys": 2});
        self.post(&format!("/api/pages/{page}/changes"), &body)
            .json()
    }

    pub fn undo(&self, page: u64) -> Value {
        let revision = self.page(page)["revision"].clone();
        self.post(
            &format!("/api/pages/{page}/changes"),
            &json!({"revision": revision, "tab": "t", "kind": "undo"}),
        )
        .json()
    }

    pub fn done(&self, page: u64) -> Value {
        let revision = self.page(page)["revision"].clone();
        self.post(
            &format!("/api/pages/{page}/done"),
            &json!({"revision": revision, "tab": "t", "done": true}),
        )
        .json()
    }

    pub fn labels(&self, page: u64) -> Vec<String> {
        let page = self.page(page);
        let blocks = page["blocks"].as_array().unwrap();
        blocks
            .iter()
            .map(|block| block["label"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn kill(mut self) {
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

pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
