//! Decides which addresses a page may reach: the public ones.
//!
//! The proxy checks every address before it connects. The lists follow the IANA special-purpose address registries (RFC
//! 6890 and its updates): every address that is not globally reachable is refused, and an IPv6 address that contains an
//! IPv4 address is checked by that IPv4 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of a non-public address, or `None` for a public one.
pub(crate) fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
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
    let parts = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("a loopback address"),
        // IPv4-mapped, IPv4-translated and the deprecated IPv4-compatible form.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        // NAT64 (RFC 6052).
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4 (RFC 3056).
        | [0x2002, high, low, ..] => refusal_v4(embedded(high, low)),
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
