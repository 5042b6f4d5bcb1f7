//! From the inputs of a window to a margin for each target and the kind of the page.

use super::attention::{Attended, Attention};
use super::convolution::Convolution;
use super::dense::rectify;
use super::design::{Block, Design};
use super::norm::{self, Normed};
use super::summary::{self, Summary};
use super::{groups, window::Window};

/// What a block computed on its way.
pub(super) enum BlockState {
    Convolution { layer: Convolution, mixed: Vec<f32> },
    Groups { means: Vec<f32> },
    Attention { layer: Attention, attended: Attended },
    Page { summary: Summary },
}

/// Sees, and may change, what the network computes: for fitting, which needs the values for its gradients and drops
/// some of them (dropout). Inference keeps nothing.
pub(super) trait Observer {
    /// Gets the values of the first and of the last hidden layer, rectified.
    fn rectified(&mut self, _values: &mut [f32]) {}
    /// Gets what a block read and computed, and its outputs.
    fn block(&mut self, _read: Normed, _state: BlockState, _outputs: &mut [f32]) {}
    /// Gets what the last layers read: of each target, and of the page.
    fn end(&mut self, _read: Normed, _summary: Summary) {}
}

/// For inference.
pub(super) struct Unobserved;

impl Observer for Unobserved {}

/// What the network says of a window.
pub(super) struct Output {
    /// The margin of each target.
    pub(super) margins: Vec<f32>,
    /// The logit of each page kind.
    pub(super) kinds: Vec<f32>,
}

/// Computes the outputs of a window of at least one target.
#[inline(always)]
pub(super) fn forward(design: &Design, params: &[f32], window: &Window<'_>, observer: &mut impl Observer) -> Output {
    let width = design.width;
    let inputs = window.inputs.len() / window.shares.len();
    let parts = design.parts(inputs);
    let mut state = design.first(inputs).forward(&params[parts.first], &window.inputs);
    rectify(&mut state);
    observer.rectified(&mut state);
    for (block, of_norm, own) in parts.blocks {
        let read = norm::forward(&params[of_norm], width, &state);
        let (own, z) = (&params[own], &read.values);
        let (mut outputs, computed) = match block {
            Block::Convolution { dilation } => {
                let layer = Convolution { width, dilation };
                let (outputs, mixed) = layer.forward(own, z);
                (outputs, BlockState::Convolution { layer, mixed })
            }
            Block::Groups => {
                let (outputs, means) = groups::forward(own, width, window, z);
                (outputs, BlockState::Groups { means })
            }
            Block::Attention => {
                let layer = Attention { width };
                let (outputs, attended) = layer.forward(own, window, z);
                (outputs, BlockState::Attention { layer, attended })
            }
            Block::Page => {
                let (outputs, summary) = summary::forward(own, width, window, z);
                (outputs, BlockState::Page { summary })
            }
        };
        observer.block(read, computed, &mut outputs);
        state.iter_mut().zip(&outputs).for_each(|(state, output)| *state += output);
    }
    let read = norm::forward(&params[parts.norm], width, &state);
    let mut hidden = design.hidden().forward(&params[parts.hidden], &read.values);
    rectify(&mut hidden);
    observer.rectified(&mut hidden);
    let margins = design.margin().forward(&params[parts.margin], &hidden);
    let summary = Summary::measure(width, window, &state);
    let kinds = design.kind().forward(&params[parts.kind], &summary.values);
    observer.end(read, summary);
    Output { margins, kinds }
}
