//! Connections to servers: resolves a name, checks every address, connects to the address that was
//! checked, and limits the number of connections per server and the duration of a response.

use super::address;
use super::outbound::OutboundProxy;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;
use url::{Host, Url};
use vclean_core::error::{ForbiddenAddress, RenderError};

/// Longest wait for a connection to one address.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Longest time without data on an open connection. Heuristic: slow servers need less for a first
/// byte.
pub(super) const SILENCE_LIMIT: Duration = Duration::from_mins(1);

/// The network policy of the proxy.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    /// Also allow loopback, private and link-local addresses.
    pub(crate) allow_private: bool,
    /// Allow saved pages only.
    pub(crate) offline: bool,
    /// An upstream proxy for everything that is not a saved page.
    pub(crate) outbound: Option<OutboundProxy>,
}

/// Why a connection failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Cause {
    /// Another try may succeed.
    #[error("{0}")]
    Temporary(String),
    /// Another try fails as well.
    #[error("{0}")]
    Permanent(String),
    /// The address policy forbids the connection.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
}

impl From<Cause> for RenderError {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Temporary(cause) => Self::Later {
                cause,
                after_s: None,
            },
            Cause::Permanent(cause) => Self::Load(cause),
            Cause::Forbidden(cause) => cause.into(),
        }
    }
}

/// Reason why there is no connection, and the status line of the response to the client.
pub(super) struct Failure {
    pub(super) status: &'static str,
    pub(super) cause: Cause,
}

fn forbidden(cause: Cause) -> Failure {
    Failure {
        status: "403 Forbidden",
        cause,
    }
}

fn unreachable(cause: Cause) -> Failure {
    Failure {
        status: "502 Bad Gateway",
        cause,
    }
}

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    _slot: ServerSlot,
}

/// Resolves a name, checks every address and connects to the first allowed one that accepts a
/// connection. `is_ours` returns whether a port belongs to this process; no page may reach such a
/// port.
pub(super) fn connect(
    url: &Url,
    policy: &Policy,
    servers: &Servers,
    is_ours: impl Fn(u16) -> bool,
) -> Result<Connection, Failure> {
    let name = url.host_str().unwrap_or_default();
    if policy.offline {
        return Err(forbidden(Cause::Permanent(format!(
            "{name} is on the network; leave out `offline` to load it"
        ))));
    }
    let port = url.port_or_known_default().unwrap_or(80);
    if address::is_refused_port(port) {
        return Err(forbidden(
            ForbiddenAddress::Port {
                host: name.to_owned(),
                port,
            }
            .into(),
        ));
    }
    let addresses = match &policy.outbound {
        None => resolve(url, name, port)?,
        Some(_) => known_addresses(url, port),
    };
    let is_resolved_elsewhere = policy.outbound.is_some() && addresses.is_empty();
    let mut allowed = Vec::new();
    let mut refused = None;
    for address in addresses {
        let ours = is_ours(address.port()) && address::is_own(address.ip());
        match address::refusal(address.ip()) {
            _ if ours => refused = Some(ForbiddenAddress::Own { address }),
            Some(kind) if !policy.allow_private => {
                refused = Some(ForbiddenAddress::NotPublic {
                    host: name.to_owned(),
                    kind,
                    address: address.ip(),
                });
            }
            _ => allowed.push(address),
        }
    }
    if allowed.is_empty() && !is_resolved_elsewhere {
        let cause = refused.map_or_else(
            || Cause::Permanent(format!("{name} has no address")),
            Cause::from,
        );
        return Err(forbidden(cause));
    }
    match &policy.outbound {
        None => dial(&allowed, servers, name, port),
        Some(outbound) => dial_outbound(outbound, servers),
    }
}

/// Returns the addresses of a host that are known without a lookup: numeric ones, and those of this
/// machine.
fn known_addresses(url: &Url, port: u16) -> Vec<SocketAddr> {
    match url.host() {
        Some(Host::Ipv4(address)) => vec![(address, port).into()],
        Some(Host::Ipv6(address)) => vec![(address, port).into()],
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_local = name == "localhost" || name.ends_with(".localhost");
            if is_local {
                vec![(Ipv4Addr::LOCALHOST, port).into()]
            } else {
                Vec::new()
            }
        }
        None => Vec::new(),
    }
}

/// Connects to the upstream proxy, which may be anywhere: the user named it.
fn dial_outbound(outbound: &OutboundProxy, servers: &Servers) -> Result<Connection, Failure> {
    let missing = || {
        unreachable(Cause::Permanent(format!(
            "the proxy {outbound} has no address; check `proxy`"
        )))
    };
    let url = outbound.url().ok_or_else(missing)?;
    let addresses = resolve(&url, outbound.host(), outbound.port()).map_err(|_| missing())?;
    dial(
        &addresses,
        servers,
        &format!("the proxy {}", outbound.host()),
        outbound.port(),
    )
}

/// Resolves the addresses of a host.
fn resolve(url: &Url, name: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    let resolved: io::Result<Vec<SocketAddr>> = match url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Domain(domain)) => (domain, port).to_socket_addrs().map(Iterator::collect),
        None => {
            return Err(forbidden(Cause::Permanent(
                "the address has no host; check the address".to_owned(),
            )));
        }
    };
    match resolved {
        Ok(resolved) if !resolved.is_empty() => Ok(resolved),
        // A name that does not exist is a much more common cause than a failing resolver.
        _ => Err(unreachable(Cause::Permanent(format!(
            "the name {name} cannot be resolved; check the address and the network"
        )))),
    }
}

/// Connects to the first address that accepts a connection.
fn dial(
    addresses: &[SocketAddr],
    servers: &Servers,
    name: &str,
    port: u16,
) -> Result<Connection, Failure> {
    let mut last = None;
    let mut is_full = false;
    for address in addresses {
        let Some(slot) = servers.acquire(address.ip()) else {
            is_full = true;
            continue;
        };
        let opened = TcpStream::connect_timeout(address, CONNECT_LIMIT).and_then(|server| {
            server.set_read_timeout(Some(SILENCE_LIMIT))?;
            server.set_write_timeout(Some(SILENCE_LIMIT))?;
            server.set_nodelay(true)?;
            Ok(server)
        });
        match opened {
            Ok(stream) => {
                return Ok(Connection {
                    stream,
                    _slot: slot,
                });
            }
            Err(error) => last = Some(error),
        }
    }
    let cause = match last {
        Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            format!(
                "{name} refused the connection on port {port}; check the address or try again later"
            )
        }
        Some(error) if is_time_out(&error) => {
            format!(
                "{name} did not answer within {} s; try again later",
                CONNECT_LIMIT.as_secs()
            )
        }
        Some(error) => format!("{name} cannot be reached: {error}; check the network"),
        None if is_full => {
            format!(
                "{name} keeps {MAX_PER_SERVER} connections open, more are not opened; try again later"
            )
        }
        None => format!("{name} has no address"),
    };
    Err(unreachable(Cause::Temporary(cause)))
}

/// Returns true if an error means that no data came for too long.
pub(super) fn is_time_out(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Largest number of connections to one server. Chromium opens at most 6 to a host, and 32 to one
/// proxy in all.
const MAX_PER_SERVER: usize = 64;

/// The open connections, by the address of the server. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Servers(Arc<Mutex<BTreeMap<IpAddr, usize>>>);

/// One counted connection; dropping it decrements the count.
#[derive(Debug)]
pub(super) struct ServerSlot {
    servers: Servers,
    server: IpAddr,
}

impl Servers {
    /// Counts one more connection; `None` if the server has [`MAX_PER_SERVER`] already.
    pub(super) fn acquire(&self, server: IpAddr) -> Option<ServerSlot> {
        let server = server.to_canonical();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(server).or_insert(0);
        if *count >= MAX_PER_SERVER {
            return None;
        }
        *count += 1;
        Some(ServerSlot {
            servers: self.clone(),
            server,
        })
    }
}

impl Drop for ServerSlot {
    fn drop(&mut self) {
        let mut counts = self
            .servers
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.server) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.server);
            }
        }
    }
}

/// Longest time until the head of a response is complete. Without this limit, a server that sends a
/// byte now and then could keep its connection for days.
const HEAD_LIMIT: Duration = SILENCE_LIMIT;
/// Interval at which a waiting reader checks if the client is gone.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Duration of one such check.
const CHECK_LIMIT: Duration = Duration::from_millis(1);

/// The response of a server, as it arrives.
pub(super) struct ServerReader<'a> {
    server: &'a TcpStream,
    client: &'a TcpStream,
    head_deadline: Option<Instant>,
}

impl<'a> ServerReader<'a> {
    /// A reader for the response of `server` to a request that was read from `client` completely.
    pub(super) fn new(server: &'a TcpStream, client: &'a TcpStream) -> Self {
        Self {
            server,
            client,
            head_deadline: Some(Instant::now() + HEAD_LIMIT),
        }
    }

    /// Ends the time limit of the head.
    pub(super) fn head_is_complete(&mut self) {
        self.head_deadline = None;
    }

    /// Returns true if the client closed its connection: it sends no data before it has the
    /// response.
    fn has_client_gone(&self) -> io::Result<bool> {
        self.client.set_read_timeout(Some(CHECK_LIMIT))?;
        Ok(matches!(self.client.peek(&mut [0]), Ok(0)))
    }
}

impl Read for ServerReader<'_> {
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] after [`SILENCE_LIMIT`] without data, or after [`HEAD_LIMIT`]
    /// without a complete head; [`io::ErrorKind::ConnectionAborted`] if the client has gone.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut deadline = Instant::now() + SILENCE_LIMIT;
        if let Some(head) = self.head_deadline {
            deadline = deadline.min(head);
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.server
                .set_read_timeout(Some(left.min(CHECK_INTERVAL)))?;
            match self.server.read(buffer) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    if self.has_client_gone()? {
                        return Err(io::ErrorKind::ConnectionAborted.into());
                    }
                }
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    #[test]
    fn a_server_has_a_limited_number_of_connections() {
        let servers = Servers::default();
        let [one, mapped, other] = ["10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2"]
            .map(|address| address.parse::<IpAddr>().unwrap());
        let mut slots: Vec<_> = (0..MAX_PER_SERVER)
            .map(|_| servers.acquire(one).unwrap())
            .collect();
        assert!(servers.acquire(one).is_none() && servers.acquire(mapped).is_none());
        assert!(servers.acquire(other).is_some());
        slots.pop();
        assert!(servers.acquire(mapped).is_some());
        drop(slots);
        assert!(servers.0.lock().unwrap().is_empty());
    }

    /// Creates both ends of a connection.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    #[test]
    fn reading_ends_when_the_client_has_gone() {
        let ((server, mut far_server), (client, far_client)) = (pair(), pair());
        let mut reader = ServerReader::new(&server, &client);
        let mut buffer = [0; 9];
        far_server.write_all(b"abc").unwrap();
        assert_eq!(reader.read(&mut buffer).unwrap(), 3);
        let late = std::thread::spawn(move || {
            std::thread::sleep(3 * CHECK_INTERVAL);
            far_server.write_all(b"late").unwrap();
            far_server
        });
        assert_eq!(reader.read(&mut buffer).unwrap(), 4);
        let _open = late.join().unwrap();
        drop(far_client);
        let started = Instant::now();
        assert_eq!(
            reader.read(&mut buffer).unwrap_err().kind(),
            io::ErrorKind::ConnectionAborted
        );
        assert!(started.elapsed() < SILENCE_LIMIT / 4);
    }

    #[test]
    fn a_head_has_a_time_limit_and_a_body_has_none() {
        let ((server, mut far_server), (client, _far_client)) = (pair(), pair());
        let mut reader = ServerReader::new(&server, &client);
        reader.head_deadline = Some(Instant::now());
        far_server.write_all(b"abc").unwrap();
        assert_eq!(
            reader.read(&mut [0; 9]).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        reader.head_is_complete();
        assert_eq!(reader.read(&mut [0; 9]).unwrap(), 3);
    }
}
