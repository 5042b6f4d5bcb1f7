//! A file of records, or a stretch of one: what an archive is made of.

use super::record::Records;
use super::stream::{Members, Plain, Stream};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A file of records, or a stretch of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file.
    pub(super) path: PathBuf,
    /// Where in it the records begin, in bytes.
    pub(super) start: u64,
    /// How many bytes they take.
    pub(super) length: u64,
    /// Whether they are packed with gzip.
    pub(super) is_packed: bool,
}

impl Part {
    /// A whole file.
    pub(super) fn file(path: &Path) -> io::Result<Self> {
        Self::stretch(path, 0, u64::MAX)
    }

    /// A stretch of a file, which ends where the file does; whether it is packed is told by its first bytes.
    pub(super) fn stretch(path: &Path, start: u64, length: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = length.min(file.metadata()?.len().saturating_sub(start));
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        file.take(length.min(2)).read_to_end(&mut head)?;
        Ok(Self { path: path.to_path_buf(), start, length, is_packed: head == b"\x1f\x8b" })
    }

    /// Its records from `place` on.
    pub(super) fn records(&self, place: u64) -> io::Result<Records> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(place)))?;
        let stretch = BufReader::with_capacity(1 << 16, file.take(self.length.saturating_sub(place)));
        let stream: Box<dyn Stream> =
            if self.is_packed { Box::new(Members::new(stretch)) } else { Box::new(Plain::new(stretch)) };
        Ok(Records::new(stream))
    }
}
