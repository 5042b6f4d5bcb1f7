//! Compressed web archives: streams of members, with the position of each. Reading resumes after
//! damage.
//!
//! | compression | a member is | file |
//! |---|---|---|
//! | gzip (RFC 1952) | a member | `gzip` |
//! | Zstandard (RFC 8878) | a frame; a dictionary may come first | `frames` |
//! | LZ4 | a frame | `frames` |
//!
//! Crawlers write one record into each member, so that any record can be read alone.

mod codec;
mod frames;
mod gzip;
mod members;
mod packing;

pub(super) use packing::Dictionary;
pub use packing::Packing;
