//! Says how good an output is: data folders with gold text, the measures of the field, and tables of them.
//!
//! [`dataset`] reads a data folder as it is, [`words`] cuts text into the tokens each benchmark counts, [`matching`] and
//! [`lcs`] align two token sequences (as Python's `difflib` does, and by longest common subsequence), [`metrics`] turns
//! that into scores, [`summary`] sums them up over pages, [`report`] prints them, and [`floors`] holds them against
//! figures pinned before. [`agreement`] compares two annotators.

pub mod agreement;
mod blocks;
pub mod capturing;
mod characters;
mod cleaneval;
pub mod dataset;
mod error;
pub mod fidelity;
pub mod floors;
pub mod lcs;
pub mod matching;
pub mod metrics;
mod page;
pub mod published;
pub mod report;
mod rouge;
mod shingles;
mod snippets;
pub mod standing;
mod statistics;
pub mod summary;
pub mod table;
pub mod words;

pub use agreement::EditDistance;
pub use capturing::Capturing;
pub use dataset::{DataError, DataSet, Gold, GoldKind, Row, Snippets, Split};
pub use floors::Floors;
pub use metrics::{BlockScore, Counts, Output, PageScore, WordScore};
pub use report::Report;
pub use summary::Summary;
pub use table::Table;
pub use words::TokenUnit;
