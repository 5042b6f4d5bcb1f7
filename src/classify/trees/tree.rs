//! The decision tree: CART with the Gini impurity (Breiman, Friedman, Olshen and Stone 1984), and the form all trees have.
//!
//! Nodes stand in preorder, so that a file needs a column and a value a node and no pointers.

use super::bins::Bins;
use super::grow::{Grower, Limits, Sums};
use super::{check_depth, check_min_leaf};
use crate::classify::check_rows;
use crate::error::ModelError;
use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// Stands for the column of a leaf; trees read at most this many columns.
pub(super) const LEAF: u16 = u16::MAX;

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    /// Column that parts the rows, or [`LEAF`].
    pub(super) column: u16,
    /// Rows with at most this go left; of a leaf, what it says.
    pub(super) value: f32,
    /// Place of the right child; the left one comes next.
    pub(super) right: u32,
}

/// A fitted tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

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

/// Slope and curvature of each row with which the grower seeks the least Gini impurity.
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

/// Natural logarithm of p / (1 - p).
pub(super) fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

impl Tree {
    pub(super) fn new(nodes: Vec<Node>) -> Self {
        Self { nodes }
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Fits a tree to scaled rows; `weights`, one a row, say how much each counts.
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
            bins: &Bins::of(rows),
            slopes: &gini_slopes(is_content, weights),
            columns: &columns,
            drawn: None,
            limits: Limits { depth: options.depth, min_leaf: options.min_leaf, l2: 0.0 },
            leaf: |sums| log_odds(content_share(sums)) as f32,
        };
        Ok(grower.grow(&(0..rows.nrows() as u32).collect::<Vec<_>>()))
    }

    /// The margin (log odds) of each row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows().into_iter().map(|row| self.value(row)).collect()
    }

    /// What the leaf of a row says.
    pub(super) fn value(&self, row: ArrayView1<'_, f32>) -> f32 {
        let mut place = 0;
        loop {
            let node = &self.nodes[place];
            if node.column == LEAF {
                return node.value;
            }
            place = if row[usize::from(node.column)] <= node.value { place + 1 } else { node.right as usize };
        }
    }

    /// For one row: by how much the tree's value would fall with each column's value replaced by `instead`'s, added to
    /// `effects`. Only columns on the row's path count.
    pub(crate) fn add_effects(&self, row: ArrayView1<'_, f32>, instead: &[f32], effects: &mut [f32]) {
        let own = self.value(row);
        let mut on_path = Vec::new();
        let mut place = 0;
        while self.nodes[place].column != LEAF {
            let node = &self.nodes[place];
            let column = usize::from(node.column);
            if !on_path.contains(&column) {
                on_path.push(column);
            }
            place = if row[column] <= node.value { place + 1 } else { node.right as usize };
        }
        let mut other = row.to_owned();
        for column in on_path {
            other[column] = instead[column];
            effects[column] += own - self.value(other.view());
            other[column] = row[column];
        }
    }
}

/// More columns than a node can name are refused.
pub(super) fn check_columns(columns: usize) -> Result<(), ModelError> {
    if columns < usize::from(LEAF) {
        Ok(())
    } else {
        Err(ModelError::Training(format!("{columns} columns; trees read fewer than {LEAF}, choose feature groups")))
    }
}

/// The nodes of some trees as two lists, for a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::classify) struct Nodes {
    /// Column of each node, or 65535 for a leaf.
    pub(in crate::classify) columns: Vec<u16>,
    /// Value of each node.
    pub(in crate::classify) values: Vec<f32>,
}

impl Nodes {
    pub(in crate::classify) fn of(trees: &[Tree]) -> Self {
        let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
        Self { columns: nodes().map(|node| node.column).collect(), values: nodes().map(|node| node.value).collect() }
    }

    /// The trees again, over `inputs` columns; `None` where the lists are not `count` whole trees.
    pub(in crate::classify) fn trees(&self, count: usize, inputs: usize) -> Option<Vec<Tree>> {
        let mut trees = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        // Splits whose right child has not begun yet.
        let mut open: Vec<usize> = Vec::new();
        for (&column, &value) in self.columns.iter().zip(&self.values) {
            if column != LEAF && usize::from(column) >= inputs {
                return None;
            }
            nodes.push(Node { column, value, right: 0 });
            if column != LEAF {
                open.push(nodes.len() - 1);
            } else if let Some(split) = open.pop() {
                nodes[split].right = nodes.len() as u32;
            } else {
                trees.push(Tree::new(std::mem::take(&mut nodes)));
            }
        }
        (nodes.is_empty() && trees.len() == count && self.columns.len() == self.values.len()).then_some(trees)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use proptest::prelude::*;

    /// A checkerboard of four fields.
    fn board(count: usize) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(1);
        let rows = Array2::from_shape_fn((count, 3), |_| random.f32() * 2.0 - 1.0);
        let labels = rows.rows().into_iter().map(|row| (row[0] > 0.1) != (row[2] > -0.2)).collect();
        (rows, labels)
    }

    #[test]
    fn a_checkerboard_is_learned_and_leaves_say_log_odds() {
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
        assert!(stump.nodes.len() <= 3);
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
        assert_eq!(tree.nodes.len(), 1);
        assert!((tree.nodes[0].value - (11.0f32 / 31.0).ln()).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn any_lists_are_read_or_refused(
            columns in proptest::collection::vec(prop_oneof![Just(LEAF), 0u16..4], 0..40), count in 0usize..5
        ) {
            let nodes = Nodes { values: vec![0.5; columns.len()], columns };
            if let Some(trees) = nodes.trees(count, 3) {
                prop_assert_eq!(Nodes::of(&trees), nodes);
                for tree in &trees {
                    for x in [-1.0, 1.0] {
                        tree.value(array![x, x, x].view());
                    }
                }
            }
        }
    }
}
