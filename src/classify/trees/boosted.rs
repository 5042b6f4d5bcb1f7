//! Gradient-boosted trees with the logistic loss (Friedman 2001), Newton steps and L2 as in XGBoost (Chen and Guestrin
//! 2016), rows and columns drawn for each tree (Friedman 2002), on histograms as in LightGBM (Ke et al. 2017).

use super::forest::Forest;
use super::tree::Tree;
use ndarray::{ArrayView1, ArrayView2};

/// Fitted trees: the margin is half the sum of the offset and of the trees' values.
#[derive(Debug, Clone, PartialEq)]
pub struct Boosted {
    /// Log odds before the first tree.
    pub(in crate::classify) offset: f32,
    pub(in crate::classify) trees: Vec<Tree>,
    /// The same trees in the layout for many rows.
    forest: Forest,
}

impl Boosted {
    pub(in crate::classify) fn new(offset: f32, trees: Vec<Tree>) -> Self {
        Self { offset, forest: Forest::from_trees(&trees), trees }
    }

    /// The margin of each row: half the log odds, as Friedman (2001, section 4.4) defines F, which has about the
    /// range of the margins of a support vector machine.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        self.forest.sums(rows).into_iter().map(|sum| 0.5 * (self.offset + sum as f32)).collect()
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
