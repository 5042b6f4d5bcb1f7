//! Fits one decision tree: CART with the Gini impurity (Breiman, Friedman, Olshen and Stone 1984).

use super::bins::Bins;
use super::grow::{Grower, Limits, Sums};
use super::ranges::{check_depth, check_min_leaf};
use super::tree::{LEAF, Tree, log_odds};
use crate::classify::training_rows::check_rows;
use crate::error::ModelError;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Limits of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TreeOptions {
    /// Levels of splits, 1 to 30.
    pub depth: usize,
    /// Rows in a leaf at least, 1 or more.
    pub min_leaf: usize,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { depth: 10, min_leaf: 20 }
    }
}

impl TreeOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        check_depth(self.depth)?;
        check_min_leaf(self.min_leaf)
    }
}

/// Slope and curvature of each row for which the grower minimizes the Gini impurity.
pub(super) fn gini_slopes(is_content: &[bool], weights: Option<&[f32]>) -> Vec<[f32; 2]> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    is_content
        .iter()
        .enumerate()
        .map(|(row, &content)| [if content { -weight(row) } else { 0.0 }, weight(row)])
        .collect()
}

/// Share of content in a leaf, a row of each kind added (Laplace): never 0 or 1.
pub(super) fn content_share(sums: Sums) -> f64 {
    (1.0 - sums.slope) / (sums.curve + 2.0)
}

/// More columns than a node can name are refused.
pub(super) fn check_columns(columns: usize) -> Result<(), ModelError> {
    if columns < usize::from(LEAF) {
        Ok(())
    } else {
        Err(ModelError::Training(format!("{columns} columns; trees read fewer than {LEAF}, choose feature groups")))
    }
}

impl Tree {
    /// Fits a tree to scaled rows; `weights`, one a row, multiply its share.
    pub fn fit(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        weights: Option<&[f32]>,
        options: &TreeOptions,
    ) -> Result<Self, ModelError> {
        options.check()?;
        check_rows(rows, is_content, weights)?;
        check_columns(rows.ncols())?;
        let columns: Vec<usize> = (0..rows.ncols()).collect();
        let grower = Grower {
            bins: &Bins::cut(rows),
            slopes: &gini_slopes(is_content, weights),
            columns: &columns,
            drawn: None,
            limits: Limits { depth: options.depth, min_leaf: options.min_leaf, l2: 0.0 },
            leaf: |sums| log_odds(content_share(sums)) as f32,
        };
        Ok(grower.grow(&(0..rows.nrows() as u32).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// A checkerboard of four fields.
    fn board(count: usize) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(1);
        let rows = Array2::from_shape_fn((count, 3), |_| random.f32() * 2.0 - 1.0);
        let labels = rows.rows().into_iter().map(|row| (row[0] > 0.1) != (row[2] > -0.2)).collect();
        (rows, labels)
    }

    #[test]
    fn a_checkerboard_is_learned_and_leaves_hold_log_odds() {
        let (rows, labels) = board(800);
        let tree = Tree::fit(rows.view(), &labels, None, &TreeOptions { depth: 6, min_leaf: 5 }).unwrap();
        let margins = tree.margins(rows.view());
        let right = margins.iter().zip(&labels).filter(|(margin, label)| (**margin > 0.0) == **label).count();
        assert!(right > 760, "{right}");
        // One split: 3 rows of one kind and 3 of the other, each with one row of both kinds added.
        let rows = array![[0.0], [0.1], [0.2], [0.7], [0.8], [0.9]];
        let labels = [false, false, false, true, true, true];
        let tree = Tree::fit(rows.view(), &labels, None, &TreeOptions { depth: 3, min_leaf: 1 }).unwrap();
        let margins = tree.margins(array![[0.3], [0.6]].view());
        assert!((margins[0] + 4.0f32.ln()).abs() < 1e-6 && (margins[1] - 4.0f32.ln()).abs() < 1e-6, "{margins:?}");
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let (rows, labels) = board(300);
        let tree = Tree::fit(rows.view(), &labels, None, &TreeOptions { depth: 5, min_leaf: 5 }).unwrap();
        let instead = [0.5, 0.0, -0.7];
        for row in rows.rows().into_iter().take(50) {
            let mut effects = [0.0; 3];
            tree.add_effects(row, &instead, &mut effects);
            for column in 0..3 {
                let mut other = row.to_owned();
                other[column] = instead[column];
                assert_eq!(effects[column], tree.value(row) - tree.value(other.view()));
            }
        }
    }

    #[test]
    fn limits_hold_and_wrong_ones_are_named() {
        let (rows, labels) = board(300);
        let stump = Tree::fit(rows.view(), &labels, None, &TreeOptions { depth: 1, min_leaf: 1 }).unwrap();
        assert!(stump.nodes().len() <= 3);
        let error = |depth, min_leaf| {
            Tree::fit(rows.view(), &labels, None, &TreeOptions { depth, min_leaf }).unwrap_err().to_string()
        };
        assert_eq!(error(0, 1), "depth is 0, allowed is 1 to 30");
        assert_eq!(error(3, 0), "min leaf is 0, allowed is 1 to 1000000");
    }

    #[test]
    fn constant_columns_give_one_leaf() {
        let rows = Array2::zeros((40, 2));
        let labels: Vec<bool> = (0..40).map(|row| row % 4 == 0).collect();
        let tree = Tree::fit(rows.view(), &labels, None, &TreeOptions::default()).unwrap();
        assert_eq!(tree.nodes().len(), 1);
        assert!((tree.nodes()[0].value - (11.0f32 / 31.0).ln()).abs() < 1e-6);
    }
}
