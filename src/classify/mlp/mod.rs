//! Multilayer perceptron with one hidden layer, as FANN trains it: texrex's classifier (Schäfer 2013, section 3).
//!
//! Own code: the Rust bindings of FANN need its C library and are not kept, and no crate has its activations and its
//! RPROP. With k = 0.5 (FANN's steepness), s the weighted sum of a unit's inputs and its bias:
//!
//! - hidden, "Gaussian Symmetric": f(s) = 2 exp(-(k s)^2) - 1, f'(s) = -2 k^2 s (f(s) + 1)
//! - output, "Linear Piece Symmetric": f(s) = k s cut to -1 and 1, f'(s) = k also where it is cut
//!
//! The error of a row is d = (target - output) / 2, halved because the output reaches from -1 to 1. FANN reports the
//! mean of d^2, and descends (its default, the "tanh" error function) by ln((1 + d) / (1 - d)), that is on the loss 2
//! ((1 + d) ln(1 + d) + (1 - d) ln(1 - d)), which punishes outputs far off. FANN's f' of a hidden unit lacks a factor
//! k, which changes no sign and so no step of RPROP.

mod fann;
#[cfg(feature = "experiments")]
mod fit;
mod perceptron;
#[cfg(feature = "experiments")]
mod rprop;

#[cfg(feature = "experiments")]
pub use self::fit::{CurvePoint, MlpOptions, TrainedMlp};

pub use self::perceptron::Mlp;
