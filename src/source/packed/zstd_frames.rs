//! Decompresses Zstandard frames (RFC 8878), as in archives whose names end in `.warc.zst`.
//!
//! Such an archive may begin with a dictionary that all its frames need, in a frame that other programs skip (IIPC
//! 2022, "WARC files with Zstandard compression"); the dictionary may be compressed itself.

use super::bytes::{PackedBytes, cut_off};
use super::codec::{Codec, damaged};
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use zstd::stream::raw::{Decoder, Operation};

/// The first bytes of a frame.
pub(super) const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of the frame that holds the dictionary.
pub(super) const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// Largest dictionary, in bytes: usual ones have 100,000, and writers allow a few megabytes.
const MAX_DICTIONARY_BYTES: u64 = 64 << 20;

/// The decoder.
pub(super) struct Zstd<R> {
    packed: PackedBytes<R>,
    decoder: Decoder<'static>,
    /// Whether the end of the frame was read.
    is_at_end: bool,
}

impl<R: BufRead + Send> Zstd<R> {
    /// Frames that need the dictionary, if there is one; one that comes first in the stream is found there.
    pub(super) fn new(from: R, dictionary: &[u8]) -> io::Result<Self> {
        let decoder = Decoder::with_dictionary(dictionary)?;
        Ok(Self { packed: PackedBytes::new(from), decoder, is_at_end: false })
    }
}

/// Reads the dictionary at the start of an archive; empty if there is none.
pub(super) fn dictionary(from: &mut impl Read) -> io::Result<Arc<[u8]>> {
    let mut head = [0; 8];
    if from.read_exact(&mut head).is_err() || head[..4] != DICTIONARY_FRAME {
        return Ok(Arc::default());
    }
    let length = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
    let too_large = || damaged("its dictionary is larger than any dictionary");
    if length > MAX_DICTIONARY_BYTES {
        return Err(too_large());
    }
    let mut stored = Vec::new();
    from.take(length).read_to_end(&mut stored)?;
    if (stored.len() as u64) < length {
        return Err(damaged("its dictionary is cut off"));
    }
    if !stored.starts_with(&FRAME) {
        return Ok(stored.into());
    }
    let mut unpacked = Vec::new();
    zstd::stream::read::Decoder::new(&stored[..])?.take(MAX_DICTIONARY_BYTES + 1).read_to_end(&mut unpacked)?;
    if unpacked.len() as u64 > MAX_DICTIONARY_BYTES { Err(too_large()) } else { Ok(unpacked.into()) }
}

impl<R: BufRead + Send> Codec for Zstd<R> {
    type From = R;
    const MAGIC: &'static [u8] = &FRAME;

    fn packed(&mut self) -> &mut PackedBytes<R> {
        &mut self.packed
    }

    fn open(&mut self) -> io::Result<()> {
        self.is_at_end = false;
        if self.packed.peek()? == DICTIONARY_FRAME && self.packed.position() == 0 {
            self.decoder = Decoder::with_dictionary(&dictionary(&mut self.packed)?)?;
            self.is_at_end = true;
            return Ok(());
        }
        self.decoder.reinit()
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.is_at_end {
            let packed = self.packed.fill_buf()?;
            let is_cut_off = packed.is_empty();
            let status = self
                .decoder
                .run_on_buffers(packed, into)
                .map_err(|error| damaged(&format!("its compression is damaged: {error}")))?;
            self.packed.consume(status.bytes_read);
            self.is_at_end = status.remaining == 0;
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
            if is_cut_off && !self.is_at_end {
                return Err(cut_off());
            }
        }
        Ok(0)
    }
}
