//! The tables of the papers: models trained and measured as FIASCO did ([`subset_table`],
//! [`crossvalidated`], [`language_table`]) and as texrex did ([`texrex_table`]), and all methods
//! side by side ([`side_by_side`]).

pub mod crossvalidated;
pub mod language_table;
pub mod side_by_side;
pub mod subset_table;
mod subsets;
mod table_options;
pub mod texrex_table;

pub use table_options::{ExperimentError, TableOptions, TableResult};
