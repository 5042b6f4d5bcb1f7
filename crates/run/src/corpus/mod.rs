//! Corpus filters: what a run does to its documents beyond cleaning them, each off by default.
//!
//! Documents are dropped or marked by language, by length, and as near-duplicates of earlier ones
//! ([`near_duplicates`]); paragraphs as repeats of earlier text ([`paragraphs`], onion's rule) and
//! as lines that many pages of their host have ([`paragraphs`]). Inputs with the same normalized
//! address are one input ([`addresses`]).
//!
//! Workers measure each document ([`measure`]): hashes of words and lines, a sketch of fixed size.
//! Decisions are made ([`decide`]) on one thread, document by document in the order of the inputs,
//! so they depend on the inputs and their order alone. The hashes that later decisions depend on
//! are stored in a file beside the journal ([`log`]), from which a resumed run restores them.

mod addresses;
mod decide;
mod filter;
mod hashes;
mod languages;
mod log;
mod measure;
mod near_duplicates;
mod note;
mod options;
mod paragraphs;
#[cfg(test)]
#[path = "../../tests/unit/corpus.rs"]
mod tests;

pub use addresses::normalized_url;
pub(super) use addresses::{DistinctAddresses, LeftOut};
pub(super) use decide::Corpus;
pub use filter::Filter;
pub(super) use hashes::text_hash;
pub use languages::parse_language;
pub use measure::Measured;
pub(super) use measure::Measurer;
pub use note::Passage;
pub use note::{CorpusNote, DropReason, PassageRule};
pub use options::{CorpusOptions, Treatment};
