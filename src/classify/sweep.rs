//! Many support vector machines on the same rows, for tuning: what they share is computed once.
//!
//! All kernels and their parameters need but the dot products of the rows, and all prices C of violations but one matrix
//! of kernel values; the machine for one C is the start for the next larger one. Margins are those of
//! [`Svm::fit`](super::Svm::fit) with our solver, but for the 16-bit grid of kept support vectors.

use super::kernel::{Kernel, dots, norms, products};
use super::svm::most_steps;
use super::{SvmOptions, check_rows, smo};
use crate::error::ModelError;
use ndarray::{Array2, ArrayView2};

/// Rows to learn from and rows to judge, with their dot products: 4 bytes a pair.
#[derive(Debug)]
pub struct Sweep {
    is_content: Vec<bool>,
    dots: Array2<f32>,
    /// Of each judged row with each row learned from.
    cross: Array2<f32>,
    judged_norms: Vec<f32>,
}

impl Sweep {
    /// Takes scaled rows with labels, and scaled rows to judge.
    pub fn new(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        judged: ArrayView2<'_, f32>,
    ) -> Result<Self, ModelError> {
        check_rows(rows, is_content, None)?;
        Ok(Self {
            is_content: is_content.to_vec(),
            dots: dots(rows),
            cross: products(judged, rows),
            judged_norms: norms(judged).to_vec(),
        })
    }

    /// For each of `prices`, ascending, the margins of the judged rows by the machine with that C and this kernel;
    /// `options` say the rest.
    pub fn margins(&self, kernel: Kernel, prices: &[f64], options: &SvmOptions) -> Result<Vec<Vec<f32>>, ModelError> {
        for &c in prices {
            SvmOptions { c, kernel, ..*options }.check()?;
        }
        let matrix = kernel.of_dots(&self.dots);
        let norms: Vec<f32> = self.dots.diag().to_vec();
        let mut judged = self.cross.clone();
        for (mut row, &norm) in judged.rows_mut().into_iter().zip(&self.judged_norms) {
            kernel.turn(row.as_slice_mut().expect("a product is in row order"), norm, &norms);
        }
        let most = most_steps(self.is_content.len());
        let mut before: Option<smo::Solution> = None;
        let mut all: Vec<Vec<f32>> = Vec::with_capacity(prices.len());
        for &c in prices {
            let bounds = SvmOptions { c, ..*options }.bounds(&self.is_content, None);
            let start = before.as_ref().map(|solution| solution.beta.as_slice());
            let solution = smo::solve(matrix.view(), &self.is_content, &bounds, options.tolerance, most, start);
            let weights: Vec<(usize, f32)> = (0..solution.beta.len())
                .filter(|&row| solution.beta[row] != 0.0)
                .map(|row| (row, solution.beta[row] as f32))
                .collect();
            let margin = |values: ndarray::ArrayView1<'_, f32>| {
                let sum: f64 = weights.iter().map(|&(row, weight)| f64::from(values[row] * weight)).sum();
                (sum - solution.rho) as f32
            };
            all.push(judged.rows().into_iter().map(margin).collect());
            before = Some(solution);
        }
        Ok(all)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::kernel::tests::ALL;
    use super::super::{Solver, Svm};
    use super::*;

    #[test]
    fn margins_are_those_of_machines_fitted_one_by_one() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut draw = |count: usize| Array2::from_shape_fn((count, 4), |_| random.f32() * 2.0 - 1.0);
        let (rows, judged) = (draw(150), draw(40));
        let labels: Vec<bool> = rows.rows().into_iter().map(|row| row[0] + row[1] * row[2] > 0.1).collect();
        let sweep = Sweep::new(rows.view(), &labels, judged.view()).unwrap();
        let options = SvmOptions { tolerance: 1e-5, solver: Solver::Smo, ..SvmOptions::default() };
        let prices = [0.5, 2.0, 8.0];
        for kernel in ALL.into_iter().filter(|kernel| !matches!(kernel, Kernel::Sigmoid { .. })) {
            let all = sweep.margins(kernel, &prices, &options).unwrap();
            for (&c, margins) in prices.iter().zip(&all) {
                let one = Svm::fit(rows.view(), &labels, None, &SvmOptions { c, kernel, ..options }).unwrap();
                for (margin, expected) in margins.iter().zip(one.margins(judged.view())) {
                    assert!((margin - expected).abs() < 5e-3, "{kernel:?} {c}: {margin} {expected}");
                }
            }
        }
        let error = sweep.margins(Kernel::Linear, &[1.0, -1.0], &options).unwrap_err().to_string();
        assert_eq!(error, "c is -1, allowed is above 0, up to 1000000");
    }
}
