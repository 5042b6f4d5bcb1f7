//! The usual measures of content extraction, each as its benchmark counts it.
//!
//! In all of them a page without output counts with precision and recall 0, unless its gold is empty too.

pub use super::bag_of_words::bag_of_words;
pub use super::blocks::BlockScore;
pub use super::characters::characters;
pub use super::cleaneval::{Cleaneval, Marked, Overlap, cleaneval};
pub use super::page::{Output, PageScore, complexity, overlap, score_page, score_page_in_brief};
pub use super::rouge::{Rouge, rouge_lsum};
pub use super::shingles::{Shingles, shingle_score, shingles};
pub use super::snippets::{SnippetCounts, find_snippets};
pub use super::statistics::{mean, median};

pub use crate::gold::{Counts, WordScore, difflib};
