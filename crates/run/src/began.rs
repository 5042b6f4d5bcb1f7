//! When a run began.

use super::error::RunError;
use std::env;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use vclean_core::files;

/// When the run began, in seconds since 1970; a resumed run keeps its first time.
/// `SOURCE_DATE_EPOCH` sets it, so that another run produces the same bytes.
pub(super) fn began_s(state: &Path) -> Result<u64, RunError> {
    let path = state.join("began");
    if let Some(began) = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()) {
        return Ok(began);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let began = env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok()).unwrap_or(now);
    files::make_folder(state)?;
    files::write_whole(&path, format!("{began}\n").as_bytes())?;
    Ok(began)
}
