//! One page: its name, address and content, and how it becomes a
//! [`Capture`](crate::capture::Capture) without a browser.
//!
//! Content is given in memory as HTML or MHTML ([`open_bytes`]), or by name: an address or a stored
//! capture. A page that needs no browser is parsed ([`parse`](fn@parse)); the others go to the
//! renderer.

mod content;
mod mhtml;
mod mhtml_frames;
mod mhtml_head;
mod open;
mod parse;
mod place;
mod sniff;
mod sniff_text;
mod unfilled;

pub use content::{Body, MAX_PAGE_BYTES, Origin, Page, PageFiles, Resource, Resources};
pub use mhtml::{Part, Parts};
pub use mhtml_head::{is_mhtml, mhtml_for_browser};
pub use open::open_bytes;
pub use parse::{check, is_empty_frame_set, parse, parse_with_parts, without_frames};
pub use place::Place;
pub use sniff::is_binary;
pub(crate) use sniff_text::refuse_tree;
pub use unfilled::is_unfilled;
