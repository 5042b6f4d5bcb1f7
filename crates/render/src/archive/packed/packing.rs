//! The compression formats of web archives, and how to open a compressed stream.

use super::frames::{self, Lz4, Zstd};
use super::gzip::Gzip;
use super::members::Members;
use crate::archive::stream::{Plain, Stream};
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// Dictionary that the frames of a Zstandard archive need; empty if they do not need one.
pub(in crate::archive) type Dictionary = Arc<[u8]>;

/// Compression format of a web archive, detected by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Uncompressed, or a format that is not supported.
    None,
    /// One gzip member per record (`.warc.gz`).
    Gzip,
    /// One Zstandard frame per record, possibly with a dictionary (`.warc.zst`).
    Zstd,
    /// One LZ4 frame per record (`.warc.lz4`).
    Lz4,
}

impl Packing {
    /// Number of bytes that [`Self::detect`] needs.
    pub const HEAD_BYTES: usize = 4;

    /// Detects the compression of data that begins with `head`.
    pub fn detect(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            _ if head.starts_with(&frames::ZSTD_FRAME)
                || head.starts_with(&frames::DICTIONARY_FRAME) =>
            {
                Self::Zstd
            }
            _ if head.starts_with(&frames::LZ4_FRAME) => Self::Lz4,
            _ => Self::None,
        }
    }

    /// Returns true if data that begins with `head` begins with a dictionary.
    pub fn has_dictionary(self, head: &[u8]) -> bool {
        self == Self::Zstd && head.starts_with(&frames::DICTIONARY_FRAME)
    }

    /// Reads the dictionary at the start of an archive.
    ///
    /// # Errors
    /// If it cannot be read, or is larger than the limit.
    pub(in crate::archive) fn dictionary(self, from: &mut impl Read) -> io::Result<Dictionary> {
        if self == Self::Zstd {
            frames::dictionary(from)
        } else {
            Ok(Dictionary::default())
        }
    }

    /// Opens the decompressed stream; `dictionary` is needed if `from` is not the start of the
    /// archive.
    ///
    /// # Errors
    /// If the dictionary cannot be used.
    pub fn open(
        self,
        from: impl BufRead + Send + 'static,
        dictionary: &[u8],
    ) -> io::Result<Box<dyn Stream>> {
        Ok(match self {
            Self::None => Box::new(Plain::new(from)),
            Self::Gzip => Box::new(Members::new(Gzip::new(from))),
            Self::Zstd => Box::new(Members::new(Zstd::new(from, dictionary)?)),
            Self::Lz4 => Box::new(Members::new(Lz4::new(from))),
        })
    }
}
