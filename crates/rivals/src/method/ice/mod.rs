//! ICE, the content extraction of ILPS Amsterdam for CLEANEVAL: Hofmann and Weerkamp 2007, "Web
//! Corpus Cleaning using Content and Structure". Six methods, one file or folder each.
//!
//! | method | section | summary |
//! |---|---|---|
//! | [`baseline`] | 3.1 | every block is a paragraph, nothing is removed |
//! | [`heuristics`] | 3.2, Figure 1 | long lines are paragraphs, a short one before is a heading |
//! | [`elaborate`] | 3.2 | pseudo-probabilities of list item, heading and paragraph |
//! | [`tree`] | 3.3, Figure 2 | a decision tree by C4.5 |
//! | [`language_model`] | 3.4 | divergence of a block from title, headings and keywords |
//! | [`genetic`] | 3.5 | an evolved regular expression |
//!
//! All except [`heuristics`], which reads lines, and [`genetic`], which reads the source, work on
//! the [`blocks`] of the page; [`cues`] measures the features that two of them use.

mod baseline;
mod conjunctions;
pub(crate) mod cues;
mod elaborate;
pub(crate) mod genetic;
mod heuristics;
mod language_model;
mod lines;
pub(crate) mod tree;

pub(super) use baseline::METHOD as BASELINE;
pub(super) use elaborate::METHOD as ELABORATE;
pub(super) use genetic::METHOD as GENETIC;
pub(super) use heuristics::METHOD as HEURISTICS;
pub(super) use language_model::METHOD as LANGUAGE_MODEL;
pub(crate) use lines::blocks;
pub(super) use tree::METHOD as TREE;
