//! Decompresses gzip members (RFC 1952).
//!
//! No existing crate is used for the members: the available decoders either stop at the first
//! damaged one or do not report positions.

use super::codec::{Codec, PackedBytes, cut_off, damaged};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead};

/// Number of compressed bytes that are decompressed at a time. If a member is cut off, at most the
/// content of so many bytes is lost before the cut.
const STEP_BYTES: usize = 512;
/// Longest text or extra field of a member's header, in bytes; the format has no limit.
const MAX_FIELD_BYTES: usize = 64 << 10;

/// Decoder of gzip members.
pub(super) struct Gzip<R> {
    packed: PackedBytes<R>,
    inflate: Decompress,
    checksum: Crc,
    /// Set when only the checksum of the member remains to be read.
    is_at_end: bool,
}

impl<R: BufRead + Send> Gzip<R> {
    pub(super) fn new(from: R) -> Self {
        let inflate = Decompress::new(false);
        Self {
            packed: PackedBytes::new(from),
            inflate,
            checksum: Crc::new(),
            is_at_end: false,
        }
    }

    /// Skips a text that is terminated by a zero byte.
    fn text(&mut self) -> io::Result<()> {
        for _ in 0..MAX_FIELD_BYTES {
            if self.packed.exactly::<1>()? == [0] {
                return Ok(());
            }
        }
        Err(damaged("a gzip header does not end"))
    }
}

impl<R: BufRead + Send> Codec for Gzip<R> {
    type From = R;
    /// The two magic bytes, and the number of the only compression method.
    const MAGIC: &'static [u8] = &[0x1f, 0x8b, 8];

    fn packed(&mut self) -> &mut PackedBytes<R> {
        &mut self.packed
    }

    fn open(&mut self) -> io::Result<()> {
        if self.packed.exactly::<3>()? != Self::MAGIC {
            return Err(damaged("the following bytes are not gzip"));
        }
        let [flags, ..] = self.packed.exactly::<7>()?;
        if flags & 0xe0 != 0 {
            return Err(damaged("a gzip header is damaged"));
        }
        if flags & 4 != 0 {
            let length = u16::from_le_bytes(self.packed.exactly()?);
            for _ in 0..length {
                self.packed.exactly::<1>()?;
            }
        }
        // Optional fields: a name (8) and a comment (16).
        for flag in [8, 16] {
            if flags & flag != 0 {
                self.text()?;
            }
        }
        if flags & 2 != 0 {
            self.packed.exactly::<2>()?;
        }
        self.inflate.reset(false);
        self.checksum.reset();
        self.is_at_end = false;
        Ok(())
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.is_at_end {
            let packed = self.packed.fill_buf()?;
            let packed = &packed[..packed.len().min(STEP_BYTES)];
            let is_cut_off = packed.is_empty();
            let (before, made) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(packed, into, FlushDecompress::None);
            self.packed
                .consume((self.inflate.total_in() - before) as usize);
            let length = (self.inflate.total_out() - made) as usize;
            self.checksum.update(&into[..length]);
            let status = status.map_err(|_| damaged("its compression is damaged"))?;
            self.is_at_end = matches!(status, Status::StreamEnd);
            if length > 0 {
                return Ok(length);
            }
            if is_cut_off && !self.is_at_end {
                return Err(cut_off());
            }
        }
        let [sum, length] =
            [self.packed.exactly()?, self.packed.exactly()?].map(u32::from_le_bytes);
        if sum != self.checksum.sum() || length != self.checksum.amount() {
            return Err(damaged("its checksum is wrong"));
        }
        Ok(0)
    }
}
