//! Counts the open connections of each server, so that none takes all connections of the proxy.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Largest number of connections to one server. Chromium opens at most 6 to a host, and 32 to one proxy in all.
pub(super) const MAX_PER_SERVER: usize = 64;

/// The open connections, by the address of the server. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Servers(Arc<Mutex<BTreeMap<IpAddr, usize>>>);

/// One counted connection; dropping it ends the count.
#[derive(Debug)]
pub(super) struct ServerSlot {
    servers: Servers,
    server: IpAddr,
}

impl Servers {
    /// Counts one more connection; `None` if the server has [`MAX_PER_SERVER`] already.
    pub(super) fn take(&self, server: IpAddr) -> Option<ServerSlot> {
        let server = server.to_canonical();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(server).or_insert(0);
        if *count >= MAX_PER_SERVER {
            return None;
        }
        *count += 1;
        Some(ServerSlot { servers: self.clone(), server })
    }
}

impl Drop for ServerSlot {
    fn drop(&mut self) {
        let mut counts = self.servers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.server) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.server);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_a_limited_number_of_connections() {
        let servers = Servers::default();
        let [one, mapped, other] =
            ["10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2"].map(|address| address.parse::<IpAddr>().unwrap());
        let mut slots: Vec<_> = (0..MAX_PER_SERVER).map(|_| servers.take(one).unwrap()).collect();
        assert!(servers.take(one).is_none() && servers.take(mapped).is_none());
        assert!(servers.take(other).is_some());
        slots.pop();
        assert!(servers.take(mapped).is_some());
        drop(slots);
        assert!(servers.0.lock().unwrap().is_empty());
    }
}
