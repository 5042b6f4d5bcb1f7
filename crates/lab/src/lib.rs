//! The laboratory of vclean: pages with gold text, evaluation, training, the published systems that
//! it is compared with, the experiments of the papers, and the labelling page. Whoever only cleans
//! pages needs none of it.

pub mod annotate;
pub mod evaluate;
pub mod experiments;
pub mod fitting;
pub mod gold;
pub mod method;
pub mod report;
pub mod train;
