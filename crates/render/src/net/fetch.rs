//! Fetches single documents without a browser: `robots.txt`, and bare HTML for cleaning without
//! layout.
//!
//! The requests go through the same proxy as those of the browser, so a redirect to a private
//! address fails there. Redirects are followed here and not by `ureq`, because the proxy stores the
//! cause of a failed connection by host.

use super::cancel::Cancel;
use super::http::Redirects;
use super::proxy::{PROXY_USER, Proxy};
use crate::load::{HeaderText, LoadOptions, OwnHost, ROBOT_USER_AGENT};
use std::io::Read;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use url::Url;
use vclean_core::error::RenderError;

/// Limits of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Longest body that is read, in bytes after decompression; the rest is not read.
    pub max_bytes: u64,
    /// Number of redirects that are followed; if there are more, the response is the last redirect.
    pub redirects: usize,
    /// Time limit for the whole fetch, redirects included.
    pub timeout: Duration,
}

impl Default for FetchLimits {
    /// Limits for a page: the largest size of a page, and a browser's number of redirects and time.
    fn default() -> Self {
        Self {
            max_bytes: vclean_core::page::MAX_PAGE_BYTES,
            redirects: 20,
            timeout: Duration::from_mins(1),
        }
    }
}

/// A response from the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// HTTP status code of the last response, redirects included.
    pub status: u16,
    /// Address of that response, after all redirects that were followed.
    pub final_url: Url,
    /// Value of `Content-Type`, if present.
    pub content_type: Option<String>,
    /// Pause that the server requests, in seconds.
    pub retry_after_s: Option<u64>,
    /// The decompressed body, up to the limit.
    pub body: Vec<u8>,
    /// Set if the body was longer than the limit.
    pub is_cut: bool,
}

/// Fetches documents without a browser, through the proxy of a renderer. Threads share it.
#[derive(Debug)]
pub(crate) struct Fetcher {
    proxy: Arc<Proxy>,
    config: ureq::config::Config,
}

impl Fetcher {
    pub(crate) fn through(proxy: Arc<Proxy>) -> Result<Self, RenderError> {
        let way_out = ureq::Proxy::builder(ureq::ProxyProtocol::Http)
            .host(&Ipv4Addr::LOCALHOST.to_string())
            .port(proxy.port())
            .username(PROXY_USER)
            .password(proxy.password())
            // The proxy resolves names and connects to the address that it has checked.
            .resolve_target(false)
            .build()
            .map_err(|error| {
                RenderError::Browser(format!(
                    "cannot use the proxy on the loopback interface: {error}"
                ))
            })?;
        let config = ureq::Agent::config_builder()
            .proxy(Some(way_out))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // Keep-alive is not useful for connections of one proxy to many hosts.
            .max_idle_connections(0)
            .user_agent(ROBOT_USER_AGENT)
            .build();
        Ok(Self { proxy, config })
    }

    /// Blocks a port of this machine for pages, under any policy.
    pub(crate) fn protect(&self, port: u16) {
        self.proxy.protect(port);
    }

    /// Fetches one document; a response with any status is a success.
    ///
    /// # Errors
    /// [`RenderError::Load`] for an address that cannot be fetched at all,
    /// [`RenderError::Forbidden`] for one that may not be fetched, [`RenderError::Later`] for one
    /// that cannot be fetched now, [`RenderError::TimeOut`] if it takes too long.
    /// [`RenderError::Engine`] for options that need a browser, [`RenderError::Cancelled`] if it
    /// was cancelled.
    pub(crate) fn fetch(
        &self,
        url: &Url,
        limits: FetchLimits,
        load: &LoadOptions,
        cancel: &Cancel,
    ) -> Result<Fetched, RenderError> {
        // Each fetch has its own agent, since shutting it down ends everything that the agent does.
        let agent = self.config.new_agent();
        cancel.on_set({
            let agent = agent.clone();
            || agent.shutdown()
        });
        let fetched = self.fetch_by(&agent, url, limits, load);
        // A closed connection may look like the end of the document.
        if cancel.is_set() {
            Err(RenderError::Cancelled)
        } else {
            fetched
        }
    }

    /// Sends a body by POST and returns the status of the response, which is not read; redirects
    /// are not followed.
    ///
    /// # Errors
    /// Those of [`Self::fetch`].
    pub(crate) fn post(
        &self,
        url: &Url,
        headers: &[(String, String)],
        body: &[u8],
        timeout: Duration,
    ) -> Result<u16, RenderError> {
        let agent = self.config.new_agent();
        let mut request = agent.post(url.as_str());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let sent = request.send(body).map_err(|error| {
            self.cause(&error, url, || RenderError::TimeOut {
                step: "sending",
                limit_ms: timeout.as_millis() as u64,
            })
        })?;
        Ok(sent.status().as_u16())
    }

    fn fetch_by(
        &self,
        agent: &ureq::Agent,
        url: &Url,
        limits: FetchLimits,
        load: &LoadOptions,
    ) -> Result<Fetched, RenderError> {
        load.check_without_browser("none")?;
        let own = OwnHost::from_url(url);
        let deadline = Instant::now() + limits.timeout;
        let mut redirects = Redirects::new(url.clone(), limits.redirects);
        loop {
            let url = &redirects.url;
            if !matches!(url.scheme(), "http" | "https") {
                return Err(RenderError::Load(format!(
                    "the address redirects to {}, and only http and https addresses are loaded; check the address",
                    url.scheme()
                )));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout_error = || RenderError::TimeOut {
                step: "fetching",
                limit_ms: limits.timeout.as_millis() as u64,
            };
            if left.is_zero() {
                return Err(timeout_error());
            }
            let mut request = agent.get(url.as_str());
            for (name, value) in headers(load, own.as_ref(), url)? {
                request = request.header(name, value);
            }
            let request = request.config().timeout_global(Some(left)).build();
            let mut response = request
                .call()
                .map_err(|error| self.cause(&error, url, timeout_error))?;
            let header = |name: &str| {
                Some(String::from_utf8_lossy(response.headers().get(name)?.as_bytes()).into_owned())
            };
            let status = response.status().as_u16();
            let (location, content_type, retry_after_s) = (
                header("location"),
                header("content-type"),
                header("retry-after").and_then(|value| retry_after_s(&value, SystemTime::now())),
            );
            if redirects.follow(status, location.as_deref()) {
                continue;
            }
            let mut body = Vec::new();
            let mut reader = response.body_mut().as_reader().take(limits.max_bytes + 1);
            if let Err(error) = reader.read_to_end(&mut body) {
                let error = ureq::Error::from(error);
                return Err(self.cause(&error, &redirects.url, timeout_error));
            }
            let is_cut = body.len() as u64 > limits.max_bytes;
            body.truncate(limits.max_bytes as usize);
            return Ok(Fetched {
                status,
                final_url: redirects.url,
                content_type,
                retry_after_s,
                body,
                is_cut,
            });
        }
    }

    /// Describes the cause of a failed fetch. The proxy's cause comes first, since it is the most
    /// exact one.
    fn cause(
        &self,
        error: &ureq::Error,
        url: &Url,
        timeout_error: impl Fn() -> RenderError,
    ) -> RenderError {
        let host = url.host_str().unwrap_or_default();
        let later = |cause: String| RenderError::Later {
            cause,
            after_s: None,
        };
        match error {
            ureq::Error::Timeout(_) => timeout_error(),
            ureq::Error::ConnectProxyFailed(_) => match self.proxy.cause(host) {
                Some(cause) => cause.into(),
                None => later(format!(
                    "{host} cannot be reached; check the address and the network"
                )),
            },
            ureq::Error::Io(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => later(
                format!("{host} broke off the connection ({error}); try again later"),
            ),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => {
                RenderError::Load(format!(
                    "the certificate or encryption of {host} is not valid ({error}); check the address, or try http"
                ))
            }
            _ => RenderError::Load(format!(
                "{url} cannot be fetched: {error}; check the address or try again later"
            )),
        }
    }
}

/// Returns the headers of a request: those for the page's host only if the address belongs to it.
fn headers(
    load: &LoadOptions,
    own: Option<&OwnHost>,
    url: &Url,
) -> Result<Vec<(String, String)>, RenderError> {
    let named = |name: &str, value: &Option<HeaderText>| {
        Some((name.to_owned(), value.as_ref()?.as_str().to_owned()))
    };
    let mut headers: Vec<(String, String)> = [
        named("user-agent", &load.user_agent),
        named("accept-language", &load.accept_language),
    ]
    .into_iter()
    .flatten()
    .collect();
    let Some(own) = own.filter(|own| own.is(url)) else {
        return Ok(headers);
    };
    for (name, value) in load.sent_headers() {
        headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
        headers.push((name, value));
    }
    let of_caller = load.sent_cookies()?;
    let stored = load
        .storage_state
        .as_ref()
        .map_or_else(Vec::new, |state| state.cookies_for(own, url));
    let stored = stored.into_iter().filter(|cookie| {
        cookie.is_for_path(url) && !of_caller.iter().any(|other| other.name == cookie.name)
    });
    let stored = stored.map(|cookie| format!("{}={}", cookie.name, cookie.value.reveal()));
    let cookies: Vec<String> = stored
        .chain(
            of_caller
                .iter()
                .map(|cookie| format!("{}={}", cookie.name, cookie.value.reveal())),
        )
        .collect();
    if !cookies.is_empty() {
        headers.push(("cookie".to_owned(), cookies.join("; ")));
    }
    Ok(headers)
}

/// Parses the seconds that a `Retry-After` header requests at `now`, given as a number or as a date
/// (RFC 9110, 10.2.3); `None` if it is neither.
pub(crate) fn retry_after_s(header: &str, now: SystemTime) -> Option<u64> {
    let header = header.trim();
    let from_date = || {
        let date = httpdate::parse_http_date(header).ok()?;
        Some(
            date.duration_since(now)
                .map_or(0, |wait| wait.as_secs_f64().ceil() as u64),
        )
    };
    header.parse::<u32>().map(u64::from).ok().or_else(from_date)
}

#[cfg(test)]
mod tests {
    use super::super::connect::Policy;
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use vclean_core::error::ForbiddenAddress;

    fn fetcher(allow_private: bool, offline: bool) -> Fetcher {
        Fetcher::through(Arc::new(
            Proxy::start(Policy {
                allow_private,
                offline,
                outbound: None,
            })
            .unwrap(),
        ))
        .unwrap()
    }

    /// Starts a server that responds by path; returns its port.
    fn server() -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                std::thread::spawn(move || response(&client));
            }
        });
        port
    }

    fn response(mut client: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(client);
        let (mut request, mut headers) = (String::new(), String::new());
        reader.read_line(&mut request)?;
        while reader.read_line(&mut headers)? > 2 {}
        let moved =
            |to: &str| format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\nconnection: close\r\n\r\n");
        match request.split(' ').nth(1).unwrap_or_default() {
            "/seen" => {
                write!(
                    client,
                    "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nset-cookie: c=1\r\nconnection: close\r\n\r\n{request}{headers}"
                )
            }
            "/packed" => {
                let mut packer = GzEncoder::new(Vec::new(), Compression::best());
                packer.write_all(&vec![b'x'; 10 << 20])?;
                client.write_all(
                    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n",
                )?;
                client.write_all(&packer.finish()?)
            }
            "/private" => client.write_all(moved("http://10.0.0.1/robots.txt").as_bytes()),
            "/file" => client.write_all(moved("file:///etc/hostname").as_bytes()),
            "/there" => client.write_all(moved("/seen").as_bytes()),
            "/loop" => client.write_all(moved("/loop").as_bytes()),
            "/busy" => client
                .write_all(b"HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n"),
            "/hang" => {
                std::thread::sleep(Duration::from_secs(20));
                Ok(())
            }
            path @ ("/trailers" | "/head") => {
                if path == "/trailers" {
                    client.write_all(
                        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
                    )?;
                } else {
                    client.write_all(b"HTTP/1.1 200 OK\r\n")?;
                }
                loop {
                    client.write_all(b"x-more: yes\r\n")?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            _ => Ok(()),
        }
    }

    fn fetch(
        fetcher: &Fetcher,
        port: u16,
        path: &str,
        limits: FetchLimits,
    ) -> Result<Fetched, RenderError> {
        fetcher.fetch(
            &Url::parse(&format!("http://127.0.0.1:{port}{path}")).unwrap(),
            limits,
            &LoadOptions::default(),
            &Cancel::default(),
        )
    }

    #[test]
    fn documents_are_decompressed_and_cut_and_send_no_cookies() {
        let (port, fetcher) = (server(), fetcher(true, false));
        let get = |path: &str| fetch(&fetcher, port, path, FetchLimits::default());
        get("/seen").unwrap();
        let found = get("/there").unwrap();
        assert_eq!((found.status, found.final_url.path()), (200, "/seen"));
        assert_eq!(found.content_type.as_deref(), Some("text/plain"));
        let seen = String::from_utf8(found.body).unwrap().to_lowercase();
        assert!(
            seen.contains("user-agent: mozilla/5.0 (compatible; vclean/"),
            "{seen}"
        );
        assert!(!seen.contains("cookie"), "{seen}");
        let limits = FetchLimits {
            max_bytes: 1 << 20,
            ..FetchLimits::default()
        };
        let packed = fetch(&fetcher, port, "/packed", limits).unwrap();
        assert_eq!((packed.body.len(), packed.is_cut), (1 << 20, true));
        let busy = get("/busy").unwrap();
        assert_eq!((busy.status, busy.retry_after_s), (503, Some(7)));
        let redirecting = fetch(
            &fetcher,
            port,
            "/loop",
            FetchLimits {
                redirects: 5,
                ..limits
            },
        )
        .unwrap();
        assert_eq!(redirecting.status, 302);
    }

    #[test]
    fn nothing_private_is_reached_and_the_cause_is_named() {
        let port = server();
        let strict = fetcher(false, false);
        let error = fetch(&strict, port, "/seen", FetchLimits::default()).unwrap_err();
        assert!(
            matches!(
                error,
                RenderError::Forbidden(ForbiddenAddress::NotPublic { .. })
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains("`allow_private`"), "{error}");
        let offline = fetcher(true, true);
        let error = fetch(&offline, port, "/seen", FetchLimits::default()).unwrap_err();
        assert!(error.to_string().contains("`offline`"), "{error}");
        let open = fetcher(true, false);
        let error = fetch(&open, port, "/file", FetchLimits::default()).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }

    #[test]
    fn temporary_errors_are_distinguished_from_permanent_ones() {
        let (port, fetcher) = (server(), fetcher(true, false));
        let error = fetch(&fetcher, port, "/drop", FetchLimits::default()).unwrap_err();
        assert!(matches!(error, RenderError::Later { .. }), "{error:?}");
        let limits = FetchLimits {
            timeout: Duration::from_millis(300),
            ..FetchLimits::default()
        };
        let error = fetch(&fetcher, port, "/hang", limits).unwrap_err();
        assert!(matches!(error, RenderError::TimeOut { .. }), "{error:?}");
        // A response without end uses up its own time limit and not that of the next fetch.
        for path in ["/trailers", "/head"] {
            let started = Instant::now();
            let error = fetch(&fetcher, port, path, limits).unwrap_err();
            assert!(
                matches!(error, RenderError::TimeOut { .. }),
                "{path}: {error:?}"
            );
            assert_eq!(
                fetch(&fetcher, port, "/seen", FetchLimits::default())
                    .unwrap()
                    .status,
                200
            );
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "{path}: {:?}",
                started.elapsed()
            );
        }
        let free_port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let error = fetch(&fetcher, free_port, "/", FetchLimits::default()).unwrap_err();
        assert!(
            matches!(&error, RenderError::Later { cause, .. } if cause.contains("refused")),
            "{error:?}"
        );
        let nowhere = Url::parse("http://no-such-host.invalid/").unwrap();
        let error = fetcher
            .fetch(
                &nowhere,
                FetchLimits::default(),
                &LoadOptions::default(),
                &Cancel::default(),
            )
            .unwrap_err();
        assert!(
            matches!(&error, RenderError::Load(cause) if cause.contains("resolved")),
            "{error:?}"
        );
    }

    #[test]
    fn a_fetch_ends_when_it_is_cancelled() {
        let (fetcher, port) = (fetcher(true, false), server());
        let url = |path: &str| Url::parse(&format!("http://127.0.0.1:{port}{path}")).unwrap();
        let fetch = |path: &str, cancel: &Cancel| {
            fetcher
                .fetch(
                    &url(path),
                    FetchLimits::default(),
                    &LoadOptions::default(),
                    cancel,
                )
                .map(|_| ())
        };
        for path in ["/hang", "/trailers", "/head"] {
            let (cancel, started) = (Cancel::default(), Instant::now());
            let later = cancel.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                later.set();
            });
            assert!(
                matches!(fetch(path, &cancel), Err(RenderError::Cancelled)),
                "{path}"
            );
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "{path}: {:?}",
                started.elapsed()
            );
            assert!(fetch("/seen", &cancel).is_err(), "it stays cancelled");
        }
        assert!(fetch("/seen", &Cancel::default()).is_ok(), "others are not");
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Fri, 31 Dec 1999 23:59:00 GMT").unwrap();
        for (header, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", Some(59)),
            ("Thu, 31 Dec 1998 23:59:59 GMT", Some(0)),
            ("99999999999999999999", None),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_s(header, now), seconds, "{header}");
        }
    }
}
