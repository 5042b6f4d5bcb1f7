//! Measures how good an output is: the usual measures, and tables of them.
//!
//! [`score_page`] compares a page's text with its gold by all measures ([`metrics`] and others),
//! [`summary`] sums the scores up over pages, [`report`] prints them, and [`thresholds`] compares
//! them with figures recorded before. [`agreement`] compares two annotators. The gold, and the
//! alignment of words that the measures use, are in [`gold`](crate::gold).

pub(crate) mod agreement;
pub mod alignment;
pub mod annotations;
mod blocks;
pub mod bootstrap;
mod cleaneval;
pub mod differences;
pub mod earlier;
pub mod fidelity;
pub mod measured;
pub mod metrics;
mod page;
pub(crate) mod reliability;
pub mod report;
mod rouge;
mod scores;
pub mod sets;
mod snippets;
pub mod summary;
mod table;
pub mod thresholds;

pub use blocks::BlockScore;
pub use cleaneval::{Cleaneval, Marked, Overlap};
pub(crate) use page::score_page;
pub use page::score_page_in_brief;
pub use page::{Output, PageScore, overlap};
pub use report::Report;
pub use rouge::Rouge;
pub use snippets::SnippetCounts;
pub use summary::{Summary, TextAndGold, compare_texts};
pub use table::Table;
pub use thresholds::RegressionThresholds;
