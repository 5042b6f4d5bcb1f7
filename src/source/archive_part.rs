//! A file of records, or a section of one; an archive consists of such parts.

use super::record::Records;
use super::stream::{Members, Plain, Stream};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A file of records, or a section of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file.
    pub(super) path: PathBuf,
    /// Start of the records in the file, in bytes.
    pub(super) start: u64,
    /// Length of the records, in bytes.
    pub(super) length: u64,
    /// Whether they are compressed with gzip.
    pub(super) is_packed: bool,
}

impl Part {
    /// A whole file.
    pub(super) fn file(path: &Path) -> io::Result<Self> {
        Self::section(path, 0, u64::MAX)
    }

    /// A section of a file, which ends at the latest at the end of the file. Its first bytes show whether it is
    /// compressed.
    pub(super) fn section(path: &Path, start: u64, length: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = length.min(file.metadata()?.len().saturating_sub(start));
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        file.take(length.min(2)).read_to_end(&mut head)?;
        Ok(Self { path: path.to_path_buf(), start, length, is_packed: head == b"\x1f\x8b" })
    }

    /// Its records from `position` on.
    pub(super) fn records(&self, position: u64) -> io::Result<Records> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(position)))?;
        let section = BufReader::with_capacity(1 << 16, file.take(self.length.saturating_sub(position)));
        let stream: Box<dyn Stream> =
            if self.is_packed { Box::new(Members::new(section)) } else { Box::new(Plain::new(section)) };
        Ok(Records::new(stream))
    }
}
