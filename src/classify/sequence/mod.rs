//! A network that reads all targets of a page in order and decides on them together.
//!
//! A dense layer takes each target's inputs to `width` values; blocks then mix targets (depthwise separable
//! convolution, Chollet 2017; means over targets with a common parent; self-attention, Vaswani et al. 2017; a summary
//! of the page), each behind a layer normalization (Ba, Kiros and Hinton 2016) and added to what it read (He et al.
//! 2016); two dense layers give a margin for each target, and one more the kind of the page.
//!
//! Inference is plain matrix code in a fixed order: the same bytes on every machine. Fitting (in `fit`, feature
//! `experiments`) is our own instead of candle's or burn's: the forward pass has to be plain code anyway, its gradients
//! are some 200 lines that are checked numerically, and an epoch of 1,473 pages takes 4 CPU seconds, where a framework
//! with padded batches (JAX) took 20 to 50.

// Inference computes, and drops at once, what only the gradients read.
#![cfg_attr(not(feature = "experiments"), allow(dead_code))]
// What is not inlined into a dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

mod attention;
mod convolution;
mod dense;
mod design;
#[cfg(feature = "experiments")]
mod fit;
mod groups;
mod machine;
mod matrix;
mod network;
mod norm;
mod summary;
mod window;

pub use design::{Block, Blocks, Design};
#[cfg(feature = "experiments")]
pub use fit::{SequenceOptions, SequencePage};
pub use machine::{Sequence, SequenceOutput};
