//! Means over the targets with the same parent, and over those with the same grandparent, through a dense layer.

use super::dense::{Dense, rectify};
use super::window::{LEVELS, Window};

/// The dense layer that reads the means.
pub(super) fn dense(width: usize) -> Dense {
    Dense { inputs: LEVELS * width, outputs: width }
}

/// Number of targets in each group of a level.
pub(super) fn group_sizes(window: &Window<'_>, level: usize) -> Vec<f32> {
    let groups = &window.groups[level];
    let mut sizes = vec![0.0; groups.iter().max().map_or(0, |&last| last as usize + 1)];
    for &group in groups {
        sizes[group as usize] += 1.0;
    }
    sizes
}

/// Sum over each group of a level; `row` gives the `width` values of a target.
pub(super) fn group_sums<'v>(
    window: &Window<'_>,
    level: usize,
    width: usize,
    groups: usize,
    row: impl Fn(usize) -> &'v [f32],
) -> Vec<f32> {
    let mut sums = vec![0.0; groups * width];
    for (target, &group) in window.groups[level].iter().enumerate() {
        for (sum, value) in sums[group as usize * width..][..width].iter_mut().zip(row(target)) {
            *sum += value;
        }
    }
    sums
}

/// The rectified outputs of rows `z`, and the means that the dense layer read.
pub(super) fn forward(params: &[f32], width: usize, window: &Window<'_>, z: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let mut means = vec![0.0; LEVELS * z.len()];
    for level in 0..LEVELS {
        let sizes = group_sizes(window, level);
        let sums = group_sums(window, level, width, sizes.len(), |target| &z[target * width..][..width]);
        for (target, &group) in window.groups[level].iter().enumerate() {
            let size = sizes[group as usize];
            let into = &mut means[(target * LEVELS + level) * width..][..width];
            for (mean, sum) in into.iter_mut().zip(&sums[group as usize * width..]) {
                *mean = sum / size;
            }
        }
    }
    let mut outputs = dense(width).forward(params, &means);
    rectify(&mut outputs);
    (outputs, means)
}
