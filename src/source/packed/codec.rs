//! The interface of a compression whose data are members, one after the other.

use super::bytes::PackedBytes;
use std::io::{self, BufRead};

/// Decompresses members.
pub(super) trait Codec: Send {
    /// The source of the compressed bytes.
    type From: BufRead + Send;
    /// The first bytes of a member, at most four.
    const MAGIC: &'static [u8];

    /// The compressed bytes.
    fn packed(&mut self) -> &mut PackedBytes<Self::From>;

    /// Reads the header of the member that begins at the next byte.
    fn open(&mut self) -> io::Result<()>;

    /// Reads the next bytes of its content; none at its end.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;
}

/// The error for compressed data that makes no sense.
pub(super) fn damaged(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.to_owned())
}
