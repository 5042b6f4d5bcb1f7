//! Fits a support vector machine to rows.

use super::grid::{from_grid, to_grid};
use super::linfa::fit_linfa;
use super::machine::Svm;
use super::options::{Solver, SvmOptions, max_steps};
use crate::classify::kernel::Kernel;
use crate::classify::reduce::reduce;
use crate::classify::smo;
use crate::classify::training_rows::check_rows;
use crate::error::ModelError;
use ndarray::{Array1, ArrayView2, Axis};

/// Weights smaller than this are rounding, not support vectors.
const NO_WEIGHT: f64 = 1e-10;

/// The nearest value that a model file can hold.
fn snap(value: f32) -> f32 {
    from_grid(to_grid(value))
}

/// The kernel with its parameters rounded to f32, with which it is computed, so that memory and file agree.
fn rounded(kernel: Kernel) -> Kernel {
    let round = |value: f64| f64::from(value as f32);
    match kernel {
        Kernel::Rbf { gamma } => Kernel::Rbf { gamma: round(gamma) },
        Kernel::Linear => Kernel::Linear,
        Kernel::Polynomial { gamma, coef0, degree } => {
            Kernel::Polynomial { gamma: round(gamma), coef0: round(coef0), degree }
        }
        Kernel::Sigmoid { gamma, coef0 } => Kernel::Sigmoid { gamma: round(gamma), coef0: round(coef0) },
        Kernel::Puk { sigma, omega } => Kernel::Puk { sigma: round(sigma), omega: round(omega) },
    }
}

impl Svm {
    /// Fits a machine to scaled rows; `weights`, one a row, multiply the cost of its violation (our solver only).
    pub fn fit(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        weights: Option<&[f32]>,
        options: &SvmOptions,
    ) -> Result<Self, ModelError> {
        options.check()?;
        check_rows(rows, is_content, weights)?;
        // With an unbounded kernel the rounding error matters, so the machine is fitted to rounded rows.
        let is_bounded = matches!(options.kernel, Kernel::Rbf { .. } | Kernel::Puk { .. });
        let rows = rows.as_standard_layout();
        let rows = if is_bounded { rows } else { rows.mapv(snap).into() };
        let (beta, rho) = match options.solver {
            Solver::Smo => {
                let matrix = options.kernel.matrix(rows.view());
                let bounds = options.bounds(is_content, weights);
                let solution =
                    smo::solve(matrix.view(), is_content, &bounds, options.tolerance, max_steps(rows.nrows()), None);
                (solution.beta, solution.rho)
            }
            Solver::Linfa if weights.is_some() => {
                return Err(ModelError::Training("linfa cannot weight rows; use our own solver (smo)".to_owned()));
            }
            Solver::Linfa => fit_linfa(rows.view(), is_content, options)?,
        };
        let kept: Vec<usize> = (0..beta.len()).filter(|&row| beta[row].abs() > NO_WEIGHT).collect();
        let vectors = rows.select(Axis(0), &kept).mapv(snap);
        let weights: Array1<f32> = kept.iter().map(|&row| beta[row] as f32).collect();
        let (kernel, rho) = (rounded(options.kernel), rho as f32);
        if (1..weights.len()).contains(&options.support_vectors) {
            let whole = (vectors.view(), &weights, rho);
            let reduced = reduce(kernel, rows.view(), whole, options.support_vectors);
            return Ok(Self::from_parts(kernel, reduced.rho, reduced.vectors, reduced.weights));
        }
        Ok(Self::from_parts(kernel, rho, vectors, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::tests::{options, rings};
    use super::*;
    use crate::classify::kernel::tests::ALL;

    #[test]
    fn both_solvers_find_the_same_machine() {
        let (rows, labels) = rings(200, 5, 1);
        let (fresh, truth) = rings(200, 5, 2);
        for kernel in ALL {
            let fit = |solver| {
                let options = SvmOptions { kernel, tolerance: 1e-4, ..options(solver) };
                Svm::fit(rows.view(), &labels, None, &options)
            };
            let ours = fit(Solver::Smo).unwrap().margins(fresh.view());
            if matches!(kernel, Kernel::Sigmoid { .. } | Kernel::Puk { .. }) {
                assert!(fit(Solver::Linfa).unwrap_err().to_string().contains("our own solver"));
                continue;
            }
            let theirs = fit(Solver::Linfa).unwrap().margins(fresh.view());
            for (one, other) in ours.iter().zip(&theirs) {
                assert!((one - other).abs() < 5e-3 * (1.0 + other.abs()), "{kernel:?} {one} {other}");
            }
            let right = ours.iter().zip(&truth).filter(|(margin, truth)| (**margin > 0.0) == **truth).count();
            assert!(right > 160 || kernel == Kernel::Linear, "{kernel:?} {right}");
        }
    }

    #[test]
    fn weights_of_rows_move_the_boundary() {
        let (rows, labels) = rings(200, 3, 4);
        let heavy: Vec<f32> = labels.iter().map(|&content| if content { 20.0 } else { 0.5 }).collect();
        let plain = Svm::fit(rows.view(), &labels, None, &options(Solver::Smo)).unwrap();
        let pulled = Svm::fit(rows.view(), &labels, Some(&heavy), &options(Solver::Smo)).unwrap();
        let kept = |machine: &Svm| machine.margins(rows.view()).iter().filter(|margin| **margin > 0.0).count();
        assert!(kept(&pulled) > kept(&plain));
        assert!(Svm::fit(rows.view(), &labels, Some(&heavy), &options(Solver::Linfa)).is_err());
    }

    #[test]
    fn wrong_parameters_and_labels_are_named() {
        let (rows, labels) = rings(20, 3, 4);
        let wrong = SvmOptions { kernel: Kernel::Rbf { gamma: -1.0 }, ..SvmOptions::default() };
        let error = Svm::fit(rows.view(), &labels, None, &wrong).unwrap_err().to_string();
        assert_eq!(error, "gamma is -1, allowed is above 0, up to 10000");
        assert!(Svm::fit(rows.view(), &[true; 20], None, &SvmOptions::default()).is_err());
        assert!(Svm::fit(rows.view(), &[true; 19], None, &SvmOptions::default()).is_err());
    }
}
