//! Web archives (WARC, ARC): their records, the responses of servers in them, and the resources
//! that rendered pages load from them.
//!
//! [`Archive`] gives the engines the resources of its pages; `source` reads the pages themselves,
//! record by record.

mod arc;
mod header;
mod http;
mod index;
mod lookup;
mod packed;
mod record;
mod stream;

pub use header::Header;
pub use http::{Content, Response, is_html};
pub use index::address_key;
pub use lookup::Archive;
pub use packed::Packing;
pub use record::{Damage, NextRecord, Part, Records, begins_record};
pub use stream::Stream;
