//! All network access, and the parsing of HTTP messages from the network or from an archive.
//!
//! Nothing else accesses the network. Chromium and the fetcher (`fetch`) connect through
//! [`Proxy`], which resolves names itself, checks every address (`address`) and connects to the
//! same address that it checked (`connect`), with limits for each server. `http` parses the heads
//! of HTTP messages and follows redirects, and `saved` serves saved pages to the browser under
//! separate host names.

mod address;
mod cancel;
mod connect;
mod fetch;
mod http;
mod outbound;
mod proxy;
mod saved;

pub(crate) use address::is_refused_port;
pub use cancel::Cancel;
pub(crate) use connect::{Cause, Policy};
pub use fetch::{FetchLimits, Fetched};
pub(crate) use fetch::{Fetcher, retry_after_s};
pub use http::redirect_target;
pub(crate) use http::{Head, Redirects, is_redirect};
pub use outbound::OutboundProxy;
pub(crate) use proxy::{PROXY_USER, Proxy};
pub(crate) use saved::{MissingSheets, file_beside, is_saved_host, without_refresh};
