//! Shows why each block of one page was kept or dropped: in words, as pictures, and as an HTML
//! page.
//!
//! Comes after `clean`: takes the [`Capture`](crate::capture::Capture), its targets and the
//! finished [`CleanDocument`](crate::clean::CleanDocument), returns pixels, text or one HTML page;
//! it writes no files. [`explain()`] finds the block that holds certain words and collects what is
//! known of it, or says why the words are in no block; [`closeup()`] shows it on the picture of the
//! page. Pages that were not rendered have no pictures, so their HTML page is a table.

mod as_text;
mod canvas;
mod closeup;
mod elsewhere;
mod explanation;
mod html;
mod legend;
mod markup;
mod mask;
mod outlines;
mod overlay;
#[doc(hidden)]
pub mod samples;
mod words;

pub use closeup::closeup;
pub use elsewhere::Elsewhere;
pub use explanation::{ExplainError, ExplainedBlock, ExplainedPage, ExplainedReason, Neighbor};
pub use explanation::{Explanation, explain};
pub use html::html;
pub use markup::Embedded;
pub use markup::{Escaped, embed};
pub use mask::mask;
pub use outlines::{Verdict, outlines};
pub use overlay::{hulls, overlay};
