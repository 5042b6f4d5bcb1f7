//! The network as a classifier of a stage.

use super::design::Design;
use super::network::{Output, Unobserved, forward};
use super::window::{Window, windows};
use crate::classify::exponential::exp_neg;
use crate::classify::page_kind::{PageKind, PageKinds};
use crate::classify::smooth::PageShape;
use ndarray::ArrayView2;
use pulp::{Arch, NullaryFnOnce};

/// A fitted network, or several of the same shape whose outputs are averaged.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// Its shape.
    pub design: Design,
    /// Number of inputs.
    pub(in crate::classify) inputs: usize,
    /// All parameters, as `Design` lays them out; of several networks one after another.
    pub(in crate::classify) params: Vec<f32>,
}

/// What a network says of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceOutput {
    /// The margin of each target.
    pub margins: Vec<f32>,
    /// The probability of each of [`PageKind::ALL`]; they sum to 1.
    pub kinds: PageKinds,
}

impl Sequence {
    /// A network with these parameters; `None` if their number does not fit.
    pub(in crate::classify) fn from_parts(design: Design, inputs: usize, params: Vec<f32>) -> Option<Self> {
        let is_right = inputs > 0 && params.len() == design.size(inputs);
        is_right.then_some(Self { design, inputs, params })
    }

    /// The margin of each target of a page, and the probabilities of the page kinds, from the scaled rows of all its
    /// targets in order.
    ///
    /// # Panics
    /// If rows and shape have different numbers of targets, or the rows other columns than the network was fitted to.
    pub fn output(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> SequenceOutput {
        assert_eq!(rows.ncols(), self.inputs, "the network was fitted to other columns");
        assert_eq!(rows.nrows(), shape.lengths.len(), "each target has a row");
        let rows = rows.as_standard_layout();
        let values = rows.as_slice().unwrap_or_default();
        let mut margins = vec![0.0; rows.nrows()];
        let mut logits = vec![0.0; PageKind::ALL.len()];
        let windows = windows(rows.nrows(), self.design.window);
        let networks = self.design.networks as f32;
        let count = windows.len() as f32 * networks;
        for (read, taken) in windows {
            let inputs = &values[read.start * self.inputs..read.end * self.inputs];
            let window = Window::new(inputs.into(), shape, read.clone());
            for params in self.params.chunks_exact(self.design.size_of_one(self.inputs)) {
                let output = Arch::new().dispatch(Inference { design: &self.design, params, window: &window });
                let of_taken = &output.margins[taken.start - read.start..taken.end - read.start];
                margins[taken.clone()].iter_mut().zip(of_taken).for_each(|(mean, margin)| *mean += margin / networks);
                logits.iter_mut().zip(&output.kinds).for_each(|(logit, of_window)| *logit += of_window / count);
            }
        }
        SequenceOutput { margins, kinds: softmax(&logits) }
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

/// The computation of a window by one network: compiled several times, for several sets of instructions.
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
