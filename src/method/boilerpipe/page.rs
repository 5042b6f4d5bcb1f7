//! What the filters of a pipeline know of a page besides its blocks.

/// What filters know of the page besides its blocks.
pub(super) struct Page {
    /// Its title, white space collapsed.
    pub(super) title: String,
}
