//! Fits the network: the gradients of its layers, the loss of a page, and AdamW.

mod attention_slopes;
mod layer_slopes;
mod loss;
mod network_slopes;
mod optimizer;
mod options;
mod page;
mod record;
mod start;
#[cfg(test)]
mod tests;
mod training;

pub use options::SequenceOptions;
pub use page::SequencePage;
