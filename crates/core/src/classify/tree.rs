//! The decision tree. Nodes are in preorder, so a file needs only a column and a value per node,
//! without pointers.

use ndarray::ArrayView1;

/// Column number that marks a leaf; trees read at most this many columns.
pub const LEAF: u16 = u16::MAX;

/// A split or a leaf of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Column that the split reads, or [`LEAF`].
    pub column: u16,
    /// Rows with at most this value go left; for a leaf, the result.
    pub value: f32,
    /// Index of the right child; the left child is the next node.
    pub right: u32,
}

/// A fitted decision tree that gives each row a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree of nodes in preorder.
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes }
    }

    /// The nodes in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The value of the leaf that a row reaches.
    pub fn value(&self, row: ArrayView1<'_, f32>) -> f32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.column == LEAF {
                return node.value;
            }
            at = if row[usize::from(node.column)] <= node.value {
                at + 1
            } else {
                node.right as usize
            };
        }
    }

    /// For one row: adds the decrease of the tree's value if a column's value is replaced by that
    /// of `instead` to `effects`, for each column. Only columns on the row's path count.
    pub(super) fn add_effects(
        &self,
        row: ArrayView1<'_, f32>,
        instead: &[f32],
        effects: &mut [f32],
    ) {
        let own = self.value(row);
        let mut on_path = Vec::new();
        let mut at = 0;
        while self.nodes[at].column != LEAF {
            let node = &self.nodes[at];
            let column = usize::from(node.column);
            if !on_path.contains(&column) {
                on_path.push(column);
            }
            at = if row[column] <= node.value {
                at + 1
            } else {
                node.right as usize
            };
        }
        let mut other = row.to_owned();
        for column in on_path {
            other[column] = instead[column];
            effects[column] += own - self.value(other.view());
            other[column] = row[column];
        }
    }
}

/// The nodes of some trees as two lists, for the model file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Nodes {
    /// Column of each node, or 65535 for a leaf.
    pub(super) columns: Vec<u16>,
    /// Value of each node.
    pub(super) values: Vec<f32>,
}

impl Nodes {
    pub(super) fn from_trees(trees: &[Tree]) -> Self {
        let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
        Self {
            columns: nodes().map(|node| node.column).collect(),
            values: nodes().map(|node| node.value).collect(),
        }
    }

    /// Builds trees from these nodes, over `inputs` columns; `None` unless the lists are exactly
    /// `count` complete trees.
    pub(super) fn trees(&self, count: usize, inputs: usize) -> Option<Vec<Tree>> {
        let mut trees = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        // Splits whose right child has not been read yet.
        let mut open: Vec<usize> = Vec::new();
        for (&column, &value) in self.columns.iter().zip(&self.values) {
            if column != LEAF && usize::from(column) >= inputs {
                return None;
            }
            nodes.push(Node {
                column,
                value,
                right: 0,
            });
            if column != LEAF {
                open.push(nodes.len() - 1);
            } else if let Some(split) = open.pop() {
                nodes[split].right = nodes.len() as u32;
            } else {
                trees.push(Tree::new(std::mem::take(&mut nodes)));
            }
        }
        (nodes.is_empty() && trees.len() == count && self.columns.len() == self.values.len())
            .then_some(trees)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    /// A tree of random splits with at most `levels` levels, and at least one leaf in the last of
    /// them.
    pub(in crate::classify) fn random_tree(
        columns: u16,
        levels: usize,
        random: &mut fastrand::Rng,
    ) -> Tree {
        fn grow(
            nodes: &mut Vec<Node>,
            columns: u16,
            levels: usize,
            is_spine: bool,
            random: &mut fastrand::Rng,
        ) {
            if levels == 0 || (!is_spine && random.u8(..) < 50) {
                nodes.push(Node {
                    column: LEAF,
                    value: random.f32() - 0.5,
                    right: 0,
                });
                return;
            }
            let at = nodes.len();
            nodes.push(Node {
                column: random.u16(0..columns),
                value: random.f32(),
                right: 0,
            });
            grow(nodes, columns, levels - 1, is_spine, random);
            nodes[at].right = nodes.len() as u32;
            grow(nodes, columns, levels - 1, false, random);
        }
        let mut nodes = Vec::new();
        grow(&mut nodes, columns, levels, true, random);
        Tree::new(nodes)
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let mut random = fastrand::Rng::with_seed(1);
        let instead = [0.5, 0.0, 0.9];
        for _ in 0..50 {
            let tree = random_tree(3, 5, &mut random);
            let row = array![random.f32(), random.f32(), random.f32()];
            let mut effects = [0.0; 3];
            tree.add_effects(row.view(), &instead, &mut effects);
            for column in 0..3 {
                let mut other = row.clone();
                other[column] = instead[column];
                assert_eq!(
                    effects[column],
                    tree.value(row.view()) - tree.value(other.view())
                );
            }
        }
    }

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
