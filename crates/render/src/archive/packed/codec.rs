//! The interface of a compression whose data consists of consecutive members, and the buffer of its
//! compressed bytes: their position, and the most recent ones, which are searched again after
//! damage.

use std::io::{self, BufRead, Cursor, Read};

/// Number of bytes before the damage in which the next member is searched. Damage is noticed within
/// a few thousand bytes.
const MAX_RECENT_BYTES: usize = 64 << 10;

/// Decompresses one member after the other.
pub(super) trait Codec: Send {
    /// The source of the compressed bytes.
    type From: BufRead + Send;
    /// The first bytes of a member, at most four.
    const MAGIC: &'static [u8];

    /// Gives access to the compressed bytes, for their position and for recovery.
    fn packed(&mut self) -> &mut PackedBytes<Self::From>;

    /// Reads the header of the member that starts at the current position.
    fn open(&mut self) -> io::Result<()>;

    /// Reads the next bytes of the member's content; zero bytes at its end.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;
}

/// A reader of compressed bytes that can step back after damage.
pub(super) struct PackedBytes<R> {
    from: R,
    /// Number of bytes read.
    position: u64,
    /// The most recent of these bytes within the current member: at least `MAX_RECENT_BYTES`, or
    /// all.
    recent: Vec<u8>,
    /// Bytes to read again, before `from`.
    again: Cursor<Vec<u8>>,
}

/// The error for compressed data that ends too early.
pub(super) fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "its compression is cut off")
}

/// The error for compressed data that makes no sense.
pub(super) fn damaged(cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.to_owned())
}

impl<R: BufRead> PackedBytes<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            position: 0,
            recent: Vec::new(),
            again: Cursor::default(),
        }
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Marks the start of a member: the bytes before it are not searched again.
    pub(super) fn begin_member(&mut self) {
        self.recent.clear();
    }

    pub(super) fn exactly<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        let mut read = 0;
        while read < N {
            let length = self.read(&mut bytes[read..])?;
            if length == 0 {
                return Err(cut_off());
            }
            read += length;
        }
        Ok(bytes)
    }

    /// Returns the next four bytes without consuming them; fewer at the end.
    pub(super) fn peek(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.by_ref().take(4).read_to_end(&mut bytes)?;
        self.unread(bytes.len());
        Ok(bytes)
    }

    /// After an error in the member that begins at `member`: moves to the next bytes that equal
    /// `magic`, and returns true if there are any. They may be among the bytes that were read as
    /// part of the damaged member.
    pub(super) fn recover(&mut self, member: u64, magic: &[u8]) -> io::Result<bool> {
        self.unread(self.recent.len());
        // The damaged member begins with the same bytes.
        if self.position == member && !self.fill_buf()?.is_empty() {
            self.consume(1);
        }
        let mut matched = 0;
        loop {
            let packed = self.fill_buf()?;
            if packed.is_empty() {
                return Ok(false);
            }
            let mut read = 0;
            for byte in packed {
                read += 1;
                matched = if *byte == magic[matched] {
                    matched + 1
                } else {
                    usize::from(*byte == magic[0])
                };
                if matched == magic.len() {
                    break;
                }
            }
            self.consume(read);
            if matched == magic.len() {
                self.unread(matched);
                return Ok(true);
            }
        }
    }

    /// Steps back by `length` bytes.
    fn unread(&mut self, length: usize) {
        let mut bytes = self
            .recent
            .split_off(self.recent.len().saturating_sub(length));
        self.position -= bytes.len() as u64;
        bytes.extend_from_slice(&self.again.get_ref()[self.again.position() as usize..]);
        self.again = Cursor::new(bytes);
    }
}

/// Reads from a buffer, filling it if it is empty.
pub(super) fn read_buffered(from: &mut impl BufRead, into: &mut [u8]) -> io::Result<usize> {
    let buffer = from.fill_buf()?;
    let length = buffer.len().min(into.len());
    into[..length].copy_from_slice(&buffer[..length]);
    from.consume(length);
    Ok(length)
}

impl<R: BufRead> Read for PackedBytes<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_buffered(self, into)
    }
}

impl<R: BufRead> BufRead for PackedBytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let again = self.again.position() as usize;
        if again < self.again.get_ref().len() {
            Ok(&self.again.get_ref()[again..])
        } else {
            self.from.fill_buf()
        }
    }

    fn consume(&mut self, length: usize) {
        if self.recent.len() > 2 * MAX_RECENT_BYTES {
            self.recent.drain(..self.recent.len() - MAX_RECENT_BYTES);
        }
        let again = self.again.position() as usize;
        if again < self.again.get_ref().len() {
            self.recent
                .extend_from_slice(&self.again.get_ref()[again..again + length]);
            self.again.set_position((again + length) as u64);
        } else {
            // The bytes are in the buffer, so this cannot fail.
            if let Ok(bytes) = self.from.fill_buf() {
                self.recent.extend_from_slice(&bytes[..length]);
            }
            self.from.consume(length);
        }
        self.position += length as u64;
    }
}
