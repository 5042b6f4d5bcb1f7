//! In the place of Parquet files in a build without them.

use super::{Container, ContainerOptions};
use crate::run::journal::Checkpoint;
use std::io;
use std::path::Path;

/// Refuses: without this, a name that ends in `.parquet` would be taken for a folder.
pub(super) fn open(_: &Path, _: &ContainerOptions, _: Option<Checkpoint>) -> io::Result<Box<dyn Container>> {
    let why = "this build writes no Parquet files; build it with the feature parquet, or write FILE.jsonl";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}
