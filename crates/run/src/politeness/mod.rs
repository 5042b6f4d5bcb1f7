//! Rate limits for web servers: pages that `robots.txt` forbids are not fetched, each host gets one
//! request at a time with a pause between two, and temporary failures are retried later.
//!
//! Used before `render`, for pages that have an address: [`Politeness::request`] waits until the
//! host may be used before the caller takes a browser tab, so that a slow host blocks no tab, and
//! [`queue`] yields pages whose host is ready, so that a slow host blocks no worker. This module
//! does not use the network: the caller fetches pages and `robots.txt`.
//!
//! Invariants: a request for a page starts no earlier than the delay after the host's last one
//! ended; memory is bounded for any number of hosts; nothing here is random, so the waiting times
//! depend on the servers only.

mod hosts;
mod options;
pub mod queue;
mod requests;
mod robots;

pub use options::{Failure, PolitenessOptions, Retry};
pub use requests::{Politeness, Refused};
pub use robots::{RobotsError, RobotsResponse};

/// Largest part of a `robots.txt` that is read, in bytes: 500 KiB, the smallest limit that RFC 9309
/// (2.5) allows.
pub(crate) const MAX_ROBOTS_BYTES: u64 = robots::MAX_BYTES;

/// Number of redirects of a `robots.txt` that are followed (RFC 9309, 2.3.1.2).
pub(crate) const MAX_ROBOTS_REDIRECTS: usize = 5;
