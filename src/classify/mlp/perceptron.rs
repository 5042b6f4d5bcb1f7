//! A trained perceptron and its output.

use super::fann::{STEEPNESS, gaussian};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use serde::{Deserialize, Serialize};

/// Rows that are computed at once; in fitting, the slopes of such parts are summed in order, whatever the number of
/// threads.
pub(super) const PART: usize = 1024;

/// A trained perceptron: its output is near 0 for content and near 1 for boilerplate, as in the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mlp {
    pub(super) inputs: usize,
    pub(super) hidden: usize,
    /// Of the hidden layer, (inputs + 1) x hidden, the biases last; then of the output, hidden + 1, its bias last.
    pub(super) weights: Vec<f32>,
}

impl Mlp {
    /// The output for each row, -1 to 1. Rows must have as many columns as those trained on.
    pub fn outputs(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let rows = with_bias(rows);
        let parts = rows.axis_chunks_iter(Axis(0), PART);
        parts.flat_map(|part| self.sums(part).1).map(|sum| sum.clamp(-1.0, 1.0)).collect()
    }

    /// Mean square error on rows, as FANN reports it; 0 for no row.
    pub fn error(&self, rows: ArrayView2<'_, f32>, is_content: &[bool]) -> f64 {
        let squares = self.outputs(rows).into_iter().zip(is_content).map(|(output, &content)| {
            let difference = f64::from(target(content) - output) / 2.0;
            difference * difference
        });
        squares.sum::<f64>() / is_content.len().max(1) as f64
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Whether the weights fit the numbers of units; false only for what was read from a damaged file.
    pub fn is_consistent(&self) -> bool {
        let sizes = self.inputs.checked_add(2).and_then(|inputs| inputs.checked_mul(self.hidden));
        self.hidden > 0
            && sizes.and_then(|sizes| sizes.checked_add(1)) == Some(self.weights.len())
            && self.weights.iter().all(|weight| weight.is_finite())
    }

    /// k s of each hidden unit, rows x hidden, and k s of the output, before it is clamped.
    pub(super) fn sums(&self, rows: ArrayView2<'_, f32>) -> (Array2<f32>, Vec<f32>) {
        let layer = (self.inputs + 1) * self.hidden;
        let (first, last) = self.weights.split_at(layer);
        let first = ArrayView2::from_shape((self.inputs + 1, self.hidden), first)
            .expect("the weights fit the numbers of units");
        let mut sums = Array2::zeros((rows.nrows(), self.hidden));
        general_mat_mul(STEEPNESS, &rows, &first, 0.0, &mut sums);
        let flat = sums.as_slice().expect("a product is in row order");
        let output = |row: &[f32]| {
            let sum: f32 = row.iter().zip(last).map(|(&sum, weight)| gaussian(sum) * weight).sum();
            STEEPNESS * (sum + last[self.hidden])
        };
        let outputs = flat.chunks_exact(self.hidden).map(output).collect();
        (sums, outputs)
    }
}

/// The output that a row is to have.
pub(super) fn target(is_content: bool) -> f32 {
    if is_content { 0.0 } else { 1.0 }
}

/// Rows with a last column of ones.
pub(super) fn with_bias(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut all = Array2::ones((rows.nrows(), rows.ncols() + 1));
    all.slice_axis_mut(Axis(1), Slice::from(..rows.ncols())).assign(&rows);
    all
}
