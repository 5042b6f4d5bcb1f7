//! Replacement for Parquet files in a build without them.

use super::pages::{Pages, once};
use vclean_core::error::SourceError;

/// Whether an input is a Parquet file, by its name.
pub(super) fn is_parquet(input: &str) -> bool {
    input.to_ascii_lowercase().ends_with(".parquet")
}

/// Returns an error.
pub(super) fn open_parquet(_: &str) -> Pages {
    let why = "this build reads no Parquet files; build it with the feature parquet";
    once(Err(SourceError::Unusable(why.to_owned())))
}
