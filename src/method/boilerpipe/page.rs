//! The data of a page that filters use in addition to its blocks.

/// The data of a page that filters use in addition to its blocks.
pub(super) struct Page {
    /// Its title, white space collapsed.
    pub(super) title: String,
}
