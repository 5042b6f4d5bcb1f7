//! Reads the lines of a stream, one at a time and with a limit of their length; used for JSON
//! documents.

use std::io::{self, BufRead, Read};
use vclean_core::error::SourceError;
use vclean_core::page::MAX_PAGE_BYTES;

/// Longest line, in bytes: a page of the largest size in which every character is escaped. (A
/// character outside ASCII has at least two bytes, and its escape has six.)
const MAX_LINE_BYTES: u64 = 3 * MAX_PAGE_BYTES + (1 << 20);

/// The lines of a stream, each as its bytes or an error; a line that is too long is skipped.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    limit: u64,
    is_at_end: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `from`.
    pub fn new(from: R) -> Self {
        Self::limited(from, MAX_LINE_BYTES)
    }

    /// The lines of `from`, each of at most `limit` bytes.
    pub(super) fn limited(from: R, limit: u64) -> Self {
        Self {
            from,
            limit,
            is_at_end: false,
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.from.fill_buf()?;
            let (length, is_whole) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.from.consume(length);
            if is_whole {
                return Ok(());
            }
        }
    }

    fn line(&mut self) -> io::Result<Option<Result<Vec<u8>, SourceError>>> {
        let mut line = Vec::new();
        let read = self
            .from
            .by_ref()
            .take(self.limit)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == self.limit && line.last() != Some(&b'\n') {
            self.skip_line()?;
            let cause = format!(
                "the line is longer than {} bytes; split the document",
                self.limit
            );
            return Ok(Some(Err(SourceError::Unusable(cause))));
        }
        Ok(Some(Ok(line)))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Vec<u8>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        self.line().unwrap_or_else(|error| {
            self.is_at_end = true;
            Some(Err(SourceError::Unusable(format!(
                "the input cannot be read: {error}"
            ))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_line_breaks_and_the_last_needs_none() {
        let lines: Vec<_> = Lines::new(&b"a\n\nb"[..]).map(Result::unwrap).collect();
        assert_eq!(lines, [b"a\n".to_vec(), b"\n".to_vec(), b"b".to_vec()]);
        let mut found = Lines::limited(&b"long line\nnext"[..], 5);
        assert!(
            found
                .next()
                .unwrap()
                .unwrap_err()
                .to_string()
                .contains("longer than 5 bytes")
        );
        assert_eq!(found.next().unwrap().unwrap(), b"next");
        assert!(found.next().is_none());
    }

    #[test]
    fn a_failing_stream_gives_one_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let found: Vec<_> = Lines::new(io::BufReader::new(Broken)).collect();
        assert!(found.len() == 1 && found[0].as_ref().unwrap_err().to_string().contains("gone"));
    }
}
