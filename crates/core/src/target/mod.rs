//! Selects the text blocks of a page.
//!
//! Takes a [`Capture`](crate::capture::Capture) and returns [`Target`]s in document order. They are
//! disjoint, and each holds one text block. With [`TargetRule::Blocks`] every visible text node
//! with ink belongs to exactly one target, so no text of the page is lost here.

mod block;
mod gutter;
mod numbered;
mod ornaments;
mod select;
mod visible;

pub(crate) use block::Piece;
pub use block::{Target, write_plain_text};
pub(crate) use numbered::numbers_of_code;
pub use select::{TargetRule, select, select_all, select_with_hidden};
pub(crate) use visible::{display, is_off};
