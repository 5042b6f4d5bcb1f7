//! Many support vector machines on the same rows, for tuning: what they share is computed once.
//!
//! All kernels and their parameters need only the dot products of the rows, and all values of C
//! only one matrix of kernel values; the machine for one C is the start for the next larger one.
//! Margins are those of [`svm::fit`](super::svm::fit) with our solver, except for the rounding of
//! its support vectors to a 16-bit grid.

use super::kernel::{Kernel, dots, norms, products};
use super::rows::check_rows;
use super::smo::{self, max_steps};
use super::svm::SvmOptions;
use ndarray::{Array2, ArrayView2};
use vclean_core::error::ModelError;

/// Training and validation rows, with their dot products: 4 bytes a pair.
#[derive(Debug)]
pub struct Sweep {
    is_content: Vec<bool>,
    dots: Array2<f32>,
    /// Dot products of each validation row with each training row.
    cross: Array2<f32>,
    validation_norms: Vec<f32>,
}

impl Sweep {
    /// Takes scaled training rows with labels, and scaled validation rows.
    pub fn new(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        validation: ArrayView2<'_, f32>,
    ) -> Result<Self, ModelError> {
        check_rows(rows, is_content, None)?;
        Ok(Self {
            is_content: is_content.to_vec(),
            dots: dots(rows),
            cross: products(validation, rows),
            validation_norms: norms(validation),
        })
    }

    /// For each of `costs` (values of C, ascending) the margins of the validation rows by the
    /// machine with that C and this kernel; the other parameters are those of `options`.
    pub fn margins(
        &self,
        kernel: Kernel,
        costs: &[f64],
        options: &SvmOptions,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        for &c in costs {
            SvmOptions {
                c,
                kernel,
                ..*options
            }
            .check()?;
        }
        let matrix = kernel.matrix_from_dots(&self.dots);
        let norms: Vec<f32> = self.dots.diag().to_vec();
        let mut validation = self.cross.clone();
        for (mut row, &norm) in validation
            .rows_mut()
            .into_iter()
            .zip(&self.validation_norms)
        {
            kernel.dots_to_kernel(
                row.as_slice_mut().expect("a product is in row order"),
                norm,
                &norms,
            );
        }
        let most = max_steps(self.is_content.len());
        let mut before: Option<smo::Solution> = None;
        let mut all: Vec<Vec<f32>> = Vec::with_capacity(costs.len());
        for &c in costs {
            let bounds = SvmOptions { c, ..*options }.bounds(&self.is_content, None);
            let start = before.as_ref().map(|solution| solution.beta.as_slice());
            let solution = smo::solve(
                matrix.view(),
                &self.is_content,
                &bounds,
                options.tolerance,
                most,
                start,
            );
            let weights: Vec<(usize, f32)> = (0..solution.beta.len())
                .filter(|&row| solution.beta[row] != 0.0)
                .map(|row| (row, solution.beta[row] as f32))
                .collect();
            let margin = |values: ndarray::ArrayView1<'_, f32>| {
                let sum: f64 = weights
                    .iter()
                    .map(|&(row, weight)| f64::from(values[row] * weight))
                    .sum();
                (sum - solution.rho) as f32
            };
            all.push(validation.rows().into_iter().map(margin).collect());
            before = Some(solution);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::tests::ALL;
    use super::super::svm::{Solver, fit};
    use super::*;

    #[test]
    fn margins_are_those_of_machines_fitted_one_by_one() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut draw =
            |count: usize| Array2::from_shape_fn((count, 4), |_| random.f32() * 2.0 - 1.0);
        let (rows, validation) = (draw(150), draw(40));
        let labels: Vec<bool> = rows
            .rows()
            .into_iter()
            .map(|row| row[0] + row[1] * row[2] > 0.1)
            .collect();
        let sweep = Sweep::new(rows.view(), &labels, validation.view()).unwrap();
        let options = SvmOptions {
            tolerance: 1e-5,
            solver: Solver::Smo,
            ..SvmOptions::default()
        };
        let costs = [0.5, 2.0, 8.0];
        for kernel in ALL
            .into_iter()
            .filter(|kernel| !matches!(kernel, Kernel::Sigmoid { .. }))
        {
            let all = sweep.margins(kernel, &costs, &options).unwrap();
            for (&c, margins) in costs.iter().zip(&all) {
                let one = fit(
                    rows.view(),
                    &labels,
                    None,
                    &SvmOptions {
                        c,
                        kernel,
                        ..options
                    },
                )
                .unwrap();
                for (margin, expected) in margins.iter().zip(one.margins(validation.view())) {
                    assert!(
                        (margin - expected).abs() < 5e-3,
                        "{kernel:?} {c}: {margin} {expected}"
                    );
                }
            }
        }
        let error = sweep
            .margins(Kernel::Linear, &[1.0, -1.0], &options)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "c is -1, allowed is above 0, up to 1000000");
    }
}
