//! What the renderer recorded of a page, in memory; [`files`](crate::files) keeps it on disk.
//!
//! A [`Capture`] is all that the later stages see: the tree, the position and look of its nodes, the
//! screenshot and the node mask. A capture of bare HTML has the tree only; its layout and pictures are absent, not empty.

mod dom;
mod dom_builder;
mod dom_format;
mod encode;
mod gray;
mod layout;
mod markup;
mod mask;
mod mask_picture;
mod name;
mod node;
mod page_capture;
mod path;
mod picture;
mod rect;
mod rows;
mod showing;
mod strings;
mod tree_copy;
mod xpath;

pub use dom::Dom;
pub use dom_builder::DomBuilder;
pub use layout::{Display, Layout, LineBox, NodeBox, Position, Style, TextAlign};
pub(crate) use markup::escape;
pub use mask::{MaskRun, NodeMask};
pub use name::Name;
pub use node::{AttributeIter, Attributes, NodeId, NodeKind};
pub(crate) use node::{Span, Tag};
pub use page_capture::{Capture, Engine, Pictures, Record};
pub(crate) use path::Paths;
#[cfg(feature = "chromium")]
pub(crate) use picture::GrayRows;
pub use picture::{Picture, encode_png};
pub use rect::CssRect;
pub use showing::{HiddenCause, Showing};
pub(crate) use strings::Strings;
pub(crate) use tree_copy::TreeCopy;
pub use xpath::Positions;
