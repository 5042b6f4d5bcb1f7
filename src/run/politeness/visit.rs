//! One visit: waits for the turn of the host, asks `robots.txt`, does the work, and again where it failed for the moment.

use super::hosts::{Hosts, Wait};
use super::options::{MAX_WAIT, PolitenessOptions};
use super::retry::{self, Failure};
use super::robots::{Answer, Rules, Verdict};
use std::sync::OnceLock;
use std::time::Instant;
use thiserror::Error;
use url::Url;

/// Why a visit came to nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Refused<E> {
    /// `robots.txt` forbids the address.
    #[error(
        "robots.txt of {host} asks vclean to stay away from this address; leave it out, or use `ignore_robots` where you may"
    )]
    Forbidden {
        /// The host.
        host: String,
    },
    /// There was no answer for `robots.txt`, which forbids everything for now (RFC 9309, 2.3.1.4).
    #[error("{cause} (asked for robots.txt of {host}; without an answer nothing is fetched there for now)")]
    Unreachable {
        /// The host.
        host: String,
        /// What went wrong.
        cause: String,
    },
    /// The host asked for a longer pause than a page waits.
    #[error("{host} asks to be left alone for {wait_s} s; try again after that")]
    Later {
        /// The host.
        host: String,
        /// How long, in seconds.
        wait_s: u64,
    },
    /// The run ended before the page's turn came.
    #[error("the run ended before the turn of this page came; run the same command again")]
    Ended,
    /// The work itself failed, for good or too often.
    #[error(transparent)]
    Failed(E),
}

type HasEnded = Box<dyn Fn() -> bool + Send + Sync>;

/// What is known of all hosts. Threads share it.
pub struct Politeness {
    options: PolitenessOptions,
    pub(super) hosts: Hosts,
    rules: Rules,
    has_ended: OnceLock<HasEnded>,
}

impl Politeness {
    /// Manners with nothing known yet.
    pub fn new(options: PolitenessOptions) -> Self {
        let options = PolitenessOptions { per_host: options.per_host.max(1), ..options };
        Self {
            options,
            hosts: Hosts::new(options.per_host, options.delay),
            rules: Rules::default(),
            has_ended: OnceLock::new(),
        }
    }

    /// Lets waiting visits end with [`Refused::Ended`] soon after `has_ended` says so. Only the first call counts.
    pub fn end_when(&self, has_ended: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.has_ended.set(Box::new(has_ended));
    }

    /// Pays one visit: waits for the turn of the address's host, asks `robots.txt` where it is not known yet, and
    /// does `work`, again where it failed for the moment. The turn lasts until `work` returns.
    ///
    /// `fetch_robots` gets the address of a `robots.txt`, follows up to [`MAX_ROBOTS_REDIRECTS`](super::MAX_ROBOTS_REDIRECTS) redirects and reads up
    /// to [`MAX_ROBOTS_BYTES`](super::MAX_ROBOTS_BYTES). A `robots.txt` does not count as a page: no pause stands between it and the first.
    ///
    /// # Errors
    /// [`Refused`], which holds the error of `work` where that was asked at all.
    pub fn visit<T, E>(
        &self,
        url: &Url,
        fetch_robots: impl Fn(&Url) -> Result<Answer, Failure<String>>,
        mut work: impl FnMut() -> Result<T, Failure<E>>,
    ) -> Result<T, Refused<E>> {
        let host = host_of(url);
        let has_ended = || self.has_ended.get().is_some_and(|has_ended| has_ended());
        let mut attempt = 0;
        loop {
            let mut turn = self.hosts.take(&host, &has_ended).map_err(|wait| match wait {
                Wait::Ended => Refused::Ended,
                Wait::TooLong(wait) => Refused::Later { host: host.clone(), wait_s: wait.as_secs() },
            })?;
            if self.options.robots {
                let ask = |url: &Url| retry::persist(self.options.retries, &has_ended, || fetch_robots(url));
                match self.rules.judge(url, Instant::now(), ask) {
                    Verdict::Allowed { crawl_delay } => turn.slow_down(crawl_delay),
                    // Neither asked the host for a page, so the next one need not wait.
                    Verdict::Forbidden => {
                        turn.unused();
                        return Err(Refused::Forbidden { host });
                    }
                    Verdict::Unreachable { cause } => {
                        turn.unused();
                        return Err(Refused::Unreachable { host, cause });
                    }
                }
            }
            match work() {
                Ok(done) => return Ok(done),
                Err(Failure { error, again: Some(again) }) => {
                    // The pause is the host's, not the page's: what it asked of one page it asks of all.
                    turn.hold(again.wait(attempt));
                    if attempt == self.options.retries || again.wait(attempt) > MAX_WAIT {
                        return Err(Refused::Failed(error));
                    }
                    attempt += 1;
                }
                Err(Failure { error, again: None }) => return Err(Refused::Failed(error)),
            }
        }
    }
}

/// What pauses are kept by: the host, whatever the scheme and the port.
pub(super) fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::retry::Again;
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
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
        PolitenessOptions { delay: Duration::ZERO, ..PolitenessOptions::default() }
    }

    #[allow(clippy::unnecessary_wraps)]
    fn no_robots(_: &Url) -> Result<Answer, Failure<String>> {
        Ok(Answer { status: 404, body: Vec::new() })
    }

    fn soon() -> Failure<Failed> {
        Failure { error: Failed, again: Some(Again { after: Some(Duration::from_millis(20)) }) }
    }

    #[test]
    fn what_robots_forbid_is_not_done_and_robots_are_asked_once() {
        let politeness = Politeness::new(quick());
        let asked = Cell::new(0);
        let robots = |asked_for: &Url| {
            assert_eq!(asked_for.as_str(), "https://a.example/robots.txt");
            asked.set(asked.get() + 1);
            Ok(Answer { status: 200, body: b"User-agent: vclean\nDisallow: /private\n".to_vec() })
        };
        let visit = |path: &str| {
            let address = url(&format!("https://a.example{path}"));
            politeness.visit(&address, robots, || Ok::<_, Failure<Failed>>(path.len()))
        };
        assert_eq!(visit("/open?x").unwrap(), 7);
        let refused = visit("/private/page").unwrap_err();
        assert!(matches!(refused, Refused::Forbidden { .. }) && refused.to_string().contains("`ignore_robots`"));
        assert_eq!(asked.get(), 1);
        let ignoring = Politeness::new(PolitenessOptions { robots: false, ..quick() });
        let done = ignoring.visit(&url("https://a.example/private"), robots, || Ok::<_, Failure<Failed>>(()));
        assert!(done.is_ok() && asked.get() == 1);
    }

    #[test]
    fn pages_of_one_host_come_one_at_a_time_with_a_pause() {
        let delay = Duration::from_millis(40);
        let politeness = Politeness::new(PolitenessOptions { delay, ..PolitenessOptions::default() });
        let spans = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    politeness
                        .visit(&url("http://a.example/"), no_robots, || {
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
            assert!(pair[1].0 - pair[0].1 >= delay, "{:?}", pair[1].0 - pair[0].1);
        }
    }

    #[test]
    fn what_failed_for_the_moment_is_tried_again_and_what_failed_for_good_is_not() {
        let politeness = Politeness::new(quick());
        let tries = Cell::new(0);
        let address = url("http://a.example/");
        let start = Instant::now();
        let done = politeness.visit(&address, no_robots, || {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(soon()) } else { Ok(tries.get()) }
        });
        assert_eq!(done.unwrap(), 3);
        assert!(start.elapsed() >= Duration::from_millis(40), "both pauses were kept");
        tries.set(0);
        let done: Result<(), _> = politeness.visit(&address, no_robots, || {
            tries.set(tries.get() + 1);
            Err(soon())
        });
        assert!(matches!(done.unwrap_err(), Refused::Failed(Failed)) && tries.get() == 3);
        tries.set(0);
        let done: Result<(), _> = politeness.visit(&address, no_robots, || {
            tries.set(tries.get() + 1);
            Err(Failure { error: Failed, again: None })
        });
        assert!(done.is_err() && tries.get() == 1);
    }

    #[test]
    fn a_host_that_asks_for_an_hour_gets_it_without_anybody_waiting() {
        let politeness = Politeness::new(quick());
        let address = url("http://a.example/");
        let hour = Again { after: Some(Duration::from_hours(1)) };
        let visit =
            || politeness.visit(&address, no_robots, || Err::<(), _>(Failure { error: Failed, again: Some(hour) }));
        assert!(matches!(visit().unwrap_err(), Refused::Failed(Failed)));
        let refused = visit().unwrap_err();
        assert!(matches!(refused, Refused::Later { wait_s: 3590..=3600, .. }), "{refused}");
    }

    #[test]
    fn without_an_answer_for_robots_nothing_is_fetched() {
        let politeness = Politeness::new(PolitenessOptions { retries: 0, ..quick() });
        let fails = |_: &Url| Err(Failure { error: "the name cannot be resolved".to_owned(), again: None });
        let done = politeness.visit(&url("http://a.example/"), fails, || -> Result<(), Failure<Failed>> {
            unreachable!("nothing is fetched")
        });
        assert!(done.unwrap_err().to_string().starts_with("the name cannot be resolved"));
    }

    #[test]
    fn an_ended_run_waits_no_longer() {
        let options = PolitenessOptions { delay: Duration::from_mins(1), ..PolitenessOptions::default() };
        let politeness = Arc::new(Politeness::new(options));
        let flag = Arc::new(AtomicBool::new(false));
        politeness.end_when({
            let flag = Arc::clone(&flag);
            move || flag.load(SeqCst)
        });
        let visit = || politeness.visit(&url("http://a.example/"), no_robots, || Ok::<_, Failure<Failed>>(()));
        visit().unwrap();
        flag.store(true, SeqCst);
        let start = Instant::now();
        assert!(matches!(visit().unwrap_err(), Refused::Ended));
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
