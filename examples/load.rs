//! Sends pages to a running service over many connections and measures it: see
//! `scripts/load-service`.
//!
//! ```text
//! load ADDRESS FOLDER [--connections N] [--seconds S] [--requests N] [--mix ENGINE:WEIGHT,...]
//!      [--hang-up SHARE] [--process ID [--kill-every N]]
//! ```
//!
//! FOLDER holds HTML files, which are sent in turn. It ends after the seconds or the requests,
//! whichever comes first. `--mix` says how many of each group of requests go to which engine:
//! `none:8,builtin:1,chromium:1` sends the first eight of ten to the parser, the ninth to the
//! built-in engine and the tenth to Chromium. With `--hang-up`, this share of the clients
//! disconnects while waiting for the answer. With `--process`, the memory of this process and its
//! descendants is measured every 1,000 requests; with `--kill-every`, its browser is killed after
//! that many requests. Prints one line of JSON.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(2);
/// Number of requests between two measurements of memory.
const MEASURE_EVERY: u64 = 1000;
/// Number of the first request at which memory is measured: between two at which the browser is
/// killed.
const MEASURE_AT: u64 = 50;

struct Load {
    address: String,
    pages: Vec<Vec<u8>>,
    /// Engines, and the number of requests in each group that go to them.
    mix: Vec<(String, u64)>,
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
    /// Milliseconds of each answer with status 200, by engine.
    times: BTreeMap<String, Vec<f64>>,
    /// Number of answers by status; 0 stands for a connection that broke.
    statuses: BTreeMap<u16, u64>,
    hung_up: u64,
    /// Process numbers of the browsers that were killed.
    killed: Vec<u32>,
    /// Memory in MB, in the order of the measurements.
    memory: Vec<u64>,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, usual: &str| {
        let at = words.iter().position(|word| word == name);
        at.and_then(|at| words.get(at + 1))
            .cloned()
            .unwrap_or_else(|| usual.to_owned())
    };
    let number = |name: &str, usual: &str| option(name, usual).parse::<f64>().expect("a number");
    let [address, folder] =
        [0, 1].map(|at| words.get(at).cloned().expect("an address and a folder"));
    let address = address
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    let started = Instant::now();
    let load = Load {
        address,
        pages: pages(Path::new(&folder)),
        mix: mix(&option("--mix", "none")),
        ends_at: started + Duration::from_secs_f64(number("--seconds", "60")),
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
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{}",
        load.seen
            .into_inner()
            .expect("no thread panicked")
            .line(seconds)
    );
}

/// Reads `none:8,builtin:1`; an engine alone has weight 1.
fn mix(text: &str) -> Vec<(String, u64)> {
    let part = |part: &str| match part.split_once(':') {
        Some((name, weight)) => (name.to_owned(), weight.parse().expect("a weight")),
        None => (part.to_owned(), 1),
    };
    text.split(',').map(part).collect()
}

/// The HTML files of a folder, in the order of their names.
fn pages(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let paths = paths.into_iter().map(|path| {
        if path.is_dir() {
            path.join("index.html")
        } else {
            path
        }
    });
    let pages: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "html"))
        .collect();
    let pages: Vec<_> = pages
        .iter()
        .filter_map(|path| fs::read(path).ok())
        .collect();
    assert!(!pages.is_empty(), "the folder has no HTML files");
    pages
}

impl Seen {
    /// The figures as a line of JSON.
    fn line(mut self, seconds: f64) -> String {
        use std::fmt::Write;
        let mut all: Vec<f64> = self.times.values().flatten().copied().collect();
        let answers = all.len();
        let mut line = format!(
            "{{\"requests_per_s\": {:.1}, {}, \"seconds\": {seconds:.1}, \"statuses\": {}, \"hung_up\": {}",
            answers as f64 / seconds,
            quantiles(&mut all),
            object(
                self.statuses
                    .iter()
                    .map(|(status, count)| (status, count.to_string()))
            ),
            self.hung_up
        );
        if self.times.len() > 1 {
            let engines = self.times.iter_mut().map(|(name, times)| {
                (
                    name,
                    format!("{{\"answers\": {}, {}}}", times.len(), quantiles(times)),
                )
            });
            let _ = write!(line, ", \"engines\": {}", object(engines));
        }
        if !self.killed.is_empty() {
            let (killed, left) = (self.killed.len(), left_of(&self.killed));
            let _ = write!(
                line,
                ", \"browsers_killed\": {killed}, \"processes_of_them_left\": {left}"
            );
        }
        if let (Some(first), Some(last)) =
            (self.memory.first().copied(), self.memory.last().copied())
        {
            self.memory.sort_unstable();
            let median = self.memory[self.memory.len() / 2];
            let _ = write!(
                line,
                ", \"memory_mb_below\": {{\"first\": {first}, \"median\": {median}, \"highest\": {}, \"last\": {last}}}",
                self.memory[self.memory.len() - 1]
            );
        }
        line + "}"
    }
}

/// Median and 99th percentile, as members of a JSON object.
fn quantiles(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        times
            .get((times.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(0.0)
    };
    format!(
        "\"p50_ms\": {:.1}, \"p99_ms\": {:.1}",
        quantile(0.5),
        quantile(0.99)
    )
}

/// A JSON object of values that are JSON already.
fn object(members: impl Iterator<Item = (impl std::fmt::Display, String)>) -> String {
    let members: Vec<String> = members
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

impl Load {
    /// The engine and the page of a request: each engine gets all pages.
    fn choose(&self, number: u64) -> (&str, &[u8]) {
        let group: u64 = self.mix.iter().map(|(_, weight)| weight).sum();
        let page = &self.pages[(number / group) as usize % self.pages.len()];
        let mut place = number % group;
        for (engine, weight) in &self.mix {
            if place < *weight {
                return (engine, page);
            }
            place -= weight;
        }
        unreachable!("the place is below the sum of the weights")
    }

    /// Kills the browser or measures memory, if it is time for it.
    fn watch(&self, number: u64) {
        if self.kill_every > 0 && number % self.kill_every == self.kill_every - 1 {
            let killed = kill_browser(self.process);
            self.seen
                .lock()
                .expect("no thread panicked")
                .killed
                .extend(killed);
        }
        if self.process > 0 && number % MEASURE_EVERY == MEASURE_AT {
            let memory = memory_mb(self.process);
            self.seen
                .lock()
                .expect("no thread panicked")
                .memory
                .push(memory);
        }
    }

    /// Sends requests over one connection, which is reopened when it breaks.
    fn send_all(&self, connection: u64) {
        let mut random = connection.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut stream = None;
        while Instant::now() < self.ends_at {
            let number = self.sent.fetch_add(1, Ordering::Relaxed);
            if number >= self.requests {
                return;
            }
            self.watch(number);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let hangs_up = ((random >> 11) as f64) < self.hang_up * (1u64 << 53) as f64;
            let (engine, page) = self.choose(number);
            let started = Instant::now();
            let status = self.send(&mut stream, engine, page, hangs_up.then_some(random % 300));
            let mut seen = self.seen.lock().expect("no thread panicked");
            match status {
                Ok(None) => seen.hung_up += 1,
                Ok(Some(status)) => {
                    *seen.statuses.entry(status).or_default() += 1;
                    if status == 200 {
                        let ms = started.elapsed().as_secs_f64() * 1000.0;
                        seen.times.entry(engine.to_owned()).or_default().push(ms);
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
        engine: &str,
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
            "POST /v1/clean?engine={engine} HTTP/1.1\r\nHost: {}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
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
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or(io::ErrorKind::InvalidData)?;
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

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let listed = Command::new("pgrep")
        .args(["--parent", &process.to_string()])
        .output();
    let text = listed
        .map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned())
        .unwrap_or_default();
    text.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

/// The session that a process belongs to; `None` if the process has ended.
fn session(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in parentheses: state, parent, group, session.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()
}

/// Kills the browser of the service: below the service is the process that watches over it, and the
/// browser below that, at the head of a session of its own. Returns the killed ones.
fn kill_browser(service: u32) -> Vec<u32> {
    let below = children(service).into_iter().flat_map(children);
    let browsers = below.filter(|process| session(*process) == Some(*process));
    let kill = |browser: &u32| {
        Command::new("kill")
            .args(["-KILL", &browser.to_string()])
            .status()
    };
    browsers
        .filter(|browser| kill(browser).is_ok_and(|status| status.success()))
        .collect()
}

/// Number of processes in the sessions of killed browsers; the processes of tabs stay in the
/// session when they lose their parent.
fn left_of(browsers: &[u32]) -> usize {
    // The processes of the last browser may take a moment to end.
    thread::sleep(Duration::from_secs(2));
    let names = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let processes = names.filter_map(|name| name.to_str()?.parse().ok());
    processes
        .filter_map(session)
        .filter(|session| browsers.contains(session))
        .count()
}

/// Memory of a process and of all below it in MB; what several of them share counts once.
fn memory_mb(process: u32) -> u64 {
    let (mut waiting, mut sum_kb) = (vec![process], 0);
    while let Some(process) = waiting.pop() {
        waiting.extend(children(process));
        let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
        sum_kb += line
            .and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
            .unwrap_or(0);
    }
    sum_kb / 1024
}
