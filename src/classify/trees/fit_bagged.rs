//! Fits bagged trees.

use super::bagged::Bagged;
use super::bins::Bins;
use super::fit_tree::{check_columns, content_share, gini_slopes};
use super::grow::{Grower, Limits};
use super::ranges::{check_count, check_depth, check_min_leaf, share};
use crate::classify::training_rows::check_rows;
use crate::error::ModelError;
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How trees are bagged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaggedOptions {
    /// Number of trees, 1 to 10,000.
    pub trees: usize,
    /// Levels of splits of each, 1 to 30.
    pub depth: usize,
    /// Rows in a leaf at least, 1 or more.
    pub min_leaf: usize,
    /// Share of the columns each split chooses from, above 0, up to 1.
    pub column_share: f64,
    /// Seed of rows and columns.
    pub seed: u64,
}

impl Default for BaggedOptions {
    /// For some hundred columns: a tenth of them at each split, a little more than the usual square root.
    fn default() -> Self {
        Self { trees: 100, depth: 16, min_leaf: 3, column_share: 0.1, seed: 1 }
    }
}

impl BaggedOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        check_count(self.trees)?;
        check_depth(self.depth)?;
        check_min_leaf(self.min_leaf)?;
        share("column share", self.column_share)
    }
}

impl Bagged {
    /// Fits trees to scaled rows, each to as many rows drawn with replacement; `weights` are those of the rows.
    ///
    /// The same seed gives the same trees, however many threads there are.
    pub fn fit(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        weights: Option<&[f32]>,
        options: &BaggedOptions,
    ) -> Result<Self, ModelError> {
        options.check()?;
        check_rows(rows, is_content, weights)?;
        check_columns(rows.ncols())?;
        let bins = Bins::cut(rows);
        let slopes = gini_slopes(is_content, weights);
        let columns: Vec<usize> = (0..bins.columns()).collect();
        let drawn = ((options.column_share * columns.len() as f64).round() as usize).clamp(1, columns.len().max(1));
        let grow = |number: usize| {
            let mut random =
                fastrand::Rng::with_seed(options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(number as u64));
            let count = rows.nrows() as u32;
            let mut bag: Vec<u32> = (0..count).map(|_| random.u32(0..count)).collect();
            bag.sort_unstable();
            let grower = Grower {
                bins: &bins,
                slopes: &slopes,
                columns: &columns,
                drawn: Some((drawn, random)),
                limits: Limits { depth: options.depth, min_leaf: options.min_leaf, l2: 0.0 },
                leaf: |sums| content_share(sums) as f32,
            };
            grower.grow(&bag)
        };
        Ok(Self { trees: (0..options.trees).into_par_iter().map(grow).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tree, TreeOptions};
    use super::*;
    use ndarray::Array2;

    /// Rows inside a ball, with a fifth of the labels near the border wrong.
    pub(super) fn ball(count: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, 6), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| row.iter().take(3).map(|x| x * x).sum::<f32>() + 0.5 * random.f32() < 1.2)
            .collect();
        (rows, labels)
    }

    fn right(margins: &[f32], labels: &[bool]) -> usize {
        margins.iter().zip(labels).filter(|(margin, label)| (**margin > 0.0) == **label).count()
    }

    #[test]
    fn many_trees_are_more_accurate_than_one() {
        let (rows, labels) = ball(600, 1);
        let (fresh, truth) = ball(1000, 2);
        let options = BaggedOptions { trees: 40, column_share: 0.5, ..BaggedOptions::default() };
        let many = Bagged::fit(rows.view(), &labels, None, &options).unwrap();
        let one = Tree::fit(rows.view(), &labels, None, &TreeOptions { depth: 16, min_leaf: 3 }).unwrap();
        let (many, one) = (right(&many.margins(fresh.view()), &truth), right(&one.margins(fresh.view()), &truth));
        assert!(many > one + 10, "{many} {one}");
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let (rows, labels) = ball(300, 3);
        let options = BaggedOptions { trees: 10, ..BaggedOptions::default() };
        let machine = Bagged::fit(rows.view(), &labels, None, &options).unwrap();
        let instead = [0.0; 6];
        for row in rows.rows().into_iter().take(30) {
            let effects = machine.effects(row, &instead);
            for column in 0..6 {
                let mut other = row.to_owned();
                other[column] = 0.0;
                assert!((effects[column] - (machine.margin(row) - machine.margin(other.view()))).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn the_result_depends_on_the_seed_and_not_on_threads() {
        let (rows, labels) = ball(200, 4);
        let fit = |threads: usize, seed: u64| {
            let options = BaggedOptions { trees: 8, seed, ..BaggedOptions::default() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Bagged::fit(rows.view(), &labels, None, &options).unwrap())
        };
        assert_eq!(fit(1, 1), fit(3, 1));
        assert_ne!(fit(1, 1), fit(1, 2));
        let wrong = BaggedOptions { column_share: 0.0, ..BaggedOptions::default() };
        let error = Bagged::fit(rows.view(), &labels, None, &wrong).unwrap_err().to_string();
        assert_eq!(error, "column share is 0, allowed is above 0, up to 1");
    }
}
