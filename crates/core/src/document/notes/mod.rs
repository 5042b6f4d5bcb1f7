//! Footnotes: which links are marks, where the notes begin, and how both are numbered in the text.

pub(super) mod anchors;
pub(super) mod links;
pub(super) mod names;
