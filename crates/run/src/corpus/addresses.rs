//! One form for addresses that name the same page (RFC 3986, section 6.2, and the URL standard of
//! the WHATWG).
//!
//! Scheme and host are in lower case, without the default port or a dot after the host, and dot
//! segments are resolved (by the crate `url`). The fragment is removed. Escapes are in capital
//! letters, and letters, digits, `-`, `.`, `_` and `~` are not escaped. Query parameters are sorted
//! by name, without tracking parameters. Identifiers of sessions, which servers write into the
//! links of visitors without cookies, are removed from query and path.

use super::hashes::text_hash;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use url::Url;
use vclean_core::page::{Body, Page};

/// Prefixes of tracking parameters, which say where a visitor came from.
const TRACKING_STARTS: &[&str] = &["utm_", "pk_", "mtm_", "hsa_"];

/// Names of tracking parameters: of advertisers, newsletters and social networks.
const TRACKING: &[&str] = &[
    "__s",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "dclid",
    "epik",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "rdt_cid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
    "ysclid",
];

/// Names of parameters that hold nothing but the identifier of a session, in lower case.
const SESSIONS: &[&str] = &[
    "cftoken",
    "jsessionid",
    "oscsid",
    "phpsessid",
    "xtcsid",
    "zenid",
];

/// Beginning of such names.
const SESSION_STARTS: &[&str] = &["aspsessionid"];

/// Names of parameters that hold the identifier of a session (phpBB, vBulletin, and others) or
/// something else; the value decides.
const MAYBE_SESSIONS: &[&str] = &[
    "cfid",
    "psid",
    "s",
    "sess",
    "sessid",
    "session",
    "session_id",
    "sessionid",
    "sid",
];

/// Least length of an identifier of a session among other values of its parameter. Heuristic: they
/// are 26 to 40 characters long, numbers of pages and search terms shorter.
const MIN_SESSION_CHARS: usize = 20;

/// The normalized form of an address; `None` if its scheme is not http or https.
pub fn normalized_url(address: &str) -> Option<String> {
    let mut url = Url::parse(address.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    url.set_host(Some(&host)).ok()?;
    let path = without_sessions(&normal_escapes(url.path()));
    url.set_path(&path);
    let query = url.query().map(normal_escapes).unwrap_or_default();
    let mut parameters: Vec<&str> = query
        .split('&')
        .filter(|parameter| {
            !parameter.is_empty() && !is_tracking(name(parameter)) && !is_session(parameter)
        })
        .collect();
    // Values of one name keep their order, which may have a meaning.
    parameters.sort_by_key(|parameter| name(parameter));
    url.set_query(
        (!parameters.is_empty())
            .then(|| parameters.join("&"))
            .as_deref(),
    );
    Some(url.into())
}

fn name(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or(parameter)
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_STARTS.iter().any(|start| name.starts_with(start))
}

/// Returns true for a parameter that holds the identifier of a session.
fn is_session(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let name = name.to_ascii_lowercase();
    let is_identifier = || {
        value.len() >= MIN_SESSION_CHARS
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && value.bytes().any(|byte| byte.is_ascii_digit())
    };
    SESSIONS.contains(&name.as_str())
        || SESSION_STARTS.iter().any(|start| name.starts_with(start))
        || MAYBE_SESSIONS.contains(&name.as_str()) && is_identifier()
}

/// A path without identifiers of sessions: the parameters of its segments (`;jsessionid=`), and
/// segments such as `(S(...))` (ASP.NET).
fn without_sessions(path: &str) -> String {
    let is_of_asp = |segment: &&str| segment.starts_with("(S(") && segment.ends_with("))");
    let segments = path.split('/').filter(|segment| !is_of_asp(segment));
    let segments = segments.map(|segment| {
        let mut parts = segment.split(';');
        let first = parts.next().unwrap_or_default().to_owned();
        let kept = parts.filter(|parameter| !is_session(parameter));
        kept.fold(first, |whole, parameter| whole + ";" + parameter)
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Decodes the escapes of unreserved characters and writes the others in capital letters.
fn normal_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let byte = rest
            .get(1..3)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(byte) = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            out.push('%');
            rest = &rest[1..];
            continue;
        };
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&rest[..3].to_ascii_uppercase());
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

// Leaves out inputs whose normalized address an earlier input has. Memory: some 20 bytes per
// address.

/// The number of inputs that were left out. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOut(Arc<AtomicU64>);

impl LeftOut {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The addresses of the inputs so far.
#[derive(Debug)]
pub(crate) struct DistinctAddresses {
    /// Hashes of the addresses. With ten million, the probability that two share one is 1 in
    /// 370,000.
    seen: FxHashSet<u64>,
    left_out: LeftOut,
    list: Option<BufWriter<File>>,
}

/// A line of the list of inputs that were left out.
#[derive(Serialize)]
struct Line<'a> {
    page: &'a str,
    input: &'a str,
    url: &'a str,
    normalized_url: &'a str,
}

/// The address by which a page is known before it is loaded.
pub(crate) fn address(page: &Page) -> Option<&str> {
    match &page.body {
        Body::Address(address) => Some(address),
        _ => page.url.as_deref(),
    }
}

impl DistinctAddresses {
    /// Starts without addresses. Inputs that are left out are listed in `duplicate-inputs.jsonl` in
    /// the folder of the run. If there is no folder or the list cannot be written, they are only
    /// counted.
    pub(crate) fn new(folder: Option<&Path>, left_out: LeftOut) -> Self {
        let list =
            folder.and_then(|folder| File::create(folder.join("duplicate-inputs.jsonl")).ok());
        Self {
            seen: FxHashSet::default(),
            left_out,
            list: list.map(BufWriter::new),
        }
    }

    /// Returns true if no earlier page has the address of this one. Pages without an address are
    /// all distinct.
    pub(crate) fn is_new(&mut self, stem: &str, page: &Page) -> bool {
        let address = address(page);
        let Some((address, normalized)) =
            address.and_then(|address| Some((address, normalized_url(address)?)))
        else {
            return true;
        };
        if self.seen.insert(text_hash(&normalized)) {
            return true;
        }
        self.left_out.0.fetch_add(1, Ordering::Relaxed);
        if let Some(list) = &mut self.list {
            let line = Line {
                page: stem,
                input: &page.input,
                url: address,
                normalized_url: &normalized,
            };
            // If the list can no longer be written, it ends and the run continues.
            let written = serde_json::to_writer(&mut *list, &line).map_err(io::Error::from);
            if written.and_then(|()| list.write_all(b"\n")).is_err() {
                self.list = None;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_of_one_page_become_one() {
        for (address, expected) in [
            (
                "HTTP://WWW.Example.ORG:80/a/../b#top",
                "http://www.example.org/b",
            ),
            ("https://example.org.:443", "https://example.org/"),
            (
                "https://a.example/?utm_source=x&b=2&a=1&UTM_Medium=y&fbclid=7",
                "https://a.example/?a=1&b=2",
            ),
            (
                "https://a.example/?a=2&b&a=1&",
                "https://a.example/?a=2&a=1&b",
            ),
            (
                "https://a.example/%7euser/%c3%a9?q=%41%2fb",
                "https://a.example/~user/%C3%A9?q=A%2Fb",
            ),
            ("https://a.example/ü?", "https://a.example/%C3%BC"),
            (
                "https://a.example/t.php?t=7&sid=0123456789abcdef0123456789abcdef&PHPSESSID=x",
                "https://a.example/t.php?t=7",
            ),
            (
                "https://a.example/a;v=1;jsessionid=0A1B.n2/b;JSESSIONID=7?q=1",
                "https://a.example/a;v=1/b?q=1",
            ),
            (
                "https://a.example/(S(lit3py55t21z5v55vlm25s55))/a.aspx",
                "https://a.example/a.aspx",
            ),
            (
                "https://a.example/?s=a+long+search+for+gulls&sid=1234",
                "https://a.example/?s=a+long+search+for+gulls&sid=1234",
            ),
            ("https://a.example/100%", "https://a.example/100%"),
            ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(
                normalized_url(address).as_deref(),
                Some(expected),
                "{address}"
            );
        }
        assert_eq!(normalized_url("file:///etc/hostname"), None);
        assert_eq!(normalized_url("page.html"), None);
    }

    proptest! {
        #[test]
        fn a_normalized_address_stays_as_it_is(rest in "[ -~ü]{0,60}") {
            if let Some(once) = normalized_url(&format!("https://a.example/{rest}")) {
                let twice = normalized_url(&once).unwrap();
                prop_assert_eq!(twice, once);
            }
        }
    }
}
