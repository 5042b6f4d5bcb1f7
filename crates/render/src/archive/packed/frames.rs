//! Decompresses frames of Zstandard (RFC 8878) and LZ4, as in archives whose names end in
//! `.warc.zst` and `.warc.lz4`.
//!
//! A Zstandard archive may begin with a dictionary that all its frames need. The dictionary is
//! stored in a frame that other programs skip (IIPC 2022, "WARC files with Zstandard compression"),
//! and may be compressed itself.

use super::codec::{Codec, PackedBytes, cut_off, damaged};
use lz4_flex::frame::FrameDecoder;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use zstd::stream::raw::{Decoder, Operation};

/// The first bytes of a Zstandard frame.
pub(super) const ZSTD_FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of an LZ4 frame.
pub(super) const LZ4_FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// The first bytes of the frame that holds the dictionary.
pub(super) const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// Largest dictionary, in bytes. Usual ones have 100,000; writers allow a few megabytes.
const MAX_DICTIONARY_BYTES: u64 = 64 << 20;

/// Decoder of Zstandard frames.
pub(super) struct Zstd<R> {
    packed: PackedBytes<R>,
    decoder: Decoder<'static>,
    /// Set when the end of the frame has been read.
    is_at_end: bool,
}

impl<R: BufRead + Send> Zstd<R> {
    /// Creates a decoder for frames that may need `dictionary`. A dictionary at the start of the
    /// stream is found there.
    pub(super) fn new(from: R, dictionary: &[u8]) -> io::Result<Self> {
        let decoder = Decoder::with_dictionary(dictionary)?;
        Ok(Self {
            packed: PackedBytes::new(from),
            decoder,
            is_at_end: false,
        })
    }
}

/// Reads the dictionary at the start of an archive; empty if the archive does not have one.
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
    if !stored.starts_with(&ZSTD_FRAME) {
        return Ok(stored.into());
    }
    let mut unpacked = Vec::new();
    zstd::stream::read::Decoder::new(&stored[..])?
        .take(MAX_DICTIONARY_BYTES + 1)
        .read_to_end(&mut unpacked)?;
    if unpacked.len() as u64 > MAX_DICTIONARY_BYTES {
        Err(too_large())
    } else {
        Ok(unpacked.into())
    }
}

impl<R: BufRead + Send> Codec for Zstd<R> {
    type From = R;
    const MAGIC: &'static [u8] = &ZSTD_FRAME;

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

/// Decoder of LZ4 frames.
pub(super) struct Lz4<R: BufRead> {
    /// Absent only while it is replaced.
    decoder: Option<FrameDecoder<PackedBytes<R>>>,
}

impl<R: BufRead + Send> Lz4<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            decoder: Some(FrameDecoder::new(PackedBytes::new(from))),
        }
    }

    fn decoder(&mut self) -> &mut FrameDecoder<PackedBytes<R>> {
        self.decoder.as_mut().expect("it is replaced at once")
    }
}

impl<R: BufRead + Send> Codec for Lz4<R> {
    type From = R;
    const MAGIC: &'static [u8] = &LZ4_FRAME;

    fn packed(&mut self) -> &mut PackedBytes<R> {
        self.decoder().get_mut()
    }

    fn open(&mut self) -> io::Result<()> {
        // After damage, the decoder is in the middle of a frame.
        self.decoder = self
            .decoder
            .take()
            .map(|decoder| FrameDecoder::new(decoder.into_inner()));
        if self.packed().peek()? == LZ4_FRAME {
            Ok(())
        } else {
            Err(damaged("the following bytes are not LZ4"))
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // If a frame is cut off between two blocks, the decoder reports a normal end; the record is
        // then too short.
        self.decoder()
            .read(into)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => cut_off(),
                _ => damaged(&format!("its compression is damaged: {error}")),
            })
    }
}
