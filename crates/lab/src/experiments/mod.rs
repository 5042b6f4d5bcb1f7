//! Experiments of researchers: parameter search, feature subsets, comparisons of methods and
//! engines, cross-validation, and the tables of the papers.
//!
//! [`search`] tries the parameters of a classifier on a [`grid`] and writes a [`search_journal`].
//! [`subset_table`], [`crossvalidated`], [`language_table`] and [`texrex_table`] train models
//! before they measure; [`table_options`] has their options. [`side_by_side`] compares methods,
//! `engines` the two rendering engines (if both are compiled in).

pub mod crossvalidated;
pub mod engines;
pub(crate) mod grid;
pub mod language_table;
pub mod search;
pub mod search_journal;
pub mod side_by_side;
pub mod subset_table;
pub(crate) mod subsets;
pub(crate) mod table_options;
pub mod texrex_table;
pub(crate) mod tune;

pub use grid::{Grid, Range};
pub use table_options::{ExperimentError, TableOptions, TableResult};
pub use tune::{Point, best};
