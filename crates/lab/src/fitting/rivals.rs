//! A decision tree, and bagged trees (Breiman 1996, "Bagging predictors"), each split choosing from
//! columns drawn at random as in a random forest (Breiman 2001). FIASCO compared such classifiers
//! with its support vector machine (Bauer et al. 2007, section 4.1); no model has them.

use super::boosted::{check_columns, check_count, check_depth, check_min_leaf, log_odds, share};
use super::grow::{Bins, Grower, Limits, Sums};
use super::rows::check_rows;
use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Tree;
use vclean_core::error::ModelError;

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
        Self {
            depth: 10,
            min_leaf: 20,
        }
    }
}

impl TreeOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        check_depth(self.depth)?;
        check_min_leaf(self.min_leaf)
    }
}

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
    /// For some hundred columns: a tenth of them at each split, a little more than the usual square
    /// root.
    fn default() -> Self {
        Self {
            trees: 100,
            depth: 16,
            min_leaf: 3,
            column_share: 0.1,
            seed: 1,
        }
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

/// Bagged trees; the margin is the log odds of the mean of the shares their leaves hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bagged {
    trees: Vec<Tree>,
}

impl Bagged {
    /// The margin (log odds) of each row.
    pub(crate) fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows()
            .into_iter()
            .map(|row| self.margin(row))
            .collect()
    }

    fn margin(&self, row: ArrayView1<'_, f32>) -> f32 {
        let sum: f64 = self
            .trees
            .iter()
            .map(|tree| f64::from(tree.value(row)))
            .sum();
        log_odds((sum / self.trees.len().max(1) as f64).clamp(1e-6, 1.0 - 1e-6)) as f32
    }
}

/// Fits a tree to scaled rows; `weights`, one a row, multiply its share.
pub(crate) fn fit_tree(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
    options: &TreeOptions,
) -> Result<Tree, ModelError> {
    options.check()?;
    check_rows(rows, is_content, weights)?;
    check_columns(rows.ncols())?;
    let columns: Vec<usize> = (0..rows.ncols()).collect();
    let grower = Grower {
        bins: &Bins::cut(rows),
        slopes: &gini_slopes(is_content, weights),
        columns: &columns,
        drawn: None,
        limits: Limits {
            depth: options.depth,
            min_leaf: options.min_leaf,
            l2: 0.0,
        },
        leaf: |sums| log_odds(content_share(sums)) as f32,
    };
    Ok(grower.grow(&(0..rows.nrows() as u32).collect::<Vec<_>>()))
}

/// Fits trees to scaled rows, each to as many rows drawn with replacement; `weights` are those of
/// the rows.
///
/// The same seed gives the same trees, however many threads there are.
pub(crate) fn fit_bagged(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
    options: &BaggedOptions,
) -> Result<Bagged, ModelError> {
    options.check()?;
    check_rows(rows, is_content, weights)?;
    check_columns(rows.ncols())?;
    let bins = Bins::cut(rows);
    let slopes = gini_slopes(is_content, weights);
    let columns: Vec<usize> = (0..bins.columns()).collect();
    let drawn = ((options.column_share * columns.len() as f64).round() as usize)
        .clamp(1, columns.len().max(1));
    let grow = |number: usize| {
        let mut random = fastrand::Rng::with_seed(
            options
                .seed
                .wrapping_mul(0x9e37_79b9)
                .wrapping_add(number as u64),
        );
        let count = rows.nrows() as u32;
        let mut bag: Vec<u32> = (0..count).map(|_| random.u32(0..count)).collect();
        bag.sort_unstable();
        let grower = Grower {
            bins: &bins,
            slopes: &slopes,
            columns: &columns,
            drawn: Some((drawn, random)),
            limits: Limits {
                depth: options.depth,
                min_leaf: options.min_leaf,
                l2: 0.0,
            },
            leaf: |sums| content_share(sums) as f32,
        };
        grower.grow(&bag)
    };
    Ok(Bagged {
        trees: (0..options.trees).into_par_iter().map(grow).collect(),
    })
}

/// Slope and curvature of each row for which the grower minimizes the Gini impurity.
fn gini_slopes(is_content: &[bool], weights: Option<&[f32]>) -> Vec<[f32; 2]> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    is_content
        .iter()
        .enumerate()
        .map(|(row, &content)| [if content { -weight(row) } else { 0.0 }, weight(row)])
        .collect()
}

/// Share of content in a leaf, a row of each kind added (Laplace): never 0 or 1.
fn content_share(sums: Sums) -> f64 {
    (1.0 - sums.slope) / (sums.curve + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn margins_of(tree: &Tree, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows().into_iter().map(|row| tree.value(row)).collect()
    }

    /// A checkerboard of four fields.
    fn board(count: usize) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(1);
        let rows = Array2::from_shape_fn((count, 3), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| (row[0] > 0.1) != (row[2] > -0.2))
            .collect();
        (rows, labels)
    }

    #[test]
    fn a_checkerboard_is_learned_and_leaves_hold_log_odds() {
        let (rows, labels) = board(800);
        let tree = fit_tree(
            rows.view(),
            &labels,
            None,
            &TreeOptions {
                depth: 6,
                min_leaf: 5,
            },
        )
        .unwrap();
        let margins = margins_of(&tree, rows.view());
        let right = margins
            .iter()
            .zip(&labels)
            .filter(|(margin, label)| (**margin > 0.0) == **label)
            .count();
        assert!(right > 760, "{right}");
        // One split: 3 rows of one kind and 3 of the other, each with one row of both kinds added.
        let rows = array![[0.0], [0.1], [0.2], [0.7], [0.8], [0.9]];
        let labels = [false, false, false, true, true, true];
        let tree = fit_tree(
            rows.view(),
            &labels,
            None,
            &TreeOptions {
                depth: 3,
                min_leaf: 1,
            },
        )
        .unwrap();
        let margins = margins_of(&tree, array![[0.3], [0.6]].view());
        assert!(
            (margins[0] + 4.0f32.ln()).abs() < 1e-6 && (margins[1] - 4.0f32.ln()).abs() < 1e-6,
            "{margins:?}"
        );
    }

    #[test]
    fn limits_hold_and_wrong_ones_are_named() {
        let (rows, labels) = board(300);
        let stump = fit_tree(
            rows.view(),
            &labels,
            None,
            &TreeOptions {
                depth: 1,
                min_leaf: 1,
            },
        )
        .unwrap();
        assert!(stump.nodes().len() <= 3);
        let error = |depth, min_leaf| {
            fit_tree(rows.view(), &labels, None, &TreeOptions { depth, min_leaf })
                .unwrap_err()
                .to_string()
        };
        assert_eq!(error(0, 1), "depth is 0, allowed is 1 to 30");
        assert_eq!(error(3, 0), "min leaf is 0, allowed is 1 to 1000000");
    }

    #[test]
    fn constant_columns_give_one_leaf() {
        let rows = Array2::zeros((40, 2));
        let labels: Vec<bool> = (0..40).map(|row| row % 4 == 0).collect();
        let tree = fit_tree(rows.view(), &labels, None, &TreeOptions::default()).unwrap();
        assert_eq!(tree.nodes().len(), 1);
        assert!((tree.nodes()[0].value - (11.0f32 / 31.0).ln()).abs() < 1e-6);
    }

    /// Rows inside a ball, with a fifth of the labels near the border wrong.
    fn ball(count: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
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
        margins
            .iter()
            .zip(labels)
            .filter(|(margin, label)| (**margin > 0.0) == **label)
            .count()
    }

    #[test]
    fn many_trees_are_more_accurate_than_one() {
        let (rows, labels) = ball(600, 1);
        let (fresh, truth) = ball(1000, 2);
        let options = BaggedOptions {
            trees: 40,
            column_share: 0.5,
            ..BaggedOptions::default()
        };
        let many = fit_bagged(rows.view(), &labels, None, &options).unwrap();
        let one = fit_tree(
            rows.view(),
            &labels,
            None,
            &TreeOptions {
                depth: 16,
                min_leaf: 3,
            },
        )
        .unwrap();
        let (many, one) = (
            right(&many.margins(fresh.view()), &truth),
            right(&margins_of(&one, fresh.view()), &truth),
        );
        assert!(many > one + 10, "{many} {one}");
    }

    #[test]
    fn the_result_depends_on_the_seed_and_not_on_threads() {
        let (rows, labels) = ball(200, 4);
        let fit = |threads: usize, seed: u64| {
            let options = BaggedOptions {
                trees: 8,
                seed,
                ..BaggedOptions::default()
            };
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| fit_bagged(rows.view(), &labels, None, &options).unwrap())
        };
        assert_eq!(fit(1, 1), fit(3, 1));
        assert_ne!(fit(1, 1), fit(1, 2));
        let wrong = BaggedOptions {
            column_share: 0.0,
            ..BaggedOptions::default()
        };
        let error = fit_bagged(rows.view(), &labels, None, &wrong)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "column share is 0, allowed is above 0, up to 1");
    }
}
