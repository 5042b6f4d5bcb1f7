//! Manners towards web servers: what `robots.txt` forbids is not fetched, one host is asked once at a time and with a
//! pause, and what failed for the moment is tried again later.
//!
//! Stands in front of `render`, for pages that have an address: [`Politeness::visit`] waits for the host's turn before
//! the caller takes a browser tab, so that a slow host holds up no tab, and [`queue`] hands out pages whose host is
//! ready, so that it holds up no worker either. The room knows no network: the caller fetches, also `robots.txt`.
//!
//! What holds: requests for one host's pages begin at least the delay after the last one ended; memory stays bounded
//! for any number of hosts; nothing here is random, so that a run waits as its servers make it wait and no other way.

mod hosts;
mod options;
pub mod queue;
mod retry;
mod robots;
mod visit;

pub use options::{AGENT, PolitenessOptions};
pub use retry::{Again, Failure};
pub use robots::Answer;
pub use visit::{Politeness, Refused};

/// Most that a `robots.txt` is read of, in bytes: 500 KiB, the least that RFC 9309 (2.5) allows.
pub const MAX_ROBOTS_BYTES: u64 = robots::MAX_BYTES;

/// Redirects of a `robots.txt` that are followed (RFC 9309, 2.3.1.2).
pub const MAX_ROBOTS_REDIRECTS: usize = 5;
