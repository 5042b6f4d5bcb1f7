//! Whose turn it is: how many visits each host has now, and when it may have the next. Stands below `visit`.

use super::options::MAX_WAIT;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest `Crawl-delay` that is kept: at more, a page would wait minutes for what most crawlers do not heed at all.
/// Taste.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(30);

/// How often a waiting thread looks whether the run has ended.
const LOOK: Duration = Duration::from_millis(100);

/// Hosts that are kept before those at rest are dropped for the first time.
const FIRST_SWEEP: usize = 4096;

/// Why a turn did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The run has ended.
    Ended,
    /// It would take so long.
    TooLong(Duration),
}

/// The hosts that are being visited or were a moment ago.
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
    /// Visits that go on now.
    busy: usize,
    /// When the next may begin.
    next: Instant,
}

/// The right to visit a host, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    hosts: &'a Hosts,
    host: String,
    delay: Duration,
}

impl Hosts {
    /// For `per_host` visits at the same time, at least 1, with `delay` after each.
    pub(super) fn new(per_host: usize, delay: Duration) -> Self {
        let table = Mutex::new(Table { hosts: BTreeMap::new(), sweep_at: FIRST_SWEEP });
        Self { per_host, delay, table, freed: Condvar::new() }
    }

    /// Waits for a turn of `host`.
    pub(super) fn take(&self, host: &str, has_ended: &impl Fn() -> bool) -> Result<Turn<'_>, Wait> {
        let mut table = self.lock();
        loop {
            if has_ended() {
                return Err(Wait::Ended);
            }
            let now = Instant::now();
            let wait = match table.hosts.get_mut(host) {
                None => {
                    table.insert(host, Host { busy: 1, next: now + self.delay }, now);
                    break;
                }
                Some(found) if found.next > now => {
                    let wait = found.next - now;
                    if wait > MAX_WAIT {
                        return Err(Wait::TooLong(wait));
                    }
                    wait
                }
                Some(found) if found.busy >= self.per_host => LOOK,
                Some(found) => {
                    found.busy += 1;
                    // Where several visits at a time are allowed, they begin apart.
                    found.next = now + self.delay;
                    break;
                }
            };
            table = self.freed.wait_timeout(table, wait.min(LOOK)).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(table);
        Ok(Turn { hosts: self, host: host.to_owned(), delay: self.delay })
    }

    /// How long each of `hosts` has to wait for its next visit as far as pauses go, in their order.
    pub(super) fn waits<'a>(&self, hosts: impl Iterator<Item = &'a str>, now: Instant) -> Vec<Duration> {
        let table = self.lock();
        hosts
            .map(|host| table.hosts.get(host).map_or(Duration::ZERO, |host| host.next.saturating_duration_since(now)))
            .collect()
    }

    /// Visits of one host at the same time.
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
    /// Adds a host; hosts at rest are dropped each time that there are twice as many as were left the last time, so that
    /// the table grows with the hosts of one delay and not with those of the run.
    fn insert(&mut self, name: &str, host: Host, now: Instant) {
        if self.hosts.len() >= self.sweep_at {
            self.hosts.retain(|_, host| host.busy > 0 || host.next > now);
            self.sweep_at = (self.hosts.len() * 2).max(FIRST_SWEEP);
        }
        self.hosts.insert(name.to_owned(), host);
    }
}

impl Turn<'_> {
    /// Keeps the pause that the host asks for, where it is longer than ours.
    pub(super) fn slow_down(&mut self, crawl_delay: Option<Duration>) {
        let asked = crawl_delay.unwrap_or_default().min(MAX_CRAWL_DELAY);
        self.delay = self.delay.max(asked);
        self.hosts.with(&self.host, |host| host.next = host.next.max(Instant::now() + asked));
    }

    /// Leaves the host alone for at least `wait` from now.
    pub(super) fn hold(&mut self, wait: Duration) {
        self.hosts.with(&self.host, |host| host.next = host.next.max(Instant::now() + wait));
    }

    /// The turn was not made use of: no pause follows it.
    pub(super) fn unused(&mut self) {
        self.delay = Duration::ZERO;
        // Where others visit the host too, the pause after them stays.
        self.hosts.with(&self.host, |host| {
            if host.busy == 1 {
                host.next = Instant::now();
            }
        });
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.hosts.with(&self.host, |host| {
            host.busy -= 1;
            host.next = host.next.max(Instant::now() + self.delay);
        });
        self.hosts.freed.notify_all();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn wait(hosts: &Hosts, host: &str) -> Duration {
        hosts.waits(std::iter::once(host), Instant::now())[0]
    }

    #[test]
    fn a_crawl_delay_counts_where_it_is_longer_and_not_too_long() {
        let second = Duration::from_secs(1);
        let hosts = Hosts::new(1, second);
        for (name, asked, kept) in [("a", None, 1), ("b", Some(0), 1), ("c", Some(7), 7), ("d", Some(86_400), 30)] {
            hosts.take(name, &|| false).unwrap().slow_down(asked.map(Duration::from_secs));
            let wait = wait(&hosts, name);
            let kept = Duration::from_secs(kept);
            assert!(wait <= kept && wait + second > kept, "{name}: {wait:?}");
        }
        hosts.take("e", &|| false).unwrap().unused();
        assert_eq!(wait(&hosts, "e"), Duration::ZERO);
    }

    #[test]
    fn as_many_visits_at_a_time_as_allowed() {
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
    fn hosts_at_rest_are_dropped() {
        let hosts = Hosts::new(1, Duration::ZERO);
        let _kept = hosts.take("busy", &|| false).unwrap();
        for number in 0..5 * FIRST_SWEEP {
            hosts.take(&number.to_string(), &|| false).unwrap();
            assert!(hosts.lock().hosts.len() <= FIRST_SWEEP + 1);
        }
        assert_eq!(hosts.lock().hosts["busy"].busy, 1);
    }
}
