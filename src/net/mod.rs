//! All network access, and the parsing of HTTP messages from the network or from an archive.
//!
//! There is no other way to the network. Chromium and the fetcher connect through [`Proxy`], which resolves names
//! itself, checks every address (`address`) and connects to the same address that it checked (`connect`). `servers` limits
//! the connections to one server, and `server_reader` the time that a response may take. `head` parses
//! the heads of HTTP messages, `forward` forwards them, `redirect` follows redirects, and `saved` serves saved pages to
//! the browser under separate host names.

#[cfg(feature = "rendering")]
mod address;
#[cfg(feature = "rendering")]
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod causes;
#[cfg(feature = "rendering")]
mod connect;
#[cfg(feature = "rendering")]
mod fetch;
#[cfg(feature = "rendering")]
mod forward;
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
mod head;
#[cfg(feature = "rendering")]
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod proxy;
#[cfg(feature = "rendering")]
mod random;
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
mod redirect;
#[cfg(feature = "rendering")]
mod relay;
#[cfg(feature = "rendering")]
#[cfg_attr(not(feature = "chromium"), allow(dead_code))]
mod saved;
#[cfg(feature = "rendering")]
mod server_reader;
#[cfg(feature = "rendering")]
mod servers;

#[cfg(feature = "chromium")]
pub(crate) use connect::Cause;
#[cfg(feature = "rendering")]
pub(crate) use connect::Policy;
#[cfg(feature = "rendering")]
pub use fetch::{FetchLimits, Fetched, Fetcher};
#[cfg(feature = "chromium")]
pub(crate) use forward::retry_after_s;
pub(crate) use head::Head;
#[cfg(feature = "rendering")]
pub(crate) use proxy::Proxy;
#[cfg(feature = "chromium")]
pub(crate) use proxy::USER;
#[cfg(feature = "builtin")]
pub(crate) use redirect::Redirects;
pub(crate) use redirect::{is_redirect, target as redirect_target};
#[cfg(feature = "builtin")]
pub(crate) use saved::beside;
#[cfg(feature = "chromium")]
pub(crate) use saved::is_saved_host;
#[cfg(any(feature = "builtin", feature = "chromium"))]
pub(crate) use saved::without_refresh;
