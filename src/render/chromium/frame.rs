//! The text nodes of one document in the snapshot, to be matched with those that our script finds in the page.

use crate::capture::NodeId;

/// A text node of the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextKey {
    /// Fingerprint, equal to that of `js/collect.js`.
    pub(super) key: i32,
    /// The node.
    pub(super) id: NodeId,
    /// Whether it has line boxes and can therefore own pixels.
    pub(super) has_lines: bool,
}

/// One document of the page: the main document or a frame's.
#[derive(Debug)]
pub(super) struct FrameTexts {
    /// Protocol id of the frame.
    pub(super) frame: String,
    /// Its text nodes in document order.
    pub(super) texts: Vec<TextKey>,
    /// One node inside each closed shadow tree, as protocol ids.
    pub(super) shadow_nodes: Vec<i64>,
}
