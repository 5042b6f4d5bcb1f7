//! Starts `vclean serve` and sends it requests, byte by byte if a test needs it.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for an answer, or for the end of the program.
pub const PATIENCE: Duration = Duration::from_secs(100);

/// A running service, which is killed on drop.
pub struct Service {
    child: Child,
    pub address: SocketAddr,
    log: Arc<Mutex<String>>,
}

/// An answer of the service.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads an answer from a connection that is closed after it.
    #[track_caller]
    pub fn read(mut stream: impl Read) -> Self {
        let mut bytes = Vec::new();
        // A connection that is reset after the answer is as good as one that is closed.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map(|at| at + 4);
        let end = end.unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(&bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap();
        let body = bytes.split_off(end);
        let body = if head.contains("transfer-encoding: chunked") {
            unchunked(&body)
        } else {
            body
        };
        Self { status, head, body }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the cause in an error answer.
    #[track_caller]
    pub fn error(&self) -> String {
        self.json()["error"]
            .as_str()
            .unwrap_or_else(|| panic!("no error: {}", self.text()))
            .to_owned()
    }
}

/// The content of a body in chunks.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&body[..end]).unwrap();
        let size = usize::from_str_radix(size.split(';').next().unwrap(), 16).unwrap();
        body = &body[end + 2..];
        if size == 0 || body.len() < size {
            break;
        }
        content.extend_from_slice(&body[..size]);
        body = &body[size + 2..];
    }
    content
}

impl Service {
    /// Starts the service on a free port with these further options.
    #[track_caller]
    pub fn start(options: &[&str]) -> Self {
        Self::start_with(options, &[])
    }

    /// Starts it with variables of the environment.
    #[track_caller]
    pub fn start_with(options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vclean"))
            .args(["serve", "--bind", "127.0.0.1:0"])
            .args(options)
            .env_remove("VCLEAN_TOKEN")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        thread::spawn({
            let log = Arc::clone(&log);
            move || {
                lines
                    .map_while(Result::ok)
                    .for_each(|line| log.lock().unwrap().push_str(&(line + "\n")));
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .trim()
            .strip_prefix("http://")
            .and_then(|address| address.parse().ok());
        let address =
            address.unwrap_or_else(|| panic!("no address: {line} {}", log.lock().unwrap()));
        Self {
            child,
            address,
            log,
        }
    }

    /// Process id of the service.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the log contains `text`: a request is logged after its answer was sent.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) {
        let started = Instant::now();
        while !self.log().contains(text) {
            assert!(
                started.elapsed() < PATIENCE,
                "{text} is not in {}",
                self.log()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens a connection and sends `bytes`.
    #[track_caller]
    pub fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // A service that refuses a request need not read all of it.
        let _ = stream.write_all(bytes);
        stream
    }

    /// Makes the head of a request that closes its connection.
    pub fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        use std::fmt::Write;
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            write!(head, "Host: {}\r\n", self.address).unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head + "Connection: close\r\n\r\n"
    }

    #[track_caller]
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let length = body.len().to_string();
        let mut headers = headers.to_vec();
        if method != "GET" {
            headers.push(("Content-Length", &length));
        }
        let mut bytes = self.head(method, path, &headers).into_bytes();
        bytes.extend_from_slice(body);
        Answer::read(self.send(&bytes))
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request(
            "POST",
            path,
            &[("Content-Type", "application/json")],
            body.to_string().as_bytes(),
        )
    }

    /// Sends a request without reading the answer; returns the connection.
    #[track_caller]
    pub fn begin(&self, path: &str) -> TcpStream {
        self.send(self.head("GET", path, &[]).as_bytes())
    }

    /// Waits until a metric has this value.
    #[track_caller]
    pub fn wait_for(&self, figure: &str, value: u32) {
        let (line, started) = (format!("{figure} {value}"), Instant::now());
        loop {
            let figures = self.get("/metrics").text();
            if figures.lines().any(|found| found == line) {
                return;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "{line} is not in {figures}\n{}",
                self.log()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks the service to end.
    pub fn terminate(&self) {
        let id = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits until the program has ended.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < PATIENCE, "the service ends");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn digit(value: u8) -> char {
    char::from_digit(value.into(), 16).unwrap()
}

/// Escapes an address for a query string.
pub fn escaped(text: &str) -> String {
    text.bytes()
        .flat_map(|byte| ['%', digit(byte >> 4), digit(byte & 15)])
        .collect()
}
