//! Multilayer perceptron with one hidden layer, as FANN (version 2; Nissen 2003) trains it:
//! texrex's classifier (Schäfer 2013, section 3).
//!
//! Own code: the Rust bindings of FANN need its C library and are not kept, and no crate has its
//! activations and its RPROP. With k = 0.5 (FANN's steepness), s the weighted sum of a unit's
//! inputs and its bias:
//!
//! - hidden, "Gaussian Symmetric": f(s) = 2 exp(-(k s)^2) - 1, f'(s) = -2 k^2 s (f(s) + 1)
//! - output, "Linear Piece Symmetric": f(s) = k s cut to -1 and 1, f'(s) = k also where it is cut
//!
//! The error of a row is d = (target - output) / 2, halved because the output reaches from -1 to 1.
//! FANN reports the mean of d^2, and descends (its default, the "tanh" error function) by ln((1 +
//! d) / (1 - d)), that is on the loss 2 ((1 + d) ln(1 + d) + (1 - d) ln(1 - d)), which punishes
//! outputs far off. FANN's f' of a hidden unit lacks a factor k, which changes no sign and so no
//! step of RPROP.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use serde::{Deserialize, Serialize};

/// Steepness of both layers (FANN's default).
pub(crate) const STEEPNESS: f32 = 0.5;

/// 2 exp(-x^2) - 1.
pub(crate) fn gaussian(x: f32) -> f32 {
    2.0 * exp_below_zero(-x * x) - 1.0
}

/// exp(x) for x at most 0, relative error below 2e-7 (1 - x); without a branch or a call, so that
/// the compiler vectorizes it, which it does not with the library's exp.
fn exp_below_zero(x: f32) -> f32 {
    // 1.5 x 2^23: adding it rounds to a whole number, in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let power = (x * std::f32::consts::LOG2_E).max(-126.0);
    let rounded = power + ROUND;
    let rest = (power - (rounded - ROUND)) * std::f32::consts::LN_2;
    // The Taylor series of exp on -0.35 to 0.35.
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest
                                    * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    let exponent = rounded
        .to_bits()
        .wrapping_sub(ROUND.to_bits())
        .wrapping_add(127);
    series * f32::from_bits(exponent << 23)
}

/// Rows that are computed at once.
const PART: usize = 1024;

/// A trained perceptron: its output is near 0 for content and near 1 for boilerplate, as in the
/// paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mlp {
    pub(crate) inputs: usize,
    pub(crate) hidden: usize,
    /// Of the hidden layer, (inputs + 1) x hidden, the biases last; then of the output, hidden + 1,
    /// its bias last.
    pub(crate) weights: Vec<f32>,
}

impl Mlp {
    /// The output for each row, -1 to 1. Rows must have as many columns as those trained on.
    pub(crate) fn outputs(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let rows = with_bias(rows);
        let parts = rows.axis_chunks_iter(Axis(0), PART);
        parts
            .flat_map(|part| self.sums(part).1)
            .map(|sum| sum.clamp(-1.0, 1.0))
            .collect()
    }

    /// Mean square error on rows, as FANN reports it; 0 for no row.
    pub(crate) fn error(&self, rows: ArrayView2<'_, f32>, is_content: &[bool]) -> f64 {
        let squares = self
            .outputs(rows)
            .into_iter()
            .zip(is_content)
            .map(|(output, &content)| {
                let difference = f64::from(target(content) - output) / 2.0;
                difference * difference
            });
        squares.sum::<f64>() / is_content.len().max(1) as f64
    }

    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    /// True if the weights fit the numbers of units; false only for a damaged file.
    pub(crate) fn is_consistent(&self) -> bool {
        let sizes = self
            .inputs
            .checked_add(2)
            .and_then(|inputs| inputs.checked_mul(self.hidden));
        self.hidden > 0
            && sizes.and_then(|sizes| sizes.checked_add(1)) == Some(self.weights.len())
            && self.weights.iter().all(|weight| weight.is_finite())
    }

    /// k s of each hidden unit, rows x hidden, and k s of the output, before it is clamped.
    pub(crate) fn sums(&self, rows: ArrayView2<'_, f32>) -> (Array2<f32>, Vec<f32>) {
        let layer = (self.inputs + 1) * self.hidden;
        let (first, last) = self.weights.split_at(layer);
        let first = ArrayView2::from_shape((self.inputs + 1, self.hidden), first)
            .expect("the weights fit the numbers of units");
        let mut sums = Array2::zeros((rows.nrows(), self.hidden));
        general_mat_mul(STEEPNESS, &rows, &first, 0.0, &mut sums);
        let flat = sums.as_slice().expect("a product is in row order");
        let output = |row: &[f32]| {
            let sum: f32 = row
                .iter()
                .zip(last)
                .map(|(&sum, weight)| gaussian(sum) * weight)
                .sum();
            STEEPNESS * (sum + last[self.hidden])
        };
        let outputs = flat.chunks_exact(self.hidden).map(output).collect();
        (sums, outputs)
    }
}

/// The wanted output for a row.
pub(crate) fn target(is_content: bool) -> f32 {
    if is_content { 0.0 } else { 1.0 }
}

/// Rows with a last column of ones.
pub(crate) fn with_bias(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut all = Array2::ones((rows.nrows(), rows.ncols() + 1));
    all.slice_axis_mut(Axis(1), Slice::from(..rows.ncols()))
        .assign(&rows);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_is_that_of_the_library(x in -80.0f32..=0.0) {
            let expected = x.exp();
            prop_assert!((exp_below_zero(x) - expected).abs() <= 2e-7 * (1.0 - x) * expected, "{x}");
            prop_assert!(gaussian(x) >= -1.0 && gaussian(1e19) == -1.0 && gaussian(0.0) == 1.0);
        }
    }

    #[test]
    fn weights_that_do_not_fit_the_units_are_noticed() {
        let whole = Mlp {
            inputs: 3,
            hidden: 2,
            weights: vec![0.5; 11],
        };
        assert!(whole.is_consistent() && whole.inputs() == 3);
        assert!(
            !Mlp {
                weights: vec![0.5; 10],
                ..whole
            }
            .is_consistent()
        );
        assert!(
            !Mlp {
                inputs: 3,
                hidden: 0,
                weights: vec![1.0]
            }
            .is_consistent()
        );
    }
}
