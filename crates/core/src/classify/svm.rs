//! The support vector machine with a Gaussian kernel: its decision function, one matrix product per
//! batch.

use super::arithmetic::exp_neg;
use super::scaler::LIMIT;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};
use pulp::{Arch, NullaryFnOnce};
use std::ops::Range;

/// Number of rows evaluated at once: keeps the batch's kernel values (256 x 4,000 x 4 bytes) near
/// the cache.
const BATCH: usize = 256;

/// Number of support vectors whose kernel values are computed at once: with [`BATCH`] rows, the
/// values stay in the cache until they are summed.
const VECTORS: usize = 512;

/// Number of rows that are summed in parallel, because each addition waits for the previous one in
/// the same row.
const SIDE_BY_SIDE: usize = 4;

/// A fitted machine: `f(x) = sum_s weight_s K(x, s) - rho`.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    /// Inverse squared width of the kernel exp(-gamma |x - s|^2).
    pub(super) gamma: f32,
    pub(super) rho: f32,
    /// Scaled support vectors, one per row, on the 16-bit grid of a model file.
    pub(super) vectors: Array2<f32>,
    /// Signed weight of each support vector.
    pub(super) weights: Array1<f32>,
    /// The transposed support vectors, in the order that a matrix product reads.
    transposed: Array2<f32>,
    norms: Array1<f32>,
}

impl Svm {
    /// A machine from support vectors on the grid of [`snap`], one per row, and the signed weight
    /// of each.
    pub fn new(gamma: f32, rho: f32, vectors: Array2<f32>, weights: Array1<f32>) -> Self {
        let norms = norms(vectors.view());
        let transposed = vectors.t().as_standard_layout().into_owned();
        Self {
            gamma,
            rho,
            vectors,
            weights,
            transposed,
            norms,
        }
    }

    /// Inverse squared width of the kernel.
    pub fn gamma(&self) -> f32 {
        self.gamma
    }

    /// Number of support vectors.
    pub fn support_vectors(&self) -> usize {
        self.weights.len()
    }

    /// The margin of each scaled row, independent of the other rows.
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
                add_weighted(
                    &mut sums,
                    values,
                    &self.weights.as_slice().expect("weights are contiguous")[part],
                );
            }
            margins.extend(sums.iter().map(|&sum| sum as f32 - self.rho));
        }
        margins
    }

    /// The kernel values of each row with some of the support vectors; `own` are the norms of the
    /// rows.
    fn kernel(
        &self,
        rows: ArrayView2<'_, f32>,
        own: &Array1<f32>,
        part: Range<usize>,
    ) -> Array2<f32> {
        let mut values = Array2::zeros((rows.nrows(), part.len()));
        let vectors = self
            .transposed
            .slice_axis(Axis(1), Slice::from(part.clone()));
        general_mat_mul(1.0, &rows, &vectors, 0.0, &mut values);
        let others = &self.norms.as_slice().expect("norms are contiguous")[part];
        for (mut row, &norm) in values.rows_mut().into_iter().zip(own) {
            dots_to_gaussian(
                row.as_slice_mut().expect("a product is in row order"),
                norm,
                others,
                self.gamma,
            );
        }
        values
    }

    /// For one scaled row: the decrease of the margin if a column's value is replaced by that of
    /// `instead`, for each column.
    ///
    /// One pass over the support vectors in memory order. For small |x|, exp(x) - 1 is computed by
    /// its series (relative error below 5e-4); this holds for all columns if gamma is below about
    /// 0.03.
    pub(super) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        let gamma = self.gamma;
        // |x' - s|^2 - |x - s|^2 = (other - value)(other + value - 2 s)
        let scales: Vec<f32> = row
            .iter()
            .zip(instead)
            .map(|(&value, &other)| -gamma * (other - value))
            .collect();
        let sums: Vec<f32> = row
            .iter()
            .zip(instead)
            .map(|(&value, &other)| other + value)
            .collect();
        let is_small = scales
            .iter()
            .zip(&sums)
            .all(|(scale, sum)| (scale * (sum.abs() + 2.0 * LIMIT)).abs() < 0.5);
        let rows = row.insert_axis(Axis(0));
        let kernel = self.kernel(rows, &norms(rows), 0..self.support_vectors());
        let mut changes = vec![0.0f32; instead.len()];
        for ((vector, &value), &weight) in self
            .vectors
            .rows()
            .into_iter()
            .zip(kernel.row(0))
            .zip(&self.weights)
        {
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

/// Adds the weighted sum of each row's values to `sums`, in their order; `values` has the rows one
/// after the other.
fn add_weighted(sums: &mut [f64], values: &[f32], weights: &[f32]) {
    let product = |value: f32, weight: f32| f64::from(value * weight);
    let count = weights.len();
    if count == 0 {
        return;
    }
    let (several, single) = sums.as_chunks_mut::<SIDE_BY_SIDE>();
    for (sums, values) in several
        .iter_mut()
        .zip(values.chunks_exact(SIDE_BY_SIDE * count))
    {
        let rows: [&[f32]; SIDE_BY_SIDE] =
            std::array::from_fn(|row| &values[row * count..][..count]);
        for (at, &weight) in weights.iter().enumerate() {
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += product(row[at], weight);
            }
        }
    }
    let rest = &values[several.len() * SIDE_BY_SIDE * count..];
    for (sum, values) in single.iter_mut().zip(rest.chunks_exact(count)) {
        values
            .iter()
            .zip(weights)
            .for_each(|(&value, &weight)| *sum += product(value, weight));
    }
}

/// Replaces the dot products of one row with many others by values of the Gaussian; `norm` is the
/// row's dot product with itself, `norms` are the others' dot products with themselves.
pub fn dots_to_gaussian(dots: &mut [f32], norm: f32, norms: &[f32], gamma: f32) {
    Arch::new().dispatch(Gaussians {
        dots,
        norm,
        norms,
        gamma,
    });
}

/// The arguments of [`dots_to_gaussian`], which is compiled for several instruction sets.
struct Gaussians<'a> {
    dots: &'a mut [f32],
    norm: f32,
    norms: &'a [f32],
    gamma: f32,
}

impl NullaryFnOnce for Gaussians<'_> {
    type Output = ();

    // Code that is not inlined into the dispatched function is compiled without the wider
    // instructions.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn call(self) {
        for (value, &other) in self.dots.iter_mut().zip(self.norms) {
            *value = exp_neg(self.gamma * (self.norm + other - 2.0 * *value).max(0.0));
        }
    }
}

/// Dot product of each row with itself.
fn norms(rows: ArrayView2<'_, f32>) -> Array1<f32> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// Number of steps of the support vectors' 16-bit grid from 0 to [`LIMIT`]. A machine in memory and
/// its file, which stores the grid points, make the same decisions.
const STEPS: f32 = 32767.0;

/// Index of the grid point nearest to a value.
pub(super) fn to_grid(value: f32) -> i16 {
    (value.clamp(-LIMIT, LIMIT) * (STEPS / LIMIT)).round() as i16
}

/// The value at a grid point.
pub(super) fn from_grid(number: i16) -> f32 {
    f32::from(number) * (LIMIT / STEPS)
}

/// The nearest value that a model file can hold.
pub fn snap(value: f32) -> f32 {
    from_grid(to_grid(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of random vectors and weights, and random rows.
    fn machine(gamma: f32, columns: usize) -> (Svm, Array2<f32>) {
        let mut random = fastrand::Rng::with_seed(9);
        let mut draw =
            |count: usize| Array2::from_shape_fn((count, columns), |_| random.f32() * 2.0 - 1.0);
        let (vectors, rows) = (draw(600).mapv(snap), draw(300));
        let weights = (0..600)
            .map(|at| if at % 2 == 0 { 0.7 } else { -0.4 })
            .collect();
        (Svm::new(gamma, 0.3, vectors, weights), rows)
    }

    #[test]
    fn the_margin_of_a_row_does_not_depend_on_other_rows() {
        let (machine, rows) = machine(0.7, 7);
        let all = machine.margins(rows.view());
        for from in [1, 57, 299] {
            assert_eq!(
                machine.margins(rows.slice_axis(Axis(0), Slice::from(from..))),
                all[from..]
            );
        }
    }

    #[test]
    fn margins_are_sums_of_gaussians() {
        let (machine, rows) = machine(0.7, 5);
        for (row, margin) in rows.rows().into_iter().zip(machine.margins(rows.view())) {
            let value = |(vector, weight): (ArrayView1<'_, f32>, &f32)| {
                let squared: f64 = row
                    .iter()
                    .zip(vector)
                    .map(|(x, y)| f64::from(x - y).powi(2))
                    .sum();
                f64::from(*weight) * (-0.7 * squared).exp()
            };
            let expected: f64 = machine
                .vectors
                .rows()
                .into_iter()
                .zip(&machine.weights)
                .map(value)
                .sum::<f64>()
                - 0.3;
            assert!(
                (f64::from(margin) - expected).abs() < 1e-3,
                "{margin} {expected}"
            );
        }
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        // By the series for the small gamma, by the exponential for the large ones.
        for gamma in [0.05, 0.7, 2.0] {
            let (machine, rows) = machine(gamma, 4);
            let effects = machine.effects(rows.row(3), &[0.1, -0.2, 0.3, 0.0]);
            for (column, instead) in [0.1, -0.2, 0.3, 0.0].into_iter().enumerate() {
                let mut pair = rows.select(Axis(0), &[3, 3]);
                pair[[1, column]] = instead;
                let margins = machine.margins(pair.view());
                let expected = margins[0] - margins[1];
                assert!(
                    (effects[column] - expected).abs() < 1e-2 * (1.0 + expected.abs()),
                    "{gamma}"
                );
            }
        }
    }
}
