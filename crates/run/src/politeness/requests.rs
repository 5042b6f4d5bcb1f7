//! One rate-limited request: waits for the host, checks `robots.txt`, does the work, and retries
//! temporary failures.

use super::hosts::{Hosts, Wait};
use super::options::{Failure, MAX_WAIT, PolitenessOptions, persist};
use super::robots::{RobotsError, RobotsResponse, Rules, Verdict};
use std::sync::OnceLock;
use std::time::Instant;
use thiserror::Error;
use url::Url;

/// Why a page was not fetched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Refused<E> {
    /// `robots.txt` forbids the address.
    #[error(
        "robots.txt of {host} asks vclean to stay away from this address; leave it out, or use `ignore_robots` where you may"
    )]
    Forbidden {
        /// Name of the host, without scheme and port.
        host: String,
    },
    /// There was no response to the request for `robots.txt`, so every page is forbidden for now
    /// (RFC 9309, 2.3.1.4).
    #[error(
        "{cause} (asked for robots.txt of {host}; without an answer nothing is fetched there for now)"
    )]
    Unreachable {
        /// Name of the host, without scheme and port.
        host: String,
        /// Why there was no response.
        cause: RobotsError,
    },
    /// The host requested a longer pause than the limit for a page.
    #[error("{host} asks to be left alone for {wait_s} s; try again after that")]
    Later {
        /// Name of the host, without scheme and port.
        host: String,
        /// Length of the pause in seconds.
        wait_s: u64,
    },
    /// The run ended before the page could be requested.
    #[error("the run ended before the turn of this page came; run the same command again")]
    Ended,
    /// The work itself failed: permanently, or in every attempt.
    #[error(transparent)]
    Failed(E),
}

type HasEnded = Box<dyn Fn() -> bool + Send + Sync>;

/// The rate limits and `robots.txt` rules of all hosts. Threads share it.
pub struct Politeness {
    options: PolitenessOptions,
    pub(super) hosts: Hosts,
    rules: Rules,
    has_ended: OnceLock<HasEnded>,
}

impl Politeness {
    /// Creates the limits; nothing is known of any host yet.
    pub fn new(options: PolitenessOptions) -> Self {
        let options = PolitenessOptions {
            per_host: options.per_host.max(1),
            ..options
        };
        Self {
            options,
            hosts: Hosts::new(options.per_host, options.delay),
            rules: Rules::default(),
            has_ended: OnceLock::new(),
        }
    }

    /// Makes waiting requests end with [`Refused::Ended`] soon after `has_ended` returns true. Only
    /// the first call has an effect.
    pub fn end_when(&self, has_ended: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.has_ended.set(Box::new(has_ended));
    }

    /// Returns true if `robots.txt` is obeyed.
    pub(crate) fn obeys_robots(&self) -> bool {
        !self.options.ignore_robots
    }

    /// Largest number of pages of a host that are loaded at the same time.
    pub(crate) fn per_host(&self) -> usize {
        self.options.per_host
    }

    /// Returns true if `robots.txt` allows an address or its rules are unknown; see
    /// [`Self::request`] for `fetch_robots`.
    pub(crate) fn allows(
        &self,
        url: &Url,
        fetch_robots: impl Fn(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
    ) -> bool {
        self.options.ignore_robots
            || self.rules.check(url, Instant::now(), fetch_robots) != Verdict::Forbidden
    }

    /// The sitemaps that the `robots.txt` of an address names; see [`Self::request`] for
    /// `fetch_robots`.
    pub(crate) fn sitemaps(
        &self,
        url: &Url,
        fetch_robots: impl Fn(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
    ) -> Vec<Url> {
        self.rules.sitemaps(url, Instant::now(), fetch_robots)
    }

    /// Makes one rate-limited request: waits until the address's host may be used, fetches
    /// `robots.txt` if it is not known yet, and calls `work`, with retries after temporary
    /// failures. The host stays occupied until `work` returns.
    ///
    /// `fetch_robots` gets the address of a `robots.txt`, follows up to
    /// [`MAX_ROBOTS_REDIRECTS`](super::MAX_ROBOTS_REDIRECTS) redirects and reads up to
    /// [`MAX_ROBOTS_BYTES`](super::MAX_ROBOTS_BYTES). A `robots.txt` does not count as a page: no
    /// pause follows it.
    ///
    /// # Errors
    /// [`Refused`], which holds the error of `work` if that was called.
    pub fn request<T, E>(
        &self,
        url: &Url,
        fetch_robots: impl Fn(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
        work: impl FnMut() -> Result<T, Failure<E>>,
    ) -> Result<T, Refused<E>> {
        self.request_unless(url, || false, fetch_robots, work)
    }

    /// Makes a request like [`Self::request`]. Waiting also ends with [`Refused::Ended`] soon after
    /// `is_cancelled` returns true.
    ///
    /// # Errors
    /// Those of [`Self::request`].
    pub(crate) fn request_unless<T, E>(
        &self,
        url: &Url,
        is_cancelled: impl Fn() -> bool,
        fetch_robots: impl Fn(&Url) -> Result<RobotsResponse, Failure<RobotsError>>,
        mut work: impl FnMut() -> Result<T, Failure<E>>,
    ) -> Result<T, Refused<E>> {
        let host = host_of(url);
        let has_ended =
            || is_cancelled() || self.has_ended.get().is_some_and(|has_ended| has_ended());
        let mut attempt = 0;
        loop {
            let mut permit = self
                .hosts
                .take(&host, &has_ended)
                .map_err(|wait| match wait {
                    Wait::Ended => Refused::Ended,
                    Wait::TooLong(wait) => Refused::Later {
                        host: host.clone(),
                        wait_s: wait.as_secs(),
                    },
                })?;
            if !self.options.ignore_robots {
                let fetch =
                    |url: &Url| persist(self.options.retries, &has_ended, || fetch_robots(url));
                match self.rules.check(url, Instant::now(), fetch) {
                    Verdict::Allowed { crawl_delay } => permit.apply_crawl_delay(crawl_delay),
                    // No page was requested from the host, so the next one need not wait.
                    Verdict::Forbidden => {
                        permit.cancel();
                        return Err(Refused::Forbidden { host });
                    }
                    Verdict::Unreachable { cause } => {
                        permit.cancel();
                        return Err(Refused::Unreachable { host, cause });
                    }
                }
            }
            match work() {
                Ok(done) => return Ok(done),
                Err(Failure {
                    error,
                    retry: Some(retry),
                }) => {
                    // The pause applies to all pages of the host.
                    permit.block_for(retry.wait(attempt));
                    if attempt == self.options.retries || retry.wait(attempt) > MAX_WAIT {
                        return Err(Refused::Failed(error));
                    }
                    attempt += 1;
                }
                Err(Failure { error, retry: None }) => return Err(Refused::Failed(error)),
            }
        }
    }
}

/// The host of an address. Pauses apply to it whatever the scheme and the port.
pub(super) fn host_of(url: &Url) -> String {
    url.host_str()
        .unwrap_or_default()
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::options::Retry;
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::Duration;

    #[derive(Debug, Error, PartialEq)]
    #[error("it failed")]
    struct Failed;

    fn url(address: &str) -> Url {
        Url::parse(address).unwrap()
    }

    fn quick() -> PolitenessOptions {
        PolitenessOptions {
            delay: Duration::ZERO,
            ..PolitenessOptions::default()
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    fn no_robots(_: &Url) -> Result<RobotsResponse, Failure<RobotsError>> {
        Ok(RobotsResponse {
            status: 404,
            body: Vec::new(),
        })
    }

    fn soon() -> Failure<Failed> {
        Failure {
            error: Failed,
            retry: Some(Retry {
                after: Some(Duration::from_millis(20)),
            }),
        }
    }

    #[test]
    fn forbidden_pages_are_not_fetched_and_robots_txt_is_fetched_once() {
        let politeness = Politeness::new(quick());
        let asked = Cell::new(0);
        let robots = |asked_for: &Url| {
            assert_eq!(asked_for.as_str(), "https://a.example/robots.txt");
            asked.set(asked.get() + 1);
            Ok(RobotsResponse {
                status: 200,
                body: b"User-agent: vclean\nDisallow: /private\n".to_vec(),
            })
        };
        let request = |path: &str| {
            let address = url(&format!("https://a.example{path}"));
            politeness.request(&address, robots, || Ok::<_, Failure<Failed>>(path.len()))
        };
        assert_eq!(request("/open?x").unwrap(), 7);
        let refused = request("/private/page").unwrap_err();
        assert!(
            matches!(refused, Refused::Forbidden { .. })
                && refused.to_string().contains("`ignore_robots`")
        );
        assert_eq!(asked.get(), 1);
        let ignoring = Politeness::new(PolitenessOptions {
            ignore_robots: true,
            ..quick()
        });
        let done = ignoring.request(&url("https://a.example/private"), robots, || {
            Ok::<_, Failure<Failed>>(())
        });
        assert!(done.is_ok() && asked.get() == 1);
    }

    #[test]
    fn pages_of_one_host_are_requested_one_at_a_time_with_a_pause() {
        let delay = Duration::from_millis(40);
        let politeness = Politeness::new(PolitenessOptions {
            delay,
            ..PolitenessOptions::default()
        });
        let spans = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    politeness
                        .request(&url("http://a.example/"), no_robots, || {
                            let start = Instant::now();
                            thread::sleep(Duration::from_millis(5));
                            spans.lock().unwrap().push((start, Instant::now()));
                            Ok::<_, Failure<Failed>>(())
                        })
                        .unwrap();
                });
            }
        });
        let spans = spans.into_inner().unwrap();
        assert_eq!(spans.len(), 4);
        for pair in spans.windows(2) {
            assert!(
                pair[1].0 - pair[0].1 >= delay,
                "{:?}",
                pair[1].0 - pair[0].1
            );
        }
    }

    #[test]
    fn temporary_failures_are_retried_and_permanent_ones_are_not() {
        let politeness = Politeness::new(quick());
        let tries = Cell::new(0);
        let address = url("http://a.example/");
        let start = Instant::now();
        let done = politeness.request(&address, no_robots, || {
            tries.set(tries.get() + 1);
            if tries.get() < 3 {
                Err(soon())
            } else {
                Ok(tries.get())
            }
        });
        assert_eq!(done.unwrap(), 3);
        assert!(
            start.elapsed() >= Duration::from_millis(40),
            "both pauses were kept"
        );
        tries.set(0);
        let done: Result<(), _> = politeness.request(&address, no_robots, || {
            tries.set(tries.get() + 1);
            Err(soon())
        });
        assert!(matches!(done.unwrap_err(), Refused::Failed(Failed)) && tries.get() == 3);
        tries.set(0);
        let done: Result<(), _> = politeness.request(&address, no_robots, || {
            tries.set(tries.get() + 1);
            Err(Failure {
                error: Failed,
                retry: None,
            })
        });
        assert!(done.is_err() && tries.get() == 1);
    }

    #[test]
    fn a_long_pause_is_obeyed_without_waiting() {
        let politeness = Politeness::new(quick());
        let address = url("http://a.example/");
        let hour = Retry {
            after: Some(Duration::from_hours(1)),
        };
        let request = || {
            politeness.request(&address, no_robots, || {
                Err::<(), _>(Failure {
                    error: Failed,
                    retry: Some(hour),
                })
            })
        };
        assert!(matches!(request().unwrap_err(), Refused::Failed(Failed)));
        let refused = request().unwrap_err();
        assert!(
            matches!(
                refused,
                Refused::Later {
                    wait_s: 3590..=3600,
                    ..
                }
            ),
            "{refused}"
        );
    }

    #[test]
    fn without_a_response_for_robots_txt_nothing_is_fetched() {
        let politeness = Politeness::new(PolitenessOptions {
            retries: 0,
            ..quick()
        });
        let fails = |_: &Url| {
            Err(Failure {
                error: RobotsError::Unreachable("the name cannot be resolved".to_owned()),
                retry: None,
            })
        };
        let done = politeness.request(
            &url("http://a.example/"),
            fails,
            || -> Result<(), Failure<Failed>> { unreachable!("nothing is fetched") },
        );
        assert!(
            done.unwrap_err()
                .to_string()
                .starts_with("the name cannot be resolved")
        );
    }

    #[test]
    fn an_ended_run_does_not_wait() {
        let options = PolitenessOptions {
            delay: Duration::from_mins(1),
            ..PolitenessOptions::default()
        };
        let politeness = Arc::new(Politeness::new(options));
        let flag = Arc::new(AtomicBool::new(false));
        politeness.end_when({
            let flag = Arc::clone(&flag);
            move || flag.load(SeqCst)
        });
        let request = || {
            politeness.request(&url("http://a.example/"), no_robots, || {
                Ok::<_, Failure<Failed>>(())
            })
        };
        request().unwrap();
        let start = Instant::now();
        let address = url("http://a.example/");
        let cancelled: Result<(), Refused<Failed>> = politeness.request_unless(
            &address,
            || true,
            no_robots,
            || unreachable!("it was cancelled"),
        );
        assert!(matches!(cancelled.unwrap_err(), Refused::Ended));
        flag.store(true, SeqCst);
        assert!(matches!(request().unwrap_err(), Refused::Ended));
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
