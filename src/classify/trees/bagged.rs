//! Bagged trees (Breiman 1996, "Bagging predictors"), each split choosing from columns drawn at random as in a random
//! forest (Breiman 2001).

use super::tree::{Tree, log_odds};
use ndarray::{ArrayView1, ArrayView2};

/// Fitted trees; the margin is the log odds of the mean of the shares their leaves hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Bagged {
    pub(in crate::classify) trees: Vec<Tree>,
}

impl Bagged {
    /// The margin (log odds) of each row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows().into_iter().map(|row| self.margin(row)).collect()
    }

    pub(super) fn margin(&self, row: ArrayView1<'_, f32>) -> f32 {
        log_odds(self.mean_share(row)) as f32
    }

    fn mean_share(&self, row: ArrayView1<'_, f32>) -> f64 {
        let sum: f64 = self.trees.iter().map(|tree| f64::from(tree.value(row))).sum();
        // A file may hold shares that training never gives.
        (sum / self.trees.len().max(1) as f64).clamp(1e-6, 1.0 - 1e-6)
    }

    /// For one scaled row: by how much the margin would fall with each column's value replaced by `instead`'s.
    pub(crate) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        let mut effects = vec![0.0; instead.len()];
        self.trees.iter().for_each(|tree| tree.add_effects(row, instead, &mut effects));
        let mean = self.mean_share(row);
        let share: Vec<f64> = effects.iter().map(|&sum| f64::from(sum) / self.trees.len().max(1) as f64).collect();
        share
            .into_iter()
            .map(|fall| (log_odds(mean) - log_odds((mean - fall).clamp(1e-6, 1.0 - 1e-6))) as f32)
            .collect()
    }
}
