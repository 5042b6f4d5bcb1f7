//! Gradient-boosted trees with the logistic loss (Friedman 2001), Newton steps and L2 as in XGBoost (Chen and Guestrin
//! 2016), rows and columns drawn for each tree (Friedman 2002), on histograms as in LightGBM (Ke et al. 2017).

use super::binned::BinnedForest;
use super::forest::Forest;
use super::tree::Tree;
use crate::classify::inputs::Inputs;
use crate::classify::scaler::Scaler;
use ndarray::{ArrayView1, ArrayView2};

/// Fitted trees: the margin is half the sum of the offset and of the trees' values.
#[derive(Debug, Clone, PartialEq)]
pub struct Boosted {
    /// Log odds before the first tree.
    pub(in crate::classify) offset: f32,
    pub(in crate::classify) trees: Vec<Tree>,
    /// The same trees in a layout for many rows.
    layout: Layout,
}

/// The fastest layout that the trees fit.
#[derive(Debug, Clone, PartialEq)]
enum Layout {
    Binned(BinnedForest),
    General(Forest),
}

impl Boosted {
    pub(in crate::classify) fn new(offset: f32, trees: Vec<Tree>) -> Self {
        let binned = BinnedForest::from_trees(&trees).map(Layout::Binned);
        let layout = binned.unwrap_or_else(|| Layout::General(Forest::from_trees(&trees)));
        Self { offset, trees, layout }
    }

    /// The margin of each row: half the log odds, as Friedman (2001, section 4.4) defines F, which has about the
    /// range of the margins of a support vector machine.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        self.margins_of_sums(match &self.layout {
            Layout::Binned(forest) => forest.sums(&Inputs::all(rows), None),
            Layout::General(forest) => forest.sums(rows),
        })
    }

    /// The same for inputs that are not scaled yet, without a copy where the trees allow it.
    pub(in crate::classify) fn margins_unscaled(&self, inputs: &Inputs<'_, '_>, scaler: &Scaler) -> Vec<f32> {
        match &self.layout {
            Layout::Binned(forest) => self.margins_of_sums(forest.sums(inputs, Some(scaler))),
            Layout::General(_) => self.margins(scaler.apply_owned(inputs.table().into_owned()).view()),
        }
    }

    fn margins_of_sums(&self, sums: Vec<f64>) -> Vec<f32> {
        sums.into_iter().map(|sum| 0.5 * (self.offset + sum as f32)).collect()
    }

    /// For one scaled row: by how much the margin would fall with each column's value replaced by `instead`'s.
    pub(crate) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        let mut effects = vec![0.0; instead.len()];
        self.trees.iter().for_each(|tree| tree.add_effects(row, instead, &mut effects));
        for effect in &mut effects {
            *effect *= 0.5;
        }
        effects
    }
}
