//! The stages of a model, which compute margins from the rows of a page.

use super::boosted::Boosted;
use super::decision::PageKinds;
use super::inputs::Inputs;
use super::scaler::Scaler;
use super::sequence::{Sequence, SequenceOutput};
use super::smooth::{CONTEXT_COLUMNS, MAX_MARGIN, PageShape, context};
use super::svm::Svm;
use ndarray::{Array2, ArrayView1, ArrayView2, CowArray, Ix2};

/// A fitted logistic regression: `f(x) = weights x + offset`, in units of log odds.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// One weight per scaled column.
    pub weights: Vec<f32>,
    /// Constant that is added to the weighted sum.
    pub offset: f32,
}

impl Logistic {
    /// The margin (log odds) of each row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows()
            .into_iter()
            .map(|row| {
                row.iter()
                    .zip(&self.weights)
                    .map(|(value, weight)| value * weight)
                    .sum::<f32>()
                    + self.offset
            })
            .collect()
    }

    fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        row.iter()
            .zip(instead)
            .zip(&self.weights)
            .map(|((x, mean), w)| (x - mean) * w)
            .collect()
    }
}

/// A classifier that computes a margin for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Machine {
    /// Support vector machine with a Gaussian kernel.
    Svm(Svm),
    /// Linear model with margins in log odds.
    Logistic(Logistic),
    /// Gradient-boosted decision trees of a few levels.
    Boosted(Boosted),
    /// A network that reads all targets of a page.
    Sequence(Sequence),
}

/// The form in which a stage reads the margins of an earlier stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginInput {
    /// Margins of the target and its neighbors: [`CONTEXT_COLUMNS`].
    Context,
    /// The clamped margin of the target alone, for a stage that reads the neighbors by itself.
    Own,
}

impl MarginInput {
    /// Number of columns for each earlier stage that is read.
    pub fn columns(self) -> usize {
        match self {
            Self::Context => CONTEXT_COLUMNS.len(),
            Self::Own => 1,
        }
    }

    fn measure(self, margins: &[f32], shape: &PageShape) -> Array2<f32> {
        match self {
            Self::Context => context(margins, shape),
            Self::Own => margins
                .iter()
                .map(|margin| [margin.clamp(-MAX_MARGIN, MAX_MARGIN)])
                .collect::<Vec<_>>()
                .into(),
        }
    }
}

impl Machine {
    /// The margin of each scaled row; the rows are all targets of a page of this shape, in order.
    pub fn margins(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> Vec<f32> {
        match self {
            Self::Svm(svm) => svm.margins(rows),
            Self::Logistic(logistic) => logistic.margins(rows),
            Self::Boosted(trees) => trees.margins(rows),
            Self::Sequence(network) => network.margins(rows, shape),
        }
    }

    /// The margin of each scaled row, and the probabilities of the page kinds, which only a network
    /// predicts.
    fn output(
        &self,
        rows: ArrayView2<'_, f32>,
        shape: &PageShape,
    ) -> (Vec<f32>, Option<PageKinds>) {
        match self {
            Self::Sequence(network) => {
                let SequenceOutput { margins, kinds } = network.output(rows, shape);
                (margins, Some(kinds))
            }
            _ => (self.margins(rows, shape), None),
        }
    }

    /// For one scaled row: the decrease of the margin if a column's value is replaced by that of
    /// `instead`, for each column; 0 for a network, which is not explained.
    pub(super) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        match self {
            Self::Svm(svm) => svm.effects(row, instead),
            Self::Logistic(logistic) => logistic.effects(row, instead),
            Self::Boosted(trees) => trees.effects(row, instead),
            // The margin of a target depends on all the others too.
            Self::Sequence(_) => vec![0.0; instead.len()],
        }
    }

    /// The form in which the machine reads margins of earlier stages.
    pub fn margin_input(&self) -> MarginInput {
        if matches!(self, Self::Sequence(_)) {
            MarginInput::Own
        } else {
            MarginInput::Context
        }
    }
}

/// One step from rows to margins: a machine that reads features, margins of earlier stages, or
/// both.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Indices of the model's columns that it reads.
    pub columns: Vec<usize>,
    /// The earlier stages whose margins it reads after its columns, in the form [`MarginInput`];
    /// empty for a stage that reads only features.
    pub reads: Vec<usize>,
    /// Ranges of the inputs in the training rows.
    pub scaler: Scaler,
    /// Mean of each scaled input over the training rows.
    pub means: Vec<f32>,
    /// Computes the margin from the scaled inputs.
    pub machine: Machine,
}

impl Stage {
    /// Unscaled input of a stage: `columns` of a page's `rows`, then the columns of `margin_input`
    /// for each of the stages whose margins it reads; without a copy if these are all columns and
    /// no margins.
    pub fn input<'r>(
        columns: &[usize],
        rows: ArrayView2<'r, f32>,
        read: &[&[f32]],
        margin_input: MarginInput,
        shape: &PageShape,
    ) -> CowArray<'r, f32, Ix2> {
        let margins = read
            .iter()
            .map(|margins| margin_input.measure(margins, shape))
            .collect();
        Inputs::joined(columns, rows, margins, None).table()
    }

    /// The margin of each target of a page, from the model's columns and the margins of the earlier
    /// stages.
    pub(super) fn margins(
        &self,
        rows: ArrayView2<'_, f32>,
        before: &[Vec<f32>],
        shape: &PageShape,
    ) -> Vec<f32> {
        self.output(rows, before, shape).0
    }

    /// The margin of each target of a page, and the probabilities of the page kinds, which only a
    /// network predicts.
    pub(super) fn output(
        &self,
        rows: ArrayView2<'_, f32>,
        before: &[Vec<f32>],
        shape: &PageShape,
    ) -> (Vec<f32>, Option<PageKinds>) {
        self.output_of_input(&self.inputs(rows, before, shape, None), shape)
    }

    /// The margins of some of the targets; omitted targets cost little, unless the stage reads the
    /// page as a whole.
    pub(super) fn margins_of(
        &self,
        targets: &[usize],
        rows: ArrayView2<'_, f32>,
        before: &[Vec<f32>],
        shape: &PageShape,
    ) -> Vec<f32> {
        if matches!(self.machine, Machine::Sequence(_)) {
            let all = self.margins(rows, before, shape);
            return targets.iter().map(|&target| all[target]).collect();
        }
        self.output_of_input(&self.inputs(rows, before, shape, Some(targets)), shape)
            .0
    }

    fn output_of_input(
        &self,
        inputs: &Inputs<'_, '_>,
        shape: &PageShape,
    ) -> (Vec<f32>, Option<PageKinds>) {
        match &self.machine {
            Machine::Boosted(trees) => (trees.margins_unscaled(inputs, &self.scaler), None),
            machine => machine.output(
                self.scaler.apply_owned(inputs.table().into_owned()).view(),
                shape,
            ),
        }
    }

    fn inputs<'r, 'c>(
        &'c self,
        rows: ArrayView2<'r, f32>,
        before: &[Vec<f32>],
        shape: &PageShape,
        targets: Option<&'c [usize]>,
    ) -> Inputs<'r, 'c> {
        let margin_input = self.machine.margin_input();
        let margins = self
            .reads
            .iter()
            .map(|&stage| margin_input.measure(&before[stage], shape))
            .collect();
        Inputs::joined(&self.columns, rows, margins, targets)
    }
}
