//! The network as a classifier of a stage: computes a margin for each target and the kind of the
//! page from the inputs of a page.

use super::design::{Design, NetworkBlock};
use super::layers::{Convolution, Normed, Summary, normalize, page_block, rectify};
use crate::classify::arithmetic::exp_neg;
use crate::classify::decision::{PageKind, PageKinds};
use crate::classify::smooth::PageShape;
use ndarray::ArrayView2;
use pulp::{Arch, NullaryFnOnce};
use std::borrow::Cow;
use std::ops::Range;

/// Consecutive targets of a page.
#[derive(Debug)]
pub struct Window<'a> {
    /// Scaled inputs, targets x columns, in row order.
    pub inputs: Cow<'a, [f32]>,
    /// Each target's share of the text; they sum to 1.
    pub shares: Vec<f32>,
}

impl<'a> Window<'a> {
    /// Targets with these text lengths; `inputs` are their scaled inputs in row order.
    pub fn new(inputs: Cow<'a, [f32]>, lengths: &[u32]) -> Self {
        let lengths: Vec<f32> = lengths.iter().map(|&length| length as f32 + 1.0).collect();
        let total: f32 = lengths.iter().sum();
        Self {
            inputs,
            shares: lengths.iter().map(|length| length / total).collect(),
        }
    }
}

/// The windows of a page, which overlap by half: the range of targets each reads, and the range
/// whose margins are taken from it. Two windows divide the targets that both read in the middle.
fn windows(targets: usize, window: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut from = 0;
    while found.last().is_none_or(|(last, _)| last.end < targets) {
        let end = (from + window).min(targets);
        let start = end.saturating_sub(window);
        // The next window takes over in the middle of the overlap.
        let taken = match found.last_mut() {
            Some((before, of_before)) => {
                let middle = usize::midpoint(start, before.end);
                of_before.end = middle;
                middle..end
            }
            None => 0..end,
        };
        found.push((start..end, taken));
        from += (window / 2).max(1);
    }
    if targets == 0 { Vec::new() } else { found }
}

/// Intermediate results of a block.
#[derive(Debug)]
pub enum BlockState {
    /// A convolution and the output of its first step.
    Convolution {
        /// Width and dilation of the convolution.
        layer: Convolution,
        /// Output of its first step, before the dense layer.
        mixed: Vec<f32>,
    },
    /// The block that summarizes the page.
    Page {
        /// The summary that its dense layer read.
        summary: Summary,
    },
}

/// Receives the intermediate results, and may change them: used in training, which needs the values
/// for its gradients and drops some of them (dropout). Inference keeps nothing.
pub trait Observer {
    /// True if the first layer may round differently from [`Dense::forward`].
    const IS_FREE: bool = false;
    /// Receives the values of the first and of the last hidden layer, rectified.
    fn rectified(&mut self, _values: &mut [f32]) {}
    /// Receives the input of a block, its intermediate results and its outputs.
    fn block(&mut self, _read: Normed, _state: BlockState, _outputs: &mut [f32]) {}
    /// Receives the inputs of the last layers: of each target, and of the page.
    fn end(&mut self, _read: Normed, _summary: Summary) {}
}

struct Unobserved;

impl Observer for Unobserved {
    const IS_FREE: bool = true;
}

/// Outputs of the network for a window.
#[derive(Debug)]
pub struct Output {
    /// One margin per target.
    pub margins: Vec<f32>,
    /// One logit per page kind.
    pub kinds: Vec<f32>,
}

/// Computes the outputs of a window of at least one target.
#[inline(always)]
pub fn forward<O: Observer>(
    design: &Design,
    params: &[f32],
    window: &Window<'_>,
    observer: &mut O,
) -> Output {
    let width = design.width;
    let inputs = window.inputs.len() / window.shares.len();
    let parts = design.parts(inputs);
    let (first, of_first) = (design.first(inputs), &params[parts.first]);
    let mut state = if O::IS_FREE {
        first.forward_of_page(of_first, &window.inputs)
    } else {
        first.forward(of_first, &window.inputs)
    };
    rectify(&mut state);
    observer.rectified(&mut state);
    for (block, of_norm, own) in parts.blocks {
        let read = normalize(&params[of_norm], width, &state);
        let (own, z) = (&params[own], &read.values);
        let (mut outputs, computed) = match block {
            NetworkBlock::Convolution { dilation } => {
                let layer = Convolution { width, dilation };
                let (outputs, mixed) = layer.forward(own, z);
                (outputs, BlockState::Convolution { layer, mixed })
            }
            NetworkBlock::Page => {
                let (outputs, summary) = page_block(own, width, &window.shares, z);
                (outputs, BlockState::Page { summary })
            }
        };
        observer.block(read, computed, &mut outputs);
        state
            .iter_mut()
            .zip(&outputs)
            .for_each(|(state, output)| *state += output);
    }
    let read = normalize(&params[parts.norm], width, &state);
    let mut hidden = design.hidden().forward(&params[parts.hidden], &read.values);
    rectify(&mut hidden);
    observer.rectified(&mut hidden);
    let margins = design.margin().forward(&params[parts.margin], &hidden);
    let summary = Summary::measure(width, &window.shares, &state);
    let kinds = design.kind().forward(&params[parts.kind], &summary.values);
    observer.end(read, summary);
    Output { margins, kinds }
}

/// A fitted network that reads all targets of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// Width, window and blocks.
    pub design: Design,
    pub(in crate::classify) inputs: usize,
    /// All parameters, in the layout of `Design`.
    pub(in crate::classify) params: Vec<f32>,
}

/// Outputs of the network for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceOutput {
    /// One margin per target.
    pub margins: Vec<f32>,
    /// The probability of each of [`PageKind::ALL`]; they sum to 1.
    pub kinds: PageKinds,
}

impl Sequence {
    /// A network with these parameters; `None` if their number is wrong.
    pub fn from_parts(design: Design, inputs: usize, params: Vec<f32>) -> Option<Self> {
        let is_right = inputs > 0 && params.len() == design.size(inputs);
        is_right.then_some(Self {
            design,
            inputs,
            params,
        })
    }

    /// All parameters, in the layout of [`Design`].
    pub fn params(&self) -> &[f32] {
        &self.params
    }

    /// The margin of each target of a page, and the probabilities of the page kinds, from the
    /// scaled rows of all its targets in order.
    ///
    /// # Panics
    /// If rows and shape have different numbers of targets, or the number of columns differs from
    /// that in training.
    pub fn output(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> SequenceOutput {
        assert_eq!(
            rows.ncols(),
            self.inputs,
            "the network was fitted to other columns"
        );
        assert_eq!(rows.nrows(), shape.lengths.len(), "each target has a row");
        let rows = rows.as_standard_layout();
        let values = rows.as_slice().unwrap_or_default();
        let mut margins = vec![0.0; rows.nrows()];
        let mut logits = vec![0.0; PageKind::ALL.len()];
        let windows = windows(rows.nrows(), self.design.window);
        let count = windows.len() as f32;
        for (read, taken) in windows {
            let inputs = &values[read.start * self.inputs..read.end * self.inputs];
            let window = Window::new(inputs.into(), &shape.lengths[read.clone()]);
            let output = Arch::new().dispatch(Inference {
                design: &self.design,
                params: &self.params,
                window: &window,
            });
            margins[taken.clone()]
                .copy_from_slice(&output.margins[taken.start - read.start..taken.end - read.start]);
            logits
                .iter_mut()
                .zip(&output.kinds)
                .for_each(|(logit, of_window)| *logit += of_window / count);
        }
        SequenceOutput {
            margins,
            kinds: softmax(&logits),
        }
    }

    /// The margin of each target of a page; see [`output`](Self::output).
    pub fn margins(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> Vec<f32> {
        self.output(rows, shape).margins
    }

    /// The probability of each of [`PageKind::ALL`]; see [`output`](Self::output).
    pub fn kinds(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> PageKinds {
        self.output(rows, shape).kinds
    }
}

/// Inference of one window, which is compiled for several instruction sets.
struct Inference<'a, 'w> {
    design: &'a Design,
    params: &'a [f32],
    window: &'a Window<'w>,
}

impl NullaryFnOnce for Inference<'_, '_> {
    type Output = Output;

    #[inline(always)]
    fn call(self) -> Output {
        forward(self.design, self.params, self.window, &mut Unobserved)
    }
}

fn softmax<const N: usize>(logits: &[f32]) -> [f32; N] {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: [f32; N] = std::array::from_fn(|index| exp_neg(most - logits[index]));
    let sum: f32 = powers.iter().sum();
    powers.map(|power| power / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Axis, Slice};
    use proptest::prelude::*;

    #[test]
    fn windows_overlap_by_half_and_the_middle_decides() {
        assert_eq!(windows(5, 8), [(0..5, 0..5)]);
        assert_eq!(windows(8, 8), [(0..8, 0..8)]);
        assert_eq!(
            windows(14, 8),
            [(0..8, 0..6), (4..12, 6..9), (6..14, 9..14)]
        );
        assert!(windows(0, 8).is_empty());
    }

    proptest! {
        #[test]
        fn every_target_is_taken_once(targets in 1usize..300, window in 1usize..80) {
            let mut next = 0;
            for (read, taken) in windows(targets, window) {
                prop_assert_eq!(taken.start, next);
                prop_assert!(read.start <= taken.start && taken.end <= read.end && read.len() <= window);
                next = taken.end;
            }
            prop_assert_eq!(next, targets);
        }
    }

    #[test]
    fn shares_of_the_text_sum_to_one() {
        assert_eq!(
            Window::new(vec![0.5; 6].into(), &[1, 5, 2]).shares,
            [2.0 / 11.0, 6.0 / 11.0, 3.0 / 11.0]
        );
    }

    #[test]
    fn the_middle_of_a_window_decides_on_a_long_page() {
        let mut random = fastrand::Rng::with_seed(8);
        let design = Design {
            width: 8,
            window: 16,
            blocks: "c1+page".parse().unwrap(),
        };
        let params = (0..design.size(3)).map(|_| random.f32() - 0.5).collect();
        let network = Sequence::from_parts(design, 3, params).unwrap();
        let rows = Array2::from_shape_fn((40, 3), |_| random.f32() * 2.0 - 1.0);
        let shape = PageShape {
            lengths: (0..40).map(|_| random.u32(0..90)).collect(),
            groups: vec![[1, 0]; 40],
        };
        let margins = network.margins(rows.view(), &shape);
        for (from, taken) in [(0, 0..12), (8, 12..20), (16, 20..28), (24, 28..40)] {
            let inputs = rows
                .slice_axis(Axis(0), Slice::from(from..from + 16))
                .to_owned()
                .into_raw_vec_and_offset()
                .0;
            let window = Window::new(inputs.into(), &shape.lengths[from..from + 16]);
            let expected = forward(&design, &network.params, &window, &mut Unobserved).margins;
            for target in taken {
                assert!(
                    (margins[target] - expected[target - from]).abs() < 1e-5,
                    "{target}"
                );
            }
        }
        let kinds = network.kinds(rows.view(), &shape);
        assert!(
            (kinds.iter().sum::<f32>() - 1.0).abs() < 1e-5 && kinds.iter().all(|kind| *kind > 0.0)
        );
        assert!(
            network
                .margins(Array2::zeros((0, 3)).view(), &PageShape::default())
                .is_empty()
        );
    }
}
