//! The only network access of the browser: a forward proxy in our process that checks every
//! connection.
//!
//! Chromium is started with this proxy for all addresses, loopback included. So every request of a
//! page (frames, pictures, redirects, sockets, names that resolve to another address the second
//! time) passes through here. The proxy resolves names itself and connects to the address that it
//! has checked. It also serves saved HTML pages, each under a separate random host name, so that
//! the browser needs no `file:` access for them.
//!
//! Only our own browser and fetcher may use it: every request needs a password that each proxy
//! generates anew, so other users of the machine are shut out. A page cannot tell responses of the
//! proxy from those of servers: a refusal is an empty page, and its cause is stored here.

use super::connect::{
    Cause, Connection, Failure, Policy, SILENCE_LIMIT, ServerReader, Servers, connect, is_time_out,
};
use super::http::Head;
use super::outbound::OutboundProxy;
use super::saved::{EMPTY_PAGE, SavedPages, is_saved_host, secret};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

/// Number of connections served at once. Chromium opens at most 32 to one proxy.
const MAX_CONNECTIONS: usize = 256;

/// The user name that goes with the password.
pub(crate) const PROXY_USER: &str = "vclean";

/// A running proxy; dropping it stops it.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    policy: Policy,
    password: String,
    /// The value of `Proxy-Authorization` with name and password.
    authorization: String,
    saved: SavedPages,
    causes: Causes,
    /// Ports of this process, which no page may reach under any policy.
    own_ports: Mutex<BTreeSet<u16>>,
    connections: AtomicUsize,
    servers: Servers,
    sent_bytes: AtomicU64,
    stopped: AtomicBool,
}

impl Proxy {
    /// Starts a proxy on a free port of the loopback interface.
    pub(crate) fn start(policy: Policy) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let password = secret();
        let shared = Arc::new(Shared {
            policy,
            authorization: format!(
                "Basic {}",
                STANDARD.encode(format!("{PROXY_USER}:{password}"))
            ),
            password,
            saved: SavedPages::default(),
            causes: Causes::default(),
            own_ports: Mutex::new(BTreeSet::from([address.port()])),
            connections: AtomicUsize::new(0),
            servers: Servers::default(),
            sent_bytes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        });
        let acceptor = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("vclean-proxy".into())
            .spawn(move || accept(&listener, &acceptor))?;
        Ok(Self { address, shared })
    }

    /// Port on the loopback interface.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the password that every request must carry.
    pub(crate) fn password(&self) -> &str {
        &self.shared.password
    }

    /// Returns the saved pages that the proxy serves.
    pub(crate) fn saved(&self) -> &SavedPages {
        &self.shared.saved
    }

    /// Blocks a port of this process for pages, such as that of a service.
    pub(crate) fn protect(&self, port: u16) {
        lock(&self.shared.own_ports).insert(port);
    }

    /// Returns the cause if the last connection to `host` failed.
    pub(crate) fn cause(&self, host: &str) -> Option<Cause> {
        self.shared.causes.failure(host)
    }

    /// Returns the reason if a page requested `host` and the network policy forbids it.
    pub(crate) fn refusal(&self, host: &str) -> Option<String> {
        self.shared.causes.refusal(host)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, which then reads the flag.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(client) = client else { continue };
        if shared.connections.load(Ordering::SeqCst) >= MAX_CONNECTIONS {
            continue;
        }
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let worker = Arc::clone(shared);
        let spawned = std::thread::Builder::new()
            .name("vclean-proxy".into())
            .spawn(move || {
                // An error of a client or server ends only its own connection.
                let _ = serve(&client, &worker);
                let _ = client.shutdown(Shutdown::Both);
                worker.connections.fetch_sub(1, Ordering::SeqCst);
            });
        if spawned.is_err() {
            shared.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn serve(client: &TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_read_timeout(Some(SILENCE_LIMIT))?;
    client.set_write_timeout(Some(SILENCE_LIMIT))?;
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client);
    let request = Head::read(&mut reader, MAX_HEAD_BYTES)?;
    let first = String::from_utf8_lossy(&request.first);
    let mut parts = first.split(' ');
    let (Some(method), Some(target)) = (parts.next(), parts.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    if request.get("proxy-authorization").as_deref() != Some(&shared.authorization) {
        return challenge(client);
    }
    if method == "CONNECT" {
        return tunnel(client, target, reader.buffer(), shared);
    }
    let Ok(url) = Url::parse(target) else {
        return refuse(client, "400 Bad Request");
    };
    let host = url.host_str().unwrap_or_default().to_owned();
    if is_saved_host(&host) {
        return shared.saved.serve(client, method, &url);
    }
    if url.scheme() != "http" {
        return refuse(client, FORBIDDEN);
    }
    let connection = match shared.connect(&url) {
        Ok(connection) => connection,
        Err(failure) => {
            shared.causes.store(&host, &failure, shared.policy.offline);
            return refuse(client, failure.status);
        }
    };
    exchange(
        client,
        &connection.stream,
        &mut reader,
        &request,
        method,
        &url,
        shared,
    )
}

/// Handles one unencrypted request and its response. Its head has been read; its body is still in
/// `reader`.
fn exchange(
    client: &TcpStream,
    server: &TcpStream,
    reader: &mut impl BufRead,
    request: &Head,
    method: &str,
    url: &Url,
    shared: &Shared,
) -> io::Result<()> {
    let host = url.host_str().unwrap_or_default();
    // The request line names the whole address for a proxy, and only the path for a server.
    let start = match shared.policy.outbound {
        Some(_) => url::Position::BeforeScheme,
        None => url::Position::BeforePath,
    };
    let (target, more) = (
        &url[start..url::Position::AfterQuery],
        shared.authorization_line(),
    );
    (&*server).write_all(&forwarded(
        request,
        format!("{method} {target} HTTP/1.1").as_bytes(),
        &more,
    ))?;
    if let Some(length) = request
        .get("content-length")
        .and_then(|value| value.parse::<u64>().ok())
    {
        copy(&mut reader.by_ref().take(length), &mut &*server, None)?;
    }
    let mut answer = BufReader::new(ServerReader::new(server, client));
    let head = loop {
        match Head::read(&mut answer, MAX_HEAD_BYTES) {
            // Interim responses are skipped; the browser requested none.
            Ok(head)
                if head
                    .status()
                    .is_some_and(|status| (100..200).contains(&status)) => {}
            Ok(head) => break head,
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => return Err(error),
            Err(error) => {
                let cause = if is_time_out(&error) {
                    format!(
                        "{host} did not answer within {} s; try again later",
                        SILENCE_LIMIT.as_secs()
                    )
                } else {
                    format!("{host} closed the connection without an answer; try again later")
                };
                let failure = Failure {
                    status: "502 Bad Gateway",
                    cause: Cause::Temporary(cause),
                };
                shared.causes.store(host, &failure, shared.policy.offline);
                return refuse(client, failure.status);
            }
        }
    };
    answer.get_mut().head_is_complete();
    (&*client).write_all(&forwarded(&head, &head.first, ""))?;
    copy(&mut answer, &mut &*client, Some(&shared.sent_bytes))
}

/// Handles `CONNECT host:port`: checks, connects and forwards bytes in both directions until either
/// side ends. `early` are the bytes that arrived with the request.
fn tunnel(client: &TcpStream, target: &str, early: &[u8], shared: &Shared) -> io::Result<()> {
    let Ok(url) = Url::parse(&format!("https://{target}/")) else {
        return refuse(client, "400 Bad Request");
    };
    let host = url.host_str().unwrap_or_default().to_owned();
    // Proxies open tunnels to the ports of encrypted pages only, while our own fetcher requests one
    // for any port.
    let is_plain = shared.policy.outbound.is_some() && url.port() == Some(80);
    let server = if is_saved_host(&host) {
        let text = "saved pages are served over http only".to_owned();
        Err(Failure {
            status: FORBIDDEN,
            cause: Cause::Permanent(text),
        })
    } else {
        shared.connect(&url).and_then(|connection| {
            if is_plain {
                Ok(connection)
            } else {
                shared.open_tunnel(connection, &url)
            }
        })
    };
    let connection = match server {
        Ok(connection) => connection,
        Err(failure) => {
            shared.causes.store(&host, &failure, shared.policy.offline);
            return refuse(client, failure.status);
        }
    };
    let server = &connection.stream;
    (&*client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    if is_plain {
        return exchange_in_tunnel(client, server, &url, early, shared);
    }
    (&*server).write_all(early)?;
    let (client_up, server_up) = (client.try_clone()?, server.try_clone()?);
    let up = std::thread::Builder::new()
        .name("vclean-proxy".into())
        .spawn(move || {
            let _ = copy(&mut &client_up, &mut &server_up, None);
            // The client is gone: it closes its side only when it has everything it wants.
            let _ = server_up.shutdown(Shutdown::Both);
        })?;
    let _ = copy(&mut &*server, &mut &*client, Some(&shared.sent_bytes));
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
    let _ = up.join();
    Ok(())
}

/// Handles one unencrypted request in a tunnel that the client opened. The upstream proxy,
/// `server`, is asked for the page and not for a tunnel.
fn exchange_in_tunnel(
    client: &TcpStream,
    server: &TcpStream,
    url: &Url,
    early: &[u8],
    shared: &Shared,
) -> io::Result<()> {
    let mut reader = BufReader::new(early.chain(client));
    let request = Head::read(&mut reader, MAX_HEAD_BYTES)?;
    let first = String::from_utf8_lossy(&request.first);
    let mut parts = first.split(' ');
    let (Some(method), Some(path)) = (parts.next(), parts.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    match Url::parse(&format!(
        "http://{}{path}",
        url.host_str().unwrap_or_default()
    )) {
        Ok(page) if page.host_str() == url.host_str() => {
            exchange(client, server, &mut reader, &request, method, &page, shared)
        }
        _ => refuse(client, "400 Bad Request"),
    }
}

impl Shared {
    /// Returns the line that identifies us to the upstream proxy; empty if there is none.
    fn authorization_line(&self) -> String {
        self.policy
            .outbound
            .as_ref()
            .map_or_else(String::new, OutboundProxy::authorization_line)
    }

    /// Extends a connection to the server of `url` if it leads to an upstream proxy.
    fn open_tunnel(&self, connection: Connection, url: &Url) -> Result<Connection, Failure> {
        let Some(outbound) = &self.policy.outbound else {
            return Ok(connection);
        };
        let target = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or(443)
        );
        let cause = match outbound.open_tunnel(&connection.stream, &target) {
            Ok(Some(200..=299)) => return Ok(connection),
            Ok(Some(407)) => Cause::Permanent(format!(
                "the proxy {outbound} wants a user and a password; name them in `proxy`"
            )),
            Ok(Some(status)) => Cause::Temporary(format!(
                "the proxy {outbound} answered {status} for {target}; check the address, or try again later"
            )),
            Ok(None) | Err(_) => Cause::Temporary(format!(
                "the proxy {outbound} does not answer as one; check `proxy`"
            )),
        };
        Err(Failure {
            status: "502 Bad Gateway",
            cause,
        })
    }

    /// Connects to the host of an address, if a page may reach it.
    fn connect(&self, url: &Url) -> Result<Connection, Failure> {
        let connection = connect(url, &self.policy, &self.servers, |port| {
            lock(&self.own_ports).contains(&port)
        })?;
        self.causes.forget(url.host_str().unwrap_or_default());
        Ok(connection)
    }
}

/// Maximum number of hosts stored; hostile pages may request any number.
const MAX_HOSTS: usize = 1000;
/// Status of a request that the network policy forbids.
pub(super) const FORBIDDEN: &str = "403 Forbidden";

/// The causes of failed connections so far, by host.
#[derive(Debug, Default)]
struct Causes {
    failures: Mutex<BTreeMap<String, Cause>>,
    refusals: Mutex<BTreeMap<String, String>>,
}

fn insert<T>(map: &Mutex<BTreeMap<String, T>>, host: &str, value: T) {
    let mut map = lock(map);
    if map.len() >= MAX_HOSTS {
        map.clear();
    }
    map.insert(host.to_owned(), value);
}

impl Causes {
    /// Stores the reason why there is no connection to `host`.
    pub(super) fn store(&self, host: &str, failure: &Failure, is_offline: bool) {
        insert(&self.failures, host, failure.cause.clone());
        // When offline, every host is forbidden, so refusals are not worth storing.
        if failure.status == FORBIDDEN && !is_offline {
            insert(&self.refusals, host, failure.cause.to_string());
        }
    }

    /// Removes the failure of a host that responds again, since it does not explain later errors.
    pub(super) fn forget(&self, host: &str) {
        lock(&self.failures).remove(host);
    }

    /// Returns the cause if the last connection to `host` failed.
    pub(super) fn failure(&self, host: &str) -> Option<Cause> {
        lock(&self.failures).get(host).cloned()
    }

    /// Returns the reason if `host` was requested and the network policy forbids it.
    pub(super) fn refusal(&self, host: &str) -> Option<String> {
        lock(&self.refusals).get(host).cloned()
    }
}

/// Copies until the end, and adds the number of bytes to `count`.
pub(super) fn copy(
    from: &mut impl Read,
    to: &mut impl Write,
    count: Option<&AtomicU64>,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&buffer[..length])?;
        if let Some(count) = count {
            count.fetch_add(length as u64, Ordering::Relaxed);
        }
    }
}

/// Responds with an empty page. Otherwise the browser would show an error page with text.
pub(super) fn refuse(mut client: &TcpStream, status: &str) -> io::Result<()> {
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{EMPTY_PAGE}",
        EMPTY_PAGE.len(),
    )
}

/// Responds with a request for the password.
fn challenge(mut client: &TcpStream) -> io::Result<()> {
    client.write_all(
        b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"vclean\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    )
}

/// Longest head of a request or a response, in bytes.
pub(crate) const MAX_HEAD_BYTES: u64 = 256 << 10;

/// Builds a head for forwarding: with this first line, without the hop-by-hop headers, with the
/// lines of `more`, and with `Connection: close`. A `Referer` with the made-up host of a saved page
/// is removed.
fn forwarded(head: &Head, first: &[u8], more: &str) -> Vec<u8> {
    const OF_CONNECTION: [&str; 5] = [
        "connection",
        "proxy-connection",
        "keep-alive",
        "proxy-authorization",
        "upgrade",
    ];
    let mut text = [first, b"\r\n"].concat();
    for (name, value) in &head.headers {
        let names_saved = name.eq_ignore_ascii_case("referer")
            && Url::parse(&String::from_utf8_lossy(value))
                .is_ok_and(|url| url.host_str().is_some_and(is_saved_host));
        if !names_saved
            && !OF_CONNECTION
                .iter()
                .any(|other| name.eq_ignore_ascii_case(other))
        {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                text.extend_from_slice(part);
            }
        }
    }
    text.extend_from_slice(more.as_bytes());
    text.extend_from_slice(b"Connection: close\r\n\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(answer: &'static str) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut reader = BufReader::new(&client);
                let head = Head::read(&mut reader, MAX_HEAD_BYTES).unwrap();
                (&client)
                    .write_all(&[answer.as_bytes(), &head.first].concat())
                    .unwrap();
            }
        });
        port
    }

    /// Sends a request with the password.
    fn ask(proxy: &Proxy, request: &str) -> String {
        let authorization = &proxy.shared.authorization;
        send(
            proxy,
            &request.replacen(
                "\r\n",
                &format!("\r\nProxy-Authorization: {authorization}\r\n"),
                1,
            ),
        )
    }

    fn send(proxy: &Proxy, request: &str) -> String {
        let mut stream = TcpStream::connect(proxy.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        // A tunnel stays open as long as both sides do.
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn private_addresses_are_refused_and_the_cause_is_kept() {
        let port = server("HTTP/1.1 200 OK\r\n\r\n");
        let proxy = Proxy::start(Policy {
            allow_private: false,
            offline: false,
            outbound: None,
        })
        .unwrap();
        for target in [
            "127.0.0.1",
            "localhost",
            "[::ffff:127.0.0.1]",
            "2130706433",
            "0x7f.1",
        ] {
            let answer = ask(
                &proxy,
                &format!("GET http://{target}:{port}/ HTTP/1.1\r\n\r\n"),
            );
            assert!(answer.starts_with("HTTP/1.1 403"), "{target}: {answer}");
            assert!(
                answer.ends_with("\r\n\r\n<!doctype html>") && !answer.contains("private"),
                "{answer}"
            );
            let answer = ask(&proxy, &format!("CONNECT {target}:{port} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 403"), "{target}: {answer}");
        }
        assert!(
            proxy
                .cause("127.0.0.1")
                .unwrap()
                .to_string()
                .contains("`allow_private`")
        );
        assert!(proxy.refusal("127.0.0.1").unwrap().contains("loopback"));
    }

    #[test]
    fn allowed_requests_pass_in_origin_form_and_the_connection_closes() {
        let port = server("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n");
        let proxy = Proxy::start(Policy {
            allow_private: true,
            offline: false,
            outbound: None,
        })
        .unwrap();
        let answer = ask(
            &proxy,
            &format!("GET http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"),
        );
        assert!(answer.contains("Connection: close\r\n"), "{answer}");
        assert!(!answer.contains("keep-alive"), "{answer}");
        assert!(answer.ends_with("GET /a?b=c HTTP/1.1"), "{answer}");
        let answer = ask(
            &proxy,
            &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nGET /through HTTP/1.1\r\n\r\n"),
        );
        assert!(
            answer.starts_with("HTTP/1.1 200 Connection established"),
            "{answer}"
        );
        // The port of the proxy itself cannot be reached through it.
        let answer = ask(
            &proxy,
            &format!("GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", proxy.port()),
        );
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }

    #[test]
    fn a_server_that_never_answers_does_not_take_the_connections_of_others() {
        let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = silent.local_addr().unwrap().port();
        let proxy = Proxy::start(Policy {
            allow_private: true,
            offline: false,
            outbound: None,
        })
        .unwrap();
        let keep = |number: usize| {
            let mut client = TcpStream::connect(proxy.address).unwrap();
            let line = if number.is_multiple_of(2) {
                "GET http://127.0.0.1"
            } else {
                "CONNECT 127.0.0.1"
            };
            let rest = if number.is_multiple_of(2) { "/" } else { "" };
            client
                .write_all(format!("{line}:{at}{rest} HTTP/1.1\r\n\r\n").as_bytes())
                .unwrap();
            client
        };
        let clients: Vec<TcpStream> = (0..2 * MAX_CONNECTIONS).map(keep).collect();
        // A server at another address of the loopback interface.
        let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                Head::read(&mut BufReader::new(&client), MAX_HEAD_BYTES).unwrap();
                (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\nfine").unwrap();
            }
        });
        let get = format!("GET http://127.0.0.2:{port}/ HTTP/1.1\r\n\r\n");
        let deadline = std::time::Instant::now() + SILENCE_LIMIT / 4;
        while !ask(&proxy, &get).ends_with("fine") {
            assert!(
                std::time::Instant::now() < deadline,
                "the other server cannot be reached"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        // The connections end when their clients do.
        drop(clients);
        while proxy.shared.connections.load(Ordering::SeqCst) > 1 {
            assert!(std::time::Instant::now() < deadline, "connections are left");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    #[test]
    fn offline_refuses_everything_and_a_dead_port_has_a_cause() {
        let proxy = Proxy::start(Policy {
            allow_private: true,
            offline: true,
            outbound: None,
        })
        .unwrap();
        assert!(ask(&proxy, "GET http://8.8.8.8/ HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403"));
        assert!(
            proxy
                .cause("8.8.8.8")
                .unwrap()
                .to_string()
                .contains("`offline`")
                && proxy.refusal("8.8.8.8").is_none()
        );
        let proxy = Proxy::start(Policy {
            allow_private: true,
            offline: false,
            outbound: None,
        })
        .unwrap();
        let free_port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let answer = ask(
            &proxy,
            &format!("GET http://127.0.0.1:{free_port}/ HTTP/1.1\r\n\r\n"),
        );
        assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
        assert!(
            proxy
                .cause("127.0.0.1")
                .unwrap()
                .to_string()
                .contains("refused the connection")
        );
    }

    #[test]
    fn without_the_password_nothing_is_served() {
        let port = server("HTTP/1.1 200 OK\r\n\r\n");
        let proxy = Proxy::start(Policy {
            allow_private: true,
            offline: false,
            outbound: None,
        })
        .unwrap();
        let saved = proxy
            .saved()
            .add("<p>saved", &vclean_core::page::PageFiles::Nothing);
        let targets = [
            format!("GET http://127.0.0.1:{port}/"),
            format!("GET {}", saved.address()),
            format!("CONNECT 127.0.0.1:{port}"),
        ];
        for target in targets {
            for password in ["", "Proxy-Authorization: Basic dmNsZWFuOng=\r\n"] {
                let answer = send(&proxy, &format!("{target} HTTP/1.1\r\n{password}\r\n"));
                assert!(
                    answer.starts_with("HTTP/1.1 407") && answer.ends_with("\r\n\r\n"),
                    "{target}: {answer}"
                );
            }
            assert!(
                ask(&proxy, &format!("{target} HTTP/1.1\r\n\r\n")).starts_with("HTTP/1.1 200"),
                "{target}"
            );
        }
        // The password does not reach servers.
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = server.local_addr().unwrap().port();
        let seen = std::thread::spawn(move || {
            Head::read(&mut BufReader::new(server.accept().unwrap().0), 1 << 16).unwrap()
        });
        ask(
            &proxy,
            &format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        );
        let seen = seen.join().unwrap();
        assert!(
            seen.get("host").is_some() && seen.get("proxy-authorization").is_none(),
            "{seen:?}"
        );
    }

    #[test]
    fn saved_pages_are_not_named() {
        let forward = |referer: &str| {
            let message = format!("GET / HTTP/1.1\r\nReferer: {referer}\r\nAccept: x\r\n\r\n");
            let (head, _) = Head::split(message.as_bytes(), 1 << 16).unwrap();
            String::from_utf8(forwarded(&head, b"GET / HTTP/1.1", "")).unwrap()
        };
        assert!(
            !forward("http://p1.saved.invalid/a").contains("Referer")
                && forward("http://p1.saved.invalid/").contains("Accept")
        );
        assert!(forward("http://a.example/p1.saved.invalid").contains("Referer"));
    }
}
