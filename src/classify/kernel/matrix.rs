//! Matrices of kernel values: what fitting a machine needs.

use super::{BATCH, Kernel, norms};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};
use rayon::prelude::*;

impl Kernel {
    /// Whether the kernel value of a row with itself is exactly 1, which rounding must not change.
    fn is_one_at_itself(self) -> bool {
        matches!(self, Self::Rbf { .. } | Self::Puk { .. })
    }

    /// Kernel values of all pairs of rows.
    pub(in crate::classify) fn matrix(self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        square(rows, |index, values, norms| self.row_to_kernel(index, values, norms))
    }

    /// Kernel values of all pairs of rows from their dot products (see [`dots`]).
    pub(in crate::classify) fn matrix_from_dots(self, dots: &Array2<f32>) -> Array2<f32> {
        let norms: Vec<f32> = dots.diag().to_vec();
        let mut values = dots.clone();
        let count = norms.len();
        if let Some(values) = values.as_slice_mut() {
            let convert = |(index, row): (usize, &mut [f32])| self.row_to_kernel(index, row, &norms);
            values.par_chunks_mut(count.max(1)).enumerate().for_each(convert);
        }
        values
    }

    fn row_to_kernel(self, index: usize, values: &mut [f32], norms: &[f32]) {
        self.dots_to_kernel(values, norms[index], norms);
        if self.is_one_at_itself() {
            values[index] = 1.0;
        }
    }
}

/// Dot products of each of `rows` with each of `others`, one of `rows` a row. (A plain `dot` may give another
/// memory order where there is one column only.)
pub(in crate::classify) fn products(rows: ArrayView2<'_, f32>, others: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut products = Array2::zeros((rows.nrows(), others.nrows()));
    general_mat_mul(1.0, &rows, &others.t(), 0.0, &mut products);
    products
}

/// Dot products of all pairs of rows.
pub(in crate::classify) fn dots(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    square(rows, |_, _, _| {})
}

/// Dot products of all pairs of rows, each row of them given to `convert` with its number and all norms.
fn square(rows: ArrayView2<'_, f32>, convert: impl Fn(usize, &mut [f32], &[f32]) + Sync) -> Array2<f32> {
    let (norms, count) = (norms(rows).to_vec(), rows.nrows());
    let mut values = vec![0.0f32; count * count];
    values.par_chunks_mut(BATCH * count.max(1)).enumerate().for_each(|(batch, part)| {
        let from = batch * BATCH;
        let own = rows.slice_axis(Axis(0), Slice::from(from..from + part.len() / count));
        let mut products =
            ArrayViewMut2::from_shape((own.nrows(), count), &mut *part).expect("a batch is some rows of the matrix");
        general_mat_mul(1.0, &own, &rows.t(), 0.0, &mut products);
        part.chunks_exact_mut(count).enumerate().for_each(|(index, row)| convert(from + index, row, &norms));
    });
    Array2::from_shape_vec((count, count), values).expect("as many values as pairs of rows")
}

#[cfg(test)]
mod tests {
    use super::super::tests::ALL;
    use super::*;

    /// The formulas as published, in f64.
    fn slow(kernel: Kernel, one: &[f64], other: &[f64]) -> f64 {
        let dot: f64 = one.iter().zip(other).map(|(x, y)| x * y).sum();
        let distance: f64 = one.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        match kernel {
            Kernel::Rbf { gamma } => (-gamma * distance.powi(2)).exp(),
            Kernel::Linear => dot,
            Kernel::Polynomial { gamma, coef0, degree } => (gamma * dot + coef0).powi(degree as i32),
            Kernel::Sigmoid { gamma, coef0 } => (gamma * dot + coef0).tanh(),
            Kernel::Puk { sigma, omega } => {
                let inner = 2.0 * distance * ((1.0 / omega).exp2() - 1.0).sqrt() / sigma;
                1.0 / (1.0 + inner * inner).powf(omega)
            }
        }
    }

    #[test]
    fn matrices_are_what_the_formulas_say() {
        let mut random = fastrand::Rng::with_seed(3);
        let rows = Array2::from_shape_fn((300, 5), |_| random.f32() * 3.0 - 1.5);
        for kernel in ALL {
            let matrix = kernel.matrix(rows.view());
            let from_dots = kernel.matrix_from_dots(&dots(rows.view()));
            assert!(matrix.iter().zip(&from_dots).all(|(one, other)| (one - other).abs() < 1e-4), "{kernel:?}");
            for (one, other) in [(0, 0), (0, 1), (255, 256), (299, 3)] {
                let wide = |row: usize| rows.row(row).mapv(f64::from).to_vec();
                let expected = slow(kernel, &wide(one), &wide(other));
                let found = f64::from(matrix[[one, other]]);
                assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{kernel:?} {found} {expected}");
                assert_eq!(matrix[[one, other]], matrix[[other, one]]);
            }
        }
    }

    #[test]
    fn the_pearson_function_has_half_its_height_at_half_its_width() {
        let kernel = Kernel::Puk { sigma: 3.0, omega: 2.5 };
        assert!((slow(kernel, &[0.0], &[1.5]) - 0.5).abs() < 1e-12);
    }
}
