//! Self-attention over the targets of a window (Vaswani et al. 2017), with a bias by distance (Raffel et al. 2020,
//! section 2.1, with fewer buckets) and by common parent and grandparent.

use super::dense::Dense;
use super::matrix::{Strided, add_product, transpose};
use super::window::{LEVELS, Window};
use crate::classify::exponential::exp_neg;

/// Heads; the width must be a multiple of it.
pub(super) const HEADS: usize = 4;
/// Buckets of distance to each side: 0, 1 to 2, 3 to 6, and so on.
const BUCKETS: usize = 6;
/// Biases of a head: for distances to both sides, and for each level of common groups.
const BIASES: usize = 2 * BUCKETS + LEVELS;

/// Relations of two targets that biases tell apart.
pub(super) const RELATIONS: usize = (2 * BUCKETS) << LEVELS;
/// Biases of all heads.
pub(super) const ALL_BIASES: usize = HEADS * BIASES;

/// Self-attention; its parameters are the dense layers of queries, keys, values and outputs, then biases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attention {
    pub(super) width: usize,
}

/// What self-attention computed on its way.
pub(super) struct Attended {
    pub(super) queries: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    /// Which biases each two targets have; see [`biases_of_relation`].
    pub(super) relations: Vec<u8>,
    /// For each head, the share of each target (column) in each target's output (row).
    pub(super) shares: Vec<Vec<f32>>,
    /// What the heads gave, side by side.
    pub(super) joined: Vec<f32>,
}

impl Attention {
    /// Each of the four dense layers.
    pub(super) fn dense(self) -> Dense {
        Dense { inputs: self.width, outputs: self.width }
    }

    /// Number of parameters.
    pub(super) fn size(self) -> usize {
        4 * self.dense().size() + ALL_BIASES
    }

    /// Columns of a head.
    pub(super) fn depth(self) -> usize {
        self.width / HEADS
    }

    /// The columns of a head.
    pub(super) fn head(self, values: &[f32], head: usize) -> Vec<f32> {
        let depth = self.depth();
        values.chunks_exact(self.width).flat_map(|row| row[head * depth..][..depth].iter().copied()).collect()
    }

    /// Writes the columns of a head.
    pub(super) fn put_head(self, into: &mut [f32], head: usize, values: &[f32]) {
        let depth = self.depth();
        for (row, values) in into.chunks_exact_mut(self.width).zip(values.chunks_exact(depth)) {
            row[head * depth..][..depth].copy_from_slice(values);
        }
    }

    /// The outputs of rows `z`, and what was computed on the way.
    pub(super) fn forward(self, params: &[f32], window: &Window<'_>, z: &[f32]) -> (Vec<f32>, Attended) {
        let (dense, depth, rows) = (self.dense(), self.depth(), window.shares.len());
        let part = |index: usize| &params[index * dense.size()..][..dense.size()];
        let (queries, keys, values) = (dense.forward(part(0), z), dense.forward(part(1), z), dense.forward(part(2), z));
        let biases = &params[4 * dense.size()..];
        let mut joined = vec![0.0; z.len()];
        let relations = relations(window);
        let mut shares = Vec::with_capacity(HEADS);
        for head in 0..HEADS {
            let turned = transpose(&self.head(&keys, head), depth);
            let mut scores = vec![0.0; rows * rows];
            add_product(&mut scores, Strided::rows(&self.head(&queries, head), depth), &turned, depth, rows);
            let biases = &biases[head * BIASES..][..BIASES];
            let of_relations: [f32; RELATIONS] =
                std::array::from_fn(|relation| biases_of_relation(relation).map(|bias| biases[bias]).sum());
            for (scores, relations) in scores.chunks_exact_mut(rows).zip(relations.chunks_exact(rows)) {
                self.soften(scores, relations, &of_relations);
            }
            let mut outputs = vec![0.0; rows * depth];
            add_product(&mut outputs, Strided::rows(&scores, rows), &self.head(&values, head), rows, depth);
            self.put_head(&mut joined, head, &outputs);
            shares.push(scores);
        }
        let outputs = dense.forward(part(3), &joined);
        (outputs, Attended { queries, keys, values, relations, shares, joined })
    }

    /// Turns the scores of a row into shares: scaled, biased, softmax.
    fn soften(self, scores: &mut [f32], relations: &[u8], biases: &[f32; RELATIONS]) {
        let scale = self.scale();
        let mut most = f32::MIN;
        for (score, relation) in scores.iter_mut().zip(relations) {
            *score = *score * scale + biases[usize::from(*relation)];
            most = most.max(*score);
        }
        // Not in the loop of the sum, which has to go in order.
        for score in scores.iter_mut() {
            *score = exp_neg(most - *score);
        }
        let sum: f32 = scores.iter().sum();
        for score in scores {
            *score /= sum;
        }
    }

    /// Factor of the scores.
    pub(super) fn scale(self) -> f32 {
        1.0 / (self.depth() as f32).sqrt()
    }
}

/// Which biases two targets have, in one number: the bucket of their distance, and for each level whether they are in
/// the same group.
fn relation(window: &Window<'_>, row: usize, other: usize) -> u8 {
    let bucket = ((row.abs_diff(other) + 1).ilog2() as usize).min(BUCKETS - 1);
    let distance = if other < row { BUCKETS + bucket } else { bucket };
    let levels = window.groups.iter().enumerate();
    let same: usize = levels.map(|(level, groups)| usize::from(groups[row] == groups[other]) << level).sum();
    (same * 2 * BUCKETS + distance) as u8
}

/// The relation of each target (row) to each (column).
fn relations(window: &Window<'_>) -> Vec<u8> {
    let rows = window.shares.len();
    (0..rows * rows).map(|at| relation(window, at / rows, at % rows)).collect()
}

/// The numbers of the biases of a relation.
pub(super) fn biases_of_relation(relation: usize) -> impl Iterator<Item = usize> {
    let same = relation / (2 * BUCKETS);
    let of_levels = (0..LEVELS).filter(move |level| same & (1 << level) > 0).map(|level| 2 * BUCKETS + level);
    std::iter::once(relation % (2 * BUCKETS)).chain(of_levels)
}

/// The biases of a head.
pub(super) fn biases_of_head(biases: &mut [f32], head: usize) -> &mut [f32] {
    &mut biases[head * BIASES..][..BIASES]
}
