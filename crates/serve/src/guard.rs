//! Decides which callers may send requests: those with a token, or, if the service has no tokens,
//! programs on this machine. Pages of the web may not, though the user's browser runs on this
//! machine too.

use super::options::{ServiceOptions, Token};
use super::places::Caller;
use super::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use std::net::{IpAddr, Ipv6Addr};

/// The checks that every request passes.
pub(super) struct Guard {
    tokens: Vec<Token>,
    /// True if only this machine can reach the service.
    is_local: bool,
    /// Names by which others reach it through a proxy on this machine, in lower case.
    hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(options: &ServiceOptions) -> Self {
        let hosts = options
            .hosts
            .iter()
            .map(|name| name.to_ascii_lowercase())
            .collect();
        Self {
            tokens: options.tokens.clone(),
            is_local: options.bind.ip().is_loopback(),
            hosts,
        }
    }

    /// Checks a request and returns its caller. `is_open` is true if the endpoint needs no token.
    ///
    /// # Errors
    /// [`StatusCode::FORBIDDEN`] for a request of a page of the web, [`StatusCode::UNAUTHORIZED`]
    /// without a token.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        address: IpAddr,
        is_open: bool,
    ) -> Result<Caller, Problem> {
        self.check_origin(headers, is_open)?;
        let address = Some(prefix(address));
        if self.tokens.is_empty() {
            return Ok(Caller {
                token: None,
                address,
            });
        }
        let given = bearer(headers);
        // Every token is compared, so that the time does not reveal which one is right.
        let found = self
            .tokens
            .iter()
            .enumerate()
            .fold(None, |found, (index, token)| {
                let is_match = given.is_some_and(|given| token.is(given));
                if is_match { Some(index) } else { found }
            });
        match found {
            None if !is_open => {
                let cause =
                    "the request has no valid token; send the header Authorization: Bearer TOKEN";
                Err(Problem::new(StatusCode::UNAUTHORIZED, cause))
            }
            token => Ok(Caller { token, address }),
        }
    }

    /// Refuses requests that a page of another site sent from the user's browser. If only this
    /// machine can reach the service, also refuses requests for other hosts, against DNS rebinding.
    /// Programs that look after the service may name no host for what everybody may ask; browsers
    /// always do.
    fn check_origin(&self, headers: &HeaderMap, is_open: bool) -> Result<(), Problem> {
        let text =
            |name: &header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let refused = |cause: &str| Err(Problem::new(StatusCode::FORBIDDEN, cause));
        let host = text(&header::HOST).unwrap_or_default();
        let hosts = headers.get_all(header::HOST).iter().count();
        if hosts > 1 || hosts == 0 && !is_open {
            return refused("a request names one host");
        }
        if hosts > 0 && self.is_local && !is_local_host(host) && !self.is_public_host(host) {
            return refused(
                "this service is reached as 127.0.0.1 or localhost only; use one of these in the address, or start it with \
                 --host and the name by which its proxy is reached",
            );
        }
        let origin = headers
            .get(header::ORIGIN)
            .map(|origin| origin.to_str().unwrap_or_default());
        let is_own = |origin: &str| {
            origin
                .split_once("://")
                .is_some_and(|(_, name)| name.eq_ignore_ascii_case(host))
        };
        if origin.is_some_and(|origin| !is_own(origin)) {
            return refused("pages of other sites may not use this service");
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
            return refused("pages of other sites may not use this service");
        }
        Ok(())
    }
}

impl Guard {
    /// Returns true if a `Host` header is one of the names of the service, with any port.
    fn is_public_host(&self, host: &str) -> bool {
        let name = name_of(host).to_ascii_lowercase();
        self.hosts.contains(&name)
    }
}

/// The token of a request.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The name in a `Host` header, without its port.
fn name_of(host: &str) -> &str {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns true if a `Host` header names this machine, with any port: tunnels and containers change
/// the port.
fn is_local_host(host: &str) -> bool {
    let name = name_of(host);
    let address = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// The address that identifies a caller: an IPv4 address, or the first 64 bits of an IPv6 address,
/// because one site has all addresses with these bits.
pub(super) fn prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::options;
    use super::*;
    use axum::http::HeaderName;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn guard(tokens: &[&str], bind: &str) -> Guard {
        let tokens = tokens
            .iter()
            .map(|token| Token::new(token).unwrap())
            .collect();
        Guard::new(&ServiceOptions {
            tokens,
            bind: bind.parse().unwrap(),
            ..options()
        })
    }

    fn status(guard: &Guard, pairs: &[(&str, &str)]) -> u16 {
        let checked = guard.check(&headers(pairs), "127.0.0.1".parse().unwrap(), false);
        checked.map_or_else(|problem| problem.status.as_u16(), |_| 200)
    }

    #[test]
    fn pages_of_the_web_are_refused() {
        let local = guard(&[], "127.0.0.1:8780");
        let host = ("host", "127.0.0.1:8780");
        for accepted in [
            &[host][..],
            &[("host", "localhost:9")],
            &[("host", "[::1]:8780")],
            &[
                host,
                ("origin", "http://127.0.0.1:8780"),
                ("sec-fetch-site", "same-origin"),
            ],
            &[host, ("sec-fetch-site", "none")],
        ] {
            assert_eq!(status(&local, accepted), 200, "{accepted:?}");
        }
        for refused in [
            &[][..],
            &[("host", "evil.example")],
            &[("host", "127.0.0.1.evil.example:8780")],
            &[("host", "10.0.0.1:8780")],
            &[host, ("origin", "http://evil.example")],
            &[host, ("origin", "http://127.0.0.1:9999")],
            &[host, ("origin", "null")],
            &[host, ("sec-fetch-site", "cross-site")],
            &[host, ("sec-fetch-site", "same-site")],
        ] {
            assert_eq!(status(&local, refused), 403, "{refused:?}");
        }
        // Health checks of HTTP/1.0 name no host.
        let address = "127.0.0.1".parse().unwrap();
        assert!(local.check(&headers(&[]), address, true).is_ok());
        let mut both = headers(&[host]);
        both.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(local.check(&both, address, true).is_err());
    }

    #[test]
    fn a_proxy_of_this_machine_may_keep_the_host_of_its_requests() {
        let hosts = vec!["Pages.example".to_owned(), "10.1.2.3".to_owned()];
        let tokens = vec![Token::new("0123456789abcdef").unwrap()];
        let guard = Guard::new(&ServiceOptions {
            tokens,
            hosts,
            ..options()
        });
        let token = ("authorization", "Bearer 0123456789abcdef");
        for host in [
            "pages.example",
            "PAGES.example:443",
            "pages.example.",
            "10.1.2.3:8443",
            "127.0.0.1:8780",
        ] {
            let own = format!("https://{host}");
            let browser = [
                ("host", host),
                ("origin", own.as_str()),
                ("sec-fetch-site", "same-origin"),
                token,
            ];
            assert_eq!(
                (
                    status(&guard, &[("host", host), token]),
                    status(&guard, &browser)
                ),
                (200, 200),
                "{host}"
            );
            assert_eq!(
                status(
                    &guard,
                    &[("host", host), ("origin", "https://evil.example"), token]
                ),
                403,
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "pages.example.evil.example",
            "www.pages.example",
            "10.1.2.4",
        ] {
            assert_eq!(status(&guard, &[("host", host), token]), 403, "{host}");
        }
    }

    #[test]
    fn tokens_are_needed_where_there_are_some() {
        let open = guard(&["0123456789abcdef", "fedcba9876543210"], "0.0.0.0:8780");
        let host = ("host", "service.example");
        assert_eq!(status(&open, &[host]), 401);
        for wrong in [
            "Bearer 0123456789abcdeX",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "Bearer",
        ] {
            assert_eq!(
                status(&open, &[host, ("authorization", wrong)]),
                401,
                "{wrong}"
            );
        }
        let right = headers(&[host, ("authorization", "bearer fedcba9876543210")]);
        let address = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        let caller = open.check(&right, address, false).unwrap();
        assert_eq!(
            caller,
            Caller {
                token: Some(1),
                address: Some("2001:db8:1:2::".parse().unwrap())
            }
        );
        assert!(open.check(&headers(&[host]), address, true).is_ok());
    }
}
