//! Everything that leaves this machine: which addresses may be reached, the proxy that enforces it, and the fetcher.
//!
//! The only way to the network. Chromium and the fetcher connect through [`Proxy`], which resolves names itself, checks
//! every address (`address`) and connects to the very address it checked (`connect`). `head` reads and writes the heads of HTTP
//! messages, `saved` serves saved pages to the browser under host names of their own.

mod address;
mod connect;
mod fetch;
mod head;
mod proxy;
mod saved;

pub(crate) use connect::{Cause, Policy};
pub use fetch::{FetchLimits, Fetched, Fetcher};
pub(crate) use head::{MARK, retry_after_s};
pub(crate) use proxy::Proxy;
pub(crate) use saved::{beside, percent_bytes, without_refresh};
