//! Replacement for Parquet files in a build without them.

use super::pages::{Pages, once};
use vclean_core::error::SourceError;

/// Returns true if the name of an input is that of a Parquet file.
pub(super) fn is_parquet(input: &str) -> bool {
    input.to_ascii_lowercase().ends_with(".parquet")
}

pub(super) fn open_parquet(_: &str) -> Pages {
    let why = "this build reads no Parquet files; build it with the feature parquet";
    once(Err(SourceError::Unusable(why.to_owned())))
}
