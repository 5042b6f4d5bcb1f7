//! The record of a rendered page in memory; [`files`](crate::files) stores it on disk.
//!
//! A [`Capture`] is all that the later stages see: the tree, the position and style of its nodes,
//! the screenshot and the node mask. A capture of bare HTML has only the tree; its layout and
//! pictures are absent, not empty.

mod dom;
mod dom_builder;
mod dom_format;
mod hidden_notes;
pub(crate) mod json_ld;
mod layout;
mod markup;
mod mask;
mod node;
pub(crate) mod packed;
mod page_capture;
mod panels;
#[cfg(feature = "pixels")]
mod picture;
#[cfg(not(feature = "pixels"))]
#[path = "picture_bytes.rs"]
mod picture;
#[cfg(feature = "pixels")]
mod rows;
mod saved_by;
mod selectors;
mod xpath;

pub use dom::Dom;
pub use dom_builder::{DomBuilder, TreeCopy};
pub use hidden_notes::is_note_beside_mark;
pub(crate) use hidden_notes::mark_beside_note;
pub use layout::{
    CssRect, Display, HiddenCause, Layout, LineBox, NodeBox, Position, Style, TextAlign, Visibility,
};
pub(crate) use markup::escape;
pub use mask::{MaskRun, NodeMask};
pub use node::{Attributes, Name, NodeId, NodeKind};
pub(crate) use node::{Span, Strings, Tag};
pub use packed::pack;
pub use page_capture::{Capture, Engine, Pictures, Record, site_host};
pub use panels::{PANEL_RULES, PanelRules, Panels, is_cloaked, late_parts};
pub(crate) use panels::{element_after, element_before, holds_opener, is_preview};
pub use picture::Picture;
#[cfg(feature = "pixels")]
pub use picture::{GrayRows, encode_png};
pub(crate) use saved_by::{SavedPage, archived_address, is_web_address, read_moment, saved_page};
pub use selectors::{Selectors, Tree};
pub(crate) use xpath::Paths;
pub use xpath::Positions;
