//! The content of the members of a compressed archive, one after the other.

use super::codec::{Codec, read_buffered};
use crate::archive::stream::Stream;
use std::io::{self, BufRead, Read};

/// Number of bytes that are decompressed at a time.
const BUFFER_BYTES: usize = 64 << 10;
/// Number of decompression steps that are remembered: as many as are needed to reach back to where
/// the search for the next member begins after damage.
const MAX_STEPS: usize = 200;

/// The positions after one step of decompression: in the compressed bytes, and in the member's
/// content.
#[derive(Debug, Clone, Copy)]
struct Step {
    packed: u64,
    content: u64,
}

/// Reader of the concatenated contents of a stream's members.
pub(super) struct Members<C> {
    codec: C,
    unpacked: Vec<u8>,
    start: usize,
    end: usize,
    /// Start of the current member.
    member: u64,
    /// Number of bytes of its content that have been read.
    taken: u64,
    is_inside: bool,
    /// The most recent steps in the current member.
    steps: Vec<Step>,
    /// The steps in a damaged member, and how much of it was read, until reading resumes.
    damaged: Option<(Vec<Step>, u64)>,
}

impl<C: Codec> Members<C> {
    pub(super) fn new(codec: C) -> Self {
        Self {
            codec,
            unpacked: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            member: 0,
            taken: 0,
            is_inside: false,
            steps: Vec::new(),
            damaged: None,
        }
    }
}

impl<C: Codec> Read for Members<C> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_buffered(self, into)
    }
}

impl<C: Codec> BufRead for Members<C> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end {
            if !self.is_inside {
                let packed = self.codec.packed();
                if packed.fill_buf()?.is_empty() {
                    break;
                }
                packed.begin_member();
                self.member = packed.position();
                self.taken = 0;
                self.steps.clear();
                self.codec.open()?;
                self.is_inside = true;
            }
            (self.start, self.end) = (0, 0);
            self.end = self.codec.read(&mut self.unpacked)?;
            self.is_inside = self.end > 0;
            if self.steps.len() >= 2 * MAX_STEPS {
                self.steps.drain(..MAX_STEPS);
            }
            self.steps.push(Step {
                packed: self.codec.packed().position(),
                content: self.taken + self.end as u64,
            });
        }
        Ok(&self.unpacked[self.start..self.end])
    }

    fn consume(&mut self, length: usize) {
        self.start += length;
        self.taken += length as u64;
    }
}

impl<C: Codec> Stream for Members<C> {
    fn position(&mut self) -> io::Result<Option<u64>> {
        self.fill_buf()?;
        Ok((self.taken == 0).then_some(self.member))
    }

    fn member_start(&mut self) -> io::Result<Option<&[u8]>> {
        self.fill_buf()?;
        Ok((self.taken == 0).then(|| &self.unpacked[self.start..self.end]))
    }

    fn recover(&mut self) -> io::Result<bool> {
        (self.start, self.end, self.is_inside) = (0, 0, false);
        if self.damaged.is_none() {
            self.damaged = Some((std::mem::take(&mut self.steps), self.taken));
        }
        let member = self.member;
        self.codec.packed().recover(member, C::MAGIC)
    }

    fn excess(&mut self) -> u64 {
        let Some((steps, taken)) = self.damaged.take() else {
            return 0;
        };
        let sound = steps
            .iter()
            .rev()
            .find(|step| step.packed <= self.member)
            .map_or(0, |step| step.content);
        taken.saturating_sub(sound)
    }
}

#[cfg(test)]
mod tests {
    use super::super::packing::Packing;
    use crate::archive::stream::Stream;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;
    use std::io::{self, BufRead, Cursor, Read, Write};

    const PACKED: [Packing; 3] = [Packing::Gzip, Packing::Zstd, Packing::Lz4];

    fn member(packing: Packing, content: &[u8]) -> Vec<u8> {
        match packing {
            Packing::None => content.to_vec(),
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(content).unwrap();
                encoder.finish().unwrap()
            }
            Packing::Zstd => zstd::stream::encode_all(content, 3).unwrap(),
            Packing::Lz4 => {
                let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
                encoder.write_all(content).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    fn open(packing: Packing, bytes: &[u8]) -> Box<dyn Stream> {
        assert_eq!(Packing::detect(bytes), packing);
        packing.open(Cursor::new(bytes.to_vec()), &[]).unwrap()
    }

    fn noise(length: u32) -> Vec<u8> {
        (0..length)
            .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect()
    }

    #[test]
    fn members_are_read_in_order_with_their_positions() {
        for packing in PACKED {
            let mut bytes = member(packing, b"WARC/one");
            let second = bytes.len() as u64;
            if packing == Packing::Gzip {
                let builder = GzBuilder::new()
                    .filename("a name")
                    .comment("a comment")
                    .extra(vec![1; 300]);
                let mut encoder = builder.write(&mut bytes, Compression::best());
                encoder.write_all(b"WARC/two").unwrap();
                encoder.finish().unwrap();
            } else {
                bytes.extend(member(packing, b"WARC/two"));
            }
            let mut stream = open(packing, &bytes);
            assert_eq!(stream.position().unwrap(), Some(0));
            let mut text = [0; 8];
            stream.read_exact(&mut text[..3]).unwrap();
            assert_eq!(
                (stream.position().unwrap(), stream.member_start().unwrap()),
                (None, None),
                "{packing:?}"
            );
            stream.read_exact(&mut text[..5]).unwrap();
            assert_eq!(stream.position().unwrap(), Some(second), "{packing:?}");
            assert_eq!(stream.member_start().unwrap(), Some(&b"WARC/two"[..]));
            stream.read_exact(&mut text).unwrap();
            assert_eq!(&text, b"WARC/two");
            assert!(stream.fill_buf().unwrap().is_empty());
        }
    }

    #[test]
    fn reading_resumes_at_the_next_member_after_damage() {
        for packing in PACKED {
            let one = member(packing, &noise(3000));
            let other = member(packing, b"other");
            for at in [3, one.len() / 2, one.len() - 3] {
                let mut bytes = [one.clone(), other.clone()].concat();
                bytes[at] ^= 0xff;
                let mut stream = packing.open(Cursor::new(bytes), &[]).unwrap();
                let mut read = Vec::new();
                if stream.read_to_end(&mut read).is_ok() {
                    // These frames have no checksum, so wrong bytes may go unnoticed.
                    assert!(
                        packing != Packing::Gzip && read.ends_with(b"other"),
                        "{packing:?} {at}"
                    );
                    continue;
                }
                assert!(stream.recover().unwrap(), "{packing:?} {at}");
                assert_eq!(
                    stream.position().unwrap(),
                    Some(one.len() as u64),
                    "{packing:?} {at}"
                );
                assert_eq!(stream.fill_buf().unwrap(), b"other");
            }
        }
        let one = member(Packing::Gzip, &noise(3000));
        let mut stream = open(Packing::Gzip, &one[..one.len() / 2]);
        let error = io::copy(&mut stream, &mut io::sink()).unwrap_err();
        assert!(error.kind() == io::ErrorKind::UnexpectedEof && !stream.recover().unwrap());
    }

    #[test]
    fn a_dictionary_at_the_start_is_used_packed_or_not() {
        // A dictionary need not have the format's structure: any bytes that the contents may
        // repeat.
        let dictionary =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".repeat(20);
        let mut encoder = zstd::stream::raw::Encoder::with_dictionary(3, &dictionary).unwrap();
        let mut frame = |content: &[u8]| {
            use zstd::stream::raw::Operation;
            encoder.reinit().unwrap();
            let mut frame = vec![0; 4096];
            let status = encoder.run_on_buffers(content, &mut frame).unwrap();
            let mut output =
                zstd::stream::raw::OutBuffer::around_pos(&mut frame, status.bytes_written);
            assert_eq!(encoder.finish(&mut output, true).unwrap(), 0);
            let length = output.pos();
            frame.truncate(length);
            frame
        };
        let content = &dictionary[..600];
        let frames = [frame(content), frame(b"WARC/two")];
        for stored in [
            dictionary.clone(),
            zstd::stream::encode_all(&dictionary[..], 3).unwrap(),
        ] {
            let length = (stored.len() as u32).to_le_bytes();
            let first = [
                &super::super::frames::DICTIONARY_FRAME[..],
                &length,
                &stored,
            ]
            .concat();
            let bytes = [first.clone(), frames.concat()].concat();
            let mut stream = open(Packing::Zstd, &bytes);
            assert_eq!(stream.position().unwrap(), Some(first.len() as u64));
            let mut read = Vec::new();
            stream.read_to_end(&mut read).unwrap();
            assert_eq!(read, [content, b"WARC/two"].concat());
            // Read one frame alone.
            let dictionary = Packing::Zstd.dictionary(&mut &bytes[..]).unwrap();
            let mut alone = Packing::Zstd
                .open(Cursor::new(frames[0].clone()), &dictionary)
                .unwrap();
            let mut read = Vec::new();
            alone.read_to_end(&mut read).unwrap();
            assert_eq!(read, content);
            let mut without = Packing::Zstd
                .open(Cursor::new(frames[0].clone()), &[])
                .unwrap();
            let mut wrong = Vec::new();
            assert!(without.read_to_end(&mut wrong).is_err() || wrong != content);
            assert!(
                Packing::Zstd.dictionary(&mut &bytes[..40]).is_err(),
                "cut off"
            );
        }
    }

    proptest! {
        #[test]
        fn content_equals_the_compressed_input(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..3000), 1..5)) {
            for packing in PACKED {
                let bytes: Vec<u8> = parts.iter().flat_map(|part| member(packing, part)).collect();
                let mut read = Vec::new();
                open(packing, &bytes).read_to_end(&mut read).unwrap();
                prop_assert_eq!(read, parts.concat());
            }
        }

        #[test]
        fn reading_any_bytes_ends(bytes in prop::collection::vec(any::<u8>(), 0..400), begins in any::<bool>()) {
            for packing in PACKED {
                let magic = if begins { member(packing, b"x")[..4].to_vec() } else { Vec::new() };
                let mut stream = packing.open(Cursor::new([magic, bytes.clone()].concat()), &[]).unwrap();
                let mut has_ended = false;
                for _ in 0..500 {
                    has_ended = io::copy(&mut stream, &mut io::sink()).is_ok() || !stream.recover().unwrap();
                    if has_ended {
                        break;
                    }
                }
                prop_assert!(has_ended, "{:?} does not end", packing);
            }
        }
    }
}
