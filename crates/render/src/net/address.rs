//! Decides which addresses and ports a page may reach: the public addresses that are not this
//! machine's own, and the ports that browsers use.
//!
//! The proxy checks every address before it connects. The lists follow the IANA special-purpose
//! address registries (RFC 6890 and its updates): every address that is not globally reachable is
//! refused, and an IPv6 address that contains an IPv4 address is checked by that IPv4 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Ports of protocols other than HTTP: the "bad ports" of the Fetch standard, section "Port
/// blocking".
const REFUSED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];
/// An arbitrary port; nothing is sent to it.
const SOME_PORT: u16 = 9;

/// Returns true for a port that browsers refuse.
pub(crate) fn is_refused_port(port: u16) -> bool {
    REFUSED_PORTS.binary_search(&port).is_ok()
}

/// Names the kind of a non-public address; `None` for a public one. An address of an interface of
/// this machine is never public, whatever it looks like: a service that listens there may trust
/// this machine.
pub(crate) fn refusal(address: IpAddr) -> Option<&'static str> {
    refusal_by_kind(address).or_else(|| is_own(address).then_some("an address of this machine"))
}

/// Returns true if data sent to an address stays on this machine.
pub(crate) fn is_own(address: IpAddr) -> bool {
    let address = embedded(address).map_or(address, IpAddr::V4);
    address.is_loopback() || address.is_unspecified() || leads_to_itself(address)
}

/// Returns true if the system itself answers for an address: then the source address of a
/// connection equals it. Connecting a UDP socket sends nothing. This is checked each time, since
/// interfaces come and go, and the standard library cannot list them.
fn leads_to_itself(address: IpAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() {
        Ipv4Addr::UNSPECIFIED.into()
    } else {
        Ipv6Addr::UNSPECIFIED.into()
    };
    // Without sockets, no connection is possible either; until then, no address counts as harmless.
    let Ok(socket) = UdpSocket::bind((any, 0)) else {
        return true;
    };
    socket
        .connect((address, SOME_PORT))
        .and_then(|()| socket.local_addr())
        .is_ok_and(|local| local.ip() == address)
}

fn refusal_by_kind(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

/// Extracts the IPv4 address that an IPv6 address contains and leads to.
fn embedded(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    let (high, low) = match address.segments() {
        // The unspecified address (`::`) and the loopback address (`::1`).
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => return None,
        // IPv4-mapped, IPv4-translated and the deprecated IPv4-compatible form.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        // NAT64 with the well-known prefix (RFC 6052).
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4, which embeds the IPv4 address behind its prefix (RFC 3056).
        | [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "unspecified",
        (127, ..) => "a loopback address",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "private",
        (169, 254, _) => "link-local",
        (100, 64..=127, _) => "private (carrier-grade NAT)",
        (192, 0, 0) | (192, 88, 99) | (240..=255, ..) => "reserved",
        (198, 18..=19, _) => "reserved for benchmarks",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "reserved for documentation",
        (224..=239, ..) => "multicast",
        _ => return None,
    })
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(embedded) = embedded(address.into()) {
        return refusal_v4(embedded);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("a loopback address"),
        [0x64, 0xff9b, 1, ..] => Some("private (local NAT64)"),
        [0x2001, 0, ..] => Some("reserved (Teredo)"),
        [0x2001, 2, 0, ..] => Some("reserved for benchmarks"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("reserved for documentation"),
        [0x2001, 0x10..=0x2f, ..] | [0x100, 0, 0, ..] => Some("reserved"),
        [0xfc00..=0xfdff, ..] => Some("private (unique local)"),
        [0xfe80..=0xfebf, ..] => Some("link-local"),
        [0xfec0..=0xfeff, ..] => Some("private (site-local)"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("reserved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_refused_in_every_notation() {
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.2.1",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "4000::1",
        ] {
            assert!(refusal(address.parse().unwrap()).is_some(), "{address}");
        }
    }

    #[test]
    fn addresses_of_this_machine_are_its_own() {
        let ours = |address: &str| is_own(address.parse().unwrap());
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "0.0.0.0",
            "::",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
        ] {
            assert!(ours(address), "{address}");
        }
        assert!(!ours("192.0.2.7") && !ours("8.8.8.8") && !ours("2606:4700::1111"));
        // The address from which this machine reaches others, if it has a route to them.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        if socket.connect(("192.0.2.7", SOME_PORT)).is_ok() {
            assert!(is_own(socket.local_addr().unwrap().ip()));
        }
    }

    #[test]
    fn ports_of_other_protocols_are_refused() {
        assert!(REFUSED_PORTS.is_sorted());
        for port in [0, 22, 25, 110, 6000, 6667, 10080] {
            assert!(is_refused_port(port), "{port}");
        }
        for port in [80, 443, 8080, 8443, 6379, 65535] {
            assert!(!is_refused_port(port), "{port}");
        }
    }

    #[test]
    fn public_addresses_are_allowed() {
        for address in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "192.169.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
        ] {
            assert_eq!(refusal(address.parse().unwrap()), None, "{address}");
        }
    }
}
