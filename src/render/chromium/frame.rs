//! The texts of one document of a page, as the page's own walk must find them.

use crate::capture::NodeId;

/// A text node as the page's own walk must find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextKey {
    /// Fingerprint, equal to that of `js/collect.js`.
    pub(super) key: i32,
    /// The node.
    pub(super) id: NodeId,
    /// Whether it has line boxes, hence can own pixels.
    pub(super) has_lines: bool,
}

/// One document of the page: its own or a frame's.
#[derive(Debug)]
pub(super) struct FrameTexts {
    /// The frame, for the protocol.
    pub(super) frame: String,
    /// Its text nodes in document order.
    pub(super) texts: Vec<TextKey>,
    /// One node inside each closed shadow tree, for the protocol.
    pub(super) insiders: Vec<i64>,
}
