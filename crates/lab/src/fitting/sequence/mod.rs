//! Fits the network: the gradients of its layers, the loss of a page, and AdamW.
//!
//! Our own instead of candle's or burn's: the forward pass has to be plain code anyway, its
//! gradients are some 150 lines that are checked numerically, and an epoch of 1,473 pages takes 4
//! CPU seconds, where a framework with padded batches (JAX) took 20 to 50.

mod gradient;
mod loss;
mod options;
#[cfg(test)]
#[path = "../../../tests/unit/fitting_sequence.rs"]
mod tests;
mod training;

pub use options::SequenceOptions;
pub use training::SequencePage;
pub use training::{fit, refine};
