//! The compressions of web archives, and how a stream is opened.

use super::frames::{self, Lz4, Zstd};
use super::gzip::Gzip;
use super::members::Members;
use crate::archive::stream::{Plain, Stream};
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// What the frames of a Zstandard archive need to be decompressed; empty if nothing.
pub(in crate::archive) type Dictionary = Arc<[u8]>;

/// A compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// None.
    None,
    /// Of gzip.
    Gzip,
    /// Of Zstandard.
    Zstd,
    /// Of LZ4.
    Lz4,
}

impl Packing {
    /// Number of bytes that are enough for [`Self::detect`].
    pub const HEAD_BYTES: usize = 4;

    /// The compression of data that begin with `head`.
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

    /// Whether data that begin with `head` begin with a dictionary.
    pub fn has_dictionary(self, head: &[u8]) -> bool {
        self == Self::Zstd && head.starts_with(&frames::DICTIONARY_FRAME)
    }

    /// The dictionary at the start of an archive.
    ///
    /// # Errors
    /// If it cannot be read, or is larger than any dictionary.
    pub(in crate::archive) fn dictionary(self, from: &mut impl Read) -> io::Result<Dictionary> {
        if self == Self::Zstd {
            frames::dictionary(from)
        } else {
            Ok(Dictionary::default())
        }
    }

    /// The decompressed stream; `dictionary` is needed if `from` is not the start of the archive.
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
