//! The open connections. If there is no room for a new one, the connection that has waited longest
//! for a request is closed, so that slow and idle clients do not lock out others. The share of one
//! address is limited.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The open connections, at most a fixed number.
pub(super) struct Connections {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// Logical clock: the number of events so far.
    time: u64,
    /// Connections by the time at which they were opened.
    all: BTreeMap<u64, Connection>,
}

struct Connection {
    address: IpAddr,
    /// When it began to wait for the head of a request; `None` while a request is answered.
    idle_since: Option<u64>,
    /// Closes the connection when this is dropped.
    _close: oneshot::Sender<()>,
}

/// An open connection, until it is dropped.
pub(super) struct OpenConnection {
    connections: Arc<Connections>,
    id: u64,
}

/// A connection whose request is being answered, until this is dropped.
pub(super) struct Busy(Arc<OpenConnection>);

impl Connections {
    /// Allows `most` connections, of which one address gets at most three quarters.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            open: Mutex::default(),
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new connection, and returns it with a receiver that ends when it has to close.
    /// `None` if there is no room, because requests are being answered on all others.
    pub(super) fn add(
        self: &Arc<Self>,
        address: IpAddr,
    ) -> Option<(OpenConnection, oneshot::Receiver<()>)> {
        let mut open = self.open();
        let own = open
            .all
            .values()
            .filter(|connection| connection.address == address)
            .count();
        let has_room = if own >= self.most - self.most / 4 {
            open.close_idle(Some(address))
        } else {
            open.all.len() < self.most || open.close_idle(None)
        };
        if !has_room {
            return None;
        }
        let (close, closed) = oneshot::channel();
        let id = open.tick();
        open.all.insert(
            id,
            Connection {
                address,
                idle_since: Some(id),
                _close: close,
            },
        );
        Some((
            OpenConnection {
                connections: Arc::clone(self),
                id,
            },
            closed,
        ))
    }

    /// Closes a connection that waits for a request, if there is one: see [`Open::close_idle`].
    pub(super) fn close_idle(&self) {
        self.open().close_idle(None);
    }
}

impl Open {
    fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// Closes the connection that has waited longest for a request: of `address`, or of the address
    /// with the most connections. Returns false if there is none.
    fn close_idle(&mut self, address: Option<IpAddr>) -> bool {
        let mut counts = BTreeMap::<IpAddr, usize>::new();
        for connection in self.all.values() {
            *counts.entry(connection.address).or_default() += 1;
        }
        let idle = self
            .all
            .iter()
            .filter_map(|(id, connection)| Some((id, connection.address, connection.idle_since?)));
        let idle = idle.filter(|(_, own, _)| address.is_none_or(|address| *own == address));
        let found = idle
            .min_by_key(|(_, own, since)| (usize::MAX - counts[own], *since))
            .map(|(&id, ..)| id);
        found.is_some_and(|id| self.all.remove(&id).is_some())
    }
}

impl OpenConnection {
    /// Marks the connection as answering a request.
    pub(super) fn busy(self: &Arc<Self>) -> Busy {
        self.mark(false);
        Busy(Arc::clone(self))
    }

    fn mark(&self, is_idle: bool) {
        let mut open = self.connections.open();
        let idle_since = is_idle.then(|| open.tick());
        // The connection was removed if it has to close.
        if let Some(connection) = open.all.get_mut(&self.id) {
            connection.idle_since = idle_since;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.open().all.remove(&self.id);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.mark(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    #[test]
    fn the_connection_that_waited_longest_gives_way() {
        let connections = Connections::new(4);
        let add = |last| {
            connections
                .add(address(last))
                .map(|(open, closed)| (Arc::new(open), closed))
        };
        let (mut first, mut second, mut third) =
            (add(1).unwrap(), add(1).unwrap(), add(1).unwrap());
        let is_closed = |closed: &mut oneshot::Receiver<()>| {
            matches!(closed.try_recv(), Err(oneshot::error::TryRecvError::Closed))
        };
        // A request was answered on the first one, and the second one has waited longer since.
        drop(first.0.busy());
        let mut fourth = add(1).unwrap();
        assert!(is_closed(&mut second.1), "an address has three quarters");
        assert!(
            ![&mut first, &mut third, &mut fourth]
                .into_iter()
                .any(|(_, closed)| is_closed(closed))
        );
        // All four are taken now: a connection of the address with the most is closed, although the
        // other has waited longer.
        let mut other = add(2).unwrap();
        let mut another = add(3).unwrap();
        assert!(is_closed(&mut third.1) && !is_closed(&mut other.1) && !is_closed(&mut another.1));
        let busy = [&first, &fourth, &other, &another].map(|(open, _)| open.busy());
        assert!(add(4).is_none(), "requests are not broken off");
        drop(busy);
        drop(first);
        assert!(add(4).is_some());
        drop((second, third, fourth, other, another));
        assert!(connections.open().all.is_empty());
    }
}
