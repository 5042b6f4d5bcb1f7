//! The decision tree, and the nodes of all trees.
//!
//! Nodes are in preorder, so that a file needs a column and a value a node and no pointers.

use ndarray::{ArrayView1, ArrayView2};

/// The column number of a leaf; trees read at most this many columns.
pub(super) const LEAF: u16 = u16::MAX;

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    /// Column that splits the rows, or [`LEAF`].
    pub(super) column: u16,
    /// Rows with at most this go left; of a leaf, its value.
    pub(super) value: f32,
    /// Index of the right child; the left one comes next.
    pub(super) right: u32,
}

/// A fitted tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
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

    /// The margin (log odds) of each row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows().into_iter().map(|row| self.value(row)).collect()
    }

    /// The value of a row's leaf.
    pub(super) fn value(&self, row: ArrayView1<'_, f32>) -> f32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.column == LEAF {
                return node.value;
            }
            at = if row[usize::from(node.column)] <= node.value { at + 1 } else { node.right as usize };
        }
    }

    /// For one row: by how much the tree's value would fall with each column's value replaced by `instead`'s, added to
    /// `effects`. Only columns on the row's path count.
    pub(crate) fn add_effects(&self, row: ArrayView1<'_, f32>, instead: &[f32], effects: &mut [f32]) {
        let own = self.value(row);
        let mut on_path = Vec::new();
        let mut at = 0;
        while self.nodes[at].column != LEAF {
            let node = &self.nodes[at];
            let column = usize::from(node.column);
            if !on_path.contains(&column) {
                on_path.push(column);
            }
            at = if row[column] <= node.value { at + 1 } else { node.right as usize };
        }
        let mut other = row.to_owned();
        for column in on_path {
            other[column] = instead[column];
            effects[column] += own - self.value(other.view());
            other[column] = row[column];
        }
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
    pub(in crate::classify) fn from_trees(trees: &[Tree]) -> Self {
        let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
        Self { columns: nodes().map(|node| node.column).collect(), values: nodes().map(|node| node.value).collect() }
    }

    /// The trees of these nodes, over `inputs` columns; `None` where the lists are not `count` whole trees.
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
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_lists_are_read_or_refused(
            columns in proptest::collection::vec(prop_oneof![Just(LEAF), 0u16..4], 0..40), count in 0usize..5
        ) {
            let nodes = Nodes { values: vec![0.5; columns.len()], columns };
            if let Some(trees) = nodes.trees(count, 3) {
                prop_assert_eq!(Nodes::from_trees(&trees), nodes);
                for tree in &trees {
                    for x in [-1.0, 1.0] {
                        tree.value(array![x, x, x].view());
                    }
                }
            }
        }
    }
}
