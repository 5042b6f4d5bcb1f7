//! What `robots.txt` allows (RFC 9309), asked once for each origin and remembered for a day. Stands below `visit`.
//!
//! `robotxt` reads the file; here are its meaning by status, the memory and its bounds.

use super::options::AGENT;
use super::retry::Failure;
use robotxt::{AccessResult, Robots};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// Most that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 500 << 10;
/// How long an answer counts (RFC 9309, 2.4).
const EXPIRY: Duration = Duration::from_hours(24);
/// How long no answer counts. Taste: a run of days meets the server again, a run of minutes does not ask it for each page.
const UNREACHABLE_EXPIRY: Duration = Duration::from_mins(15);
/// What all rules may take up in memory, about, in bytes; beyond it the oldest are forgotten and asked for anew.
const MEMORY_BYTES: usize = 64 << 20;
/// What an entry takes up beside its rules, about, in bytes.
const ENTRY_BYTES: usize = 256;

/// A server's answer for `robots.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status after redirects; of a redirect where there were too many.
    pub status: u16,
    /// The file, cut after [`super::MAX_ROBOTS_BYTES`].
    pub body: Vec<u8>,
}

/// Whether a page may be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It may; the host may ask for a pause between pages.
    Allowed { crawl_delay: Option<Duration> },
    /// It may not.
    Forbidden,
    /// Nobody knows, so it may not.
    Unreachable { cause: String },
}

/// The rules of all origins asked so far.
#[derive(Debug, Default)]
pub(super) struct Rules {
    memory: Mutex<Memory>,
    answered: Condvar,
}

#[derive(Debug, Default)]
struct Memory {
    /// By origin; `None` while somebody asks.
    entries: BTreeMap<String, Option<Entry>>,
    /// Origins in the order of their answers, with what each takes up; expired answers leave when their turn comes.
    order: VecDeque<(String, Instant, usize)>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    found: Result<Arc<Robots>, Arc<str>>,
    until: Instant,
    bytes: usize,
}

impl Rules {
    /// What the rules of the address's origin say; `ask` fetches them where they are not known at `now`.
    pub(super) fn judge(
        &self,
        url: &Url,
        now: Instant,
        ask: impl FnOnce(&Url) -> Result<Answer, Failure<String>>,
    ) -> Verdict {
        match self.find(url, now, ask) {
            Err(cause) => Verdict::Unreachable { cause: cause.to_string() },
            Ok(robots) if robots.is_url_allowed(url) => Verdict::Allowed { crawl_delay: robots.crawl_delay() },
            Ok(_) => Verdict::Forbidden,
        }
    }

    fn find(
        &self,
        url: &Url,
        now: Instant,
        ask: impl FnOnce(&Url) -> Result<Answer, Failure<String>>,
    ) -> Result<Arc<Robots>, Arc<str>> {
        let origin = url.origin().ascii_serialization();
        let mut memory = self.lock();
        loop {
            match memory.entries.get(&origin) {
                Some(Some(entry)) if entry.until > now => return entry.found.clone(),
                // Another thread asks; two requests would be one too many.
                Some(None) => memory = self.answered.wait(memory).unwrap_or_else(PoisonError::into_inner),
                Some(Some(_)) | None => break,
            }
        }
        memory.entries.insert(origin.clone(), None);
        drop(memory);
        let mut asking = Asking { rules: self, origin, entry: None };
        let entry = entry(ask(&address(url)), now);
        let found = entry.found.clone();
        asking.entry = Some(entry);
        found
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the place of an answer; dropped without one (after a panic), it lets the next thread ask.
struct Asking<'a> {
    rules: &'a Rules,
    origin: String,
    entry: Option<Entry>,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut memory = self.rules.lock();
        let origin = std::mem::take(&mut self.origin);
        memory.entries.remove(&origin);
        if let Some(entry) = self.entry.take() {
            memory.remember(origin, entry);
        }
        drop(memory);
        self.rules.answered.notify_all();
    }
}

impl Memory {
    fn remember(&mut self, origin: String, entry: Entry) {
        let bytes = entry.bytes + origin.len() * 2;
        self.bytes += bytes;
        self.order.push_back((origin.clone(), entry.until, bytes));
        self.entries.insert(origin, Some(entry));
        while self.bytes > MEMORY_BYTES && self.order.len() > 1 {
            let Some((oldest, until, bytes)) = self.order.pop_front() else { return };
            self.bytes -= bytes;
            // A newer answer of the same origin stays.
            if self.entries.get(&oldest).is_some_and(|entry| entry.as_ref().is_some_and(|entry| entry.until == until)) {
                self.entries.remove(&oldest);
            }
        }
    }
}

/// The address of an origin's rules.
fn address(url: &Url) -> Url {
    let mut address = url.clone();
    address.set_path("/robots.txt");
    address.set_query(None);
    address.set_fragment(None);
    // An address with a host may have both; without one it is never asked.
    let _ = address.set_username("");
    let _ = address.set_password(None);
    address
}

/// RFC 9309, 2.3.1: success is read, what the server does not have (or redirects without end) forbids nothing, and a
/// server in trouble forbids everything. 429 is trouble and no "not there", as with Google.
fn entry(answer: Result<Answer, Failure<String>>, now: Instant) -> Entry {
    let unreachable = |cause: String| Entry {
        bytes: ENTRY_BYTES + cause.len(),
        found: Err(cause.into()),
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
        status => return unreachable(format!("the server answered {status}; try again later")),
    };
    let robots = Robots::from_access(access, AGENT);
    let rules: usize = robots.rules().iter().map(|rule| rule.pattern().len() + 48).sum();
    let sitemaps: usize = robots.sitemaps().iter().map(|sitemap| sitemap.as_str().len() + 96).sum();
    Entry { found: Ok(Arc::new(robots)), until: now + EXPIRY, bytes: ENTRY_BYTES + rules + sitemaps }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn url(address: &str) -> Url {
        Url::parse(address).unwrap()
    }

    #[allow(clippy::unnecessary_wraps)]
    fn says(status: u16, body: &str) -> Result<Answer, Failure<String>> {
        Ok(Answer { status, body: body.as_bytes().to_vec() })
    }

    fn judged(status: u16, body: &str, path: &str) -> Verdict {
        let page = url(&format!("https://user:word@a.example:8443{path}"));
        Rules::default().judge(&page, Instant::now(), |asked| {
            assert_eq!(asked.as_str(), "https://a.example:8443/robots.txt");
            says(status, body)
        })
    }

    #[test]
    fn the_status_decides_what_the_answer_means() {
        let rules = "User-agent: *\nDisallow: /\n";
        let allowed = Verdict::Allowed { crawl_delay: None };
        assert_eq!(judged(200, rules, "/a"), Verdict::Forbidden);
        for status in [301, 401, 403, 404, 410] {
            assert_eq!(judged(status, rules, "/a"), allowed, "{status}");
        }
        for status in [429, 500, 503, 0, 999] {
            assert!(matches!(judged(status, "", "/a"), Verdict::Unreachable { .. }), "{status}");
        }
    }

    #[test]
    fn our_group_goes_before_that_of_all_and_the_longest_rule_decides() {
        let rules = "\u{feff}User-agent: *\nDisallow: /\n\nUser-Agent: other\nUser-agent: VClean\nDisallow: /a/*.pdf$\n\
                     Disallow: /b\nAllow: /b/open\nCrawl-delay: 2.5\n";
        let allowed = Verdict::Allowed { crawl_delay: Some(Duration::from_millis(2500)) };
        for path in ["/", "/a/x.html", "/a/x.pdf?y", "/b/open/1", "/robots.txt"] {
            assert_eq!(judged(200, rules, path), allowed, "{path}");
        }
        for path in ["/a/x.pdf", "/a/b/c.pdf", "/b", "/b/c", "/%62/c"] {
            assert_eq!(judged(200, rules, path), Verdict::Forbidden, "{path}");
        }
    }

    #[test]
    fn hostile_rules_take_no_time() {
        let mut body = "User-agent: *\n".to_owned();
        while body.len() < MAX_BYTES as usize {
            body.push_str("Disallow: /");
            body.push_str(&"*a".repeat(500));
            body.push_str("*b$\n");
        }
        let start = Instant::now();
        assert!(matches!(judged(200, &body, &format!("/{}", "a".repeat(2000))), Verdict::Allowed { .. }));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    #[test]
    fn answers_count_for_a_day_and_none_for_a_quarter_of_an_hour() {
        let (rules, asked, start) = (Rules::default(), Cell::new(0), Instant::now());
        let ask = |status: u16, after_s: u64| {
            rules.judge(&url("http://a.example/"), start + Duration::from_secs(after_s), |_| {
                asked.set(asked.get() + 1);
                says(status, "")
            });
            asked.get()
        };
        assert_eq!([ask(503, 0), ask(200, 60), ask(200, 901), ask(200, 80_000), ask(200, 90_000)], [1, 1, 2, 2, 3]);
        assert_eq!(rules.lock().entries.len(), 1);
    }

    #[test]
    fn memory_is_bounded_and_a_panic_does_not_lock_the_origin() {
        let rules = Rules::default();
        let long = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(400 << 10));
        for number in 0..300 {
            rules.judge(&url(&format!("http://{number}.example/")), Instant::now(), |_| says(200, &long));
        }
        let memory = rules.lock();
        assert!(memory.bytes <= MEMORY_BYTES && memory.entries.len() < 200, "{}", memory.entries.len());
        assert_eq!(memory.entries.len(), memory.order.len());
        drop(memory);
        let page = url("http://new.example/");
        let panics = std::panic::AssertUnwindSafe(|| rules.judge(&page, Instant::now(), |_| panic!("a fault")));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(matches!(rules.judge(&page, Instant::now(), |_| says(404, "")), Verdict::Allowed { .. }));
    }

    #[test]
    fn threads_that_want_the_same_rules_ask_once() {
        let (rules, asked) = (Rules::default(), std::sync::atomic::AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    rules.judge(&url("http://a.example/"), Instant::now(), |_| {
                        asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(20));
                        says(200, "")
                    })
                });
            }
        });
        assert_eq!(asked.into_inner(), 1);
    }
}
