//! Access control of the labelling page: only the browser window that was opened with the printed
//! address may use it.
//!
//! The address holds a token that works once and is exchanged for a cookie. The other checks keep
//! pages of the web, which run in the same browser, from using the cookie: the host must be the
//! loopback address (against DNS rebinding), the origin the page's own, and changes need a header
//! that a form of another page cannot send.

use axum::http::{HeaderMap, Method, header};
use data_encoding::HEXLOWER;
use std::sync::{Mutex, MutexGuard, PoisonError};
use vclean_run::web_guard::is_same_secret;

/// Number of random bytes of a secret.
const SECRET_BYTES: usize = 24;
/// Largest number of windows that may be opened with tokens of one program.
const MAX_SESSIONS: usize = 1000;
/// The header that requests for changes must have, with the value 1.
pub(crate) const CHANGE_HEADER: &str = "x-vclean";

/// The secrets of one program, and the address it is reached at.
#[derive(Debug)]
pub(crate) struct Guard {
    port: u16,
    token: Mutex<String>,
    sessions: Mutex<Vec<String>>,
}

/// A secret cannot be made, because the system gives no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers: {0}")]
pub(crate) struct NoRandomNumbers(getrandom::Error);

fn secret() -> Result<String, NoRandomNumbers> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(NoRandomNumbers)?;
    Ok(HEXLOWER.encode(&bytes))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guard {
    /// A guard with a fresh token.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub(crate) fn new(port: u16) -> Result<Self, NoRandomNumbers> {
        Ok(Self {
            port,
            token: Mutex::new(secret()?),
            sessions: Mutex::new(Vec::new()),
        })
    }

    /// The address that opens one window.
    pub(crate) fn address(&self) -> String {
        format!(
            "http://127.0.0.1:{}/?token={}",
            self.port,
            locked(&self.token)
        )
    }

    /// The name of the cookie. Cookies are shared by all ports of a host, so it contains the port.
    pub(crate) fn cookie_name(&self) -> String {
        format!("vclean_{}", self.port)
    }

    /// Exchanges the token for the value of a cookie, and replaces the token; `None` for a wrong or
    /// used one.
    pub(crate) fn open_session(&self, token: &str) -> Option<String> {
        let mut current = locked(&self.token);
        if !is_same_secret(&current, token) {
            return None;
        }
        let (session, next) = (secret().ok()?, secret().ok()?);
        let mut sessions = locked(&self.sessions);
        if sessions.len() >= MAX_SESSIONS {
            sessions.remove(0);
        }
        sessions.push(session.clone());
        *current = next;
        Some(session)
    }

    /// Reason for refusing a request before its cookie is checked; `None` if there is none.
    pub(crate) fn objection(&self, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
        let text =
            |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let hosts = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        let host = text(header::HOST).unwrap_or_default();
        if headers.get_all(header::HOST).iter().count() != 1
            || !hosts.iter().any(|known| known == host)
        {
            return Some(
                "this address does not belong to vclean lab annotate; open the one that it printed",
            );
        }
        if text(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
            return Some("a page of another origin asked for this, which is refused");
        }
        // A browser sends the site that a request comes from, also for pictures, which have no
        // origin. Other ports of this machine count as the same site, so the cookie alone does not
        // keep their pages out.
        let text_of = |name: &'static str| text(header::HeaderName::from_static(name));
        let is_foreign = matches!(text_of("sec-fetch-site"), Some("cross-site" | "same-site"));
        if is_foreign && text_of("sec-fetch-mode") != Some("navigate") {
            return Some("another page asked for this, which is refused");
        }
        if method == Method::POST {
            if headers.get(CHANGE_HEADER).is_none_or(|value| value != "1") {
                return Some(
                    "the header X-Vclean: 1 is missing; changes are made by the labelling page only",
                );
            }
            let kind = text(header::CONTENT_TYPE).unwrap_or_default();
            if kind.split(';').next().map(str::trim) != Some("application/json") {
                return Some(
                    "the content type is not application/json; changes are made by the labelling page only",
                );
            }
        }
        None
    }

    /// True if a request has the cookie of an open window.
    pub(crate) fn has_session(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let sessions = locked(&self.sessions);
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut values = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        values.any(|(key, value)| {
            key == name
                && sessions
                    .iter()
                    .any(|session| is_same_secret(session, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_token_opens_one_window() {
        let guard = Guard::new(1234).unwrap();
        let address = guard.address();
        let token = address.rsplit_once('=').unwrap().1.to_owned();
        assert_eq!(token.len(), 2 * SECRET_BYTES);
        assert!(guard.open_session("").is_none() && guard.open_session(&token[1..]).is_none());
        let session = guard.open_session(&token).unwrap();
        assert!(guard.open_session(&token).is_none());
        assert_ne!(guard.address(), address);
        let cookie = format!("other=1; vclean_1234={session}");
        assert!(guard.has_session(&headers(&[("cookie", &cookie)])));
        for wrong in [
            "",
            "vclean_1234=",
            "vclean_1234",
            &format!("vclean_1235={session}"),
            &cookie[..cookie.len() - 1],
        ] {
            assert!(
                !guard.has_session(&headers(&[("cookie", wrong)])),
                "{wrong}"
            );
        }
    }

    #[test]
    fn other_hosts_origins_and_forms_are_refused() {
        let guard = Guard::new(80).unwrap();
        let may = |method: &Method, pairs: &[(&'static str, &str)]| {
            guard.objection(method, &headers(pairs)).is_none()
        };
        let host = ("host", "127.0.0.1:80");
        assert!(may(&Method::GET, &[host]) && may(&Method::GET, &[("host", "localhost:80")]));
        for wrong in [
            "127.0.0.1",
            "evil.example:80",
            "127.0.0.1:81",
            "127.0.0.1:80.evil.example",
            "",
        ] {
            assert!(!may(&Method::GET, &[("host", wrong)]), "{wrong}");
        }
        assert!(!may(&Method::GET, &[]) && !may(&Method::GET, &[host, host]));
        assert!(may(
            &Method::GET,
            &[host, ("origin", "http://127.0.0.1:80")]
        ));
        for wrong in [
            "null",
            "http://localhost:80",
            "https://127.0.0.1:80",
            "http://evil.example",
        ] {
            assert!(!may(&Method::GET, &[host, ("origin", wrong)]), "{wrong}");
        }
        let from = |site: &'static str, mode: &'static str| {
            may(
                &Method::GET,
                &[host, ("sec-fetch-site", site), ("sec-fetch-mode", mode)],
            )
        };
        assert!(
            from("same-origin", "cors")
                && from("none", "navigate")
                && from("cross-site", "navigate")
        );
        assert!(!from("same-site", "no-cors") && !from("cross-site", "cors"));
        let json = ("content-type", "application/json; charset=utf-8");
        assert!(may(&Method::POST, &[host, json, ("x-vclean", "1")]));
        assert!(!may(&Method::POST, &[host, json]));
        assert!(!may(
            &Method::POST,
            &[host, ("content-type", "text/plain"), ("x-vclean", "1")]
        ));
    }
}
