//! Fits boosted trees to scaled rows.

use super::grow::{Bins, Grower, Limits};
use super::rows::check_rows;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Boosted;
use vclean_core::classify::tree::LEAF;
use vclean_core::error::ModelError;

/// Options for boosting trees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoostedOptions {
    /// Number of trees, 1 to 10,000.
    pub trees: usize,
    /// Maximum levels of splits of each, 1 to 30.
    pub depth: usize,
    /// Share of a tree's step that is taken, above 0, up to 1.
    pub learning_rate: f64,
    /// Share of the rows each tree is fitted to, above 0, up to 1.
    pub row_share: f64,
    /// Share of the columns each tree may use, above 0, up to 1.
    pub column_share: f64,
    /// Added to the curvature of a leaf, 0 or more: keeps leaves of few rows small.
    pub l2: f64,
    /// Minimum number of rows in a leaf, 1 or more.
    pub min_leaf: usize,
    /// Seed of rows and columns.
    pub seed: u64,
}

impl Default for BoostedOptions {
    fn default() -> Self {
        Self {
            trees: 600,
            depth: 6,
            learning_rate: 0.03,
            row_share: 0.7,
            column_share: 0.2,
            l2: 5.0,
            min_leaf: 20,
            seed: 1,
        }
    }
}

impl BoostedOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        check_count(self.trees)?;
        check_depth(self.depth)?;
        check_min_leaf(self.min_leaf)?;
        share("learning rate", self.learning_rate)?;
        share("row share", self.row_share)?;
        share("column share", self.column_share)?;
        if self.l2 >= 0.0 && self.l2 <= 1e6 {
            Ok(())
        } else {
            Err(ModelError::Parameter {
                parameter: "l2",
                value: self.l2,
                range: "0 to 1000000",
            })
        }
    }
}

/// Draws `share` of the numbers below `count`, at least one, ascending.
fn draw(random: &mut fastrand::Rng, count: usize, share: f64) -> Vec<usize> {
    let wanted = ((share * count as f64).round() as usize).clamp(1, count.max(1));
    let mut drawn = random.choose_multiple(0..count, wanted);
    drawn.sort_unstable();
    drawn
}

/// Slope and curvature of the logistic loss of each row.
fn logistic_slopes(
    odds: &[f64],
    is_content: &[bool],
    weight: impl Fn(usize) -> f64,
) -> Vec<[f32; 2]> {
    odds.iter()
        .enumerate()
        .map(|(row, odds)| {
            let p = 1.0 / (1.0 + (-odds).exp());
            let slope = p - f64::from(u8::from(is_content[row]));
            // A curvature of 0 would give a leaf an infinite step.
            [
                (weight(row) * slope) as f32,
                (weight(row) * (p * (1.0 - p)).max(1e-6)) as f32,
            ]
        })
        .collect()
}

/// Fits trees to scaled rows; `weights`, one per row, multiply its loss.
///
/// The same seed gives the same trees, however many threads there are. 300 trees of depth 6 on
/// 18,000 rows of 384 columns take some seconds.
pub fn fit(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
    options: &BoostedOptions,
) -> Result<Boosted, ModelError> {
    options.check()?;
    check_rows(rows, is_content, weights)?;
    check_columns(rows.ncols())?;
    let rows = rows.as_standard_layout();
    let bins = Bins::cut(rows.view());
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let total: f64 = (0..is_content.len()).map(weight).sum();
    let content: f64 = (0..is_content.len())
        .filter(|&row| is_content[row])
        .map(weight)
        .sum();
    let offset = log_odds((content / total).clamp(1e-6, 1.0 - 1e-6)) as f32;
    let mut odds = vec![f64::from(offset); is_content.len()];
    let mut random = fastrand::Rng::with_seed(options.seed);
    let mut trees = Vec::with_capacity(options.trees);
    let mut steps = vec![0.0; rows.nrows()];
    for _ in 0..options.trees {
        let slopes = logistic_slopes(&odds, is_content, weight);
        let mut is_seen = vec![false; rows.nrows()];
        for row in draw(&mut random, rows.nrows(), options.row_share) {
            is_seen[row] = true;
        }
        let (seen, others): (Vec<u32>, Vec<u32>) =
            (0..rows.nrows() as u32).partition(|&row| is_seen[row as usize]);
        let columns = draw(&mut random, bins.columns(), options.column_share);
        let grower = Grower {
            bins: &bins,
            slopes: &slopes,
            columns: &columns,
            drawn: None,
            limits: Limits {
                depth: options.depth,
                min_leaf: options.min_leaf,
                l2: options.l2,
            },
            leaf: |sums| (-options.learning_rate * sums.slope / (sums.curve + options.l2)) as f32,
        };
        trees.push(grower.grow_and_apply(&seen, &others, &mut steps));
        odds.iter_mut()
            .zip(&steps)
            .for_each(|(odds, step)| *odds += f64::from(*step));
    }
    Ok(Boosted::new(offset, trees))
}

/// Natural logarithm of p / (1 - p).
pub(super) fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// Least and most levels of a tree: the recursion depth of the grower, and more levels than any
/// sample needs.
const DEPTHS: (usize, usize) = (1, 30);

/// Checks a whole number that must lie between two others.
fn whole(
    parameter: &'static str,
    value: usize,
    (low, high): (usize, usize),
    range: &'static str,
) -> Result<(), ModelError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(ModelError::Parameter {
            parameter,
            value: value as f64,
            range,
        })
    }
}

/// Checks a share: above 0, up to 1.
pub(super) fn share(parameter: &'static str, value: f64) -> Result<(), ModelError> {
    if value > 0.0 && value <= 1.0 {
        Ok(())
    } else {
        Err(ModelError::Parameter {
            parameter,
            value,
            range: "above 0, up to 1",
        })
    }
}

pub(super) fn check_depth(depth: usize) -> Result<(), ModelError> {
    whole("depth", depth, DEPTHS, "1 to 30")
}

pub(super) fn check_min_leaf(min_leaf: usize) -> Result<(), ModelError> {
    whole("min leaf", min_leaf, (1, 1_000_000), "1 to 1000000")
}

pub(super) fn check_count(trees: usize) -> Result<(), ModelError> {
    whole("trees", trees, (1, 10_000), "1 to 10000")
}

/// Refuses more columns than a node can number.
pub(super) fn check_columns(columns: usize) -> Result<(), ModelError> {
    if columns < usize::from(LEAF) {
        Ok(())
    } else {
        Err(ModelError::Training(format!(
            "{columns} columns; trees read fewer than {LEAF}, choose feature groups"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rivals::{TreeOptions, fit_tree};
    use super::*;
    use ndarray::Array2;

    /// Labels from a smooth surface, with noise: probabilities are known.
    fn surface(count: usize, seed: u64) -> (Array2<f32>, Vec<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, 5), |_| random.f32() * 2.0 - 1.0);
        let odds: Vec<f32> = rows
            .rows()
            .into_iter()
            .map(|row| 3.0 * row[0] + 4.0 * row[1] * row[2] - row[3].abs())
            .collect();
        let labels = odds
            .iter()
            .map(|odds| random.f32() < 1.0 / (1.0 + (-odds).exp()))
            .collect();
        (rows, odds, labels)
    }

    fn options() -> BoostedOptions {
        BoostedOptions {
            trees: 60,
            depth: 4,
            learning_rate: 0.1,
            column_share: 0.8,
            ..BoostedOptions::default()
        }
    }

    #[test]
    fn finds_the_log_odds_that_generated_the_labels() {
        let (rows, _, labels) = surface(2500, 1);
        let (fresh, truth, fresh_labels) = surface(1000, 2);
        let machine = fit(rows.view(), &labels, None, &options()).unwrap();
        let margins = machine.margins(fresh.view());
        let mean = |values: &dyn Fn(usize) -> f32| (0..1000).map(values).sum::<f32>() / 1000.0;
        // The truth varies by 4.9; scikit-learn's HistGradientBoostingClassifier leaves 1.0 to 1.4
        // on such rows.
        let error = mean(&|at| (2.0 * margins[at] - truth[at]).powi(2));
        assert!(error < 1.0, "{error}");
        let right = |margins: &[f32]| {
            margins
                .iter()
                .zip(&fresh_labels)
                .filter(|(m, label)| (**m > 0.0) == **label)
                .count()
        };
        let tree = fit_tree(rows.view(), &labels, None, &TreeOptions::default()).unwrap();
        assert!(
            right(&margins)
                > right(
                    &fresh
                        .rows()
                        .into_iter()
                        .map(|row| tree.value(row))
                        .collect::<Vec<f32>>()
                ) + 10
        );
    }

    #[test]
    fn one_step_is_the_newton_step() {
        let rows = Array2::from_shape_vec((4, 1), vec![0.0, 0.1, 0.8, 0.9]).unwrap();
        let options = BoostedOptions {
            trees: 1,
            depth: 1,
            learning_rate: 0.5,
            row_share: 1.0,
            column_share: 1.0,
            l2: 1.0,
            min_leaf: 1,
            seed: 1,
        };
        let machine = fit(rows.view(), &[false, false, true, true], None, &options).unwrap();
        // p = 1/2: slopes sum to 1 a side, curvatures to 1/2; half of 1 / (1/2 + 1), and half of
        // that for the margin.
        for (margin, wanted) in machine
            .margins(rows.view())
            .iter()
            .zip([-1.0, -1.0, 1.0, 1.0])
        {
            assert!((margin - wanted / 6.0).abs() < 1e-6, "{margin}");
        }
    }

    #[test]
    fn the_result_depends_on_the_seed_and_not_on_threads() {
        let (rows, _, labels) = surface(300, 4);
        let fitted = |threads: usize, seed: u64| {
            let options = BoostedOptions {
                trees: 10,
                seed,
                ..options()
            };
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| fit(rows.view(), &labels, None, &options).unwrap())
        };
        assert_eq!(fitted(1, 1), fitted(3, 1));
        assert_ne!(fitted(1, 1), fitted(1, 2));
    }

    #[test]
    fn weights_of_rows_move_the_boundary_and_wrong_input_is_named() {
        let (rows, _, labels) = surface(400, 6);
        let heavy: Vec<f32> = labels
            .iter()
            .map(|&content| if content { 10.0 } else { 0.5 })
            .collect();
        let kept = |weights| {
            let machine = fit(rows.view(), &labels, weights, &options()).unwrap();
            machine
                .margins(rows.view())
                .iter()
                .filter(|margin| **margin > 0.0)
                .count()
        };
        assert!(kept(Some(heavy.as_slice())) > kept(None));
        let wrong = BoostedOptions {
            learning_rate: 1.5,
            ..options()
        };
        let error = fit(rows.view(), &labels, None, &wrong)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "learning rate is 1.5, allowed is above 0, up to 1");
        assert!(fit(rows.view(), &[true; 400], None, &options()).is_err());
    }
}
