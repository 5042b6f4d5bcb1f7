//! A network that reads all targets of a page in order and decides on them together.
//!
//! A dense layer takes each target's inputs to `width` values; blocks then mix targets (depthwise
//! separable convolution, Chollet 2017; a summary of the page), each behind a layer normalization
//! (Ba, Kiros and Hinton 2016) and added to what it read (He et al. 2016); two dense layers give a
//! margin for each target, and one more the kind of the page.
//!
//! Plain matrix code in a fixed order: the same bytes on every machine.

// What is not inlined into a dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

pub(crate) mod design;
pub mod layers;
pub mod network;

pub use design::{Design, NetworkBlock, NetworkBlocks};
pub use network::{Sequence, SequenceOutput};
