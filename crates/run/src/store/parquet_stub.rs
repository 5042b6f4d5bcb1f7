//! Replaces the Parquet container in a build without it.

use super::{Container, ContainerOptions};
use crate::journal::Checkpoint;
use std::io;
use std::path::Path;

/// Always returns an error. Without this function, a name that ends in `.parquet` would be used as
/// a folder of pages.
pub(super) fn open(
    _: &Path,
    _: &ContainerOptions,
    _: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    let why = "this build writes no Parquet files; build it with the feature parquet, or write FILE.jsonl";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}
