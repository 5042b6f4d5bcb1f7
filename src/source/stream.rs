//! The bytes of a web archive, plain or in gzip members, with the positions of its records. Reading resumes after
//! damage.
//!
//! No existing crate is used for the members: the available decoders either stop at the first damaged one or do not
//! report positions.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Cursor, Read};

/// Number of bytes that are decompressed at a time.
const BUFFER_BYTES: usize = 64 << 10;
/// Longest text or extra field of a member's header, in bytes; the format has no limit.
const MAX_FIELD_BYTES: usize = 64 << 10;
/// The first bytes of a gzip member (RFC 1952, 2.3): two magic bytes, and the only compression method.
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];
/// Number of bytes before the damage in which the next member is searched: damage is noticed within a few thousand
/// bytes.
const MAX_RECENT_BYTES: usize = 64 << 10;

/// A stream of records.
pub(super) trait Stream: BufRead + Send {
    /// The position of the next byte, counted from the start of the stream; `None` if it can only be reached by reading
    /// the bytes before it.
    fn position(&mut self) -> io::Result<Option<u64>>;

    /// Whether a gzip member begins here, and a record with it.
    fn begins_record(&mut self) -> io::Result<bool>;

    /// After an error: moves to the next possible start of a member, and returns whether there is one. The bytes that
    /// were read as a part of the damaged member may already contain the next one: with `again`, they are searched for
    /// it.
    fn recover(&mut self, again: bool) -> io::Result<bool>;
}

/// An uncompressed stream.
pub(super) struct Plain<R> {
    from: R,
    position: u64,
}

impl<R: BufRead + Send> Plain<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, position: 0 }
    }
}

impl<R: BufRead> Read for Plain<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.from.read(into)?;
        self.position += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Plain<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.from.consume(length);
        self.position += length as u64;
    }
}

impl<R: BufRead + Send> Stream for Plain<R> {
    fn position(&mut self) -> io::Result<Option<u64>> {
        Ok(Some(self.position))
    }

    fn begins_record(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    fn recover(&mut self, _: bool) -> io::Result<bool> {
        Ok(false)
    }
}

/// The content of gzip members, one after the other.
pub(super) struct Members<R> {
    from: R,
    /// Number of compressed bytes read.
    position: u64,
    /// The last of these bytes that belong to the member, at least `MAX_RECENT_BYTES` if there are as many.
    recent: Vec<u8>,
    /// Bytes to read again, before `from`.
    again: Cursor<Vec<u8>>,
    inflate: Decompress,
    checksum: Crc,
    unpacked: Vec<u8>,
    start: usize,
    end: usize,
    /// Start of the current member.
    member: u64,
    /// Number of bytes of its content that were read.
    taken: u64,
    is_inside: bool,
    /// Whether the first three bytes of the next member have been read.
    has_mark: bool,
    /// Whether the checksum of the last member was wrong.
    is_wrong: bool,
}

fn damaged(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.to_owned())
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            position: 0,
            recent: Vec::new(),
            again: Cursor::default(),
            inflate: Decompress::new(false),
            checksum: Crc::new(),
            unpacked: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            member: 0,
            taken: 0,
            is_inside: false,
            has_mark: false,
            is_wrong: false,
        }
    }

    fn packed(&mut self) -> io::Result<&[u8]> {
        let again = self.again.position() as usize;
        if again < self.again.get_ref().len() { Ok(&self.again.get_ref()[again..]) } else { self.from.fill_buf() }
    }

    /// Marks bytes returned by [`Self::packed`] as read.
    fn take_packed(&mut self, length: usize) -> io::Result<()> {
        if self.recent.len() > 2 * MAX_RECENT_BYTES {
            self.recent.drain(..self.recent.len() - MAX_RECENT_BYTES);
        }
        let again = self.again.position() as usize;
        if again < self.again.get_ref().len() {
            self.recent.extend_from_slice(&self.again.get_ref()[again..again + length]);
            self.again.set_position((again + length) as u64);
        } else {
            let bytes = self.from.fill_buf()?;
            self.recent.extend_from_slice(&bytes[..length]);
            self.from.consume(length);
        }
        self.position += length as u64;
        Ok(())
    }

    fn exactly<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        let mut read = 0;
        while read < N {
            let packed = self.packed()?;
            if packed.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its compression is cut off"));
            }
            let length = packed.len().min(N - read);
            bytes[read..read + length].copy_from_slice(&packed[..length]);
            self.take_packed(length)?;
            read += length;
        }
        Ok(bytes)
    }

    /// Skips a text that ends in zero.
    fn text(&mut self) -> io::Result<()> {
        for _ in 0..MAX_FIELD_BYTES {
            if self.exactly::<1>()? == [0] {
                return Ok(());
            }
        }
        Err(damaged("a gzip header does not end"))
    }

    /// Reads the header of the next member; returns whether there is one.
    fn open(&mut self) -> io::Result<bool> {
        if self.has_mark {
            self.has_mark = false;
        } else {
            if self.packed()?.is_empty() {
                return Ok(false);
            }
            self.member = self.position;
            self.recent.clear();
            if self.exactly()? != MEMBER {
                return Err(damaged("the following bytes are not gzip"));
            }
        }
        let [flags, ..] = self.exactly::<7>()?;
        if flags & 0xe0 != 0 {
            return Err(damaged("a gzip header is damaged"));
        }
        if flags & 4 != 0 {
            let length = u16::from_le_bytes(self.exactly()?);
            for _ in 0..length {
                self.exactly::<1>()?;
            }
        }
        // A name, and a comment.
        for flag in [8, 16] {
            if flags & flag != 0 {
                self.text()?;
            }
        }
        if flags & 2 != 0 {
            self.exactly::<2>()?;
        }
        self.inflate.reset(false);
        self.checksum.reset();
        self.taken = 0;
        self.is_inside = true;
        Ok(true)
    }

    fn unpack(&mut self) -> io::Result<()> {
        let again = self.again.position() as usize;
        let packed = match self.again.get_ref().get(again..) {
            Some(packed) if !packed.is_empty() => packed,
            _ => self.from.fill_buf()?,
        };
        let is_cut_off = packed.is_empty();
        let (before, made) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(packed, &mut self.unpacked, FlushDecompress::None);
        let read = (self.inflate.total_in() - before) as usize;
        self.take_packed(read)?;
        let status = status.map_err(|_| damaged("its compression is damaged"))?;
        (self.start, self.end) = (0, (self.inflate.total_out() - made) as usize);
        self.checksum.update(&self.unpacked[..self.end]);
        if matches!(status, Status::StreamEnd) {
            self.is_inside = false;
            let [sum, length] = [self.exactly()?, self.exactly()?].map(u32::from_le_bytes);
            self.is_wrong = sum != self.checksum.sum() || length != self.checksum.amount();
        } else if is_cut_off && self.end == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its compression is cut off"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let length = from.len().min(into.len());
        into[..length].copy_from_slice(&from[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Members<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end {
            if std::mem::take(&mut self.is_wrong) {
                return Err(damaged("its checksum is wrong"));
            }
            if !self.is_inside && !self.open()? {
                break;
            }
            self.unpack()?;
        }
        Ok(&self.unpacked[self.start..self.end])
    }

    fn consume(&mut self, length: usize) {
        self.start += length;
        self.taken += length as u64;
    }
}

impl<R: BufRead + Send> Stream for Members<R> {
    fn position(&mut self) -> io::Result<Option<u64>> {
        self.fill_buf()?;
        Ok((self.taken == 0).then_some(self.member))
    }

    fn begins_record(&mut self) -> io::Result<bool> {
        let is_record = self.fill_buf()?.starts_with(b"WARC/");
        Ok(is_record && self.taken == 0)
    }

    fn recover(&mut self, again: bool) -> io::Result<bool> {
        (self.start, self.end, self.is_inside, self.is_wrong) = (0, 0, false, false);
        if again {
            let mut bytes = std::mem::take(&mut self.recent);
            self.position -= bytes.len() as u64;
            bytes.extend_from_slice(&self.again.get_ref()[self.again.position() as usize..]);
            self.again = Cursor::new(bytes);
            // The current member begins with these three bytes too.
            if self.position == self.member && !self.packed()?.is_empty() {
                self.take_packed(1)?;
            }
        }
        let mut matched = 0;
        loop {
            let packed = self.packed()?;
            if packed.is_empty() {
                return Ok(false);
            }
            let mut read = 0;
            for byte in packed {
                read += 1;
                matched = if *byte == MEMBER[matched] { matched + 1 } else { usize::from(*byte == MEMBER[0]) };
                if matched == MEMBER.len() {
                    break;
                }
            }
            self.take_packed(read)?;
            if matched == MEMBER.len() {
                self.member = self.position - MEMBER.len() as u64;
                self.recent.clear();
                self.recent.extend(MEMBER);
                self.has_mark = true;
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;
    use std::io::Write;

    /// Each part as a separate member.
    pub(in crate::source) fn packed(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in parts {
            let mut encoder = GzEncoder::new(&mut bytes, Compression::fast());
            encoder.write_all(part).unwrap();
            encoder.finish().unwrap();
        }
        bytes
    }

    #[test]
    fn members_are_read_in_order_with_their_positions() {
        let mut bytes = packed(&[b"WARC/one".to_vec()]);
        let second = bytes.len() as u64;
        let builder = GzBuilder::new().filename("a name").comment("a comment").extra(vec![1; 300]);
        let mut encoder = builder.write(&mut bytes, Compression::best());
        encoder.write_all(b"WARC/two").unwrap();
        encoder.finish().unwrap();
        let mut stream = Members::new(&bytes[..]);
        assert_eq!(stream.position().unwrap(), Some(0));
        let mut text = [0; 8];
        stream.read_exact(&mut text[..3]).unwrap();
        assert_eq!((stream.position().unwrap(), stream.begins_record().unwrap()), (None, false));
        stream.read_exact(&mut text[..5]).unwrap();
        assert_eq!((stream.position().unwrap(), stream.begins_record().unwrap()), (Some(second), true));
        stream.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"WARC/two");
        assert!(stream.fill_buf().unwrap().is_empty());
    }

    #[test]
    fn reading_resumes_at_the_next_member_after_damage() {
        let noise: Vec<u8> = (0..3000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let one = packed(&[noise]);
        let other = packed(&[b"other".to_vec()]);
        for at in [3, one.len() / 2, one.len() - 3] {
            let mut bytes = [one.clone(), other.clone()].concat();
            bytes[at] ^= 0xff;
            let mut stream = Members::new(&bytes[..]);
            let mut read = Vec::new();
            stream.read_to_end(&mut read).unwrap_err();
            assert!(stream.recover(true).unwrap(), "{at}");
            assert_eq!(stream.position().unwrap(), Some(one.len() as u64), "{at}");
            assert_eq!(stream.fill_buf().unwrap(), b"other");
        }
        let mut stream = Members::new(&one[..one.len() / 2]);
        let error = io::copy(&mut stream, &mut io::sink()).unwrap_err();
        assert!(error.kind() == io::ErrorKind::UnexpectedEof && !stream.recover(true).unwrap());
    }

    proptest! {
        #[test]
        fn content_equals_the_compressed_input(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3000), 1..5)) {
            let mut read = Vec::new();
            Members::new(&packed(&parts)[..]).read_to_end(&mut read).unwrap();
            prop_assert_eq!(read, parts.concat());
        }

        #[test]
        fn reading_any_bytes_ends(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut stream = Members::new(&bytes[..]);
            for _ in 0..500 {
                match io::copy(&mut stream, &mut io::sink()) {
                    Ok(_) => return Ok(()),
                    Err(_) => if !stream.recover(true).unwrap() { return Ok(()) },
                }
            }
            prop_assert!(false, "it does not end");
        }
    }
}
