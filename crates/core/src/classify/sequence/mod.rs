//! A network that reads all targets of a page in order and decides on them together.
//!
//! A dense layer maps each target's inputs to `width` values; blocks then mix targets (depthwise
//! separable convolution, Chollet 2017, or a summary of the page), each after a layer normalization
//! (Ba, Kiros and Hinton 2016) and added to its input (He et al. 2016); two dense layers output a
//! margin for each target, and one more the kind of the page.
//!
//! Plain matrix code in a fixed order, so that results are bit-identical on every machine.

// Code that is not inlined into a dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

pub(crate) mod design;
pub mod layers;
pub mod network;

pub use design::{Design, NetworkBlock, NetworkBlocks};
pub use network::{Sequence, SequenceOutput};
