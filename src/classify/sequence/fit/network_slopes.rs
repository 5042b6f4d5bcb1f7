//! The gradient of the network.

use super::attention_slopes::attention;
use super::layer_slopes::{convolution, dense, dense_params, group_means, norm, page, rectifier, summary};
use super::loss::Loss;
use super::record::{BlockRecord, Recorder};
use crate::classify::sequence::design::Design;
use crate::classify::sequence::network::BlockState;
use crate::classify::sequence::window::Window;

/// Adds the slopes of the loss by all parameters to `slopes`; `record` holds the forward pass of the same window.
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
    let values = dense(design.kind(), &params[kind.clone()], &of_page.values, &loss.kinds, &mut slopes[kind]);
    summary(width, window, of_page, &values, &mut state);
    let margin = parts.margin;
    let mut of_hidden =
        dense(design.margin(), &params[margin.clone()], &hidden.values, &loss.margins, &mut slopes[margin]);
    hidden.undo(&mut of_hidden);
    rectifier(&hidden.values, &mut of_hidden);
    let part = parts.hidden;
    let of_read = dense(design.hidden(), &params[part.clone()], &read.values, &of_hidden, &mut slopes[part]);
    let part = parts.norm;
    add(&mut state, &norm(&params[part.clone()], width, read, &of_read, &mut slopes[part]));
    for ((_, of_norm, own), block) in parts.blocks.into_iter().zip(&record.blocks).rev() {
        let of_read = block_slopes(width, &params[own.clone()], window, block, state.clone(), &mut slopes[own]);
        add(&mut state, &norm(&params[of_norm.clone()], width, &block.read, &of_read, &mut slopes[of_norm]));
    }
    first.undo(&mut state);
    rectifier(&first.values, &mut state);
    dense_params(design.first(inputs), &window.inputs, &state, &mut slopes[parts.first]);
}

/// The slopes by what a block read, from those by its outputs.
fn block_slopes(
    width: usize,
    params: &[f32],
    window: &Window<'_>,
    block: &BlockRecord,
    mut outputs: Vec<f32>,
    slopes: &mut [f32],
) -> Vec<f32> {
    block.outputs.undo(&mut outputs);
    if !matches!(block.state, BlockState::Attention { .. }) {
        rectifier(&block.outputs.values, &mut outputs);
    }
    let z = block.read.values.as_slice();
    match &block.state {
        BlockState::Convolution { layer, mixed } => convolution(*layer, params, (z, mixed), &outputs, slopes),
        BlockState::Groups { means } => group_means(width, params, window, means, &outputs, slopes),
        BlockState::Attention { layer, attended } => attention(*layer, params, (z, attended), &outputs, slopes),
        BlockState::Page { summary } => page(width, params, window, summary, &outputs, slopes),
    }
}

fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
