//! Limits the memory for bodies that are being read. Their requests have no place yet, so their
//! number is not limited; instead the number of their bytes is, in total and for each client.

use super::places::Caller;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the bytes of the bodies that are being read.
pub(super) struct BodyMemory {
    most: usize,
    held: Mutex<BTreeMap<Caller, usize>>,
}

/// The memory held for one body. Dropping this frees it.
pub(super) struct HeldMemory<'a> {
    memory: &'a BodyMemory,
    client: Caller,
    bytes: usize,
}

impl BodyMemory {
    /// Allows `most` bytes in total, of which one client gets at most half.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            held: Mutex::default(),
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<Caller, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to count a body of which nothing has arrived.
    pub(super) fn hold(&self, caller: Caller) -> HeldMemory<'_> {
        HeldMemory {
            memory: self,
            client: caller.client(),
            bytes: 0,
        }
    }
}

impl HeldMemory<'_> {
    /// Takes memory for more bytes. Returns false if there is none.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let mut held = self.memory.held();
        let own = held.get(&self.client).copied().unwrap_or_default() + bytes;
        if own > self.memory.most / 2 || held.values().sum::<usize>() + bytes > self.memory.most {
            return false;
        }
        held.insert(self.client, own);
        self.bytes += bytes;
        true
    }
}

impl Drop for HeldMemory<'_> {
    fn drop(&mut self) {
        let mut held = self.memory.held();
        if let Some(own) = held.get_mut(&self.client) {
            *own -= self.bytes;
            if *own == 0 {
                held.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_a_limit_in_all_and_for_each_client() {
        let memory = BodyMemory::new(100);
        let hold = |token| {
            memory.hold(Caller {
                token: Some(token),
                address: None,
            })
        };
        let (mut first, mut second) = (hold(0), hold(0));
        assert!(
            first.grow(30) && second.grow(20) && !second.grow(1),
            "a client has half"
        );
        let mut other = hold(1);
        assert!(other.grow(49));
        drop(first);
        assert!(
            second.grow(30) && !second.grow(1),
            "what is given back can be taken again"
        );
        assert!(!hold(2).grow(2) && hold(2).grow(1), "all is full");
        drop((second, other));
        assert!(memory.held().is_empty());
    }
}
