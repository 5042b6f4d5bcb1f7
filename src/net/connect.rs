//! Connections to servers: resolves a name, checks every address, and connects to the same address that was checked.

use super::address;
use super::servers::{MAX_PER_SERVER, ServerSlot, Servers};
use crate::error::{ForbiddenAddress, RenderError};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use thiserror::Error;
use url::{Host, Url};

/// Longest wait for a connection to one address.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Longest time without data on an open connection. Heuristic: more than slow servers need for a first byte.
pub(super) const SILENCE_LIMIT: Duration = Duration::from_mins(1);

/// What the proxy allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    /// Also allow loopback, private and link-local addresses.
    pub(crate) allow_private: bool,
    /// Allow saved pages only.
    pub(crate) offline: bool,
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
    /// The policy of addresses forbids it.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
}

impl From<Cause> for RenderError {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Temporary(cause) => Self::Later { cause, after_s: None },
            Cause::Permanent(cause) => Self::Load(cause),
            Cause::Forbidden(cause) => cause.into(),
        }
    }
}

/// Why there is no connection, and the status line of the response to the client.
pub(super) struct Failure {
    pub(super) status: &'static str,
    pub(super) cause: Cause,
}

fn forbidden(cause: Cause) -> Failure {
    Failure { status: "403 Forbidden", cause }
}

fn unreachable(cause: Cause) -> Failure {
    Failure { status: "502 Bad Gateway", cause }
}

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    _slot: ServerSlot,
}

/// Resolves a name, checks every address and connects to the first allowed one that accepts a connection. `is_ours`
/// returns whether a port belongs to this process; no page may reach such a port.
pub(super) fn connect(
    url: &Url,
    policy: Policy,
    servers: &Servers,
    is_ours: impl Fn(u16) -> bool,
) -> Result<Connection, Failure> {
    let name = url.host_str().unwrap_or_default();
    if policy.offline {
        return Err(forbidden(Cause::Permanent(format!("{name} is on the network; leave out `offline` to load it"))));
    }
    let port = url.port_or_known_default().unwrap_or(80);
    let mut allowed = Vec::new();
    let mut refused = None;
    for address in resolve(url, name, port)? {
        let ours = address.ip().to_canonical().is_loopback() && is_ours(address.port());
        match address::refusal(address.ip()) {
            _ if ours => refused = Some(ForbiddenAddress::Own { address }),
            Some(kind) if !policy.allow_private => {
                refused = Some(ForbiddenAddress::NotPublic { host: name.to_owned(), kind, address: address.ip() });
            }
            _ => allowed.push(address),
        }
    }
    if allowed.is_empty() {
        let cause = refused.map_or_else(|| Cause::Permanent(format!("{name} has no address")), Cause::from);
        return Err(forbidden(cause));
    }
    dial(&allowed, servers, name, port)
}

/// The addresses of a host.
fn resolve(url: &Url, name: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    let resolved: io::Result<Vec<SocketAddr>> = match url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Domain(domain)) => (domain, port).to_socket_addrs().map(Iterator::collect),
        None => return Err(forbidden(Cause::Permanent("the address has no host; check the address".to_owned()))),
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
fn dial(addresses: &[SocketAddr], servers: &Servers, name: &str, port: u16) -> Result<Connection, Failure> {
    let mut last = None;
    let mut is_full = false;
    for address in addresses {
        let Some(slot) = servers.take(address.ip()) else {
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
            Ok(stream) => return Ok(Connection { stream, _slot: slot }),
            Err(error) => last = Some(error),
        }
    }
    let cause = match last {
        Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            format!("{name} refused the connection on port {port}; check the address or try again later")
        }
        Some(error) if is_time_out(&error) => {
            format!("{name} did not answer within {} s; try again later", CONNECT_LIMIT.as_secs())
        }
        Some(error) => format!("{name} cannot be reached: {error}; check the network"),
        None if is_full => {
            format!("{name} keeps {MAX_PER_SERVER} connections open, more are not opened; try again later")
        }
        None => format!("{name} has no address"),
    };
    Err(unreachable(Cause::Temporary(cause)))
}

/// Whether the time without data was too long.
pub(super) fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
