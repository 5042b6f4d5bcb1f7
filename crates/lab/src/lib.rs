//! The laboratory of vclean: pages with gold text, evaluation, training, and the labelling page.
//! Whoever only cleans pages needs none of it.

pub mod annotate;
pub mod evaluate;
pub mod experiments;
pub mod fitting;
pub mod gold;
pub mod report;
pub mod train;
