//! Says how good an output is: data folders with gold text, the measures of the field, and tables of them.
//!
//! [`dataset`] reads a data folder as it is, [`words`] cuts text into the tokens each benchmark counts, [`matching`]
//! aligns two token sequences as Python's `difflib` does, [`metrics`] turns that into scores, [`agreement`] compares two
//! annotators, and [`report`] prints scores.

pub mod agreement;
pub mod capturing;
pub mod dataset;
pub mod matching;
pub mod metrics;
pub mod report;
mod shingles;
mod statistics;
pub mod words;

pub use agreement::EditDistance;
pub use capturing::Capturing;
pub use dataset::{DataError, DataSet, Gold, GoldKind, Row, Snippets, Split};
pub use metrics::{BlockScore, Counts, PageScore, WordScore};
pub use report::{Report, Table};
pub use words::TokenUnit;
