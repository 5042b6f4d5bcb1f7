//! Limits the requests per host: how many are running now, and when the next one may start. Used by
//! `requests`.

use super::options::MAX_WAIT;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest `Crawl-delay` that is obeyed. Heuristic: with a longer one, a page would wait for
/// minutes, and most crawlers ignore the field.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(30);

/// How often a waiting thread checks whether the run has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Number of hosts in the table at which idle ones are removed for the first time.
const FIRST_SWEEP: usize = 4096;

/// Why a permit was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The run has ended.
    Ended,
    /// The wait would be too long; it would take this time.
    TooLong(Duration),
}

/// The hosts that have a running request or are in a pause.
#[derive(Debug)]
pub(super) struct Hosts {
    per_host: usize,
    delay: Duration,
    table: Mutex<Table>,
    freed: Condvar,
}

#[derive(Debug)]
struct Table {
    hosts: BTreeMap<String, Host>,
    sweep_at: usize,
}

#[derive(Debug)]
struct Host {
    /// Number of requests that are running now.
    busy: usize,
    /// When the next request may start.
    next: Instant,
}

/// The permission to send requests to a host. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    hosts: &'a Hosts,
    host: String,
    delay: Duration,
}

impl Hosts {
    /// Allows `per_host` requests at the same time (at least 1), with the pause `delay` after each.
    pub(super) fn new(per_host: usize, delay: Duration) -> Self {
        let table = Mutex::new(Table {
            hosts: BTreeMap::new(),
            sweep_at: FIRST_SWEEP,
        });
        Self {
            per_host,
            delay,
            table,
            freed: Condvar::new(),
        }
    }

    /// Waits until a request to `host` may start.
    pub(super) fn take(
        &self,
        host: &str,
        has_ended: &impl Fn() -> bool,
    ) -> Result<Permit<'_>, Wait> {
        let mut table = self.lock();
        loop {
            if has_ended() {
                return Err(Wait::Ended);
            }
            let now = Instant::now();
            let wait = match table.hosts.get_mut(host) {
                None => {
                    table.insert(
                        host,
                        Host {
                            busy: 1,
                            next: now + self.delay,
                        },
                        now,
                    );
                    break;
                }
                Some(found) if found.next > now => {
                    let wait = found.next - now;
                    if wait > MAX_WAIT {
                        return Err(Wait::TooLong(wait));
                    }
                    wait
                }
                Some(found) if found.busy >= self.per_host => POLL_INTERVAL,
                Some(found) => {
                    found.busy += 1;
                    // If several requests at a time are allowed, the pause separates their starts.
                    found.next = now + self.delay;
                    break;
                }
            };
            table = self
                .freed
                .wait_timeout(table, wait.min(POLL_INTERVAL))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        drop(table);
        Ok(Permit {
            hosts: self,
            host: host.to_owned(),
            delay: self.delay,
        })
    }

    /// Remaining pause of each of `hosts`, in their order.
    pub(super) fn waits<'a>(
        &self,
        hosts: impl Iterator<Item = &'a str>,
        now: Instant,
    ) -> Vec<Duration> {
        let table = self.lock();
        hosts
            .map(|host| {
                table.hosts.get(host).map_or(Duration::ZERO, |host| {
                    host.next.saturating_duration_since(now)
                })
            })
            .collect()
    }

    /// Largest number of simultaneous requests to one host.
    pub(super) fn per_host(&self) -> usize {
        self.per_host
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, host: &str, change: impl FnOnce(&mut Host)) {
        if let Some(host) = self.lock().hosts.get_mut(host) {
            change(host);
        }
    }
}

impl Table {
    /// Adds a host. Idle hosts are removed whenever the table has twice as many hosts as remained
    /// after the last removal, so its size depends on the hosts used within one delay and not on
    /// those of the whole run.
    fn insert(&mut self, name: &str, host: Host, now: Instant) {
        if self.hosts.len() >= self.sweep_at {
            self.hosts
                .retain(|_, host| host.busy > 0 || host.next > now);
            self.sweep_at = (self.hosts.len() * 2).max(FIRST_SWEEP);
        }
        self.hosts.insert(name.to_owned(), host);
    }
}

impl Permit<'_> {
    /// Uses the pause that the host requests if it is longer than ours.
    pub(super) fn apply_crawl_delay(&mut self, crawl_delay: Option<Duration>) {
        let asked = crawl_delay.unwrap_or_default().min(MAX_CRAWL_DELAY);
        self.delay = self.delay.max(asked);
        self.hosts.with(&self.host, |host| {
            host.next = host.next.max(Instant::now() + asked);
        });
    }

    /// Starts no request to the host for at least `wait` from now.
    pub(super) fn block_for(&mut self, wait: Duration) {
        self.hosts.with(&self.host, |host| {
            host.next = host.next.max(Instant::now() + wait);
        });
    }

    /// Declares that no request was sent, so no pause follows.
    pub(super) fn cancel(&mut self) {
        self.delay = Duration::ZERO;
        // If other requests to the host are running, the pause after them stays.
        self.hosts.with(&self.host, |host| {
            if host.busy == 1 {
                host.next = Instant::now();
            }
        });
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.hosts.with(&self.host, |host| {
            host.busy -= 1;
            host.next = host.next.max(Instant::now() + self.delay);
        });
        self.hosts.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(hosts: &Hosts, host: &str) -> Duration {
        hosts.waits(std::iter::once(host), Instant::now())[0]
    }

    #[test]
    fn a_longer_crawl_delay_is_used_up_to_the_limit() {
        let second = Duration::from_secs(1);
        let hosts = Hosts::new(1, second);
        for (name, asked, kept) in [
            ("a", None, 1),
            ("b", Some(0), 1),
            ("c", Some(7), 7),
            ("d", Some(86_400), 30),
        ] {
            hosts
                .take(name, &|| false)
                .unwrap()
                .apply_crawl_delay(asked.map(Duration::from_secs));
            let wait = wait(&hosts, name);
            let kept = Duration::from_secs(kept);
            assert!(wait <= kept && wait + second > kept, "{name}: {wait:?}");
        }
        hosts.take("e", &|| false).unwrap().cancel();
        assert_eq!(wait(&hosts, "e"), Duration::ZERO);
    }

    #[test]
    fn the_number_of_requests_at_the_same_time_is_limited() {
        let hosts = Hosts::new(2, Duration::ZERO);
        let first = hosts.take("a", &|| false).unwrap();
        let _second = hosts.take("a", &|| false).unwrap();
        let looks = std::cell::Cell::new(0);
        let third = hosts.take("a", &|| {
            looks.set(looks.get() + 1);
            looks.get() > 2
        });
        assert_eq!(third.unwrap_err(), Wait::Ended);
        drop(first);
        assert!(hosts.take("a", &|| false).is_ok());
    }

    #[test]
    fn idle_hosts_are_removed() {
        let hosts = Hosts::new(1, Duration::ZERO);
        let _kept = hosts.take("busy", &|| false).unwrap();
        for number in 0..5 * FIRST_SWEEP {
            hosts.take(&number.to_string(), &|| false).unwrap();
            assert!(hosts.lock().hosts.len() <= FIRST_SWEEP + 1);
        }
        assert_eq!(hosts.lock().hosts["busy"].busy, 1);
    }
}
