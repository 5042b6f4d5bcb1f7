//! A dense layer: a product with a matrix, and an offset for each column.

use super::matrix::{Strided, add_product};

/// A dense layer; its parameters are `inputs` x `outputs` factors, then `outputs` offsets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dense {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Dense {
    /// Number of parameters.
    pub(super) fn size(self) -> usize {
        (self.inputs + 1) * self.outputs
    }

    /// Outputs of the rows `x`.
    #[inline(always)]
    pub(super) fn forward(self, params: &[f32], x: &[f32]) -> Vec<f32> {
        let (factors, offsets) = params.split_at(self.inputs * self.outputs);
        let mut sums = offsets.repeat(x.len() / self.inputs);
        add_product(&mut sums, Strided::rows(x, self.inputs), factors, self.inputs, self.outputs);
        sums
    }
}

/// The rectifier: negative values become 0.
#[inline(always)]
pub(super) fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}
