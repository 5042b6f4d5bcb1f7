//! Depthwise separable convolution over neighbors (Chollet 2017): each column is mixed with itself in the targets
//! around, then a dense layer mixes the columns.

use super::dense::{Dense, rectify};

/// Targets that are mixed: three before, the target, three after.
const KERNEL: usize = 7;

/// A convolution; its parameters are [`KERNEL`] x `width` factors, then those of a dense layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Convolution {
    pub(super) width: usize,
    /// Distance between the targets that are mixed, 1 or more (dilated convolution, Yu and Koltun 2016).
    pub(super) dilation: usize,
}

impl Convolution {
    /// Number of factors of the first step.
    pub(super) fn taps(self) -> usize {
        KERNEL * self.width
    }

    /// The dense layer of the second step.
    pub(super) fn dense(self) -> Dense {
        Dense { inputs: self.width, outputs: self.width }
    }

    /// Number of parameters.
    pub(super) fn size(self) -> usize {
        self.taps() + self.dense().size()
    }

    /// The row that `row` of `rows` is mixed with at `place` of the kernel, if the page has one there.
    #[inline(always)]
    pub(super) fn neighbor(self, row: usize, place: usize, rows: usize) -> Option<usize> {
        let other = (row + place * self.dilation).checked_sub(KERNEL / 2 * self.dilation);
        other.filter(|&other| other < rows)
    }

    /// Calls `visit` for each row with each row it is mixed with: row, place in the kernel, other row.
    pub(super) fn each_neighbor(self, rows: usize, mut visit: impl FnMut(usize, usize, usize)) {
        for row in 0..rows {
            for place in 0..KERNEL {
                if let Some(other) = self.neighbor(row, place, rows) {
                    visit(row, place, other);
                }
            }
        }
    }

    /// The rectified outputs of rows `z`, and what the first step gave.
    #[inline(always)]
    pub(super) fn forward(self, params: &[f32], z: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let width = self.width;
        let (taps, rest) = params.split_at(self.taps());
        let mut mixed = vec![0.0; z.len()];
        for (row, sums) in mixed.chunks_exact_mut(width).enumerate() {
            for place in 0..KERNEL {
                let Some(other) = self.neighbor(row, place, z.len() / width) else { continue };
                let (taps, values) = (&taps[place * width..][..width], &z[other * width..][..width]);
                for ((sum, tap), value) in sums.iter_mut().zip(taps).zip(values) {
                    *sum += tap * value;
                }
            }
        }
        let mut outputs = self.dense().forward(rest, &mixed);
        rectify(&mut outputs);
        (outputs, mixed)
    }
}
