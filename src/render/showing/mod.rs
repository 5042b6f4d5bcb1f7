//! Which text nodes of a rendered page a reader sees: what both engines share.
//!
//! `geometry` decides by boxes where they suffice, `contrast` tells whether two colors can be told apart, `difference`
//! compares two pictures of the page, with a text and without it, `overlays` finds what may be moved off a text, and `page` keeps pages whose text a script would show.
//! What is not certain counts as shown.

mod contrast;
mod difference;
mod geometry;
mod overlays;
mod page;

pub(super) use contrast::can_tell;
pub(super) use difference::{Area, areas, differs};
pub(super) use geometry::{Geometry, Verdict};
pub(super) use overlays::Overlays;
pub(super) use page::undecided_where_much_is_hidden;
