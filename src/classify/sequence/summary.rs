//! The page in one row: mean, mean by length and largest value of each column.

use super::dense::{Dense, rectify};
use super::window::Window;

/// Values of a summary for each column.
pub(super) const PARTS: usize = 3;

/// A summary of rows.
pub(super) struct Summary {
    /// Means, means by length, largest values.
    pub(super) values: Vec<f32>,
    /// The row of each largest value.
    pub(super) largest: Vec<usize>,
}

impl Summary {
    /// Summarizes rows `z`, of which there is at least one.
    #[inline(always)]
    pub(super) fn measure(width: usize, window: &Window<'_>, z: &[f32]) -> Self {
        let rows = window.shares.len() as f32;
        let mut values = vec![0.0; PARTS * width];
        let mut largest = vec![0; width];
        let (means, rest) = values.split_at_mut(width);
        let (by_length, most) = rest.split_at_mut(width);
        most.fill(f32::MIN);
        for (number, (row, share)) in z.chunks_exact(width).zip(&window.shares).enumerate() {
            for (column, &value) in row.iter().enumerate() {
                means[column] += value / rows;
                by_length[column] += value * share;
                if value > most[column] {
                    most[column] = value;
                    largest[column] = number;
                }
            }
        }
        Self { values, largest }
    }
}

/// The dense layer that reads a summary.
pub(super) fn dense(width: usize) -> Dense {
    Dense { inputs: PARTS * width, outputs: width }
}

/// The rectified output for the page, the same for every row of `z`, and the summary.
#[inline(always)]
pub(super) fn forward(params: &[f32], width: usize, window: &Window<'_>, z: &[f32]) -> (Vec<f32>, Summary) {
    let summary = Summary::measure(width, window, z);
    let mut output = dense(width).forward(params, &summary.values);
    rectify(&mut output);
    (output.repeat(window.shares.len()), summary)
}
