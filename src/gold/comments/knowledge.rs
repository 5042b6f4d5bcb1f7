//! How the comments of a page are known.

use serde::{Deserialize, Serialize};

/// How it is known which targets of a page are readers' comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentKnowledge {
    /// Not at all: boilerplate may be comments.
    #[default]
    Unknown,
    /// By the markup of comment systems: a weak label, for training only.
    Weak,
    /// By gold text.
    Gold,
}

impl CommentKnowledge {
    /// Whether boilerplate of the page can be told from its comments, weakly or by gold.
    pub fn is_known(self) -> bool {
        self != Self::Unknown
    }
}
