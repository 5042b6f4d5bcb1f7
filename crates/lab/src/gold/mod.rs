//! Gold text and human labels of the pages of data folders, and their alignment with the blocks of
//! a page.
//!
//! [`read`] reads the gold of a page, [`capturing`] captures the pages, [`align`] turns gold text
//! into a label per target, [`labels`] does that for all kinds of gold and keeps labels in files,
//! [`coverage`] measures their quality, and [`human`] reads the labels that people gave to text
//! nodes. [`words`] splits text into tokens; [`comments`] finds the readers' comments among what is
//! not content; [`matching`] and [`lcs`] align two sequences of tokens (as Python's `difflib` does,
//! and by longest common subsequence). [`GoldOfPages`] finds the gold of single pages, [`progress`]
//! processes the pages of a set.

pub mod align;
pub mod capturing;
pub mod comments;
pub mod coverage;
mod dice;
pub mod human;
mod labelling;
pub mod labels;
pub mod lcs;
pub mod matching;
mod of_pages;
pub mod progress;
pub mod read;
mod word_score;
pub mod words;

pub use align::Alignment;
pub use capturing::Capturing;
pub use coverage::Coverage;
pub use coverage::best_aligned;
pub use labelling::Labelling;
pub use labelling::{CommentKnowledge, Quality};
pub use labels::label;
pub(crate) use labels::label_for_training;
pub use of_pages::GoldOfPages;
pub use progress::Progress;
pub use progress::each_page;
pub use read::{Gold, Snippets, tells_comments};
pub use read::{check_gold, gold_without_row, read_gold};
pub use word_score::WordScore;
pub use word_score::{Counts, difflib};
pub(crate) use word_score::{in_common, share};
pub use words::TokenUnit;
