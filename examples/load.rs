//! Sends pages to a running service over many connections and measures it: see `scripts/load-service`.
//!
//! ```text
//! load ADDRESS FOLDER [--connections N] [--seconds S] [--requests N] [--engine NAME] [--hang-up SHARE] [--kill-every N --process ID]
//! ```
//!
//! FOLDER holds HTML files, which are sent in turn. It ends after the seconds or the requests, whichever comes first. With
//! `--hang-up`, this share of the clients goes away while it waits for its answer; with `--kill-every`, the browser below
//! process ID is killed after that many requests. Prints one line of JSON.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(2);

struct Load {
    address: String,
    pages: Vec<Vec<u8>>,
    path: String,
    ends_at: Instant,
    requests: u64,
    hang_up: f64,
    kill_every: u64,
    process: u32,
    sent: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Milliseconds of each answer with status 200.
    times: Vec<f64>,
    /// Number of answers by status; 0 stands for a connection that broke.
    statuses: BTreeMap<u16, u64>,
    hung_up: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, usual: &str| {
        let at = words.iter().position(|word| word == name);
        at.and_then(|at| words.get(at + 1)).cloned().unwrap_or_else(|| usual.to_owned())
    };
    let number = |name: &str, usual: &str| option(name, usual).parse::<f64>().expect("a number");
    let [address, folder] = [0, 1].map(|at| words.get(at).cloned().expect("an address and a folder"));
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let began = Instant::now();
    let load = Load {
        address,
        pages: pages(Path::new(&folder)),
        path: format!("/v1/clean?engine={}", option("--engine", "none")),
        ends_at: began + Duration::from_secs_f64(number("--seconds", "60")),
        requests: number("--requests", "1e15") as u64,
        hang_up: number("--hang-up", "0"),
        kill_every: number("--kill-every", "0") as u64,
        process: number("--process", "0") as u32,
        sent: AtomicU64::new(0),
        seen: Mutex::default(),
    };
    thread::scope(|scope| {
        for connection in 0..number("--connections", "64") as u64 {
            let load = &load;
            scope.spawn(move || load.send_all(connection));
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let mut seen = load.seen.into_inner().expect("no thread panicked");
    seen.times.sort_by(f64::total_cmp);
    let quantile = |share: f64| seen.times.get((seen.times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    println!(
        "{{\"requests_per_s\": {:.1}, \"p50_ms\": {:.1}, \"p99_ms\": {:.1}, \"seconds\": {seconds:.1}, \"statuses\": {:?}, \"hung_up\": {}}}",
        seen.times.len() as f64 / seconds,
        quantile(0.5),
        quantile(0.99),
        seen.statuses,
        seen.hung_up
    );
}

/// The HTML files of a folder, in the order of their names.
fn pages(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let paths = paths.into_iter().map(|path| if path.is_dir() { path.join("index.html") } else { path });
    let pages: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    let pages: Vec<_> = pages.iter().filter_map(|path| fs::read(path).ok()).collect();
    assert!(!pages.is_empty(), "the folder has no HTML files");
    pages
}

impl Load {
    /// Sends requests over one connection, which is opened anew when it breaks.
    fn send_all(&self, connection: u64) {
        let mut random = connection.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut stream = None;
        while Instant::now() < self.ends_at {
            let number = self.sent.fetch_add(1, Ordering::Relaxed);
            if number >= self.requests {
                return;
            }
            if self.kill_every > 0 && number % self.kill_every == self.kill_every - 1 {
                kill_browser(self.process);
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let hangs_up = ((random >> 11) as f64) < self.hang_up * (1u64 << 53) as f64;
            let page = &self.pages[number as usize % self.pages.len()];
            let began = Instant::now();
            let status = self.send(&mut stream, page, hangs_up.then_some(random % 300));
            let mut seen = self.seen.lock().expect("no thread panicked");
            match status {
                Ok(None) => seen.hung_up += 1,
                Ok(Some(status)) => {
                    *seen.statuses.entry(status).or_default() += 1;
                    if status == 200 {
                        seen.times.push(began.elapsed().as_secs_f64() * 1000.0);
                    }
                }
                Err(_) => {
                    stream = None;
                    *seen.statuses.entry(0).or_default() += 1;
                }
            }
        }
    }

    /// Sends a page and reads the status; `None` if the client hangs up after some milliseconds.
    fn send(
        &self,
        stream: &mut Option<BufReader<TcpStream>>,
        page: &[u8],
        hang_up_ms: Option<u64>,
    ) -> io::Result<Option<u16>> {
        if stream.is_none() {
            let new = TcpStream::connect(&self.address)?;
            new.set_read_timeout(Some(PATIENCE))?;
            new.set_nodelay(true)?;
            *stream = Some(BufReader::new(new));
        }
        let reader = stream.as_mut().expect("it was opened above");
        let mut request = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.address,
            page.len()
        )
        .into_bytes();
        request.extend_from_slice(page);
        reader.get_mut().write_all(&request)?;
        if let Some(ms) = hang_up_ms {
            thread::sleep(Duration::from_millis(ms));
            *stream = None;
            return Ok(None);
        }
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let header = line.trim().to_ascii_lowercase();
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            if header.is_empty() {
                break;
            }
        }
        io::copy(&mut reader.take(length), &mut io::sink())?;
        Ok(Some(status))
    }
}

/// Kills the browser of the service: below the service is the process that watches over it, and the browser below that.
fn kill_browser(service: u32) {
    let below = |id: &str| {
        let listed = Command::new("pgrep").args(["--parent", id]).output();
        let text = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned()).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for browser in below(&service.to_string()).iter().flat_map(|watch| below(watch)) {
        let _ = Command::new("kill").args(["-KILL", &browser]).status();
    }
}
