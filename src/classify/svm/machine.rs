//! A fitted support vector machine and its decision function: one matrix product a batch, see
//! [`kernel`](crate::classify::kernel).

use crate::classify::kernel::{BATCH, Kernel, norms};
use crate::classify::scaler::LIMIT;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};
use std::ops::Range;

/// Support vectors whose kernel values are computed at once: those of [`BATCH`] rows stay in the cache until they are
/// summed.
const VECTORS: usize = 512;

/// Rows that are summed at once: an addition waits for the one before in the same row.
const SIDE_BY_SIDE: usize = 4;

/// A fitted machine: `f(x) = sum_s weight_s K(x, s) - rho`.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    pub(crate) kernel: Kernel,
    pub(crate) rho: f32,
    /// Support vectors, scaled, one a row, on the 16-bit grid that a model file holds.
    pub(crate) vectors: Array2<f32>,
    /// Signed weight of each.
    pub(crate) weights: Array1<f32>,
    /// The transposed support vectors, in the order in which a matrix product reads them.
    transposed: Array2<f32>,
    norms: Array1<f32>,
}

impl Svm {
    pub(crate) fn from_parts(kernel: Kernel, rho: f32, vectors: Array2<f32>, weights: Array1<f32>) -> Self {
        let norms = norms(vectors.view());
        let transposed = vectors.t().as_standard_layout().into_owned();
        Self { kernel, rho, vectors, weights, transposed, norms }
    }

    /// Number of support vectors.
    pub fn support_vectors(&self) -> usize {
        self.weights.len()
    }

    /// The margin of each scaled row; it does not depend on the other rows.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let mut margins = Vec::with_capacity(rows.nrows());
        let count = self.support_vectors();
        for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
            let own = norms(batch);
            let mut sums = vec![0.0; batch.nrows()];
            for from in (0..count).step_by(VECTORS) {
                let part = from..count.min(from + VECTORS);
                let kernel = self.kernel(batch, &own, part.clone());
                let values = kernel.as_slice().expect("a product is in row order");
                add_weighted(&mut sums, values, &self.weights.as_slice().expect("weights are contiguous")[part]);
            }
            margins.extend(sums.iter().map(|&sum| sum as f32 - self.rho));
        }
        margins
    }

    /// The values of the kernel for each row, whose norms are `own`, and some of the support vectors.
    fn kernel(&self, rows: ArrayView2<'_, f32>, own: &Array1<f32>, part: Range<usize>) -> Array2<f32> {
        let mut values = Array2::zeros((rows.nrows(), part.len()));
        let vectors = self.transposed.slice_axis(Axis(1), Slice::from(part.clone()));
        general_mat_mul(1.0, &rows, &vectors, 0.0, &mut values);
        let others = &self.norms.as_slice().expect("norms are contiguous")[part];
        for (mut row, &norm) in values.rows_mut().into_iter().zip(own) {
            self.kernel.dots_to_kernel(row.as_slice_mut().expect("a product is in row order"), norm, others);
        }
        values
    }

    /// For one scaled row: by how much the margin would fall with each column's value replaced by `instead`'s.
    ///
    /// One pass over the support vectors in memory order.
    pub(crate) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        if let Kernel::Rbf { gamma } = self.kernel {
            return self.effects_of_gaussian(gamma as f32, row, instead);
        }
        let norm = row.dot(&row);
        let dots = self.vectors.dot(&row);
        let own = self.margins(row.insert_axis(Axis(0)))[0];
        let margin = |column: usize| {
            let (value, other) = (row[column], instead[column]);
            let mut values: Vec<f32> =
                dots.iter().zip(self.vectors.column(column)).map(|(dot, at)| dot + (other - value) * at).collect();
            let others = self.norms.as_slice().expect("norms are contiguous");
            self.kernel.dots_to_kernel(&mut values, norm + other * other - value * value, others);
            let mut sums = [0.0];
            add_weighted(&mut sums, &values, self.weights.as_slice().expect("weights are contiguous"));
            sums[0] as f32 - self.rho
        };
        (0..instead.len()).map(|column| own - margin(column)).collect()
    }

    /// [`effects`](Self::effects) in a tenth of the time: exp(x) - 1 by its series where |x| is small (relative
    /// error below 5e-4), which holds for all columns if gamma is below about 0.03.
    fn effects_of_gaussian(&self, gamma: f32, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        // |x' - s|^2 - |x - s|^2 = (other - value)(other + value - 2 s)
        let scales: Vec<f32> = row.iter().zip(instead).map(|(&value, &other)| -gamma * (other - value)).collect();
        let sums: Vec<f32> = row.iter().zip(instead).map(|(&value, &other)| other + value).collect();
        let is_small = scales.iter().zip(&sums).all(|(scale, sum)| (scale * (sum.abs() + 2.0 * LIMIT)).abs() < 0.5);
        let rows = row.insert_axis(Axis(0));
        let kernel = self.kernel(rows, &norms(rows), 0..self.support_vectors());
        let mut changes = vec![0.0f32; instead.len()];
        for ((vector, &value), &weight) in self.vectors.rows().into_iter().zip(kernel.row(0)).zip(&self.weights) {
            let part = value * weight;
            let vector = vector.to_slice().expect("support vectors are in row order");
            let columns = changes.iter_mut().zip(vector).zip(scales.iter().zip(&sums));
            if is_small {
                for ((change, &vector), (&scale, &sum)) in columns {
                    let x = scale * (sum - 2.0 * vector);
                    *change += part * x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0))));
                }
            } else {
                for ((change, &vector), (&scale, &sum)) in columns {
                    *change += part * (scale * (sum - 2.0 * vector)).exp_m1();
                }
            }
        }
        changes.into_iter().map(|change| -change).collect()
    }
}

/// Adds to the sum of each row its values times `weights`, in their order; `values` are the rows one after the other.
fn add_weighted(sums: &mut [f64], values: &[f32], weights: &[f32]) {
    let product = |value: f32, weight: f32| f64::from(value * weight);
    let count = weights.len();
    if count == 0 {
        return;
    }
    let (several, single) = sums.as_chunks_mut::<SIDE_BY_SIDE>();
    for (sums, values) in several.iter_mut().zip(values.chunks_exact(SIDE_BY_SIDE * count)) {
        let rows: [&[f32]; SIDE_BY_SIDE] = std::array::from_fn(|row| &values[row * count..][..count]);
        for (at, &weight) in weights.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += product(row[at], weight);
            }
        }
    }
    let rest = &values[several.len() * SIDE_BY_SIDE * count..];
    for (sum, values) in single.iter_mut().zip(rest.chunks_exact(count)) {
        values.iter().zip(weights).for_each(|(&value, &weight)| *sum += product(value, weight));
    }
}

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
pub(in crate::classify) mod tests {
    use super::super::{Solver, SvmOptions};
    use super::*;
    use crate::classify::kernel::tests::ALL;

    /// Two noisy rings, scaled.
    pub(in crate::classify) fn rings(count: usize, columns: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, columns), |_| random.f32() * 2.0 - 1.0);
        let labels =
            rows.rows().into_iter().map(|row| row[0] * row[0] + row[1] * row[1] + 0.2 * random.f32() > 0.7).collect();
        (rows, labels)
    }

    pub(in crate::classify) fn options(solver: Solver) -> SvmOptions {
        SvmOptions { c: 5.0, kernel: Kernel::Rbf { gamma: 0.7 }, content_weight: 1.5, solver, ..SvmOptions::default() }
    }

    #[test]
    fn the_margin_of_a_row_does_not_depend_on_other_rows() {
        let (rows, labels) = rings(300, 7, 9);
        let machine = Svm::fit(rows.view(), &labels, None, &options(Solver::Smo)).unwrap();
        let all = machine.margins(rows.view());
        for from in [1, 57, 299] {
            assert_eq!(machine.margins(rows.slice_axis(Axis(0), Slice::from(from..))), all[from..]);
        }
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let (rows, labels) = rings(200, 4, 11);
        // The Gaussian by its series and by the exponential, and every other kernel.
        for kernel in ALL.into_iter().chain([0.05, 2.0].map(|gamma| Kernel::Rbf { gamma })) {
            let options = SvmOptions { kernel, ..options(Solver::Smo) };
            let machine = Svm::fit(rows.view(), &labels, None, &options).unwrap();
            let effects = machine.effects(rows.row(3), &[0.1, -0.2, 0.3, 0.0]);
            for (column, instead) in [0.1, -0.2, 0.3, 0.0].into_iter().enumerate() {
                let mut pair = rows.select(Axis(0), &[3, 3]);
                pair[[1, column]] = instead;
                let margins = machine.margins(pair.view());
                assert!((effects[column] - (margins[0] - margins[1])).abs() < 1e-3, "{kernel:?}");
            }
        }
    }
}
