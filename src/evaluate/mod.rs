//! Measures how good an output is: the usual measures, and tables of them.
//!
//! [`metrics`] compares a page's text with its gold, [`summary`] sums the scores up over pages, [`report`] prints them, and
//! [`floors`] compares them with figures pinned before. [`agreement`] compares two annotators. [`structure`] compares
//! Markdown with Markdown that people made. Data folders, and the
//! alignment of words that the measures use, are in [`gold`](crate::gold).

pub mod agreement;
pub mod alignment;
pub mod alignment_table;
pub mod annotations;
mod bag_of_words;
mod blocks;
pub mod bootstrap;
mod characters;
mod cleaneval;
pub mod differences;
pub mod earlier;
pub mod fidelity;
pub mod floor_files;
pub mod floors;
pub mod measured;
pub mod metrics;
mod page;
pub mod published;
pub mod ranking;
pub mod reliability;
pub mod report;
mod rouge;
mod scores;
pub mod sets;
mod shingles;
mod snippets;
mod statistics;
pub mod structure;
pub mod summary;
pub mod table;
mod texts;
pub mod worst_pages;

pub use agreement::EditDistance;
pub use floors::Floors;
pub use metrics::{BlockScore, Counts, Output, PageScore, WordScore};
pub use report::Report;
pub use summary::Summary;
pub use table::Table;
pub use texts::{TextAndGold, compare_texts};
