//! JSON lines: one object per page.

use super::container::{Container, ContainerOptions};
use super::record::Record;
use crate::journal::Checkpoint;
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

struct Lines(Appending);

pub(super) fn open(
    path: &Path,
    _: &ContainerOptions,
    checkpoint: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    Ok(Box::new(Lines(Appending::open(
        path,
        checkpoint,
        Packing::from_path(path),
    )?)))
}

/// The line of a record, with its line break.
pub(super) fn line(record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("a record has string keys only");
    line.push(b'\n');
    line
}

impl Container for Lines {
    fn append(&mut self, record: Record) -> io::Result<()> {
        self.0.append(&line(&record))
    }

    fn sync(&mut self) -> io::Result<Checkpoint> {
        Ok(Checkpoint {
            part: 0,
            bytes: self.0.sync()?,
        })
    }
}

// A file that grows at its end, resumes from a checkpoint, and may be compressed.
//
// If compressed, each piece is a separate gzip member, as in WARC, or a separate Zstandard frame:
// the file can be cut after any of them, and any reader reads it as one stream.

/// Compression level of gzip: a little better than the fastest; it takes a tenth of the time of
/// cleaning.
const LEVEL: Level = Level::new(4);

/// Compression level of Zstandard: its default.
const ZSTD_LEVEL: i32 = 3;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// The compression that a path names by its last extension.
    pub(crate) fn from_path(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("gz") => Self::Gzip,
            Some(extension) if extension.eq_ignore_ascii_case("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// A file to which pieces are appended.
#[derive(Debug)]
pub(super) struct Appending {
    file: BufWriter<File>,
    bytes: u64,
    packing: Packing,
}

impl Appending {
    /// Opens the file: empty, or truncated after `checkpoint`.
    pub(super) fn open(
        path: &Path,
        checkpoint: Option<Checkpoint>,
        packing: Packing,
    ) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let bytes = checkpoint.map_or(0, |checkpoint| checkpoint.bytes);
        let length = file.metadata()?.len();
        if length < bytes {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "it has {length} bytes and is shorter than the {bytes} that the last run wrote; something else \
                     changed it, begin anew with `overwrite`"
                ),
            ));
        }
        file.set_len(bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 18, file),
            bytes,
            packing,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        let packed = match self.packing {
            Packing::None => Cow::Borrowed(piece),
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::with_capacity(piece.len() / 2), LEVEL);
                encoder.write_all(piece)?;
                Cow::Owned(encoder.finish()?)
            }
            Packing::Zstd => Cow::Owned(zstd::bulk::compress(piece, ZSTD_LEVEL)?),
        };
        self.bytes += packed.len() as u64;
        self.file.write_all(&packed)
    }

    /// Synchronizes all pieces to disk and returns the length of the file in bytes.
    pub(super) fn sync(&mut self) -> io::Result<u64> {
        self.file.flush()?;
        self.file.get_ref().sync_data()?;
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for number in 0..8 {
            let record = Record::sample(number);
            let line = line(&record);
            assert_eq!(
                line.iter().position(|byte| *byte == b'\n'),
                Some(line.len() - 1)
            );
            assert_eq!(serde_json::from_slice::<Record>(&line).unwrap(), record);
        }
    }
}
