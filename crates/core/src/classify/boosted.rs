//! Gradient-boosted trees with the logistic loss (Friedman 2001), Newton steps and L2 as in XGBoost
//! (Chen and Guestrin 2016), rows and columns sampled for each tree (Friedman 2002), on histograms
//! as in LightGBM (Ke et al. 2017).
//!
//! Shallow trees are stored in a layout that is fast to evaluate. Each value is replaced by its
//! bin, a byte: the number of thresholds of its column that are smaller. All splits of a tree are
//! then evaluated for many rows at once, from the last level up: for each row, a split selects the
//! leaf that its first or its second child found. No step depends on an index that the previous
//! step computed, so one instruction processes 16 to 64 rows. Deeper trees, and those that compare
//! a column with more thresholds than a byte can number, are evaluated row by row; the sums are the
//! same to the last bit.

// Code that is not inlined into the dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

use super::inputs::Inputs;
use super::scaler::Scaler;
use super::tree::{LEAF, Tree};
use ndarray::{ArrayView1, ArrayView2};
use pulp::{Arch, NullaryFnOnce};

/// Fitted trees: the margin is half the sum of the offset and the trees' values.
#[derive(Debug, Clone, PartialEq)]
pub struct Boosted {
    /// Log odds before the first tree.
    pub(super) offset: f32,
    pub(super) trees: Vec<Tree>,
    /// The trees in the layout for many rows; `None` if they do not fit it.
    binned: Option<BinnedForest>,
}

impl Boosted {
    /// Trees that are added to the log odds `offset`.
    pub fn new(offset: f32, trees: Vec<Tree>) -> Self {
        let binned = BinnedForest::from_trees(&trees);
        Self {
            offset,
            trees,
            binned,
        }
    }

    /// The margin of each row: half the log odds, as Friedman (2001, section 4.4) defines F, which
    /// has about the range of the margins of a support vector machine.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        self.margins_of_sums(match &self.binned {
            Some(binned) => binned.sums(&Inputs::all(rows), None),
            None => sums_of_values(&self.trees, rows),
        })
    }

    /// The margin of each target for unscaled inputs, without a copy if the trees fit the binned
    /// layout.
    pub(super) fn margins_unscaled(&self, inputs: &Inputs<'_, '_>, scaler: &Scaler) -> Vec<f32> {
        match &self.binned {
            Some(binned) => self.margins_of_sums(binned.sums(inputs, Some(scaler))),
            None => self.margins(scaler.apply_owned(inputs.table().into_owned()).view()),
        }
    }

    fn margins_of_sums(&self, sums: Vec<f64>) -> Vec<f32> {
        sums.into_iter()
            .map(|sum| 0.5 * (self.offset + sum as f32))
            .collect()
    }

    /// For one scaled row: the decrease of the margin if a column's value is replaced by that of
    /// `instead`, for each column.
    pub(super) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        let mut effects = vec![0.0; instead.len()];
        self.trees
            .iter()
            .for_each(|tree| tree.add_effects(row, instead, &mut effects));
        for effect in &mut effects {
            *effect *= 0.5;
        }
        effects
    }
}

/// Sums the trees' values for each row, in the order of the trees.
fn sums_of_values(trees: &[Tree], rows: ArrayView2<'_, f32>) -> Vec<f64> {
    rows.rows()
        .into_iter()
        .map(|row| trees.iter().map(|tree| f64::from(tree.value(row))).sum())
        .collect()
}

/// Maximum depth of a binned tree.
const LEVELS: usize = 6;
/// Leaves of a complete tree of this depth.
const LEAVES: usize = 1 << LEVELS;
/// Rows that are evaluated at once.
const ROWS: usize = 64;
/// A `last` that no bin exceeds: all rows go to the first child.
const ALWAYS: u8 = u8::MAX;

/// A row goes to the first child where its bin in `column`, an index into
/// [`BinnedForest::columns`], is at most `last`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    column: u16,
    last: u8,
}

/// A complete tree: the root is split 1, the children of split `at` are `2 at` and `2 at + 1`, and
/// leaf `k` has the position `LEAVES + k`.
#[derive(Debug, Clone, PartialEq)]
struct Complete {
    splits: [Split; LEAVES],
    leaves: [f32; LEAVES],
}

/// A column that the splits read.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    /// Column index in the rows.
    number: usize,
    /// Sorted in ascending order; a value's bin is the number of limits below it.
    limits: Vec<f32>,
}

/// The trees in the layout for many rows, and the limits of the columns they read.
#[derive(Debug, Clone, PartialEq)]
struct BinnedForest {
    columns: Vec<Column>,
    trees: Vec<Complete>,
}

impl BinnedForest {
    /// Returns `None` if a tree has more than [`LEVELS`] levels or a column more than 254 limits.
    fn from_trees(trees: &[Tree]) -> Option<Self> {
        let splits = || {
            trees
                .iter()
                .flat_map(Tree::nodes)
                .filter(|node| node.column != LEAF)
        };
        let inputs = splits()
            .map(|node| usize::from(node.column) + 1)
            .max()
            .unwrap_or(0);
        let mut limits: Vec<Vec<f32>> = vec![Vec::new(); inputs];
        splits().for_each(|node| limits[usize::from(node.column)].push(node.value));
        let mut columns = Vec::new();
        let mut places = vec![0u16; inputs];
        for (number, mut limits) in limits
            .into_iter()
            .enumerate()
            .filter(|(_, limits)| !limits.is_empty())
        {
            limits.sort_by(f32::total_cmp);
            limits.dedup();
            if limits.len() >= usize::from(ALWAYS) {
                return None;
            }
            places[number] = columns.len() as u16;
            columns.push(Column { number, limits });
        }
        let trees = trees
            .iter()
            .map(|tree| complete(tree, &places, &columns))
            .collect::<Option<_>>()?;
        Some(Self { columns, trees })
    }

    /// Sums the trees' values for each row, in the order of the trees; `scaler`, if given, is
    /// applied to the inputs first.
    fn sums(&self, inputs: &Inputs<'_, '_>, scaler: Option<&Scaler>) -> Vec<f64> {
        let mut sums = vec![0.0f64; inputs.len()];
        Arch::new().dispatch(Sums {
            forest: self,
            inputs,
            scaler,
            totals: &mut sums,
        });
        sums
    }
}

/// Extends a tree to a complete one that gives the same values; `None` if it is too deep.
fn complete(tree: &Tree, places: &[u16], columns: &[Column]) -> Option<Complete> {
    let mut splits = [Split {
        column: 0,
        last: ALWAYS,
    }; LEAVES];
    let mut leaves = [0.0; LEAVES];
    // Nodes are in preorder, so the first child comes next, and the positions of second children
    // are kept here.
    let mut waiting = Vec::with_capacity(LEVELS);
    let mut at = 1;
    for node in tree.nodes() {
        if node.column == LEAF {
            // Splits that the tree lacks send all rows to their first child.
            while at < LEAVES {
                at *= 2;
            }
            leaves[at - LEAVES] = node.value;
            at = waiting.pop().unwrap_or(1);
        } else {
            let split = splits.get_mut(at)?;
            split.column = places[usize::from(node.column)];
            let limits = &columns[usize::from(split.column)].limits;
            split.last = limits.partition_point(|limit| *limit < node.value) as u8;
            waiting.push(2 * at + 1);
            at *= 2;
        }
    }
    Some(Complete { splits, leaves })
}

/// The arguments of [`BinnedForest::sums`], which is compiled for several instruction sets.
struct Sums<'a, 'r, 'c> {
    forest: &'a BinnedForest,
    inputs: &'a Inputs<'r, 'c>,
    scaler: Option<&'a Scaler>,
    totals: &'a mut [f64],
}

impl NullaryFnOnce for Sums<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut bins = vec![[0u8; ROWS]; self.forest.columns.len().max(1)];
        for (block, sums) in self.totals.chunks_mut(ROWS).enumerate() {
            for (column, bins) in self.forest.columns.iter().zip(&mut bins) {
                let mut values = [0.0f32; ROWS];
                self.inputs
                    .copy_column(column.number, block * ROWS, &mut values[..sums.len()]);
                if let Some(scaler) = self.scaler {
                    scaler.scale_column(column.number, &mut values);
                }
                *bins = bins_of(&values, &column.limits);
            }
            for tree in &self.forest.trees {
                let leaf = first_level(&tree.splits, 1, &bins);
                for (sum, leaf) in sums.iter_mut().zip(leaf) {
                    *sum += f64::from(tree.leaves[usize::from(leaf) % LEAVES]);
                }
            }
        }
    }
}

#[inline(always)]
fn bins_of(values: &[f32; ROWS], limits: &[f32]) -> [u8; ROWS] {
    if values.iter().all(|value| *value == values[0]) {
        return [limits.partition_point(|limit| *limit < values[0]) as u8; ROWS];
    }
    let mut counts = [0u32; ROWS];
    for &limit in limits {
        for (count, &value) in counts.iter_mut().zip(values) {
            *count += u32::from(value > limit);
        }
    }
    counts.map(|count| count as u8)
}

/// Defines a function that finds the leaf below split `at` for each row from its bins.
macro_rules! level {
    ($name:ident, $next:ident) => {
        #[inline(always)]
        fn $name(splits: &[Split; LEAVES], at: usize, bins: &[[u8; ROWS]]) -> [u8; ROWS] {
            let mut leaf = $next(splits, 2 * at, bins);
            let second = $next(splits, 2 * at + 1, bins);
            let split = splits[at];
            let bins = &bins[usize::from(split.column)];
            for row in 0..ROWS {
                let is_second = u8::from(bins[row] > split.last).wrapping_neg();
                leaf[row] ^= (leaf[row] ^ second[row]) & is_second;
            }
            leaf
        }
    };
}

level!(first_level, second_level);
level!(second_level, third_level);
level!(third_level, fourth_level);
level!(fourth_level, fifth_level);
level!(fifth_level, last_level);

#[inline(always)]
fn last_level(splits: &[Split; LEAVES], at: usize, bins: &[[u8; ROWS]]) -> [u8; ROWS] {
    let split = splits[at];
    let bins = &bins[usize::from(split.column)];
    let first = (2 * at - LEAVES) as u8;
    let mut leaf = [0; ROWS];
    for row in 0..ROWS {
        leaf[row] = first + u8::from(bins[row] > split.last);
    }
    leaf
}

#[cfg(test)]
mod tests {
    use super::super::tree::Node;
    use super::super::tree::tests::random_tree;
    use super::*;
    use ndarray::{Array2, Axis, Slice};

    fn random_trees(depths: std::ops::Range<usize>) -> Vec<Tree> {
        let mut random = fastrand::Rng::with_seed(3);
        depths
            .map(|depth| random_tree(5, depth, &mut random))
            .collect()
    }

    #[test]
    fn sums_are_those_of_single_rows_to_the_last_bit() {
        let mut random = fastrand::Rng::with_seed(4);
        let rows = Array2::from_shape_fn(
            (203, 5),
            |(_, column)| if column == 2 { 0.25 } else { random.f32() },
        );
        let trees = random_trees(1..7);
        let binned = BinnedForest::from_trees(&trees).unwrap();
        for count in [203, 65, 64, 3, 0] {
            let some = rows.slice_axis(Axis(0), Slice::from(..count));
            assert_eq!(
                binned.sums(&Inputs::all(some), None),
                sums_of_values(&trees, some)
            );
        }
        // The same columns, stored in another order in memory.
        let turned = rows.t().as_standard_layout().into_owned();
        assert_eq!(
            binned.sums(&Inputs::all(turned.t()), None),
            sums_of_values(&trees, rows.view())
        );
        let scaler = Scaler {
            low: vec![0.1, 0.0, 0.0, -1.0, 0.3],
            high: vec![0.9, 1.0, 0.0, 1.0, 0.4],
        };
        assert_eq!(
            binned.sums(&Inputs::all(rows.view()), Some(&scaler)),
            sums_of_values(&trees, scaler.apply(rows.view()).view())
        );
    }

    #[test]
    fn trees_without_splits_give_their_value_and_deep_ones_are_taken_row_by_row() {
        let mut random = fastrand::Rng::with_seed(5);
        let rows = Array2::from_shape_fn((400, 5), |_| random.f32());
        let single = Tree::new(vec![Node {
            column: LEAF,
            value: 0.75,
            right: 0,
        }]);
        assert_eq!(
            BinnedForest::from_trees(&[single])
                .unwrap()
                .sums(&Inputs::all(rows.view()), None),
            [0.75; 400]
        );
        assert_eq!(
            BinnedForest::from_trees(&[])
                .unwrap()
                .sums(&Inputs::all(rows.view()), None),
            [0.0; 400]
        );
        let deep = random_trees(9..10);
        assert_eq!(BinnedForest::from_trees(&deep), None);
        let scaler = Scaler {
            low: vec![-1.0; 5],
            high: vec![1.0; 5],
        };
        let deep = Boosted::new(0.5, deep);
        let scaled = scaler.apply(rows.view());
        let margins = deep.margins(scaled.view());
        assert_eq!(margins[7], 0.5 * (0.5 + deep.trees[0].value(scaled.row(7))));
        assert_eq!(
            deep.margins_unscaled(&Inputs::all(rows.view()), &scaler),
            margins
        );
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let mut random = fastrand::Rng::with_seed(6);
        let machine = Boosted::new(0.1, random_trees(2..7));
        for _ in 0..30 {
            let row = Array2::from_shape_fn((1, 5), |_| random.f32());
            let effects = machine.effects(row.row(0), &[0.1; 5]);
            for column in 0..5 {
                let mut other = row.clone();
                other[[0, column]] = 0.1;
                assert!(
                    (effects[column]
                        - (machine.margins(row.view())[0] - machine.margins(other.view())[0]))
                        .abs()
                        < 1e-4
                );
            }
        }
    }
}
