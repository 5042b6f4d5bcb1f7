//! Grows one tree on binned columns: depth first, each node at the split that reduces the loss
//! most.
//!
//! A row has a slope g and a curvature h, the derivatives of its loss; the best split has the
//! largest `G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2)` (Chen and Guestrin 2016,
//! equation 7). With g = -1 for content, 0 for the rest, h = 1 and no l2 this is the decrease of
//! the Gini impurity (Breiman et al. 1984, section 4.3), up to a factor, so that the same code
//! grows plain trees.
//!
//! Sums go over rows in their order within one column, and columns are compared in theirs, so the
//! result does not depend on the number of threads. The larger child's histogram is its parent's
//! less its sibling's.
//!
//! Columns are cut into a few bins, so that a split is searched among bins instead of among rows:
//! the histogram method of LightGBM (Ke et al. 2017, section 2.1). 128 bins of about equal size
//! lose almost no accuracy against exact splits, and a column of a sample takes one byte per row.
//!
//! Own code: linfa-trees 0.8 gives labels without the shares in the leaves, so no margins, and
//! sorts every column again at each node; a crate for boosting alone would not replace the grower,
//! and would add a second model format inside the checked file.

use ndarray::ArrayView2;
use rayon::prelude::*;
use vclean_core::classify::tree::{LEAF, Node, Tree};

/// Maximum number of bins of a column. Heuristic: 255, the most that a byte can number, takes twice
/// the time for the same accuracy.
const BINS: usize = 128;

/// The rows of a sample, each value by the number of its bin.
#[derive(Debug)]
pub(super) struct Bins {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// Ascending; bin b holds the values above `edges[b - 1]`, up to `edges[b]`.
    edges: Vec<f32>,
    /// The bin of each row.
    codes: Vec<u8>,
}

impl Bins {
    /// Cuts every column of finite `rows`.
    pub(super) fn cut(rows: ArrayView2<'_, f32>) -> Self {
        let cut = |column: usize| {
            let values = rows.column(column).to_vec();
            let edges = edges(&values);
            let codes = values
                .iter()
                .map(|value| edges.partition_point(|edge| edge < value) as u8)
                .collect();
            Column { edges, codes }
        };
        Self {
            columns: (0..rows.ncols()).into_par_iter().map(cut).collect(),
        }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The bin of each row in a column.
    fn codes(&self, column: usize) -> &[u8] {
        &self.columns[column].codes
    }

    /// The largest values of a column's bins but the last: exactly the values in bins 0 to b are at
    /// most `edges[b]`.
    fn edges(&self, column: usize) -> &[f32] {
        &self.columns[column].edges
    }
}

/// Where to cut: between all values that differ if there are few, else where every bin has about as
/// many rows.
fn edges(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut changes: Vec<usize> = (1..sorted.len())
        .filter(|&at| sorted[at - 1] < sorted[at])
        .collect();
    if changes.len() >= BINS {
        let wanted = (1..BINS).map(|bin| bin * sorted.len() / BINS);
        // The next index from there on where the value changes.
        let mut chosen: Vec<usize> = wanted
            .filter_map(|at| {
                changes
                    .get(changes.partition_point(|&change| change < at))
                    .copied()
            })
            .collect();
        chosen.dedup();
        changes = chosen;
    }
    changes
        .into_iter()
        .map(|at| {
            let middle = f32::midpoint(sorted[at - 1], sorted[at]);
            if middle < sorted[at] {
                middle
            } else {
                sorted[at - 1]
            }
        })
        .collect()
}

/// Limits on the growth of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Maximum levels of splits.
    pub(super) depth: usize,
    /// Minimum number of rows in a leaf.
    pub(super) min_leaf: usize,
    /// Added to the curvature of a leaf.
    pub(super) l2: f64,
}

/// Sums over the rows of a leaf or a bin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) slope: f64,
    pub(super) curve: f64,
    pub(super) count: u32,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            slope: self.slope + other.slope,
            curve: self.curve + other.curve,
            count: self.count + other.count,
        }
    }

    fn less(self, other: Self) -> Self {
        Self {
            slope: self.slope - other.slope,
            curve: self.curve - other.curve,
            count: self.count - other.count,
        }
    }

    fn score(self, l2: f64) -> f64 {
        let curve = self.curve + l2;
        if curve > 0.0 {
            self.slope * self.slope / curve
        } else {
            0.0
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    column: usize,
    bin: usize,
}

/// A smaller gain is a rounding error.
const NO_GAIN: f64 = 1e-9;
/// Minimum number of columns per thread: for fewer, starting the task costs more than the work.
const COLUMNS_A_THREAD: usize = 24;

/// Columns whose histograms are counted together.
const AT_ONCE: usize = 4;

/// Histograms of the columns, [`BINS`] cells each.
type Histograms = Vec<Sums>;

/// One tree while it grows.
pub(super) struct Grower<'a, L: Fn(Sums) -> f32> {
    pub(super) bins: &'a Bins,
    /// Slope and curvature of each row.
    pub(super) slopes: &'a [[f32; 2]],
    /// Columns to split at, ascending.
    pub(super) columns: &'a [usize],
    /// For a random forest: number of these columns that each split may choose from, drawn for each
    /// split.
    pub(super) drawn: Option<(usize, fastrand::Rng)>,
    pub(super) limits: Limits,
    /// The value of a leaf.
    pub(super) leaf: L,
}

impl<L: Fn(Sums) -> f32> Grower<'_, L> {
    /// Grows a tree on `rows`, ascending numbers; a number that occurs twice counts twice.
    pub(super) fn grow(self, rows: &[u32]) -> Tree {
        self.grow_and_apply(rows, &[], &mut [])
    }

    /// Grows a tree and writes the value of its leaf for each of `rows` and of `others` into
    /// `values`, which has an entry for each row of the sample: faster than passing each row
    /// through the tree afterwards.
    pub(super) fn grow_and_apply(
        mut self,
        rows: &[u32],
        others: &[u32],
        values: &mut [f32],
    ) -> Tree {
        let mut nodes = Vec::new();
        self.node([rows, others], 0, None, &mut nodes, values);
        Tree::new(nodes)
    }

    /// `rows` are those that count, and others that only get their values.
    fn node(
        &mut self,
        [rows, others]: [&[u32]; 2],
        depth: usize,
        known: Option<Histograms>,
        nodes: &mut Vec<Node>,
        values: &mut [f32],
    ) {
        let all = rows.iter().fold(Sums::default(), |sum, &row| {
            let [slope, curve] = self.slopes[row as usize].map(f64::from);
            sum.plus(Sums {
                slope,
                curve,
                count: 1,
            })
        });
        let columns: Vec<usize> = match &mut self.drawn {
            Some((count, random)) => {
                let mut drawn = random.choose_multiple(self.columns.iter().copied(), *count);
                drawn.sort_unstable();
                drawn
            }
            None => self.columns.to_vec(),
        };
        let can_split = depth < self.limits.depth && rows.len() >= 2 * self.limits.min_leaf;
        let histograms = if can_split {
            known.unwrap_or_else(|| self.histograms(rows, &columns))
        } else {
            Histograms::new()
        };
        let split = if can_split {
            self.best(&columns, &histograms, all)
        } else {
            None
        };
        let Some(split) = split else {
            let value = (self.leaf)(all);
            nodes.push(Node {
                column: LEAF,
                value,
                right: 0,
            });
            if !values.is_empty() {
                rows.iter()
                    .chain(others)
                    .for_each(|&row| values[row as usize] = value);
            }
            return;
        };
        let codes = self.bins.codes(split.column);
        let divide = |rows: &[u32]| -> (Vec<u32>, Vec<u32>) {
            rows.iter()
                .partition(|&&row| usize::from(codes[row as usize]) <= split.bin)
        };
        let ((left, right), (other_left, other_right)) = (divide(rows), divide(others));
        // A child that will be a leaf needs no histogram, and drawn columns differ between nodes.
        let is_small =
            |side: &[u32]| depth + 1 == self.limits.depth || side.len() < 2 * self.limits.min_leaf;
        let (of_left, of_right) = if self.drawn.is_some() || (is_small(&left) && is_small(&right)) {
            (None, None)
        } else {
            let smaller = self.histograms(
                if left.len() <= right.len() {
                    &left
                } else {
                    &right
                },
                &columns,
            );
            let larger = histograms
                .iter()
                .zip(&smaller)
                .map(|(all, part)| all.less(*part))
                .collect();
            if left.len() <= right.len() {
                (Some(smaller), Some(larger))
            } else {
                (Some(larger), Some(smaller))
            }
        };
        drop(histograms);
        let index = nodes.len();
        let value = self.bins.edges(split.column)[split.bin];
        nodes.push(Node {
            column: split.column as u16,
            value,
            right: 0,
        });
        self.node([&left, &other_left], depth + 1, of_left, nodes, values);
        nodes[index].right = nodes.len() as u32;
        self.node([&right, &other_right], depth + 1, of_right, nodes, values);
    }

    fn histograms(&self, rows: &[u32], columns: &[usize]) -> Histograms {
        let slopes: Vec<[f32; 2]> = rows.iter().map(|&row| self.slopes[row as usize]).collect();
        let mut histograms = vec![Sums::default(); columns.len() * BINS];
        let bins = self.bins;
        let count_some = |(histograms, columns): (&mut [Sums], &[usize])| match *columns {
            [one, two, three, four] => {
                count(
                    [one, two, three, four].map(|column| bins.codes(column)),
                    rows,
                    &slopes,
                    histograms,
                );
            }
            _ => {
                for (histogram, &column) in histograms.chunks_mut(BINS).zip(columns) {
                    count([bins.codes(column)], rows, &slopes, histogram);
                }
            }
        };
        histograms
            .par_chunks_mut(BINS * AT_ONCE)
            .zip(columns.par_chunks(AT_ONCE))
            .with_min_len(COLUMNS_A_THREAD / AT_ONCE)
            .for_each(count_some);
        histograms
    }

    fn best(&self, columns: &[usize], histograms: &[Sums], all: Sums) -> Option<Split> {
        let Limits { min_leaf, l2, .. } = self.limits;
        let of_all = all.score(l2);
        let best_of = |(histogram, &column): (&[Sums], &usize)| {
            let mut best: Option<Split> = None;
            let mut left = Sums::default();
            for (bin, cell) in histogram[..self.bins.edges(column).len()]
                .iter()
                .enumerate()
            {
                left = left.plus(*cell);
                // An empty bin gives the same split as the bin before it.
                if cell.count == 0 || (left.count as usize) < min_leaf {
                    continue;
                }
                let right = all.less(left);
                if (right.count as usize) < min_leaf {
                    break;
                }
                let gain = left.score(l2) + right.score(l2) - of_all;
                if gain > best.map_or(NO_GAIN, |best| best.gain) {
                    best = Some(Split { gain, column, bin });
                }
            }
            best
        };
        let found: Vec<Option<Split>> = histograms
            .par_chunks(BINS)
            .zip(columns)
            .with_min_len(COLUMNS_A_THREAD)
            .map(best_of)
            .collect();
        let larger = |best: Option<Split>, one: Split| match best {
            Some(best) if best.gain >= one.gain => Some(best),
            _ => Some(one),
        };
        found.into_iter().flatten().fold(None, larger)
    }
}

/// Adds rows to the histograms of some columns, side by side: if many rows are in one bin, each
/// addition waits for the previous one, and the other columns fill the time.
fn count<const N: usize>(
    codes: [&[u8]; N],
    rows: &[u32],
    slopes: &[[f32; 2]],
    histograms: &mut [Sums],
) {
    for (&row, &[slope, curve]) in rows.iter().zip(slopes) {
        for (number, codes) in codes.iter().enumerate() {
            let cell = &mut histograms[number * BINS + usize::from(codes[row as usize])];
            cell.slope += f64::from(slope);
            cell.curve += f64::from(curve);
            cell.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Gini impurity of rows with this many content rows, times the number of rows.
    fn impurity(content: usize, count: usize) -> f64 {
        let share = content as f64 / count as f64;
        2.0 * share * (1.0 - share) * count as f64
    }

    #[test]
    fn the_first_split_is_the_one_of_a_slow_search_for_the_least_gini_impurity() {
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let rows = Array2::from_shape_fn((60, 4), |_| random.u8(0..40).into());
            let labels: Vec<bool> = rows
                .rows()
                .into_iter()
                .map(|row| row[2] + 9.0 * random.f32() > 25.0)
                .collect();
            let (mut best, mut places) = (f64::INFINITY, Vec::new());
            for column in 0..4 {
                for cut in 0..40 {
                    let left: Vec<usize> = (0..60)
                        .filter(|&row| rows[[row, column]] <= cut as f32)
                        .collect();
                    let right = 60 - left.len();
                    if left.len() < 5 || right < 5 {
                        continue;
                    }
                    let content = left.iter().filter(|&&row| labels[row]).count();
                    let of_right = labels.iter().filter(|label| **label).count() - content;
                    let found = impurity(content, left.len()) + impurity(of_right, right);
                    if found < best - 1e-9 {
                        (best, places) = (found, Vec::new());
                    }
                    if found < best + 1e-9 {
                        places.push((column, left.len()));
                    }
                }
            }
            let bins = Bins::cut(rows.view());
            let slopes: Vec<[f32; 2]> = labels
                .iter()
                .map(|&label| [if label { -1.0 } else { 0.0 }, 1.0])
                .collect();
            let limits = Limits {
                depth: 1,
                min_leaf: 5,
                l2: 0.0,
            };
            let leaf = |sums: Sums| sums.count as f32;
            let grower = Grower {
                bins: &bins,
                slopes: &slopes,
                columns: &[0, 1, 2, 3],
                drawn: None,
                limits,
                leaf,
            };
            let tree = grower.grow(&(0..60).collect::<Vec<u32>>());
            let nodes = tree.nodes();
            assert!(
                places.contains(&(usize::from(nodes[0].column), nodes[1].value as usize)),
                "{places:?} {nodes:?}"
            );
        }
    }

    #[test]
    fn histograms_by_subtraction_grow_the_tree_that_counted_ones_do() {
        let mut random = fastrand::Rng::with_seed(5);
        let rows = Array2::from_shape_fn((400, 6), |_| random.f32());
        // Quarters: their sums are exact in any order.
        let slopes: Vec<[f32; 2]> = (0..400)
            .map(|_| [f32::from(random.i8(-9..9)) / 4.0, 1.0])
            .collect();
        let bins = Bins::cut(rows.view());
        let columns: Vec<usize> = (0..6).collect();
        let grow = |drawn| {
            let limits = Limits {
                depth: 7,
                min_leaf: 3,
                l2: 1.0,
            };
            let leaf = |sums: Sums| sums.slope as f32;
            let grower = Grower {
                bins: &bins,
                slopes: &slopes,
                columns: &columns,
                drawn,
                limits,
                leaf,
            };
            grower.grow(&(0..400).collect::<Vec<u32>>())
        };
        // All six drawn: counted again at every node.
        let (one, other) = (grow(None), grow(Some((6, fastrand::Rng::with_seed(1)))));
        assert_eq!(one, other);
        assert!(one.nodes().len() > 60);
    }

    #[test]
    fn few_values_are_cut_between_and_a_constant_column_has_one_bin() {
        assert_eq!(edges(&[1.0, 0.0, 1.0, 4.0]), [0.5, 2.5]);
        assert!(edges(&[7.0; 9]).is_empty() && edges(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn bins_order_rows_as_values_do(values in proptest::collection::vec(-1.5f32..1.5, 1..1000)) {
            let bins = Bins::cut(Array2::from_shape_vec((values.len(), 1), values.clone()).unwrap().view());
            prop_assert!(bins.edges(0).len() < BINS);
            prop_assert!(bins.edges(0).windows(2).all(|pair| pair[0] < pair[1]));
            for (value, &code) in values.iter().zip(bins.codes(0)) {
                for (bin, edge) in bins.edges(0).iter().enumerate() {
                    prop_assert_eq!(value <= edge, usize::from(code) <= bin);
                }
            }
        }
    }
}
