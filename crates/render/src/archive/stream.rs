//! The bytes of a web archive, with the positions of its records.

use std::io::{self, BufRead, Read};

/// A stream of records.
pub trait Stream: BufRead + Send {
    /// Returns the position of the next byte from the start of the stream; `None` if it can only be
    /// reached by reading the bytes before it.
    fn position(&mut self) -> io::Result<Option<u64>>;

    /// Returns the next bytes if a member of a compressed stream starts here.
    fn member_start(&mut self) -> io::Result<Option<&[u8]>>;

    /// After an error: moves to the next possible start of a member, and returns true if there is
    /// one.
    fn recover(&mut self) -> io::Result<bool>;

    /// After recovery: the number of bytes that were delivered before the error but belong to the
    /// member that starts here, since the previous one was cut off. Must be called only once.
    fn excess(&mut self) -> u64;
}

/// A stream of records that is not compressed.
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

    fn member_start(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(None)
    }

    fn recover(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    fn excess(&mut self) -> u64 {
        0
    }
}

#[cfg(test)]
pub(super) mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// Compresses each part to a gzip member of its own.
    pub(in crate::archive) fn packed(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in parts {
            let mut encoder = GzEncoder::new(&mut bytes, Compression::fast());
            encoder.write_all(part).unwrap();
            encoder.finish().unwrap();
        }
        bytes
    }
}
