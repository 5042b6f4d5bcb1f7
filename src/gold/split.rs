//! The splits of a data folder.

use serde::{Deserialize, Serialize};

/// Which part of a set to use. No host is in two splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// For training.
    Train,
    /// For evaluation during development.
    #[default]
    Dev,
    /// Every page.
    All,
}

impl Split {
    /// All splits by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("train", Self::Train), ("dev", Self::Dev), ("all", Self::All)];

    /// Its name in [`Split::ALL`].
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, split)| *split == self).map_or("", |(name, _)| *name)
    }
}
