//! `failed.jsonl`: the pages of a run that failed, and why.

use super::journal::{Failure, Journal};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use vclean_core::files;

/// Writes a line about a page that failed.
pub(super) fn write_failure(to: &mut impl Write, failure: &Failure) -> io::Result<()> {
    serde_json::to_writer(&mut *to, failure)?;
    to.write_all(b"\n")
}

/// Writes the list of failed pages from the journal.
pub(super) fn write_failures(journal: &Journal, path: &Path) -> io::Result<()> {
    let mut file = files::begin(path).map_err(io::Error::other)?;
    let mut to = BufWriter::new(file.as_file_mut());
    journal.failures(|failure| write_failure(&mut to, &failure))?;
    to.flush()?;
    drop(to);
    files::finish(file, path).map_err(io::Error::other)
}
