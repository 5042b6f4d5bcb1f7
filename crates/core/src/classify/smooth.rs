//! Context columns for a later stage: the margins of an earlier stage around each target, and the
//! page's shape.
//!
//! The features of a heading, a date or a line of code are weak evidence; the margins of its
//! neighbors and of the box around it are strong evidence. All margins are clamped to -3 to 3;
//! where there is no neighbor the value is -1, the margin of typical boilerplate.

use crate::capture::{Dom, NodeId};
use crate::target::Target;
use crate::text::count_letters;
use ndarray::Array2;
use rustc_hash::FxHashMap;

/// Text lengths and groups of a page's targets, which a later stage reads in addition to the
/// margins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageShape {
    /// Number of characters that are not white space, for each target.
    pub lengths: Vec<u32>,
    /// For each target, the parent and the grandparent of its container: targets with the same node
    /// form a group.
    pub groups: Vec<[u32; 2]>,
}

impl PageShape {
    /// Measures the shape of a page.
    pub fn measure(dom: &Dom, targets: &[Target]) -> Self {
        let count = |id: &NodeId| count_letters(dom.text(*id).unwrap_or_default());
        let lengths = targets
            .iter()
            .map(|target| target.texts.iter().map(count).sum::<usize>() as u32)
            .collect();
        let groups = targets
            .iter()
            .map(|target| {
                let parent = dom.parent(target.container).unwrap_or(Dom::ROOT);
                let above = dom.parent(parent).unwrap_or(Dom::ROOT);
                [parent.index() as u32, above.index() as u32]
            })
            .collect();
        Self { lengths, groups }
    }
}

/// Names of the columns that [`context`] returns, in order.
pub(crate) const CONTEXT_COLUMNS: &[&str] = &[
    "margin.own",
    "margin.before_1",
    "margin.before_2",
    "margin.before_3",
    "margin.after_1",
    "margin.after_2",
    "margin.after_3",
    "margin.mean_3",
    "margin.mean_8",
    "margin.weighted_mean_3",
    "margin.weighted_mean_8",
    "margin.max_8",
    "margin.parent_mean",
    "margin.parent_weighted_mean",
    "margin.grandparent_mean",
    "margin.grandparent_weighted_mean",
    "margin.page_mean",
    "margin.page_weighted_mean",
    "margin.page_max",
    "margin.content_before_ratio",
    "margin.length_log",
];

/// Margin for a missing neighbor.
const NO_NEIGHBOR: f32 = -1.0;
/// Margins are clamped to -`MAX_MARGIN` to `MAX_MARGIN`.
pub const MAX_MARGIN: f32 = 3.0;

/// Returns one row of [`CONTEXT_COLUMNS`] per target. `mean_N` is the mean over the N targets
/// before, the target and the N after; weighted means weigh by length; `parent` and `grandparent`
/// are groups of [`PageShape`]; `content_before_ratio` is the share of the page's text before the
/// target that has a margin above 0.
pub fn context(margins: &[f32], shape: &PageShape) -> Array2<f32> {
    let count = margins.len();
    let held: Vec<f32> = margins
        .iter()
        .map(|margin| margin.clamp(-MAX_MARGIN, MAX_MARGIN))
        .collect();
    let weight: Vec<f64> = shape
        .lengths
        .iter()
        .map(|&length| f64::from(length) + 1.0)
        .collect();
    let sums = prefix_sums(&held, &weight);
    let mean =
        |from: usize, to: usize| ((sums[to].0 - sums[from].0) / (to - from).max(1) as f64) as f32;
    let weighted = |from: usize, to: usize| {
        ((sums[to].1 - sums[from].1) / (sums[to].2 - sums[from].2).max(1.0)) as f32
    };
    let groups = group_sums(&held, &weight, shape);
    let page_max = held.iter().copied().fold(-MAX_MARGIN, f32::max);
    let all_content = sums[count].3.max(1.0);
    let mut table = Array2::zeros((count, CONTEXT_COLUMNS.len()));
    for (index, mut row) in table.rows_mut().into_iter().enumerate() {
        let near = |by: isize| {
            index
                .checked_add_signed(by)
                .and_then(|at| held.get(at))
                .copied()
                .unwrap_or(NO_NEIGHBOR)
        };
        let window = |reach: usize| (index.saturating_sub(reach), (index + reach + 1).min(count));
        let ((from_3, to_3), (from_8, to_8)) = (window(3), window(8));
        let [parent, above] = [0, 1].map(|level| groups[level][&shape.groups[index][level]]);
        let values = [
            held[index],
            near(-1),
            near(-2),
            near(-3),
            near(1),
            near(2),
            near(3),
            mean(from_3, to_3),
            mean(from_8, to_8),
            weighted(from_3, to_3),
            weighted(from_8, to_8),
            held[from_8..to_8]
                .iter()
                .copied()
                .fold(-MAX_MARGIN, f32::max),
            (parent.0 / parent.1) as f32,
            (parent.2 / parent.3) as f32,
            (above.0 / above.1) as f32,
            (above.2 / above.3) as f32,
            mean(0, count),
            weighted(0, count),
            page_max,
            (sums[index].3 / all_content) as f32,
            (weight[index].ln()) as f32,
        ];
        row.assign(&ndarray::ArrayView1::from(&values));
    }
    table
}

/// Sums over the first n targets, for each n from 0 on: margins, weighted margins, weights, and
/// weights of those with a margin above 0.
fn prefix_sums(margins: &[f32], weights: &[f64]) -> Vec<(f64, f64, f64, f64)> {
    let mut sums = vec![(0.0f64, 0.0f64, 0.0f64, 0.0f64)];
    for (&margin, &weight) in margins.iter().zip(weights) {
        let (plain, weighted, weights, content) = sums[sums.len() - 1];
        let margin = f64::from(margin);
        sums.push((
            plain + margin,
            weighted + margin * weight,
            weights + weight,
            content + if margin > 0.0 { weight } else { 0.0 },
        ));
    }
    sums
}

/// Sums over the targets of each group of [`PageShape`], at both levels: margins, count, weighted
/// margins, weights.
fn group_sums(
    margins: &[f32],
    weights: &[f64],
    shape: &PageShape,
) -> [FxHashMap<u32, (f64, f64, f64, f64)>; 2] {
    std::array::from_fn(|level| {
        let mut groups = FxHashMap::default();
        for (index, group) in shape.groups.iter().enumerate() {
            let sum: &mut (f64, f64, f64, f64) = groups.entry(group[level]).or_default();
            let margin = f64::from(margins[index]);
            *sum = (
                sum.0 + margin,
                sum.1 + 1.0,
                sum.2 + margin * weights[index],
                sum.3 + weights[index],
            );
        }
        groups
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

    #[test]
    fn context_columns_hold_the_margins_around_a_target() {
        let shape = PageShape {
            lengths: vec![9, 99, 9, 9],
            groups: vec![[1, 0], [1, 0], [1, 0], [2, 0]],
        };
        let table = context(&[-1.0, 2.0, 0.5, -9.0], &shape);
        let at = |row: usize, name: &str| {
            table[[
                row,
                CONTEXT_COLUMNS
                    .iter()
                    .position(|&known| known == name)
                    .unwrap(),
            ]]
        };
        assert_eq!(at(3, "margin.own"), -3.0);
        assert_eq!(
            (
                at(0, "margin.before_1"),
                at(0, "margin.after_1"),
                at(2, "margin.before_2")
            ),
            (-1.0, 2.0, -1.0)
        );
        assert_eq!(at(1, "margin.parent_mean"), 0.5);
        assert!(at(1, "margin.parent_weighted_mean") > 1.6);
        assert_eq!(at(0, "margin.page_max"), 2.0);
        assert_eq!(at(0, "margin.content_before_ratio"), 0.0);
        assert_eq!(at(3, "margin.content_before_ratio"), 1.0);
        assert!(table.iter().all(|value| value.is_finite()));
        assert_eq!(context(&[], &PageShape::default()).nrows(), 0);
    }

    #[test]
    fn lengths_and_groups_are_measured() {
        let mut builder = DomBuilder::new();
        builder.open("div", vec![]);
        let paragraph = builder.open("p", vec![]);
        let text = builder.text("a b c");
        let dom = builder.finish();
        let shape = PageShape::measure(
            &dom,
            &[Target {
                container: paragraph,
                texts: vec![text],
                visibility: crate::capture::Visibility::Shown,
            }],
        );
        assert_eq!(
            shape,
            PageShape {
                lengths: vec![3],
                groups: vec![[1, 0]]
            }
        );
    }
}
