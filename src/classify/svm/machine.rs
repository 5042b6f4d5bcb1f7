//! A fitted support vector machine and its decision function: one matrix product a batch, see
//! [`kernel`](crate::classify::kernel).

use crate::classify::kernel::{BATCH, Kernel, norms};
use crate::classify::scaler::LIMIT;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

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
        for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
            let kernel = self.kernel(batch);
            margins.extend(kernel.rows().into_iter().map(|row| self.sum(row)));
        }
        margins
    }

    fn sum(&self, kernel: ArrayView1<'_, f32>) -> f32 {
        let sum: f64 = kernel.iter().zip(&self.weights).map(|(&value, &weight)| f64::from(value * weight)).sum();
        sum as f32 - self.rho
    }

    fn kernel(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut values = Array2::zeros((rows.nrows(), self.vectors.nrows()));
        general_mat_mul(1.0, &rows, &self.transposed, 0.0, &mut values);
        let others = self.norms.as_slice().expect("norms are contiguous");
        for (mut row, &norm) in values.rows_mut().into_iter().zip(&norms(rows)) {
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
            self.sum(ArrayView1::from(&values))
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
        let kernel = self.kernel(row.insert_axis(Axis(0)));
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

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
pub(in crate::classify) mod tests {
    use super::super::{Solver, SvmOptions};
    use super::*;
    use crate::classify::kernel::tests::ALL;
    use ndarray::Slice;

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
