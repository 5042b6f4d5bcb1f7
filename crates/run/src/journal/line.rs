//! The lines of a journal.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The arguments of a run that change its output, by name: they must be repeated on resume.
pub type EffectiveArguments = BTreeMap<String, String>;

/// The length of an output that is safely on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number of the file, from 0, if the output has several.
    pub part: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line.
    Journal {
        version: u32,
        #[serde(rename = "settings")]
        arguments: EffectiveArguments,
    },
    /// A page that is done, with the size of its own file if it has one.
    Done {
        page: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// Whether it was dropped and has no output.
        #[serde(default, skip_serializing_if = "is_false")]
        dropped: bool,
    },
    /// A page that failed.
    Failed(Failure),
    /// A checkpoint: everything before it is safely on disk.
    #[serde(rename = "mark")]
    Checkpoint(Checkpoint),
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A page that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its name in the output.
    pub page: String,
    /// The input as the user named it.
    pub input: String,
    /// Why, in one line.
    pub cause: String,
}

/// Version of the format of the lines.
pub(super) const VERSION: u32 = 1;
