//! The layers of the network. Each reads its parameters from a slice, and returns intermediate
//! results that the gradient needs.

use crate::classify::arithmetic::{Strided, add_product, add_product_of};

/// A dense layer; its parameters are `inputs` x `outputs` factors, then `outputs` offsets.
#[derive(Debug, Clone, Copy)]
pub struct Dense {
    /// Number of columns that it reads.
    pub inputs: usize,
    /// Number of columns that it outputs.
    pub outputs: usize,
}

impl Dense {
    pub(super) fn size(self) -> usize {
        (self.inputs + 1) * self.outputs
    }

    /// Outputs of the rows `x`.
    #[inline(always)]
    pub(super) fn forward(self, params: &[f32], x: &[f32]) -> Vec<f32> {
        let (factors, offsets) = params.split_at(self.inputs * self.outputs);
        let mut sums = offsets.repeat(x.len() / self.inputs);
        add_product(
            &mut sums,
            Strided::rows(x, self.inputs),
            factors,
            self.inputs,
            self.outputs,
        );
        sums
    }

    /// [`forward`](Self::forward) with different rounding, faster if many columns are constant over
    /// all rows, such as measures of the whole page and hints that no block has: their contribution
    /// is summed once.
    #[inline(always)]
    pub(super) fn forward_of_page(self, params: &[f32], x: &[f32]) -> Vec<f32> {
        let (factors, offsets) = params.split_at(self.inputs * self.outputs);
        let (first, rest) = x.split_at(self.inputs);
        let mut differences = vec![0u32; self.inputs];
        for row in rest.chunks_exact(self.inputs) {
            for (difference, (value, first)) in differences.iter_mut().zip(row.iter().zip(first)) {
                *difference |= value.to_bits() ^ first.to_bits();
            }
        }
        let (constant, varying): (Vec<usize>, Vec<usize>) =
            (0..self.inputs).partition(|&column| differences[column] == 0);
        let mut common = offsets.to_vec();
        add_product_of(
            &mut common,
            Strided::rows(first, self.inputs),
            factors,
            &constant,
            self.outputs,
        );
        let mut sums = common.repeat(x.len() / self.inputs);
        add_product_of(
            &mut sums,
            Strided::rows(x, self.inputs),
            factors,
            &varying,
            self.outputs,
        );
        sums
    }
}

/// The rectifier (ReLU): negative values become 0.
#[inline(always)]
pub(super) fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

/// Number of targets that are mixed: three before, the target, three after.
const KERNEL: usize = 7;

/// Depthwise separable convolution over neighbors (Chollet 2017): each column is mixed with itself
/// across the neighboring targets, then a dense layer mixes the columns. Its parameters are
/// [`KERNEL`] x `width` factors, then those of the dense layer.
#[derive(Debug, Clone, Copy)]
pub struct Convolution {
    /// Number of columns read and written.
    pub width: usize,
    /// Distance between the targets that are mixed, 1 or more (dilated convolution, Yu and Koltun
    /// 2016).
    pub dilation: usize,
}

impl Convolution {
    /// Number of factors in the first step.
    pub fn taps(self) -> usize {
        KERNEL * self.width
    }

    /// The dense layer of the second step.
    pub fn dense(self) -> Dense {
        Dense {
            inputs: self.width,
            outputs: self.width,
        }
    }

    pub(super) fn size(self) -> usize {
        self.taps() + self.dense().size()
    }

    /// The row at position `place` of the kernel around `row`; `None` if it is outside the page.
    #[inline(always)]
    fn neighbor(self, row: usize, place: usize, rows: usize) -> Option<usize> {
        let other = (row + place * self.dilation).checked_sub(KERNEL / 2 * self.dilation);
        other.filter(|&other| other < rows)
    }

    /// Calls `visit` for each pair of a row and a row it is mixed with: row, position in the
    /// kernel, other row.
    pub fn each_neighbor(self, rows: usize, mut visit: impl FnMut(usize, usize, usize)) {
        for row in 0..rows {
            for place in 0..KERNEL {
                if let Some(other) = self.neighbor(row, place, rows) {
                    visit(row, place, other);
                }
            }
        }
    }

    /// The rectified outputs of rows `z`, and the output of the first step.
    #[inline(always)]
    pub(super) fn forward(self, params: &[f32], z: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let width = self.width;
        let (taps, rest) = params.split_at(self.taps());
        let mut mixed = vec![0.0; z.len()];
        for (row, sums) in mixed.chunks_exact_mut(width).enumerate() {
            for place in 0..KERNEL {
                let Some(other) = self.neighbor(row, place, z.len() / width) else {
                    continue;
                };
                let (taps, values) = (
                    &taps[place * width..][..width],
                    &z[other * width..][..width],
                );
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

/// Added to the variance, to avoid division by 0 for constant rows.
const LEAST_VARIANCE: f32 = 1e-5;

/// Number of sums that are computed in parallel, because each addition waits for the previous one.
const LANES: usize = 8;

/// Normalized rows, and the values that the gradient needs.
#[derive(Debug)]
pub struct Normed {
    /// The normalized rows with gain and offset.
    pub values: Vec<f32>,
    /// The rows before gain and offset.
    pub plain: Vec<f32>,
    /// Factor that each row was multiplied by.
    pub scales: Vec<f32>,
}

/// Number of parameters of a normalization: a gain and an offset for each column.
pub(super) fn norm_size(width: usize) -> usize {
    2 * width
}

/// Layer normalization (Ba, Kiros and Hinton 2016) of `rows` of `width` columns: each row is scaled
/// to mean 0 and variance 1, then a gain and an offset are applied to each column.
#[inline(always)]
pub(super) fn normalize(params: &[f32], width: usize, rows: &[f32]) -> Normed {
    let (gains, offsets) = params.split_at(width);
    let mut plain = vec![0.0; rows.len()];
    let mut values = vec![0.0; rows.len()];
    let mut scales = Vec::with_capacity(rows.len() / width);
    let outputs = plain
        .chunks_exact_mut(width)
        .zip(values.chunks_exact_mut(width));
    for (row, (plain, values)) in rows.chunks_exact(width).zip(outputs) {
        let mean = sum(row, |value| value) / width as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + LEAST_VARIANCE).sqrt();
        scales.push(scale);
        plain
            .iter_mut()
            .zip(row)
            .for_each(|(plain, value)| *plain = (value - mean) * scale);
        for (((value, plain), gain), offset) in values.iter_mut().zip(plain).zip(gains).zip(offsets)
        {
            *value = *plain * gain + offset;
        }
    }
    Normed {
        values,
        plain,
        scales,
    }
}

/// Sums `term` over the values of a row: [`LANES`] partial sums in parallel, which are then added
/// in order.
#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0f32; LANES];
    let mut chunks = row.chunks_exact(LANES);
    for chunk in &mut chunks {
        sums.iter_mut()
            .zip(chunk)
            .for_each(|(sum, &value)| *sum += term(value));
    }
    let rest: f32 = chunks.remainder().iter().map(|&value| term(value)).sum();
    sums.iter().sum::<f32>() + rest
}

/// Number of summary values per column.
pub(super) const SUMMARY_PARTS: usize = 3;

/// A summary of the page in one row: mean, length-weighted mean and maximum of each column.
#[derive(Debug)]
pub struct Summary {
    /// Means, length-weighted means, then maxima.
    pub values: Vec<f32>,
    /// The row of each maximum.
    pub largest: Vec<usize>,
}

impl Summary {
    /// Summarizes rows `z`, of which there is at least one; `shares` are the targets' shares of the
    /// text.
    #[inline(always)]
    pub(super) fn measure(width: usize, shares: &[f32], z: &[f32]) -> Self {
        let rows = shares.len() as f32;
        let mut values = vec![0.0; SUMMARY_PARTS * width];
        let mut largest = vec![0; width];
        let (means, rest) = values.split_at_mut(width);
        let (by_length, most) = rest.split_at_mut(width);
        most.fill(f32::MIN);
        for (number, (row, share)) in z.chunks_exact(width).zip(shares).enumerate() {
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

/// The dense layer of the page block, which reads a summary.
pub fn page_dense(width: usize) -> Dense {
    Dense {
        inputs: SUMMARY_PARTS * width,
        outputs: width,
    }
}

/// The rectified output for the page, to be added to every row of `z`, and the summary.
#[inline(always)]
pub(super) fn page_block(
    params: &[f32],
    width: usize,
    shares: &[f32],
    z: &[f32],
) -> (Vec<f32>, Summary) {
    let summary = Summary::measure(width, shares, z);
    let mut output = page_dense(width).forward(params, &summary.values);
    rectify(&mut output);
    (output.repeat(shares.len()), summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_the_same_in_all_rows_give_what_they_give_row_by_row() {
        let mut random = fastrand::Rng::with_seed(5);
        let layer = Dense {
            inputs: 9,
            outputs: 8,
        };
        let params: Vec<f32> = (0..layer.size()).map(|_| random.f32() - 0.5).collect();
        for (rows, constant) in [(1, 0..0), (5, 0..0), (5, 2..7), (7, 0..9)] {
            let mut x: Vec<f32> = (0..rows * layer.inputs)
                .map(|_| random.f32() * 2.0 - 1.0)
                .collect();
            for (at, value) in x.iter_mut().enumerate() {
                let column = at % layer.inputs;
                if constant.contains(&column) {
                    *value = column as f32 / 10.0;
                }
            }
            let (found, expected) = (
                layer.forward_of_page(&params, &x),
                layer.forward(&params, &x),
            );
            assert_eq!(found.len(), expected.len());
            assert!(
                found
                    .iter()
                    .zip(&expected)
                    .all(|(one, other)| (one - other).abs() < 1e-5),
                "{rows} {constant:?}"
            );
        }
    }
}
