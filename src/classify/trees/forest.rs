//! Many trees in a layout that is fast to evaluate: several rows at a time, each with as many steps as the tree is deep.
//!
//! A step is one comparison that selects an index, never a branch: the outcome cannot be predicted, and a mispredicted
//! branch costs more than the step. The first child of a node follows it, and no value is at most that of a leaf, whose
//! second child is the leaf itself, so rows that arrive early stay there; several rows at once hide the latency of memory.

use super::tree::{LEAF, Tree};
use ndarray::ArrayView2;
use std::hint::select_unpredictable;

/// Rows that descend a tree at the same time.
const SIDE_BY_SIDE: usize = 8;

/// Rows that descend one tree before the next tree is taken: as many as fit into the first-level cache beside it.
const BLOCK: usize = 4 * SIDE_BY_SIDE;

/// A node: a row goes to the next node where its value in `column` is at most `limit`, else to the second child.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// Of a leaf, below all values.
    limit: f32,
    column: u32,
    /// Index of the second child relative to the tree's first node; of a leaf, its own.
    second: u32,
}

/// The nodes of all trees, one tree after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    /// The value of each leaf, and 0 for the other nodes.
    values: Vec<f32>,
    /// One past the last node and the levels of splits of each tree.
    trees: Vec<(usize, usize)>,
}

impl Forest {
    pub(super) fn from_trees(trees: &[Tree]) -> Self {
        let mut forest = Self { nodes: Vec::new(), values: Vec::new(), trees: Vec::with_capacity(trees.len()) };
        for tree in trees {
            // Children come after their parents.
            let mut levels = vec![0usize; tree.nodes().len()];
            for (at, node) in tree.nodes().iter().enumerate() {
                let place = at as u32;
                if node.column == LEAF {
                    forest.nodes.push(Node { limit: f32::NEG_INFINITY, column: 0, second: place });
                    forest.values.push(node.value);
                } else {
                    forest.nodes.push(Node { limit: node.value, column: u32::from(node.column), second: node.right });
                    forest.values.push(0.0);
                    for child in [place + 1, node.right] {
                        levels[child as usize] = levels[at] + 1;
                    }
                }
            }
            forest.trees.push((forest.nodes.len(), levels.into_iter().max().unwrap_or(0)));
        }
        forest
    }

    /// For each row the sum of the trees' values, in their order.
    pub(super) fn sums(&self, rows: ArrayView2<'_, f32>) -> Vec<f64> {
        let rows = rows.as_standard_layout();
        let columns = rows.ncols();
        let mut sums = vec![0.0f64; rows.nrows()];
        let Some(values) = rows.as_slice().filter(|_| columns > 0) else {
            // Without columns every tree is a leaf.
            let all = self.trees.iter().map(|&(end, _)| f64::from(self.values[end - 1])).sum();
            sums.fill(all);
            return sums;
        };
        for (sums, values) in sums.chunks_mut(BLOCK).zip(values.chunks(BLOCK * columns)) {
            let mut begin = 0;
            for &(end, levels) in &self.trees {
                let (nodes, leaves) = (&self.nodes[begin..end], &self.values[begin..end]);
                for (sums, values) in sums.chunks_mut(SIDE_BY_SIDE).zip(values.chunks(SIDE_BY_SIDE * columns)) {
                    descend((nodes, leaves), levels, sums, values, columns);
                }
                begin = end;
            }
        }
        sums
    }
}

/// Adds the values of one tree for up to [`SIDE_BY_SIDE`] rows to their sums.
fn descend((nodes, leaves): (&[Node], &[f32]), levels: usize, sums: &mut [f64], values: &[f32], columns: usize) {
    // Where there are fewer rows, the last descends several times.
    let last = sums.len() - 1;
    let rows: [&[f32]; SIDE_BY_SIDE] = std::array::from_fn(|at| &values[at.min(last) * columns..][..columns]);
    let mut places = [0usize; SIDE_BY_SIDE];
    for _ in 0..levels {
        for (place, row) in places.iter_mut().zip(&rows) {
            let node = nodes[*place];
            *place = select_unpredictable(row[node.column as usize] <= node.limit, *place + 1, node.second as usize);
        }
    }
    sums.iter_mut().zip(places).for_each(|(sum, place)| *sum += f64::from(leaves[place]));
}

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::TreeOptions;
    use super::*;
    use ndarray::Array2;

    #[test]
    fn rows_at_the_same_time_get_the_values_of_single_rows() {
        let mut random = fastrand::Rng::with_seed(3);
        let rows = Array2::from_shape_fn((203, 4), |_| random.f32());
        let trees: Vec<Tree> = (1..9)
            .map(|depth| {
                let labels: Vec<bool> = (0..203).map(|_| random.bool()).collect();
                Tree::fit(rows.view(), &labels, None, &TreeOptions { depth, min_leaf: 1 + depth }).unwrap()
            })
            .collect();
        let forest = Forest::from_trees(&trees);
        for count in [203, 9, 8, 3, 0] {
            let some = rows.slice_axis(ndarray::Axis(0), ndarray::Slice::from(..count));
            let alone = some.rows().into_iter().map(|row| trees.iter().map(|tree| f64::from(tree.value(row))).sum());
            assert_eq!(forest.sums(some), alone.collect::<Vec<f64>>());
        }
    }

    #[test]
    fn trees_without_splits_give_their_value() {
        let labels: Vec<bool> = (0..40).map(|row| row % 4 == 0).collect();
        let rows = Array2::zeros((40, 2));
        let tree = Tree::fit(rows.view(), &labels, None, &TreeOptions::default()).unwrap();
        let value = f64::from(tree.value(rows.row(0)));
        let forest = Forest::from_trees(&[tree.clone(), tree]);
        assert_eq!(forest.sums(rows.view()), [2.0 * value; 40]);
        assert_eq!(forest.sums(Array2::zeros((3, 0)).view()), [2.0 * value; 3]);
        assert_eq!(Forest::from_trees(&[]).sums(rows.view()), [0.0; 40]);
    }
}
