//! Files that several verbs write in addition to what they print.

use crate::files;
use crate::run::Protected;
use anyhow::Context;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Refuses outputs that would replace a file that the verb reads: the manifest, a page or gold of a data folder in `data`,
/// or one of `others`, which are files and folders.
///
/// # Errors
/// If one would.
pub(super) fn refuse_inputs<'a>(
    data: &[PathBuf],
    others: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = Option<&'a Path>>,
) -> anyhow::Result<()> {
    let of_data = data.iter().flat_map(|folder| ["manifest.jsonl", "pages", "gold"].map(|name| folder.join(name)));
    let protected = Protected::paths(of_data.chain(others.into_iter().map(Path::to_path_buf)));
    Ok(outputs.into_iter().flatten().try_for_each(|path| protected.check(path))?)
}

/// Writes figures as indented JSON if a path is given.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_json(path: Option<&Path>, figures: &impl Serialize) -> anyhow::Result<()> {
    if let Some(path) = path {
        let json = serde_json::to_string_pretty(figures).context("cannot write JSON")?;
        files::write_whole(path, format!("{json}\n").as_bytes())?;
    }
    Ok(())
}
