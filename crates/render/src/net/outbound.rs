//! An upstream proxy outside of this process, through which everything is loaded.
//!
//! It resolves the names. Only numeric addresses and the names of this machine are checked here, so
//! pages can reach whatever the proxy can reach.

use super::http::Head;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::str::FromStr;
use url::Url;

/// Longest head of a response of the proxy, in bytes.
const MAX_HEAD_BYTES: u64 = 64 << 10;

/// A proxy that speaks HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct OutboundProxy {
    host: String,
    port: u16,
    /// Value of the header `Proxy-Authorization`, made from user and password.
    authorization: Option<String>,
}

/// Prints host and port but never the password.
impl fmt::Debug for OutboundProxy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "OutboundProxy({self})")
    }
}

/// Prints host and port but never the password.
impl fmt::Display for OutboundProxy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}:{}", self.host, self.port)
    }
}

impl FromStr for OutboundProxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).ok().filter(Url::has_host);
        let url =
            url.ok_or("a proxy is written as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT")?;
        if url.scheme() != "http" {
            return Err(format!(
                "proxies that speak {} are not supported; name one that speaks http",
                url.scheme()
            ));
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err("the address of a proxy ends with its port; leave the rest out".to_owned());
        }
        let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
        let (user, password) = (
            decoded(url.username()),
            decoded(url.password().unwrap_or_default()),
        );
        let has_user = !user.is_empty() || url.password().is_some();
        let authorization = has_user.then(|| {
            format!(
                "Basic {}",
                STANDARD.encode([user.as_slice(), b":", &password].concat())
            )
        });
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self {
            host,
            port: url.port_or_known_default().unwrap_or(80),
            authorization,
        })
    }
}

impl OutboundProxy {
    /// Returns the proxy's address as a URL.
    pub(super) fn url(&self) -> Option<Url> {
        Url::parse(&format!("http://{self}/")).ok()
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the header line with the proxy's user and password; empty if it has none.
    pub(super) fn authorization_line(&self) -> String {
        self.authorization
            .as_ref()
            .map_or_else(String::new, |value| {
                format!("Proxy-Authorization: {value}\r\n")
            })
    }

    /// Asks the proxy for a tunnel to `target` (`host:port`) on a new connection; returns the
    /// status of the response, or `None` if the response is not HTTP.
    pub(super) fn open_tunnel(
        &self,
        mut stream: &TcpStream,
        target: &str,
    ) -> io::Result<Option<u16>> {
        write!(
            stream,
            "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{}\r\n",
            self.authorization_line()
        )?;
        // Nothing beyond the head may be read: the bytes after it belong to the client.
        let head = Head::read(&mut BufReader::with_capacity(1, stream), MAX_HEAD_BYTES)?;
        Ok(head.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_has_a_host_a_port_and_perhaps_a_password_that_is_not_shown() {
        let plain: OutboundProxy = "http://proxy.example:3128".parse().unwrap();
        assert_eq!(
            (
                plain.to_string().as_str(),
                plain.authorization_line().as_str()
            ),
            ("proxy.example:3128", "")
        );
        let known: OutboundProxy = "http://me:h%40nter2@[::1]:8080/".parse().unwrap();
        assert_eq!(
            known.authorization_line(),
            format!(
                "Proxy-Authorization: Basic {}\r\n",
                STANDARD.encode("me:h@nter2")
            )
        );
        assert_eq!(format!("{known:?}"), "OutboundProxy([::1]:8080)");
        for (wrong, cause) in [
            ("proxy.example:3128", "is written as"),
            ("socks5://proxy.example", "speak socks5"),
            ("https://proxy.example", "speak https"),
            ("http://proxy.example/x", "leave the rest out"),
            ("", "is written as"),
        ] {
            let error = wrong.parse::<OutboundProxy>().unwrap_err();
            assert!(error.contains(cause), "{wrong}: {error}");
        }
    }
}
