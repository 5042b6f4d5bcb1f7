//! A web server for tests: serves the fixture site and, on special paths, many kinds of server
//! errors.
//!
//! Plain `std` threads, one per connection; it listens on a free loopback port and ends when
//! dropped.
//!
//! | path | what it does |
//! |---|---|
//! | `/CASE/...` | a file of `fixtures/site` |
//! | `/status/N` | a small page with status N |
//! | `/moved` | redirects to `/article/` |
//! | `/redirect-loop` | redirects to itself, with another query each time |
//! | `/redirect-private` | redirects to 10.0.0.1 |
//! | `/redirect-file` | redirects to a local file |
//! | `/slow` | starts a page and sends one byte per second, without end |
//! | `/hang` | reads the request and never responds |
//! | `/drop` | closes the connection without a response |
//! | `/blocks` | 50,001 paragraphs |
//! | `/bomb` | 2 MB of gzip that expand to 2 GB of spaces |
//! | `/huge` | 50 MB of HTML |
//! | `/deep` | 100,000 nested elements |
//! | `/pdf` | a PDF file |
//! | `/download` | a page of text sent as a download |
//! | `/alert-loop`, `/endless-scripts`, `/popup` | pages whose scripts misbehave |

use flate2::{Compress, Compression, Crc, FlushCompress};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Text in each misbehaving page, by which a test checks that the page was read.
pub const STILL_READ: &str =
    "The lamplighter of Corrie Street kept a list of every window that was dark";

/// A running server of the fixtures and special paths; it ends on drop.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    requests: Mutex<Vec<String>>,
}

impl Server {
    /// Starts serving on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("a bound address");
        let shared = Arc::new(Shared::default());
        let accepting = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for stream in listener.incoming() {
                    if shared.stopped.load(Ordering::SeqCst) {
                        break;
                    }
                    let shared = Arc::clone(&shared);
                    // The browser handles broken connections.
                    thread::spawn(move || stream.and_then(|stream| answer(&stream, &shared)));
                }
            }
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address of `path`, which starts without a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Returns the paths requested so far, in order.
    pub fn requests(&self) -> Vec<String> {
        self.shared
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

/// The folder of the fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures")
}

fn answer(mut stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let Some(target) = request.split(' ').nth(1) else {
        return Ok(());
    };
    shared
        .requests
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(target.to_owned());
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let html = "text/html; charset=utf-8";
    match path {
        "/redirect-loop" => {
            let next = format!("/redirect-loop?{}", target.len());
            reply(stream, 302, &[("location", &next)], html, b"")
        }
        "/moved" => reply(stream, 302, &[("location", "/article/")], html, b""),
        "/redirect-private" => reply(stream, 302, &[("location", "http://10.0.0.1/")], html, b""),
        "/redirect-file" => reply(stream, 302, &[("location", "file:///etc/hostname")], html, b""),
        "/slow" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<p>It begins</p>")?;
            while !shared.stopped.load(Ordering::SeqCst) {
                stream.write_all(b".")?;
                stream.flush()?;
                thread::sleep(Duration::from_secs(1));
            }
            Ok(())
        }
        "/hang" => {
            while !shared.stopped.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(100));
            }
            Ok(())
        }
        "/drop" => Ok(()),
        "/bomb" => reply(stream, 200, &[("content-encoding", "gzip")], html, &bomb()),
        "/blocks" => reply(stream, 200, &[], html, "<p>A block".repeat(50_001).as_bytes()),
        "/huge" => reply(stream, 200, &[], html, huge().as_bytes()),
        "/deep" => {
            let page = format!("<p>{STILL_READ}</p>{}deep{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
            reply(stream, 200, &[], html, page.as_bytes())
        }
        "/pdf" => reply(stream, 200, &[], "application/pdf", &fs::read(fixtures().join("bad/not-html.pdf"))?),
        "/download" => {
            let store = [("content-disposition", "attachment; filename=\"letter.bin\"")];
            reply(stream, 200, &store, "application/octet-stream", b"to be stored, not read")
        }
        "/alert-loop" => reply(stream, 200, &[], html, &fs::read(fixtures().join("bad/alert-loop.html"))?),
        "/endless-scripts" => reply(stream, 200, &[], html, scripted("while (true) {}").as_bytes()),
        "/popup" => reply(
            stream,
            200,
            &[],
            html,
            scripted("for (let i = 0; i < 20; i += 1) { window.open('/article/', 'w' + i); } location.hash = 'x'; print(); onbeforeunload = () => 'stay';").as_bytes(),
        ),
        _ => match path.strip_prefix("/status/").and_then(|status| status.parse().ok()) {
            Some(status) => {
                let page = format!("<!DOCTYPE html><title>{status}</title><h1>Status {status}</h1><p>Nothing to read here.</p>");
                reply(stream, status, &[], html, page.as_bytes())
            }
            None => file(stream, path),
        },
    }
}

/// Makes a page of text with a script at its end.
fn scripted(script: &str) -> String {
    let story = format!(
        "{STILL_READ}, and on the first of each month he read it aloud at the pump, so that nobody need feel forgotten. "
    );
    format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>The lamplighter</title><body style=\"width:700px;margin:auto\">\
         <h1>The lamplighter</h1><p>{story}</p><p>{}</p><script>{script}</script>",
        story.repeat(3)
    )
}

/// Makes a gzip member of 2 GB of spaces. A block that ends in a full flush does not depend on the
/// data before it, so it is made once and repeated. (Browsers read only the first member, so many
/// members would not work.)
fn bomb() -> Vec<u8> {
    const STRETCH: usize = 1 << 24;
    const TIMES: usize = 128;
    let blanks = vec![b' '; STRETCH];
    let mut stretch = Vec::with_capacity(1 << 20);
    Compress::new(Compression::best(), false)
        .compress_vec(&blanks, &mut stretch, FlushCompress::Full)
        .expect("blanks can be compressed");
    let mut of_stretch = Crc::new();
    of_stretch.update(&blanks);
    let mut checksum = Crc::new();
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..TIMES {
        bytes.extend_from_slice(&stretch);
        checksum.combine(&of_stretch);
    }
    // An empty last block, the checksum and the length.
    bytes.extend_from_slice(&[3, 0]);
    bytes.extend_from_slice(&checksum.sum().to_le_bytes());
    bytes.extend_from_slice(&((STRETCH * TIMES) as u32).to_le_bytes());
    bytes
}

fn huge() -> String {
    let mut page = format!("<!DOCTYPE html><title>Huge</title><p>{STILL_READ}</p>");
    let paragraph = "<p>The ledger goes on, line after line, in the same small hand, with the same seven words in it.</p>\n";
    while page.len() < 50 << 20 {
        page.push_str(paragraph);
    }
    page
}

fn file(stream: &TcpStream, path: &str) -> std::io::Result<()> {
    let relative = Path::new(path.trim_start_matches('/'));
    let is_inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let mut found = fixtures().join("site").join(relative);
    if found.is_dir() {
        found.push("index.html");
    }
    let kind = match found.extension().and_then(|extension| extension.to_str()) {
        // No charset, because the page itself declares it.
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        _ => "text/plain",
    };
    match fs::read(&found) {
        Ok(bytes) if is_inside => reply(stream, 200, &[], kind, &bytes),
        _ => reply(stream, 404, &[], "text/html", b"<h1>Not found</h1>"),
    }
}

fn reply(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    kind: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} As Asked\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("connection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()?;
    // The client closes first, so that no connection reset arrives before the response.
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut rest = [0; 256];
    while stream.read(&mut rest).is_ok_and(|read| read > 0) {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::time::Instant;

    /// Returns the part of the response, head and body, that arrives within `patience`.
    fn get(server: &Server, path: &str, patience: Duration) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let (mut answer, mut part, start) = (Vec::new(), vec![0; 1 << 16], Instant::now());
        while start.elapsed() < patience {
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(read) => answer.extend_from_slice(&part[..read]),
                Err(_) => {}
            }
        }
        let end = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map_or(answer.len(), |at| at + 4);
        let body = answer.split_off(end);
        (String::from_utf8(answer).unwrap(), body)
    }

    #[test]
    fn it_serves_the_site_and_the_error_paths() {
        let server = Server::start();
        let soon = Duration::from_secs(20);
        let get = |path: &str| get(&server, path, soon);
        assert!(
            String::from_utf8(get("/article/").1)
                .unwrap()
                .contains("Marigold")
        );
        assert!(get("/article/style.css").0.contains("text/css"));
        assert!(get("/no/such/page").0.starts_with("HTTP/1.1 404"));
        assert!(
            get("/../../Cargo.toml").0.starts_with("HTTP/1.1 404"),
            "nothing outside the site"
        );
        assert!(get("/status/503").0.starts_with("HTTP/1.1 503"));
        assert!(
            get("/redirect-loop?1")
                .0
                .contains("location: /redirect-loop?16\r\n"),
            "{}",
            get("/redirect-loop?1").0
        );
        assert!(
            get("/redirect-private")
                .0
                .contains("location: http://10.0.0.1/\r\n")
        );
        assert!(get("/pdf").1.starts_with(b"%PDF"));
        assert_eq!(get("/drop"), (String::new(), Vec::new()));
        assert!(get("/huge").1.len() >= 50 << 20);
        let (_, bomb) = get("/bomb");
        assert!(bomb.len() < 4 << 20, "{}", bomb.len());
        let mut blanks = 0u64;
        let mut decoder = GzDecoder::new(&bomb[..]);
        let mut part = vec![0; 1 << 20];
        loop {
            // Reading the end verifies the checksum and the length.
            match decoder.read(&mut part).unwrap() {
                0 => break,
                read => blanks += read as u64,
            }
        }
        assert_eq!(blanks, 1 << 31);
        assert!(server.requests().contains(&"/article/style.css".to_owned()));
    }

    #[test]
    fn it_delays_responses_and_ends_when_dropped() {
        let server = Server::start();
        let (head, body) = get(&server, "/slow", Duration::from_millis(1500));
        assert!(
            head.starts_with("HTTP/1.1 200") && body.ends_with(b"."),
            "{body:?}"
        );
        assert_eq!(get(&server, "/hang", Duration::from_millis(500)).0, "");
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }
}
