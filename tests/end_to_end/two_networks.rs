//! Two networks for tests, both separate from the network of this machine: one has the program,
//! with its own addresses, the other has servers at addresses that look public, at private ones and
//! at the address of cloud metadata. Host names come from a list. This tests the network policy as
//! it is used, without `--allow-private`.
//!
//! The test starts its own executable again in the first network, which starts it once more in the
//! second one.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The environment variable that tells a process its part of a test.
const PART: &str = "VCLEAN_TEST_PART";
/// The environment variable with the file of host names.
const NAMES: &str = "VCLEAN_TEST_NAMES";
/// The host of the pages, and another public one.
pub const SITE: &str = "8.8.4.4";
const OTHER: &str = "8.8.4.5";
/// Addresses in the network of the servers that no page may reach.
const PRIVATE: [&str; 4] = ["10.9.9.1", "192.168.7.7", "169.254.169.254", "fd00::7"];
/// The addresses of the program's own network that look public.
pub const OWN: [&str; 2] = ["8.8.4.1", "2606:4700::1"];
/// Text of the pages at all other addresses.
pub const SECRET: &str = "the treasure lies below the third step of the old lighthouse";

/// A request to a server at a public address.
pub struct Request {
    pub host: String,
    pub path: String,
}

/// Status, headers and body.
pub type Answer = (u16, String, Vec<u8>);

/// The connections that a test has observed in the networks.
pub struct Networks {
    /// The heads of requests to public addresses, in lower case.
    heads: Arc<Mutex<Vec<String>>>,
    /// The addresses that received a forbidden connection.
    trapped: Arc<Mutex<Vec<String>>>,
    servers: Child,
    _input: ChildStdin,
}

impl Networks {
    /// Removes and returns the heads of requests to public addresses so far.
    pub fn take_heads(&self) -> Vec<String> {
        std::mem::take(&mut self.heads.lock().unwrap())
    }

    /// Records the reports of the servers in the other network.
    fn record(&self, lines: impl Iterator<Item = String> + Send + 'static) {
        let (heads, trapped) = (Arc::clone(&self.heads), Arc::clone(&self.trapped));
        thread::spawn(move || {
            for line in lines {
                match line.split_once(' ') {
                    Some(("HEAD", head)) => heads.lock().unwrap().push(head.to_owned()),
                    Some(("TRAP", address)) => trapped.lock().unwrap().push(address.to_owned()),
                    _ => {}
                }
            }
        });
    }

    /// Listens at all addresses of the program's own network.
    fn set_traps(&self) {
        for port in [80, 443] {
            let (listener, trapped) = (
                TcpListener::bind(("::", port)).unwrap(),
                Arc::clone(&self.trapped),
            );
            thread::spawn(move || {
                for client in listener.incoming().flatten() {
                    trapped
                        .lock()
                        .unwrap()
                        .push(own_address(&client).to_string());
                    let _ = write_answer(
                        &client,
                        &(200, "content-type: text/html".into(), SECRET.into()),
                    );
                }
            });
        }
    }

    /// Removes and returns the addresses that received a forbidden connection so far.
    pub fn take_trapped(&self) -> Vec<String> {
        // A connection is recorded by another thread or process.
        thread::sleep(Duration::from_millis(200));
        std::mem::take(&mut self.trapped.lock().unwrap())
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        let _ = self.servers.kill();
        let _ = self.servers.wait();
    }
}

/// Runs `body`, the test with the full `name`, in networks whose public servers respond with
/// `answer`. Host names are resolved by `names`.
#[track_caller]
pub fn within(
    name: &str,
    names: &[(&str, &str)],
    answer: fn(&Request) -> Answer,
    body: impl FnOnce(&Networks),
) {
    match std::env::var(PART).ok().as_deref() {
        Some("servers") => serve(answer),
        Some(_) => body(&connect(name)),
        None => {
            let folder = tempfile::tempdir().unwrap();
            let (hosts, none) = (folder.path().join("hosts"), folder.path().join("none"));
            fs::write(&hosts, host_lines(names)).unwrap();
            fs::write(&none, "").unwrap();
            let script = "mount --bind \"$1\" /etc/hosts && { mount --bind \"$2\" /etc/resolv.conf || true; } && \
                          exec \"$3\" \"$4\" --exact --nocapture";
            let mut inside = unshare();
            inside
                .args(["sh", "-c", script, "sh"])
                .args([&hosts, &none]);
            inside
                .arg(std::env::current_exe().unwrap())
                .arg(name)
                .env(PART, "program")
                .env(NAMES, "/etc/hosts");
            let done = inside.output().unwrap();
            let told =
                String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success() && told.contains("1 passed"), "{told}");
        }
    }
}

/// A command that runs a program with its own networks and mounts.
fn unshare() -> Command {
    let rights: &[&str] = if rustix::process::geteuid().is_root() {
        &[]
    } else {
        &["--map-root-user"]
    };
    let command = |mounts: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--net", "--mount"]).args(rights).args(mounts);
        command
    };
    // If the root comes from `chroot` and is not a mount, its mounts cannot be separated from the
    // outer ones.
    let is_parted = command(&[])
        .arg("true")
        .output()
        .is_ok_and(|done| done.status.success());
    command(if is_parted {
        &[]
    } else {
        &["--propagation", "unchanged"]
    })
}

fn host_lines(names: &[(&str, &str)]) -> String {
    let usual = [
        ("localhost", "127.0.0.1"),
        ("localhost", "::1"),
        ("site.example", SITE),
        ("other.example", OTHER),
    ];
    usual
        .iter()
        .chain(names)
        .fold(String::new(), |mut lines, (name, address)| {
            // Padded, so that any other address can replace it.
            writeln!(lines, "{address:<24} {name}").unwrap();
            lines
        })
}

/// Changes the address of a host name in both networks.
pub fn rename(name: &str, address: &str) {
    use std::os::unix::fs::FileExt;
    let path = std::env::var(NAMES).unwrap();
    let lines = fs::read_to_string(&path).unwrap();
    let at = lines.find(&format!(" {name}\n")).unwrap() - 24;
    let file = fs::OpenOptions::new()
        .write(true)
        .open(Path::new(&path))
        .unwrap();
    file.write_all_at(format!("{address:<24}").as_bytes(), at as u64)
        .unwrap();
}

#[track_caller]
fn ip(before: &[&str], commands: &str) {
    for line in commands
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let words: Vec<&str> = before
            .iter()
            .copied()
            .chain(["ip"])
            .chain(line.split(' '))
            .collect();
        assert!(
            Command::new(words[0])
                .args(&words[1..])
                .status()
                .unwrap()
                .success(),
            "{words:?}"
        );
    }
}

/// Starts the servers, and connects their network to this one.
fn connect(name: &str) -> Networks {
    let mut inside = Command::new("unshare");
    inside
        .arg("--net")
        .arg(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"]);
    inside
        .env(PART, "servers")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut servers = inside.spawn().unwrap();
    let mut lines = BufReader::new(servers.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    assert!(lines.any(|line| line == "STARTED"));
    let id = servers.id().to_string();
    ip(
        &[],
        &format!(
            "link set lo up
             link add outward type veth peer name inward
             link set inward netns {id}
             address add {}/24 dev outward
             address add 10.9.9.9/24 dev outward
             address add {}/64 dev outward nodad
             address add fd00::9/64 dev outward nodad
             link set outward up
             route add 192.168.7.0/24 dev outward
             route add 169.254.0.0/16 dev outward",
            OWN[0], OWN[1]
        ),
    );
    let servers_own: String =
        [SITE, OTHER, "2606:4700::4"]
            .iter()
            .chain(&PRIVATE)
            .fold(String::new(), |mut all, own| {
                let (bits, nodad) = if own.contains(':') {
                    (64, " nodad")
                } else {
                    (24, "")
                };
                writeln!(all, "address add {own}/{bits} dev inward{nodad}").unwrap();
                all
            });
    ip(
        &["nsenter", "--target", &id, "--net"],
        &format!("link set lo up\n{servers_own}\nlink set inward up"),
    );
    // Without a route back, an address would not answer.
    ip(
        &["nsenter", "--target", &id, "--net"],
        "route replace default dev inward",
    );
    let mut input = servers.stdin.take().unwrap();
    input.write_all(b"go\n").unwrap();
    assert!(lines.any(|line| line == "READY"));
    let networks = Networks {
        heads: Arc::default(),
        trapped: Arc::default(),
        servers,
        _input: input,
    };
    networks.record(lines);
    networks.set_traps();
    networks
}

fn own_address(client: &TcpStream) -> IpAddr {
    client
        .local_addr()
        .as_ref()
        .map(SocketAddr::ip)
        .unwrap()
        .to_canonical()
}

/// Reports a line to the process that started this one.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

/// Runs the servers of the other network until the test ends.
fn serve(answer: fn(&Request) -> Answer) {
    tell("\nSTARTED");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let listener = TcpListener::bind("[::]:80").unwrap();
    tell("READY");
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            thread::spawn(move || {
                let own = own_address(&client).to_string();
                if PRIVATE.contains(&own.as_str()) {
                    tell(&format!("TRAP {own}"));
                    return write_answer(
                        &client,
                        &(200, "content-type: text/html".into(), SECRET.into()),
                    );
                }
                let (request, head) = read_request(&client)?;
                tell(&format!(
                    "HEAD {}",
                    head.replace("\r\n", "|").to_lowercase()
                ));
                write_answer(&client, &answer(&request))
            });
        }
    });
    // Standard input ends with the process that holds the other end.
    let _ = std::io::stdin().read_line(&mut line);
    std::process::exit(0);
}

fn read_request(client: &TcpStream) -> std::io::Result<(Request, String)> {
    client.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (mut reader, mut head) = (BufReader::new(client), String::new());
    while reader.read_line(&mut head)? > 2 {}
    let lower = head.to_lowercase();
    let host = lower
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default()
        .to_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    Ok((Request { host, path }, head))
}

fn write_answer(mut client: &TcpStream, (status, headers, body): &Answer) -> std::io::Result<()> {
    let length = body.len();
    write!(
        client,
        "HTTP/1.1 {status} As Asked\r\n{headers}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    client.write_all(body)
}
