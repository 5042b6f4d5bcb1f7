//! Experiments that researchers repeat: parameter search, feature subsets, methods side by side, cross-validation, and the
//! tables of the papers.

pub mod crossvalidated;
pub mod grid;
pub mod grid_results;
pub(crate) mod points;
pub mod side_by_side;
pub mod subsets;
pub mod texrex_table;
pub mod tune;

pub use grid::{Grid, Range, rivals};
pub use tune::{Point, TuneRows, best, tune};
