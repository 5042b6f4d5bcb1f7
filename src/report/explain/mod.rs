//! Explains the decision on the block that holds certain words, or says why the words are in no block.
//!
//! [`explain()`] finds the block and collects what is known of it, [`closeup()`] shows it on the picture of the page.

mod as_text;
mod closeup;
mod elsewhere;
mod error;
mod explanation;
mod words;

pub use closeup::closeup;
pub use elsewhere::Elsewhere;
pub use error::ExplainError;
pub use explanation::{ExplainedBlock, ExplainedPage, ExplainedReason, Explanation, Neighbor, explain};
