//! Limits that several modules share.

/// Largest page that is opened or fetched, in bytes.
pub const MAX_PAGE_BYTES: u64 = 64 << 20;
