//! Answers that are kept in memory for requests that accept an earlier one. Off unless the operator gives it memory.
//!
//! What belongs to an answer is the whole request, without the members that change nothing of it, so that two requests share one
//! only if they ask for the same. The answers that were used least recently make room.

use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that an answer takes besides its content and its request. Heuristic.
const ENTRY_BYTES: usize = 256;

/// The answers.
#[derive(Debug)]
pub(super) struct Cache {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<String, Entry>,
    /// The requests in the order in which their answers were used.
    used: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    answer: Bytes,
    made: Instant,
    used: u64,
}

impl Entry {
    fn bytes(&self, request: &str) -> usize {
        self.answer.len() + 2 * request.len() + ENTRY_BYTES
    }
}

impl Cache {
    /// A cache of at most `limit` bytes; with 0 it keeps nothing.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it keeps anything.
    pub(super) fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// The answer to a request, if there is one that is at most `max_age` old, and its age.
    pub(super) fn get(&self, request: &str, max_age: Duration) -> Option<(Bytes, Duration)> {
        let mut state = self.lock();
        state.uses += 1;
        let uses = state.uses;
        let entry = state.entries.get_mut(request)?;
        let age = entry.made.elapsed();
        if age > max_age {
            return None;
        }
        let before = std::mem::replace(&mut entry.used, uses);
        let answer = entry.answer.clone();
        state.used.remove(&before);
        state.used.insert(uses, request.to_owned());
        Some((answer, age))
    }

    /// Keeps the answer to a request, in place of an earlier one.
    pub(super) fn put(&self, request: String, answer: Bytes) {
        let entry = Entry { answer, made: Instant::now(), used: 0 };
        let bytes = entry.bytes(&request);
        if bytes > self.limit {
            return;
        }
        let mut state = self.lock();
        state.remove(&request);
        while state.bytes + bytes > self.limit {
            let Some((_, oldest)) = state.used.first_key_value() else { break };
            let oldest = oldest.clone();
            state.remove(&oldest);
        }
        state.uses += 1;
        let used = state.uses;
        state.bytes += bytes;
        state.used.insert(used, request.clone());
        state.entries.insert(request, Entry { used, ..entry });
    }
}

impl State {
    fn remove(&mut self, request: &str) {
        if let Some(entry) = self.entries.remove(request) {
            self.used.remove(&entry.used);
            self.bytes -= entry.bytes(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(byte: u8) -> Bytes {
        vec![byte; 1000].into()
    }

    #[test]
    fn answers_are_given_as_long_as_they_are_young_enough() {
        let cache = Cache::new(10_000);
        assert!(cache.get("a", Duration::MAX).is_none());
        cache.put("a".into(), long(1));
        assert_eq!(cache.get("a", Duration::from_mins(1)).unwrap().0, long(1));
        std::thread::sleep(Duration::from_millis(5));
        assert!(cache.get("a", Duration::from_millis(1)).is_none());
        cache.put("a".into(), long(2));
        assert_eq!(cache.get("a", Duration::MAX).unwrap().0, long(2));
    }

    #[test]
    fn the_memory_is_bounded_and_what_is_used_stays() {
        let cache = Cache::new(4_000);
        for byte in 0..100 {
            cache.put(byte.to_string(), long(byte));
            assert!(byte == 0 || cache.get("0", Duration::MAX).is_some(), "{byte}");
            let state = cache.lock();
            assert!(state.bytes <= 4_000 && state.entries.len() == state.used.len() && state.entries.len() <= 3);
        }
        cache.put("large".into(), vec![0; 5_000].into());
        assert!(cache.get("large", Duration::MAX).is_none() && cache.get("99", Duration::MAX).is_some());
        let off = Cache::new(0);
        off.put("a".into(), long(1));
        assert!(!off.is_on() && off.get("a", Duration::MAX).is_none());
    }
}
