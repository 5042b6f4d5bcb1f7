//! Parses HTML from bytes to a tree: decoding, tokens, the parser's arena, and the preorder
//! [`Dom`](crate::capture::Dom).
//!
//! `decode` finds the encoding (`stray` reads pages that mix two), `short_form` turns XHTML into
//! HTML, `tokens` splits the text into tokens, `guard` limits hostile markup, `arena` holds the
//! tree that html5ever's tree builder makes, `streamed` puts parts that React streamed where they
//! belong, and `flatten` writes the tree in preorder with declared shadow trees resolved.
//! [`parse_html`] runs all but the first.

mod arena;
mod decode;
mod flatten;
mod guard;
mod parse;
mod short_form;
mod stray;
mod streamed;
mod tags;
mod tokens;

pub use arena::{MAX_NODES, MAX_OPEN};
pub(crate) use decode::undecodable;
pub use decode::{Decoded, charset, decode, may_be_misread};
pub use parse::parse_html;
pub(crate) use parse::{Parsed, parse_with_warnings};
pub use short_form::expand_short_form;
