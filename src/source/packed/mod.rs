//! Compressed web archives: streams of members, with the position of each; reading resumes after damage.
//!
//! | compression | a member is | file |
//! |---|---|---|
//! | gzip (RFC 1952) | a member | `gzip` |
//! | Zstandard (RFC 8878) | a frame; a dictionary may come first | `zstd_frames` |
//! | LZ4 | a frame | `lz4_frames` |
//!
//! Crawlers write one record into each member, so that any record can be read alone.

mod bytes;
mod codec;
mod gzip;
mod lz4_frames;
mod members;
mod packing;
mod zstd_frames;

pub(super) use packing::{Dictionary, Packing};

#[cfg(test)]
pub(super) use members::tests;
