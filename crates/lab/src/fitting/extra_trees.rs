//! Extremely randomized trees (Geurts, Ernst and Wehenkel 2006): each split chooses from columns
//! drawn at random, each with one threshold drawn at random. On some hundred positive rows they
//! vary less than boosted trees.

use super::rows::check_rows;
use ndarray::ArrayView2;
use rayon::prelude::*;
use vclean_core::classify::tree::{LEAF, Node};
use vclean_core::classify::{Boosted, Tree};
use vclean_core::error::ModelError;

/// The size of the trees.
#[derive(Debug, Clone, Copy)]
pub struct ExtraTreesOptions {
    /// Number of trees, 1 or more.
    pub trees: usize,
    /// Maximum levels of splits.
    pub depth: usize,
    /// Minimum number of rows in a leaf, 1 or more.
    pub min_leaf: usize,
    /// Share of the columns that a split chooses from, above 0, up to 1.
    pub column_share: f64,
    /// Seed of columns and thresholds.
    pub seed: u64,
}

/// Range of the sum of the leaves: a row for which all leaves hold one label has half of it as its
/// margin, like a certain row of other classifiers.
const RANGE: f32 = 6.0;

/// Fits trees to rows; `weights`, one per row, count a row more or less often. The margin of a row
/// is linear in the mean share of positive rows in its leaves.
///
/// The same seed gives the same trees, however many threads there are.
///
/// # Errors
/// If the rows cannot be learned from; see [`check_rows`].
pub fn fit<'a>(
    rows: ArrayView2<'a, f32>,
    is_positive: &'a [bool],
    weights: &'a [f32],
    options: &'a ExtraTreesOptions,
) -> Result<Boosted, ModelError> {
    check_rows(rows, is_positive, Some(weights))?;
    let step = RANGE / options.trees as f32;
    let tree = |number: usize| {
        let seed = options.seed.wrapping_mul(0x9e37_79b9) ^ number as u64;
        let mut grower = Grower {
            rows,
            is_positive,
            weights,
            options,
            random: fastrand::Rng::with_seed(seed),
            step,
            nodes: Vec::new(),
        };
        let mut all: Vec<usize> = (0..rows.nrows()).collect();
        grower.grow(&mut all, options.depth);
        Tree::new(grower.nodes)
    };
    let trees = (0..options.trees).into_par_iter().map(tree).collect();
    Ok(Boosted::new(0.0, trees))
}

struct Grower<'a> {
    rows: ArrayView2<'a, f32>,
    is_positive: &'a [bool],
    weights: &'a [f32],
    options: &'a ExtraTreesOptions,
    random: fastrand::Rng,
    /// Value of a leaf with positive rows only.
    step: f32,
    nodes: Vec<Node>,
}

/// Weights of positive and of all rows.
type Shares = (f32, f32);

/// The weight of all rows times their Gini impurity.
fn impurity((positive, all): Shares) -> f32 {
    if all > 0.0 {
        2.0 * positive * (all - positive) / all
    } else {
        0.0
    }
}

impl Grower<'_> {
    fn shares(&self, among: &[usize]) -> Shares {
        among.iter().fold((0.0, 0.0), |(positive, all), &row| {
            let weight = self.weights[row];
            let own = if self.is_positive[row] { weight } else { 0.0 };
            (positive + own, all + weight)
        })
    }

    /// Appends the nodes of a subtree for these rows, which are reordered.
    fn grow(&mut self, among: &mut [usize], levels: usize) {
        let (positive, all) = self.shares(among);
        let is_pure = positive <= 0.0 || positive >= all;
        let is_small = among.len() < 2 * self.options.min_leaf;
        let split = if is_pure || is_small || levels == 0 {
            None
        } else {
            self.draw_split(among)
        };
        let Some((column, threshold)) = split else {
            self.nodes.push(Node {
                column: LEAF,
                value: self.step * (2.0 * positive / all - 1.0),
                right: 0,
            });
            return;
        };
        let at = self.nodes.len();
        self.nodes.push(Node {
            column: column as u16,
            value: threshold,
            right: 0,
        });
        // The order of the rows stays, so that sums do not depend on it.
        among.sort_by_key(|&row| (self.rows[[row, column]] > threshold, row));
        let middle = among.partition_point(|&row| self.rows[[row, column]] <= threshold);
        let (left, right) = among.split_at_mut(middle);
        self.grow(left, levels - 1);
        self.nodes[at].right = self.nodes.len() as u32;
        self.grow(right, levels - 1);
    }

    /// The best of some random splits; `None` if the rows are the same in all columns, or no split
    /// leaves enough rows on both sides.
    fn draw_split(&mut self, among: &[usize]) -> Option<(usize, f32)> {
        let columns = self.rows.ncols();
        let wanted = ((self.options.column_share * columns as f64).round() as usize).max(1);
        let mut order: Vec<usize> = (0..columns).collect();
        self.random.shuffle(&mut order);
        let mut best: Option<(f32, usize, f32)> = None;
        let mut drawn = 0;
        for column in order {
            if drawn == wanted {
                break;
            }
            let values = among.iter().map(|&row| self.rows[[row, column]]);
            let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
            if low >= high {
                continue;
            }
            drawn += 1;
            let threshold = low + (high - low) * self.random.f32() * 0.999;
            if let Some(rest) = self.impurity_after(among, column, threshold)
                && best.is_none_or(|(least, ..)| rest < least)
            {
                best = Some((rest, column, threshold));
            }
        }
        best.map(|(_, column, threshold)| (column, threshold))
    }

    /// The impurity of both sides of a split; `None` if a side has too few rows.
    fn impurity_after(&self, among: &[usize], column: usize, threshold: f32) -> Option<f32> {
        let (mut left, mut right, mut count) = ((0.0, 0.0), (0.0, 0.0), 0);
        for &row in among {
            let is_left = self.rows[[row, column]] <= threshold;
            let side = if is_left { &mut left } else { &mut right };
            count += usize::from(is_left);
            side.0 += if self.is_positive[row] {
                self.weights[row]
            } else {
                0.0
            };
            side.1 += self.weights[row];
        }
        let least = self.options.min_leaf;
        (count >= least && among.len() - count >= least).then(|| impurity(left) + impurity(right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn random_splits_find_a_surface_and_a_seed_gives_the_same_trees() {
        let mut random = fastrand::Rng::with_seed(3);
        let rows = Array2::from_shape_fn((600, 5), |_| random.f32());
        let labels: Vec<bool> = rows
            .rows()
            .into_iter()
            .map(|row| row[1] + row[3] > 1.0)
            .collect();
        let options = ExtraTreesOptions {
            trees: 60,
            depth: 10,
            min_leaf: 2,
            column_share: 0.4,
            seed: 1,
        };
        let weights = vec![1.0; 600];
        let fitted = fit(rows.view(), &labels, &weights, &options).unwrap();
        let margins = fitted.margins(rows.view());
        let right = margins
            .iter()
            .zip(&labels)
            .filter(|(margin, label)| (**margin > 0.0) == **label);
        assert!(right.count() > 580);
        assert!(
            margins
                .iter()
                .all(|margin| margin.abs() <= RANGE / 2.0 + 1e-3)
        );
        let again = fit(rows.view(), &labels, &weights, &options).unwrap();
        assert_eq!(fitted, again);
        let other = ExtraTreesOptions { seed: 2, ..options };
        assert_ne!(fitted, fit(rows.view(), &labels, &weights, &other).unwrap());
    }
}
