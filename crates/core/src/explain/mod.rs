//! Shows why each block of a page was kept or dropped: in words, as pictures, and as an HTML page.
//!
//! This stage follows `clean`: it takes the [`Capture`](crate::capture::Capture), its targets and
//! the finished [`Document`](crate::document::Document), and returns pixels, text or one HTML page;
//! it writes no files. [`explain()`] finds the block that contains certain words and collects what
//! is known of it, or says why the words are not in a block; [`closeup()`] shows it on the picture
//! of the page. Pages that were not rendered have no pictures, so their HTML page is a table.

mod as_text;
#[cfg(feature = "pixels")]
mod canvas;
#[cfg(feature = "pixels")]
mod closeup;
mod elsewhere;
mod explanation;
mod html;
#[cfg(feature = "pixels")]
mod legend;
mod markup;
#[cfg(feature = "pixels")]
mod mask;
#[cfg(feature = "pixels")]
mod outlines;
#[cfg(feature = "pixels")]
mod overlay;
#[cfg(feature = "pixels")]
#[doc(hidden)]
pub mod samples;
mod words;

#[cfg(feature = "pixels")]
pub use closeup::closeup;
pub use elsewhere::Elsewhere;
pub use explanation::{ExplainError, ExplainedBlock, ExplainedPage, ExplainedReason, Neighbor};
pub use explanation::{Explanation, explain};
pub use html::html;
#[cfg(feature = "pixels")]
pub use markup::embed;
pub use markup::{Embedded, Escaped};
#[cfg(feature = "pixels")]
pub use mask::mask;
#[cfg(feature = "pixels")]
pub use outlines::{Verdict, outlines};
#[cfg(feature = "pixels")]
pub use overlay::{hulls, overlay};
