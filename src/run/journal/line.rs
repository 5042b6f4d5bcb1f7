//! The lines of a journal.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The arguments of a run that change its output, by name: they must be repeated on resume.
pub type EffectiveArguments = BTreeMap<String, String>;

/// How far an output reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Which file of an output that has several, from 0.
    pub part: u64,
    /// Bytes of it.
    pub bytes: u64,
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    /// The first.
    Journal {
        version: u32,
        #[serde(rename = "settings")]
        arguments: EffectiveArguments,
    },
    /// A page that was done, with the size of its own file where it has one.
    Done {
        page: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// A page that could not be done.
    Failed(Failure),
    /// All before it is safe.
    #[serde(rename = "mark")]
    Checkpoint(Checkpoint),
}

/// A page that could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its name in the output.
    pub page: String,
    /// The input as the user named it.
    pub input: String,
    /// Why, in one line.
    pub cause: String,
}

/// Version of the layout of its lines.
pub(super) const VERSION: u32 = 1;
