//! Files that several verbs write in addition to what they print.

use crate::files;
use anyhow::Context;
use serde::Serialize;
use std::path::Path;

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
