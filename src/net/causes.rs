//! Why the proxy did not load something, by host: its responses do not tell.

use super::connect::{Cause, Failure};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of hosts; hostile pages may request any number.
const MAX_HOSTS: usize = 1000;
/// Status of a request that the network policy forbids.
pub(super) const FORBIDDEN: &str = "403 Forbidden";

/// The causes so far.
#[derive(Debug, Default)]
pub(super) struct Causes {
    failures: Mutex<BTreeMap<String, Cause>>,
    refusals: Mutex<BTreeMap<String, String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn insert<T>(map: &Mutex<BTreeMap<String, T>>, host: &str, value: T) {
    let mut map = lock(map);
    if map.len() >= MAX_HOSTS {
        map.clear();
    }
    map.insert(host.to_owned(), value);
}

impl Causes {
    /// Stores why there is no connection to `host`.
    pub(super) fn store(&self, host: &str, failure: &Failure, is_offline: bool) {
        insert(&self.failures, host, failure.cause.clone());
        // Without a network every host is forbidden, which is no news.
        if failure.status == FORBIDDEN && !is_offline {
            insert(&self.refusals, host, failure.cause.to_string());
        }
    }

    /// Removes the failure of a host that responds again, since it does not explain later errors.
    pub(super) fn forget(&self, host: &str) {
        lock(&self.failures).remove(host);
    }

    /// Why the last connection to `host` failed, if it did.
    pub(super) fn failure(&self, host: &str) -> Option<Cause> {
        lock(&self.failures).get(host).cloned()
    }

    /// Why the network policy forbids `host`, if it was requested and does.
    pub(super) fn refusal(&self, host: &str) -> Option<String> {
        lock(&self.refusals).get(host).cloned()
    }
}
