//! A file of records, or a section of one; an archive consists of such parts.

use super::packed::{Dictionary, Packing};
use super::record::Records;
use crate::regular_file::open_regular;
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
    /// How they are compressed.
    pub(super) packing: Packing,
    /// What is needed to decompress each of them alone.
    dictionary: Dictionary,
}

impl Part {
    /// A whole file.
    pub(super) fn file(path: &Path) -> io::Result<Self> {
        Self::section(path, 0, u64::MAX)
    }

    /// A section of a regular file, which ends at the latest at the end of the file. Its first bytes show whether it is
    /// compressed.
    pub(super) fn section(path: &Path, start: u64, length: u64) -> io::Result<Self> {
        let mut file = open_regular(path)?;
        let length = length.min(file.metadata()?.len().saturating_sub(start));
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        let mut section = BufReader::new(file.take(length));
        section.by_ref().take(Packing::HEAD_BYTES as u64).read_to_end(&mut head)?;
        let packing = Packing::detect(&head);
        let dictionary = packing.dictionary(&mut (&head[..]).chain(section))?;
        Ok(Self { path: path.to_path_buf(), start, length, packing, dictionary })
    }

    /// Its records from `position` on.
    pub(super) fn records(&self, position: u64) -> io::Result<Records> {
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(position)))?;
        let section = BufReader::with_capacity(1 << 16, file.take(self.length.saturating_sub(position)));
        Ok(Records::new(self.packing.open(section, &self.dictionary)?))
    }
}
