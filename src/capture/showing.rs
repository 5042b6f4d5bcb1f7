//! Whether each text node of a rendered page can be seen, as the renderer found.

use serde::{Deserialize, Serialize};

/// Whether a text node can be seen on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Showing {
    /// It is painted so that a reader sees it.
    Shown,
    /// It is laid out, but a reader sees nothing of it.
    Hidden(HiddenCause),
    /// It was not decided, or it may come into view: text counts as shown then.
    Unknown,
}

/// Why a reader does not see a text that is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenCause {
    /// It has the color of what it stands on, or nearly.
    SameColor,
    /// Its color or an element around it is transparent.
    Transparent,
    /// Something else is painted over it.
    Covered,
    /// A box of at most a pixel, or a clipping path, cuts it off.
    Clipped,
    /// Its letters are too small or too narrow to be read.
    TooSmall,
    /// It is left of or above the page, where nobody can scroll to.
    OffPage,
    /// It leaves no visible pixel; which of its styles does this is not known.
    NotPainted,
}

impl HiddenCause {
    /// The cause in a few words, for reports.
    pub fn describe(self) -> &'static str {
        match self {
            Self::SameColor => "same color as its background",
            Self::Transparent => "transparent",
            Self::Covered => "covered",
            Self::Clipped => "clipped",
            Self::TooSmall => "too small",
            Self::OffPage => "outside the page",
            Self::NotPainted => "not painted",
        }
    }
}
