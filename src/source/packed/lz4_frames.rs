//! Decompresses LZ4 frames, as in archives whose names end in `.warc.lz4`.

use super::bytes::PackedBytes;
use super::codec::{Codec, damaged};
use lz4_flex::frame::FrameDecoder;
use std::io::{self, BufRead, Read};

/// The first bytes of a frame.
pub(super) const FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// The decoder.
pub(super) struct Lz4<R: BufRead> {
    /// Absent only while it is replaced.
    decoder: Option<FrameDecoder<PackedBytes<R>>>,
}

impl<R: BufRead + Send> Lz4<R> {
    pub(super) fn new(from: R) -> Self {
        Self { decoder: Some(FrameDecoder::new(PackedBytes::new(from))) }
    }

    fn decoder(&mut self) -> &mut FrameDecoder<PackedBytes<R>> {
        self.decoder.as_mut().expect("it is replaced at once")
    }
}

impl<R: BufRead + Send> Codec for Lz4<R> {
    type From = R;
    const MAGIC: &'static [u8] = &FRAME;

    fn packed(&mut self) -> &mut PackedBytes<R> {
        self.decoder().get_mut()
    }

    fn open(&mut self) -> io::Result<()> {
        // After damage, the decoder is in the middle of a frame.
        self.decoder = self.decoder.take().map(|decoder| FrameDecoder::new(decoder.into_inner()));
        if self.packed().peek()? == FRAME { Ok(()) } else { Err(damaged("the following bytes are not LZ4")) }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A frame that is cut off between two blocks ends here like a complete one; its record is then too short.
        self.decoder().read(into).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => super::bytes::cut_off(),
            _ => damaged(&format!("its compression is damaged: {error}")),
        })
    }
}
