//! Experiments of researchers: [`search`] tries the parameters of a classifier on a [`grid`] and
//! writes a [`search_journal`]; [`engines`] compares the two rendering engines, if both are
//! compiled in.

pub mod engines;
pub(crate) mod grid;
pub mod search;
pub mod search_journal;
pub(crate) mod tune;

pub use grid::{Grid, Range};
pub use tune::{Point, best};
