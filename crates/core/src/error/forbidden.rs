//! Why the policy of addresses forbids an address. The cause is a type, because the remedy depends on who reads it: the user
//! of the command line may lift the policy, and the client of a service may not.

use std::net::{IpAddr, SocketAddr};
use thiserror::Error;

/// Why the policy of addresses forbids an address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ForbiddenAddress {
    /// The address is not a public one.
    #[error("the address of {host} is {kind}: {address}; use `allow_private` to load it")]
    NotPublic {
        /// The host, as the request names it.
        host: String,
        /// The kind of the address in words, such as `private` or `a loopback address`.
        kind: &'static str,
        /// What the host resolves to.
        address: IpAddr,
    },
    /// The port is one of this program's own, such as that of the browser it controls.
    #[error("{address} belongs to vclean itself and is never loaded")]
    Own {
        /// Address and port.
        address: SocketAddr,
    },
}
