//! Part of a page, as the network reads it. Long pages are read in windows that overlap by half, so that time and
//! memory of self-attention do not grow with the square of the page.

use crate::classify::smooth::PageShape;
use std::borrow::Cow;
use std::ops::Range;

/// Levels of groups: the same parent, the same grandparent.
pub(super) const LEVELS: usize = 2;

/// Consecutive targets of a page.
pub(super) struct Window<'a> {
    /// Scaled inputs, targets x columns, in row order.
    pub(super) inputs: Cow<'a, [f32]>,
    /// Each target's share of the text; they sum to 1.
    pub(super) shares: Vec<f32>,
    /// For each level, the group of each target, numbered from 0.
    pub(super) groups: [Vec<u32>; LEVELS],
}

impl<'a> Window<'a> {
    /// The targets `range` of a page; `inputs` are those of these targets, scaled, in row order.
    pub(super) fn new(inputs: Cow<'a, [f32]>, shape: &PageShape, range: Range<usize>) -> Self {
        let lengths: Vec<f32> = shape.lengths[range.clone()].iter().map(|&length| length as f32 + 1.0).collect();
        let total: f32 = lengths.iter().sum();
        let groups = std::array::from_fn(|level| {
            let of_targets: Vec<u32> = shape.groups[range.clone()].iter().map(|groups| groups[level]).collect();
            let mut known = of_targets.clone();
            known.sort_unstable();
            known.dedup();
            of_targets.iter().map(|group| known.partition_point(|other| other < group) as u32).collect()
        });
        Self { inputs, shares: lengths.iter().map(|length| length / total).collect(), groups }
    }
}

/// The windows of a page of so many targets: the targets each reads, and those whose margins are taken from it. Every
/// target takes its margin from the window in whose middle it lies.
pub(super) fn windows(targets: usize, window: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut from = 0;
    while found.last().is_none_or(|(last, _)| last.end < targets) {
        let end = (from + window).min(targets);
        let start = end.saturating_sub(window);
        // The next window takes over in the middle of what both read.
        let taken = match found.last_mut() {
            Some((before, of_before)) => {
                let middle = usize::midpoint(start, before.end);
                of_before.end = middle;
                middle..end
            }
            None => 0..end,
        };
        found.push((start..end, taken));
        from += (window / 2).max(1);
    }
    if targets == 0 { Vec::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn windows_overlap_by_half_and_the_middle_decides() {
        assert_eq!(windows(5, 8), [(0..5, 0..5)]);
        assert_eq!(windows(8, 8), [(0..8, 0..8)]);
        assert_eq!(windows(14, 8), [(0..8, 0..6), (4..12, 6..9), (6..14, 9..14)]);
        assert!(windows(0, 8).is_empty());
    }

    proptest! {
        #[test]
        fn every_target_is_taken_once(targets in 1usize..300, window in 1usize..80) {
            let mut next = 0;
            for (read, taken) in windows(targets, window) {
                prop_assert_eq!(taken.start, next);
                prop_assert!(read.start <= taken.start && taken.end <= read.end && read.len() <= window);
                next = taken.end;
            }
            prop_assert_eq!(next, targets);
        }
    }

    #[test]
    fn groups_are_numbered_within_the_window_and_shares_sum_to_one() {
        let shape = PageShape { lengths: vec![9, 1, 5, 2], groups: vec![[7, 1], [90, 1], [7, 1], [3, 0]] };
        let window = Window::new(vec![0.5; 6].into(), &shape, 1..4);
        assert_eq!(window.groups, [vec![2, 1, 0], vec![1, 1, 0]]);
        assert_eq!(window.shares, [2.0 / 11.0, 6.0 / 11.0, 3.0 / 11.0]);
    }
}
