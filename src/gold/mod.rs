//! Pages with gold text: data folders, human labels, and the alignment of gold with the blocks of a page.
//!
//! [`dataset`] reads a data folder, [`capturing`] captures its pages, [`align`] turns gold text into a label per target,
//! [`coverage`] measures the quality of that, and [`human`] reads the labels that people gave to text nodes. [`words`]
//! splits text into tokens; [`comments`] finds the readers' comments among what is not content; [`matching`] and [`lcs`] align two sequences of tokens (as Python's `difflib` does, and by
//! longest common subsequence). [`GoldOfPages`] finds the gold of single pages. `label_file` writes and reads labels, and `progress` processes the pages of a set and
//! reports progress. `structure` holds the Markdown that people made of pages.

pub mod align;
pub mod capturing;
pub mod comments;
pub mod coverage;
pub mod dataset;
mod dice;
mod given;
pub mod human;
mod label;
pub mod label_file;
mod labelling;
pub mod lcs;
pub mod matching;
mod of_pages;
pub(crate) mod pieces;
#[cfg(feature = "experiments")]
pub mod progress;
mod split;
#[cfg(feature = "experiments")]
pub mod splits;
#[cfg(feature = "experiments")]
pub mod structure;
mod word_score;
pub mod words;

pub use align::Alignment;
pub use capturing::Capturing;
pub use comments::CommentKnowledge;
pub use coverage::{Coverage, best_aligned};
pub use dataset::{DataError, DataSet, Gold, GoldKind, Row, Snippets};
pub use label::label;
#[cfg(feature = "experiments")]
pub use label::label_for_training;
pub use labelling::{Labelling, Quality};
pub use of_pages::GoldOfPages;
#[cfg(feature = "experiments")]
pub use progress::{NoProgress, Progress, each_page};
pub use split::Split;
pub use word_score::{Counts, WordScore, difflib};
#[cfg(feature = "experiments")]
pub(crate) use word_score::{in_common, share};
pub use words::TokenUnit;
