//! Decides which servers get the headers, cookies and storage meant for a page's host.

use url::Url;

/// The server of a page: the only one that gets the caller's headers and cookies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnHost {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl OwnHost {
    /// Returns the server of an address, or `None` if the address has no host.
    pub(crate) fn from_url(url: &Url) -> Option<Self> {
        Some(Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str()?.to_owned(),
            port: url.port_or_known_default(),
        })
    }

    /// Returns true if an address is on this server: same scheme, host and port, or the same host
    /// with HTTPS instead of HTTP on the usual ports. HTTP instead of HTTPS is not accepted, as
    /// secrets would be sent unencrypted.
    pub(crate) fn is(&self, url: &Url) -> bool {
        let port = url.port_or_known_default();
        let is_same = url.scheme() == self.scheme && port == self.port;
        let is_upgraded = self.scheme == "http"
            && self.port == Some(80)
            && url.scheme() == "https"
            && port == Some(443);
        url.host_str() == Some(&self.host) && (is_same || is_upgraded)
    }
}

/// Returns true if secrets for the server of one address may be sent to another address: it has the
/// same scheme, host and port, or the same host with HTTPS instead of HTTP.
pub fn is_same_server(own: &Url, other: &Url) -> bool {
    OwnHost::from_url(own).is_some_and(|own| own.is(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_itself_on_its_port_and_with_encryption() {
        let is = |own: &str, other: &str| {
            OwnHost::from_url(&Url::parse(own).unwrap())
                .unwrap()
                .is(&Url::parse(other).unwrap())
        };
        for (own, other) in [
            ("https://a.example/", "https://a.example/x?y"),
            ("https://a.example/", "https://A.example:443/"),
            ("http://a.example/", "https://a.example/"),
            ("http://a.example:8080/", "http://a.example:8080/x"),
        ] {
            assert!(is(own, other), "{own} {other}");
        }
        for (own, other) in [
            ("https://a.example/", "http://a.example/"),
            ("https://a.example/", "https://www.a.example/"),
            ("https://a.example/", "https://b.example/"),
            ("https://a.example/", "https://a.example.b.example/"),
            ("https://a.example/", "https://a.example@b.example/"),
            ("http://a.example:8080/", "https://a.example/"),
            ("http://a.example/", "http://a.example:8080/"),
            ("http://127.0.0.1:80/", "http://127.0.0.2/"),
        ] {
            assert!(!is(own, other), "{own} {other}");
        }
    }
}
