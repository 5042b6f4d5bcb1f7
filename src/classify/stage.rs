//! The stages of a model: from the rows of a page to margins.

use super::logistic::Logistic;
use super::scaler::Scaler;
use super::smooth::{PageShape, context};
use super::svm::Svm;
use super::trees::{Bagged, Boosted, Tree};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};

/// A classifier: gives each row a margin.
#[derive(Debug, Clone, PartialEq)]
pub enum Machine {
    /// A support vector machine.
    Svm(Svm),
    /// Logistic regression.
    Logistic(Logistic),
    /// One decision tree.
    Tree(Tree),
    /// Bagged trees.
    Bagged(Bagged),
    /// Boosted trees.
    Boosted(Boosted),
}

impl Machine {
    /// The margin of each scaled row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        match self {
            Self::Svm(svm) => svm.margins(rows),
            Self::Logistic(logistic) => logistic.margins(rows),
            Self::Tree(tree) => tree.margins(rows),
            Self::Bagged(trees) => trees.margins(rows),
            Self::Boosted(trees) => trees.margins(rows),
        }
    }

    /// For one scaled row: by how much the margin would fall with each column's value replaced by `instead`'s.
    pub(super) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        match self {
            Self::Svm(svm) => svm.effects(row, instead),
            Self::Logistic(logistic) => {
                row.iter().zip(instead).zip(&logistic.weights).map(|((x, mean), w)| (x - mean) * w).collect()
            }
            Self::Tree(tree) => {
                let mut effects = vec![0.0; instead.len()];
                tree.add_effects(row, instead, &mut effects);
                effects
            }
            Self::Bagged(trees) => trees.effects(row, instead),
            Self::Boosted(trees) => trees.effects(row, instead),
        }
    }
}

/// One step from rows to margins: a machine that reads features, or the margins of earlier stages, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Which of the model's columns it reads.
    pub columns: Vec<usize>,
    /// The earlier stages whose margins it reads, each as the
    /// [`CONTEXT_COLUMNS`](super::smooth::CONTEXT_COLUMNS) after its columns; none for a stage that reads features only.
    pub reads: Vec<usize>,
    /// Learned from its training rows.
    pub scaler: Scaler,
    /// Mean of each scaled input over the training rows.
    pub means: Vec<f32>,
    /// The classifier.
    pub machine: Machine,
}

impl Stage {
    /// Its unscaled input: the model's columns `rows` of a page, then the columns of [`context`] for each of the
    /// stages whose margins it reads.
    pub fn input(columns: &[usize], rows: ArrayView2<'_, f32>, read: &[&[f32]], shape: &PageShape) -> Array2<f32> {
        let mut parts = vec![rows.select(Axis(1), columns)];
        parts.extend(read.iter().map(|margins| context(margins, shape)));
        let parts: Vec<ArrayView2<'_, f32>> = parts.iter().map(Array2::view).collect();
        concatenate(Axis(1), &parts).expect("all have one row a target")
    }

    pub(super) fn margins(&self, rows: ArrayView2<'_, f32>, before: &[Vec<f32>], shape: &PageShape) -> Vec<f32> {
        if self.reads.is_empty() && self.columns.iter().copied().eq(0..rows.ncols()) {
            return self.machine.margins(self.scaler.apply(rows).view());
        }
        let read: Vec<&[f32]> = self.reads.iter().map(|&stage| before[stage].as_slice()).collect();
        let input = Self::input(&self.columns, rows, &read, shape);
        self.machine.margins(self.scaler.apply(input.view()).view())
    }
}
