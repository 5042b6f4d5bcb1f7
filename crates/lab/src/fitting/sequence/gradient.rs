//! The gradient of the network. The forward pass is recorded; each layer gets the slopes of the
//! loss by its outputs, adds those by its parameters to `slopes`, and returns those by its inputs.

use super::loss::Loss;
use vclean_core::classify::arithmetic::{Strided, add_product, transpose};
use vclean_core::classify::sequence::Design;
use vclean_core::classify::sequence::layers::{Convolution, Dense, Normed, Summary, page_dense};
use vclean_core::classify::sequence::network::{BlockState, Observer, Window};

/// Values after dropout, and the factor of each (empty without dropout).
struct Dropped {
    values: Vec<f32>,
    factors: Option<Vec<f32>>,
}

impl Dropped {
    /// The slopes by the values before dropout.
    fn undo(&self, slopes: &mut [f32]) {
        for (slope, factor) in slopes.iter_mut().zip(self.factors.iter().flatten()) {
            *slope *= factor;
        }
    }
}

/// Input, state and output of a block in the forward pass.
struct BlockRecord {
    read: Normed,
    state: BlockState,
    outputs: Dropped,
}

/// Records the forward pass, and drops values on the way (dropout, Srivastava et al. 2014).
pub(super) struct Recorder<'a> {
    random: &'a mut fastrand::Rng,
    /// Share of values that are dropped.
    dropout: f32,
    /// The first and the last hidden layer.
    hidden: Vec<Dropped>,
    blocks: Vec<BlockRecord>,
    end: Option<(Normed, Summary)>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(random: &'a mut fastrand::Rng, dropout: f32) -> Self {
        Self {
            random,
            dropout,
            hidden: Vec::new(),
            blocks: Vec::new(),
            end: None,
        }
    }

    fn drop_some(&mut self, values: &mut [f32]) -> Dropped {
        let factors = (self.dropout > 0.0).then(|| {
            let kept = 1.0 / (1.0 - self.dropout);
            let factor = |_: &f32| {
                if self.random.f32() < self.dropout {
                    0.0
                } else {
                    kept
                }
            };
            let factors: Vec<f32> = values.iter().map(factor).collect();
            values
                .iter_mut()
                .zip(&factors)
                .for_each(|(value, factor)| *value *= factor);
            factors
        });
        Dropped {
            values: values.to_vec(),
            factors,
        }
    }
}

impl Observer for Recorder<'_> {
    fn rectified(&mut self, values: &mut [f32]) {
        let dropped = self.drop_some(values);
        self.hidden.push(dropped);
    }

    fn block(&mut self, read: Normed, state: BlockState, outputs: &mut [f32]) {
        let outputs = self.drop_some(outputs);
        self.blocks.push(BlockRecord {
            read,
            state,
            outputs,
        });
    }

    fn end(&mut self, read: Normed, summary: Summary) {
        self.end = Some((read, summary));
    }
}

/// Adds the slopes of the loss by all parameters to `slopes`; `record` holds the forward pass of
/// the same window.
pub(super) fn add_slopes(
    design: &Design,
    params: &[f32],
    window: &Window<'_>,
    record: &Recorder<'_>,
    loss: &Loss,
    slopes: &mut [f32],
) {
    let (Some((read, of_page)), [first, hidden]) = (&record.end, record.hidden.as_slice()) else {
        return;
    };
    let width = design.width;
    let inputs = window.inputs.len() / window.shares.len();
    let parts = design.parts(inputs);
    let mut state = vec![0.0; read.values.len()];
    let kind = parts.kind;
    let values = dense(
        design.kind(),
        &params[kind.clone()],
        &of_page.values,
        &loss.kinds,
        &mut slopes[kind],
    );
    summary(width, &window.shares, of_page, &values, &mut state);
    let margin = parts.margin;
    let mut of_hidden = dense(
        design.margin(),
        &params[margin.clone()],
        &hidden.values,
        &loss.margins,
        &mut slopes[margin],
    );
    hidden.undo(&mut of_hidden);
    rectifier(&hidden.values, &mut of_hidden);
    let part = parts.hidden;
    let of_read = dense(
        design.hidden(),
        &params[part.clone()],
        &read.values,
        &of_hidden,
        &mut slopes[part],
    );
    let part = parts.norm;
    add(
        &mut state,
        &norm(
            &params[part.clone()],
            width,
            read,
            &of_read,
            &mut slopes[part],
        ),
    );
    for ((_, of_norm, own), block) in parts.blocks.into_iter().zip(&record.blocks).rev() {
        let of_read = block_slopes(
            width,
            &params[own.clone()],
            &window.shares,
            block,
            state.clone(),
            &mut slopes[own],
        );
        add(
            &mut state,
            &norm(
                &params[of_norm.clone()],
                width,
                &block.read,
                &of_read,
                &mut slopes[of_norm],
            ),
        );
    }
    first.undo(&mut state);
    rectifier(&first.values, &mut state);
    dense_params(
        design.first(inputs),
        &window.inputs,
        &state,
        &mut slopes[parts.first],
    );
}

/// The slopes by the input of a block, from those by its outputs.
fn block_slopes(
    width: usize,
    params: &[f32],
    shares: &[f32],
    block: &BlockRecord,
    mut outputs: Vec<f32>,
    slopes: &mut [f32],
) -> Vec<f32> {
    block.outputs.undo(&mut outputs);
    rectifier(&block.outputs.values, &mut outputs);
    let z = block.read.values.as_slice();
    match &block.state {
        BlockState::Convolution { layer, mixed } => {
            convolution(*layer, params, (z, mixed), &outputs, slopes)
        }
        BlockState::Page { summary } => page(width, params, shares, summary, &outputs, slopes),
    }
}

fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += value);
}

/// The gradient of a dense layer by its parameters only.
fn dense_params(layer: Dense, x: &[f32], outputs: &[f32], slopes: &mut [f32]) {
    let (factors, offsets) = slopes.split_at_mut(layer.inputs * layer.outputs);
    add_product(
        factors,
        Strided::transposed(x, layer.inputs),
        outputs,
        x.len() / layer.inputs,
        layer.outputs,
    );
    for row in outputs.chunks_exact(layer.outputs) {
        offsets
            .iter_mut()
            .zip(row)
            .for_each(|(sum, slope)| *sum += slope);
    }
}

/// The gradient of a dense layer.
fn dense(layer: Dense, params: &[f32], x: &[f32], outputs: &[f32], slopes: &mut [f32]) -> Vec<f32> {
    dense_params(layer, x, outputs, slopes);
    let turned = transpose(&params[..layer.inputs * layer.outputs], layer.outputs);
    let mut inputs = vec![0.0; x.len()];
    add_product(
        &mut inputs,
        Strided::rows(outputs, layer.outputs),
        &turned,
        layer.outputs,
        layer.inputs,
    );
    inputs
}

/// The gradient of the rectifier, from its outputs.
fn rectifier(outputs: &[f32], slopes: &mut [f32]) {
    for (slope, output) in slopes.iter_mut().zip(outputs) {
        if *output <= 0.0 {
            *slope = 0.0;
        }
    }
}

/// The gradient of layer normalization.
fn norm(
    params: &[f32],
    width: usize,
    normed: &Normed,
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let gains = &params[..width];
    let (of_gains, of_offsets) = slopes.split_at_mut(width);
    let mut inputs = Vec::with_capacity(outputs.len());
    let rows = outputs
        .chunks_exact(width)
        .zip(normed.plain.chunks_exact(width))
        .zip(&normed.scales);
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
        inputs.extend(
            (0..width).map(|at| scale * (outputs[at] * gains[at] - mean - plain[at] * product)),
        );
    }
    inputs
}

/// The gradient of a convolution with the input `z`; `outputs` are slopes by its output before the
/// rectifier.
fn convolution(
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
        let (slopes, taps) = (
            &of_mixed[row * width..][..width],
            &taps[place * width..][..width],
        );
        let (of_taps, values) = (
            &mut of_taps[place * width..][..width],
            &z[other * width..][..width],
        );
        let inputs = &mut inputs[other * width..][..width];
        for at in 0..width {
            of_taps[at] += slopes[at] * values[at];
            inputs[at] += slopes[at] * taps[at];
        }
    });
    inputs
}

/// Adds the gradient of a summary, by its values, to the slopes by the rows that it summarizes.
fn summary(width: usize, shares: &[f32], summary: &Summary, values: &[f32], inputs: &mut [f32]) {
    let rows = shares.len() as f32;
    for (inputs, share) in inputs.chunks_exact_mut(width).zip(shares) {
        for (at, input) in inputs.iter_mut().enumerate() {
            *input += values[at] / rows + values[width + at] * share;
        }
    }
    for (at, &row) in summary.largest.iter().enumerate() {
        inputs[row * width + at] += values[2 * width + at];
    }
}

/// The gradient of the page block; `outputs` are slopes by the output for each target.
fn page(
    width: usize,
    params: &[f32],
    shares: &[f32],
    of_page: &Summary,
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let mut output = vec![0.0; width];
    for row in outputs.chunks_exact(width) {
        output
            .iter_mut()
            .zip(row)
            .for_each(|(sum, slope)| *sum += slope);
    }
    let values = dense(page_dense(width), params, &of_page.values, &output, slopes);
    let mut inputs = vec![0.0; outputs.len()];
    summary(width, shares, of_page, &values, &mut inputs);
    inputs
}
