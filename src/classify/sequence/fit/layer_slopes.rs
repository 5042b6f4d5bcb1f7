//! Gradients of the layers other than self-attention. Each function gets the slopes of the loss by a layer's outputs,
//! adds those by its parameters to `slopes`, and gives those by its inputs.

use crate::classify::sequence::convolution::Convolution;
use crate::classify::sequence::dense::Dense;
use crate::classify::sequence::groups::{dense as groups_dense, group_sizes, group_sums};
use crate::classify::sequence::matrix::{Strided, add_product, transpose};
use crate::classify::sequence::norm::Normed;
use crate::classify::sequence::summary::{Summary, dense as summary_dense};
use crate::classify::sequence::window::{LEVELS, Window};

/// The gradient of a dense layer by its parameters only.
pub(super) fn dense_params(layer: Dense, x: &[f32], outputs: &[f32], slopes: &mut [f32]) {
    let (factors, offsets) = slopes.split_at_mut(layer.inputs * layer.outputs);
    add_product(factors, Strided::transposed(x, layer.inputs), outputs, x.len() / layer.inputs, layer.outputs);
    for row in outputs.chunks_exact(layer.outputs) {
        offsets.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
    }
}

/// The gradient of a dense layer.
pub(super) fn dense(layer: Dense, params: &[f32], x: &[f32], outputs: &[f32], slopes: &mut [f32]) -> Vec<f32> {
    dense_params(layer, x, outputs, slopes);
    let turned = transpose(&params[..layer.inputs * layer.outputs], layer.outputs);
    let mut inputs = vec![0.0; x.len()];
    add_product(&mut inputs, Strided::rows(outputs, layer.outputs), &turned, layer.outputs, layer.inputs);
    inputs
}

/// The gradient of the rectifier, from what it gave.
pub(super) fn rectifier(outputs: &[f32], slopes: &mut [f32]) {
    for (slope, output) in slopes.iter_mut().zip(outputs) {
        if *output <= 0.0 {
            *slope = 0.0;
        }
    }
}

/// The gradient of layer normalization.
pub(super) fn norm(params: &[f32], width: usize, normed: &Normed, outputs: &[f32], slopes: &mut [f32]) -> Vec<f32> {
    let gains = &params[..width];
    let (of_gains, of_offsets) = slopes.split_at_mut(width);
    let mut inputs = Vec::with_capacity(outputs.len());
    let rows = outputs.chunks_exact(width).zip(normed.plain.chunks_exact(width)).zip(&normed.scales);
    for ((outputs, plain), scale) in rows {
        let (mut mean, mut product) = (0.0, 0.0);
        for at in 0..width {
            of_gains[at] += outputs[at] * plain[at];
            of_offsets[at] += outputs[at];
            let slope = outputs[at] * gains[at];
            mean += slope;
            product += slope * plain[at];
        }
        let (mean, product) = (mean / width as f32, product / width as f32);
        inputs.extend((0..width).map(|at| scale * (outputs[at] * gains[at] - mean - plain[at] * product)));
    }
    inputs
}

/// The gradient of a convolution that read `z`; `outputs` are slopes by what it gave before the rectifier.
pub(super) fn convolution(
    layer: Convolution,
    params: &[f32],
    (z, mixed): (&[f32], &[f32]),
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let width = layer.width;
    let (taps, rest) = params.split_at(layer.taps());
    let (of_taps, of_rest) = slopes.split_at_mut(layer.taps());
    let of_mixed = dense(layer.dense(), rest, mixed, outputs, of_rest);
    let mut inputs = vec![0.0; z.len()];
    layer.each_neighbor(z.len() / width, |row, place, other| {
        let (slopes, taps) = (&of_mixed[row * width..][..width], &taps[place * width..][..width]);
        let (of_taps, values) = (&mut of_taps[place * width..][..width], &z[other * width..][..width]);
        let inputs = &mut inputs[other * width..][..width];
        for at in 0..width {
            of_taps[at] += slopes[at] * values[at];
            inputs[at] += slopes[at] * taps[at];
        }
    });
    inputs
}

/// The gradient of the block of groups, from the means that it read.
pub(super) fn group_means(
    width: usize,
    params: &[f32],
    window: &Window<'_>,
    means: &[f32],
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let of_means = dense(groups_dense(width), params, means, outputs, slopes);
    let mut inputs = vec![0.0; outputs.len()];
    for level in 0..LEVELS {
        let sizes = group_sizes(window, level);
        let row = |target: usize| &of_means[(target * LEVELS + level) * width..][..width];
        let sums = group_sums(window, level, width, sizes.len(), row);
        for (inputs, &group) in inputs.chunks_exact_mut(width).zip(&window.groups[level]) {
            let size = sizes[group as usize];
            for (input, sum) in inputs.iter_mut().zip(&sums[group as usize * width..]) {
                *input += sum / size;
            }
        }
    }
    inputs
}

/// Adds the gradient of a summary, by its values, to the slopes by the rows that it summarizes.
pub(super) fn summary(width: usize, window: &Window<'_>, summary: &Summary, values: &[f32], inputs: &mut [f32]) {
    let rows = window.shares.len() as f32;
    for (inputs, share) in inputs.chunks_exact_mut(width).zip(&window.shares) {
        for (at, input) in inputs.iter_mut().enumerate() {
            *input += values[at] / rows + values[width + at] * share;
        }
    }
    for (at, &row) in summary.largest.iter().enumerate() {
        inputs[row * width + at] += values[2 * width + at];
    }
}

/// The gradient of the page block; `outputs` are slopes by what each target got.
pub(super) fn page(
    width: usize,
    params: &[f32],
    window: &Window<'_>,
    of_page: &Summary,
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let mut output = vec![0.0; width];
    for row in outputs.chunks_exact(width) {
        output.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
    }
    let values = dense(summary_dense(width), params, &of_page.values, &output, slopes);
    let mut inputs = vec![0.0; outputs.len()];
    summary(width, window, of_page, &values, &mut inputs);
    inputs
}
