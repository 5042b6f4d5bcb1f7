//! Pages with gold text: data folders, what people marked, and how gold is laid on the blocks of a page.
//!
//! [`dataset`] reads a data folder, [`capturing`] captures its pages, [`align`] turns gold text into a label per target,
//! [`coverage`] says how well that went, and [`human`] reads the labels that people gave to text nodes. [`words`] cuts text
//! into the tokens that are compared; [`matching`] and [`lcs`] align two sequences of them (as Python's `difflib` does, and
//! by longest common subsequence). `label_file` writes labels and reads them, `progress` works on the pages of a set and
//! says how far that is.

pub mod align;
pub mod capturing;
pub mod coverage;
pub mod dataset;
mod dice;
pub mod human;
mod label;
#[cfg(feature = "experiments")]
pub mod label_file;
mod labelling;
pub mod lcs;
pub mod matching;
pub(crate) mod pieces;
#[cfg(feature = "experiments")]
pub mod progress;
mod word_score;
pub mod words;

pub use align::Alignment;
pub use capturing::Capturing;
pub use coverage::{Coverage, best_aligned};
pub use dataset::{DataError, DataSet, Gold, GoldKind, Row, Snippets, Split};
pub use label::label;
pub use labelling::{Labelling, Quality};
#[cfg(feature = "experiments")]
pub use progress::{NoProgress, Progress, each_page};
pub use word_score::{Counts, WordScore, difflib};
#[cfg(feature = "experiments")]
pub(crate) use word_score::{in_common, share};
pub use words::TokenUnit;
