//! The list of the finished files of a folder of Parquet files, kept beside the journal. With it, a
//! resumed run notices a file that was truncated, replaced or removed, and a journal that ends
//! before the files do.

use crate::journal::Checkpoint;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};
use vclean_core::files;

/// Name of the list in the folder of a run.
const LIST: &str = "parts.json";

/// A finished Parquet file of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// Its size in bytes.
    pub(super) bytes: u64,
    /// Size of the spool that it was written from, in bytes.
    pub(super) spool_bytes: u64,
}

/// The finished files, in order.
#[derive(Debug)]
pub(super) struct Parts {
    path: PathBuf,
    list: Vec<Part>,
}

impl Parts {
    /// The list in the folder `state`; empty if there is none.
    pub(super) fn read(state: &Path) -> io::Result<Self> {
        let path = state.join(LIST);
        let list = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| damaged(&format!("{} cannot be read: {error}", path.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { path, list })
    }

    pub(super) fn len(&self) -> u64 {
        self.list.len() as u64
    }

    /// Adds a file and writes the list to disk.
    pub(super) fn add(&mut self, part: Part) -> io::Result<()> {
        self.list.push(part);
        self.write()
    }

    /// Forgets all files from number `count`.
    pub(super) fn truncate(&mut self, count: u64) -> io::Result<()> {
        if count >= self.len() {
            return Ok(());
        }
        self.list.truncate(count as usize);
        self.write()
    }

    /// The checkpoint from which a run with this `checkpoint` continues: that of the next file, if
    /// the current one was finished after the checkpoint and before the run ended.
    ///
    /// # Errors
    /// If the checkpoint is older than the files: the pages of the current one are no longer in the
    /// spool.
    pub(super) fn resume_at(&self, checkpoint: Checkpoint) -> io::Result<Checkpoint> {
        match self.list.get(checkpoint.part as usize) {
            Some(part)
                if checkpoint.bytes > 0
                    && part.spool_bytes == checkpoint.bytes
                    && self.len() == checkpoint.part + 1 =>
            {
                Ok(Checkpoint {
                    part: checkpoint.part + 1,
                    bytes: 0,
                })
            }
            Some(_) if checkpoint.bytes > 0 => Err(damaged(&format!(
                "its journal was cut: it ends before file {} was finished",
                checkpoint.part
            ))),
            _ => Ok(checkpoint),
        }
    }

    /// Checks that the first `count` files exist and have the sizes in the list; `file` gives their
    /// paths.
    ///
    /// # Errors
    /// If a file is missing or has another size.
    pub(super) fn check(&self, count: u64, file: impl Fn(u64) -> PathBuf) -> io::Result<()> {
        for number in 0..count {
            let path = file(number);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(part) = self.list.get(number as usize) else {
                return Err(damaged(&format!(
                    "{} does not list {name}",
                    self.path.display()
                )));
            };
            match fs::metadata(&path) {
                Ok(facts) if facts.len() == part.bytes => {}
                Ok(facts) => {
                    let (found, written) = (facts.len(), part.bytes);
                    return Err(damaged(&format!(
                        "{name} has {found} bytes and had {written} when it was written"
                    )));
                }
                Err(error) => return Err(damaged(&format!("{name}: {error}"))),
            }
        }
        Ok(())
    }

    fn write(&self) -> io::Result<()> {
        files::write_whole(&self.path, &serde_json::to_vec(&self.list)?).map_err(io::Error::other)
    }
}

fn damaged(cause: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{cause}; begin anew with `overwrite`"),
    )
}
