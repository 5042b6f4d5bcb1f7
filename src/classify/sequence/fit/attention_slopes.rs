//! The gradient of self-attention.

use super::layer_slopes::dense;
use crate::classify::sequence::attention::{Attended, Attention, HEADS, RELATIONS, biases_of_head, biases_of_relation};
use crate::classify::sequence::matrix::{Strided, add_product, transpose};

/// Slopes by queries, keys and values.
struct Slopes {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
}

/// Adds the slopes by the parameters to `slopes`; gives those by the rows `z` that were read.
pub(super) fn attention(
    layer: Attention,
    params: &[f32],
    (z, attended): (&[f32], &Attended),
    outputs: &[f32],
    slopes: &mut [f32],
) -> Vec<f32> {
    let size = layer.dense().size();
    let part = |index: usize| &params[index * size..][..size];
    let (of_dense, biases) = slopes.split_at_mut(4 * size);
    let joined = dense(layer.dense(), part(3), &attended.joined, outputs, &mut of_dense[3 * size..]);
    let empty = || vec![0.0; z.len()];
    let mut all = Slopes { queries: empty(), keys: empty(), values: empty() };
    for head in 0..HEADS {
        of_head(layer, head, attended, &joined, biases_of_head(biases, head), &mut all);
    }
    let mut inputs = vec![0.0; z.len()];
    for (index, of_part) in [all.queries, all.keys, all.values].iter().enumerate() {
        let of_part = dense(layer.dense(), part(index), z, of_part, &mut of_dense[index * size..][..size]);
        inputs.iter_mut().zip(of_part).for_each(|(sum, slope)| *sum += slope);
    }
    inputs
}

fn of_head(layer: Attention, head: usize, attended: &Attended, joined: &[f32], biases: &mut [f32], all: &mut Slopes) {
    let depth = layer.depth();
    let rows = attended.joined.len() / layer.width;
    let of_head = |values: &[f32]| layer.head(values, head);
    let (queries, keys, values) = (of_head(&attended.queries), of_head(&attended.keys), of_head(&attended.values));
    let outputs = of_head(joined);
    let shares = &attended.shares[head];
    let mut of_values = vec![0.0; rows * depth];
    add_product(&mut of_values, Strided::transposed(shares, rows), &outputs, rows, depth);
    let mut scores = vec![0.0; rows * rows];
    add_product(&mut scores, Strided::rows(&outputs, depth), &transpose(&values, depth), depth, rows);
    let mut of_relations = [0.0; RELATIONS];
    let all_shares = shares.chunks_exact(rows).zip(attended.relations.chunks_exact(rows));
    for (scores, (shares, relations)) in scores.chunks_exact_mut(rows).zip(all_shares) {
        let mean: f32 = scores.iter().zip(shares).map(|(score, share)| score * share).sum();
        for ((score, share), relation) in scores.iter_mut().zip(shares).zip(relations) {
            let slope = share * (*score - mean);
            of_relations[usize::from(*relation)] += slope;
            *score = slope * layer.scale();
        }
    }
    for (relation, slope) in of_relations.into_iter().enumerate() {
        biases_of_relation(relation).for_each(|bias| biases[bias] += slope);
    }
    let mut of_queries = vec![0.0; rows * depth];
    add_product(&mut of_queries, Strided::rows(&scores, rows), &keys, rows, depth);
    let mut of_keys = vec![0.0; rows * depth];
    add_product(&mut of_keys, Strided::transposed(&scores, rows), &queries, rows, depth);
    layer.put_head(&mut all.queries, head, &of_queries);
    layer.put_head(&mut all.keys, head, &of_keys);
    layer.put_head(&mut all.values, head, &of_values);
}
