//! The rules of `robots.txt` (RFC 9309), requested once for each origin and cached for a day. Used
//! by `requests`.
//!
//! The crate `robotxt` parses the file; this module interprets the HTTP status and holds the
//! bounded cache.

use super::options::{AGENT, Failure};
use robotxt::{AccessResult, Robots};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;
use url::Url;
use vclean_core::error::ForbiddenAddress;

/// Largest part of the file that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 500 << 10;
/// How long a response is valid (RFC 9309, 2.4).
const EXPIRY: Duration = Duration::from_hours(24);
/// How long a failed fetch is valid. Heuristic: a run of several days tries the server again, and a
/// run of minutes does not try it for each page.
const UNREACHABLE_EXPIRY: Duration = Duration::from_mins(15);
/// Approximate size limit of the cache, in bytes; beyond it the oldest rules are removed and
/// requested again when needed.
const CACHE_BYTES: usize = 64 << 20;
/// Approximate size of an entry without its rules, in bytes.
const ENTRY_BYTES: usize = 256;

/// A server's response to the request for `robots.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsResponse {
    /// HTTP status after redirects; that of a redirect if there were too many.
    pub status: u16,
    /// The file, truncated after [`super::MAX_ROBOTS_BYTES`].
    pub body: Vec<u8>,
}

/// Why there is no response to the request for `robots.txt`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RobotsError {
    /// The server cannot be reached, or its answer is an error.
    #[error("{0}")]
    Unreachable(String),
    /// The address policy forbids the address of the server.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
}

/// The decision on fetching a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The page may be fetched. The host may request a pause between pages.
    Allowed {
        crawl_delay: Option<Duration>,
    },
    Forbidden,
    /// The rules are unknown, so the page may not be fetched.
    Unreachable {
        cause: RobotsError,
    },
}

/// The rules of all origins requested so far.
#[derive(Debug, Default)]
pub(super) struct Rules {
    cache: Mutex<Cache>,
    fetched: Condvar,
}

#[derive(Debug, Default)]
struct Cache {
    /// By origin; `None` while a thread fetches the rules.
    entries: BTreeMap<String, Option<Entry>>,
    /// Origins in the order of their responses, with the size of each; expired entries are removed
    /// in this order.
    order: VecDeque<(String, Instant, usize)>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    found: Result<Arc<Robots>, RobotsError>,
    until: Instant,
    bytes: usize,
}

impl Rules {
    /// Applies the rules of the address's origin; `fetch` fetches them if they are not known at
    /// `now`.
    pub(super) fn check(
        &self,
        url: &Url,
        now: Instant,
        fetch: impl FnOnce(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
    ) -> Verdict {
        match self.find(url, now, fetch) {
            Err(cause) => Verdict::Unreachable { cause },
            Ok(robots) if robots.is_url_allowed(url) => Verdict::Allowed {
                crawl_delay: robots.crawl_delay(),
            },
            Ok(_) => Verdict::Forbidden,
        }
    }

    /// The sitemaps that the `robots.txt` of the address's origin names; none if there is no
    /// answer.
    pub(super) fn sitemaps(
        &self,
        url: &Url,
        now: Instant,
        fetch: impl FnOnce(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
    ) -> Vec<Url> {
        self.find(url, now, fetch)
            .map_or_else(|_| Vec::new(), |robots| robots.sitemaps().to_vec())
    }

    fn find(
        &self,
        url: &Url,
        now: Instant,
        fetch: impl FnOnce(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
    ) -> Result<Arc<Robots>, RobotsError> {
        let origin = url.origin().ascii_serialization();
        let mut cache = self.lock();
        loop {
            match cache.entries.get(&origin) {
                Some(Some(entry)) if entry.until > now => return entry.found.clone(),
                // Another thread is fetching the rules; a second request is not needed.
                Some(None) => {
                    cache = self
                        .fetched
                        .wait(cache)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Some(Some(_)) | None => break,
            }
        }
        cache.entries.insert(origin.clone(), None);
        drop(cache);
        let mut pending = PendingFetch {
            rules: self,
            origin,
            entry: None,
        };
        let entry = entry(fetch(&robots_address(url)), now);
        let found = entry.found.clone();
        pending.entry = Some(entry);
        found
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reserves the cache entry while the rules are fetched; dropped without a response (after a
/// panic), it lets the next thread fetch them.
struct PendingFetch<'a> {
    rules: &'a Rules,
    origin: String,
    entry: Option<Entry>,
}

impl Drop for PendingFetch<'_> {
    fn drop(&mut self) {
        let mut cache = self.rules.lock();
        let origin = std::mem::take(&mut self.origin);
        cache.entries.remove(&origin);
        if let Some(entry) = self.entry.take() {
            cache.insert(origin, entry);
        }
        drop(cache);
        self.rules.fetched.notify_all();
    }
}

impl Cache {
    fn insert(&mut self, origin: String, entry: Entry) {
        let bytes = entry.bytes + origin.len() * 2;
        self.bytes += bytes;
        self.order.push_back((origin.clone(), entry.until, bytes));
        self.entries.insert(origin, Some(entry));
        while self.bytes > CACHE_BYTES && self.order.len() > 1 {
            let Some((oldest, until, bytes)) = self.order.pop_front() else {
                return;
            };
            self.bytes -= bytes;
            // A newer response of the same origin stays.
            if self
                .entries
                .get(&oldest)
                .is_some_and(|entry| entry.as_ref().is_some_and(|entry| entry.until == until))
            {
                self.entries.remove(&oldest);
            }
        }
    }
}

/// The address of an origin's `robots.txt`.
fn robots_address(url: &Url) -> Url {
    let mut address = url.clone();
    address.set_path("/robots.txt");
    address.set_query(None);
    address.set_fragment(None);
    // These fail only for an address without a host, which is never requested.
    let _ = address.set_username("");
    let _ = address.set_password(None);
    address
}

/// RFC 9309, 2.3.1: the rules of a successful response are read, a missing file (or too many
/// redirects) forbids nothing, and a server error forbids everything. Status 429 counts as a server
/// error and not as a missing file, as at Google.
fn entry(answer: Result<RobotsResponse, Failure<RobotsError>>, now: Instant) -> Entry {
    let unreachable = |cause: RobotsError| Entry {
        bytes: ENTRY_BYTES + cause.to_string().len(),
        found: Err(cause),
        until: now + UNREACHABLE_EXPIRY,
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => return unreachable(failure.error),
    };
    let access = match answer.status {
        200..=299 => AccessResult::Successful(&answer.body),
        300..=399 => AccessResult::TooManyRedirects,
        400..=428 | 430..=499 => AccessResult::Unavailable,
        status => {
            let cause = format!("the server answered {status}; try again later");
            return unreachable(RobotsError::Unreachable(cause));
        }
    };
    let robots = Robots::from_access(access, AGENT);
    let rules: usize = robots
        .rules()
        .iter()
        .map(|rule| rule.pattern().len() + 48)
        .sum();
    let sitemaps: usize = robots
        .sitemaps()
        .iter()
        .map(|sitemap| sitemap.as_str().len() + 96)
        .sum();
    Entry {
        found: Ok(Arc::new(robots)),
        until: now + EXPIRY,
        bytes: ENTRY_BYTES + rules + sitemaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn url(address: &str) -> Url {
        Url::parse(address).unwrap()
    }

    #[allow(clippy::unnecessary_wraps)]
    fn says(status: u16, body: &str) -> Result<RobotsResponse, Failure<RobotsError>> {
        Ok(RobotsResponse {
            status,
            body: body.as_bytes().to_vec(),
        })
    }

    fn verdict(status: u16, body: &str, path: &str) -> Verdict {
        let page = url(&format!("https://user:word@a.example:8443{path}"));
        Rules::default().check(&page, Instant::now(), |requested| {
            assert_eq!(requested.as_str(), "https://a.example:8443/robots.txt");
            says(status, body)
        })
    }

    #[test]
    fn the_status_decides_how_a_response_is_used() {
        let rules = "User-agent: *\nDisallow: /\n";
        let allowed = Verdict::Allowed { crawl_delay: None };
        assert_eq!(verdict(200, rules, "/a"), Verdict::Forbidden);
        for status in [301, 401, 403, 404, 410] {
            assert_eq!(verdict(status, rules, "/a"), allowed, "{status}");
        }
        for status in [429, 500, 503, 0, 999] {
            assert!(
                matches!(verdict(status, "", "/a"), Verdict::Unreachable { .. }),
                "{status}"
            );
        }
    }

    #[test]
    fn our_own_group_has_priority_and_the_longest_rule_decides() {
        let rules = "\u{feff}User-agent: *\nDisallow: /\n\nUser-Agent: other\nUser-agent: VClean\nDisallow: /a/*.pdf$\n\
                     Disallow: /b\nAllow: /b/open\nCrawl-delay: 2.5\n";
        let allowed = Verdict::Allowed {
            crawl_delay: Some(Duration::from_millis(2500)),
        };
        for path in ["/", "/a/x.html", "/a/x.pdf?y", "/b/open/1", "/robots.txt"] {
            assert_eq!(verdict(200, rules, path), allowed, "{path}");
        }
        for path in ["/a/x.pdf", "/a/b/c.pdf", "/b", "/b/c", "/%62/c"] {
            assert_eq!(verdict(200, rules, path), Verdict::Forbidden, "{path}");
        }
    }

    #[test]
    fn sitemaps_are_named_beside_the_rules() {
        let body =
            "User-agent: *\nDisallow: /\nSitemap: https://a.example/one.xml\nsitemap: /two.xml\n";
        let found = Rules::default().sitemaps(&url("https://a.example/x"), Instant::now(), |_| {
            says(200, body)
        });
        assert_eq!(found[0], url("https://a.example/one.xml"));
        assert!(
            Rules::default()
                .sitemaps(&url("https://a.example/x"), Instant::now(), |_| says(
                    500, body
                ))
                .is_empty()
        );
    }

    #[test]
    fn hostile_rules_are_matched_quickly() {
        let mut body = "User-agent: *\n".to_owned();
        while body.len() < MAX_BYTES as usize {
            body.push_str("Disallow: /");
            body.push_str(&"*a".repeat(500));
            body.push_str("*b$\n");
        }
        let start = Instant::now();
        assert!(matches!(
            verdict(200, &body, &format!("/{}", "a".repeat(2000))),
            Verdict::Allowed { .. }
        ));
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn responses_are_valid_for_a_day_and_failures_for_a_quarter_of_an_hour() {
        let (rules, requested, start) = (Rules::default(), Cell::new(0), Instant::now());
        let ask = |status: u16, after_s: u64| {
            rules.check(
                &url("http://a.example/"),
                start + Duration::from_secs(after_s),
                |_| {
                    requested.set(requested.get() + 1);
                    says(status, "")
                },
            );
            requested.get()
        };
        assert_eq!(
            [
                ask(503, 0),
                ask(200, 60),
                ask(200, 901),
                ask(200, 80_000),
                ask(200, 90_000)
            ],
            [1, 1, 2, 2, 3]
        );
        assert_eq!(rules.lock().entries.len(), 1);
    }

    #[test]
    fn the_cache_is_bounded_and_a_panic_does_not_lock_the_origin() {
        let rules = Rules::default();
        let long = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(400 << 10));
        for number in 0..300 {
            rules.check(
                &url(&format!("http://{number}.example/")),
                Instant::now(),
                |_| says(200, &long),
            );
        }
        let cache = rules.lock();
        assert!(
            cache.bytes <= CACHE_BYTES && cache.entries.len() < 200,
            "{}",
            cache.entries.len()
        );
        assert_eq!(cache.entries.len(), cache.order.len());
        drop(cache);
        let page = url("http://new.example/");
        let panics = std::panic::AssertUnwindSafe(|| {
            rules.check(&page, Instant::now(), |_| panic!("a fault"))
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(matches!(
            rules.check(&page, Instant::now(), |_| says(404, "")),
            Verdict::Allowed { .. }
        ));
    }

    #[test]
    fn threads_that_need_the_same_rules_fetch_them_once() {
        let (rules, requested) = (Rules::default(), std::sync::atomic::AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    rules.check(&url("http://a.example/"), Instant::now(), |_| {
                        requested.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(20));
                        says(200, "")
                    })
                });
            }
        });
        assert_eq!(requested.into_inner(), 1);
    }
}
