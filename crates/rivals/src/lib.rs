//! The published systems that vclean is compared with, and the tables of their papers. Whoever only
//! cleans pages with vclean, or trains models for it, needs none of this.
//!
//! [`method`] cleans a page as each system does, [`learning`] trains those that learn, [`compare`]
//! puts methods side by side, and [`tables`] repeats the experiments of the papers.

pub mod compare;
pub mod learning;
pub mod method;
mod mlp;
pub mod tables;
