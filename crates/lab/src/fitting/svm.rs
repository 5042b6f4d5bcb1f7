//! Fits support vector machines to rows, by linfa-svm or our own solver.
//!
//! linfa has the Gaussian, linear and polynomial kernels, and rows of equal weight. Our own solver
//! (`smo`) adds the sigmoid and Pearson VII kernels, weights of rows, and a start from another
//! solution. linfa holds the whole kernel matrix in f64 (3 GB at 20,000 rows), our solver holds it
//! in f32 and takes a tenth of the time; both find the same machine (see the tests;
//! `tests/kernels.rs` compares both with libsvm).

use super::kernel::{Kernel, KernelMachine};
use super::reduce::reduce;
use super::rows::check_rows;
use super::smo::{self, max_steps};
use linfa::prelude::{Fit, ParamGuard};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use vclean_core::classify::svm::snap;
use vclean_core::error::ModelError;

/// Weights smaller than this are rounding, not support vectors.
const NO_WEIGHT: f64 = 1e-10;

/// Solver of the quadratic program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// linfa-svm, the reference solver.
    Linfa,
    /// Our own, on an f32 kernel matrix: for large samples, cross-validation and weighted rows.
    #[default]
    Smo,
}

impl Solver {
    /// All solvers by name.
    pub const ALL: &[(&str, Self)] = &[("linfa", Self::Linfa), ("smo", Self::Smo)];
}

/// Hyperparameters of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SvmOptions {
    /// Price of a violated margin, above 0.
    pub c: f64,
    /// Kernel with its parameters.
    pub kernel: Kernel,
    /// Cost of a violation by content, relative to one by boilerplate, above 0.
    pub content_weight: f64,
    /// Largest violation of the optimality conditions left; 1e-3 is usual.
    pub tolerance: f64,
    /// Solver that is used.
    pub solver: Solver,
    /// Maximum number of support vectors: a machine with more is replaced by a reduced-set machine
    /// (Burges 1996) with this many; 0 for no limit.
    pub support_vectors: usize,
}

impl Default for SvmOptions {
    fn default() -> Self {
        Self {
            c: 4.0,
            kernel: Kernel::default(),
            content_weight: 1.0,
            tolerance: 1e-3,
            solver: Solver::default(),
            support_vectors: 0,
        }
    }
}

impl SvmOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        let in_range =
            |parameter: &'static str, value: f64, low: f64, high: f64, range: &'static str| {
                if value.is_finite() && value > low && value <= high {
                    Ok(())
                } else {
                    Err(ModelError::Parameter {
                        parameter,
                        value,
                        range,
                    })
                }
            };
        in_range("c", self.c, 0.0, 1e6, "above 0, up to 1000000")?;
        self.kernel.check()?;
        in_range(
            "content weight",
            self.content_weight,
            0.0,
            1e4,
            "above 0, up to 10000",
        )?;
        in_range("tolerance", self.tolerance, 0.0, 0.5, "above 0, up to 0.5")?;
        in_range(
            "support vectors",
            self.support_vectors as f64,
            -1.0,
            1e6,
            "0 (all) to 1000000",
        )
    }

    /// The upper bound of each row's weight (alpha).
    pub(super) fn bounds(&self, is_content: &[bool], weights: Option<&[f32]>) -> Vec<f64> {
        let bound = |(row, &content): (usize, &bool)| {
            let class = if content { self.content_weight } else { 1.0 };
            self.c * class * weights.map_or(1.0, |weights| f64::from(weights[row]))
        };
        is_content.iter().enumerate().map(bound).collect()
    }
}

/// Fits a machine to scaled rows; `weights`, one per row, multiply the cost of its violation (our
/// solver only).
pub fn fit(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
    options: &SvmOptions,
) -> Result<KernelMachine, ModelError> {
    options.check()?;
    check_rows(rows, is_content, weights)?;
    // With an unbounded kernel the rounding error matters, so the machine is fitted to rounded
    // rows.
    let is_bounded = matches!(options.kernel, Kernel::Rbf { .. } | Kernel::Puk { .. });
    let rows = rows.as_standard_layout();
    let rows = if is_bounded {
        rows
    } else {
        rows.mapv(snap).into()
    };
    let (beta, rho) = match options.solver {
        Solver::Smo => {
            let matrix = options.kernel.matrix(rows.view());
            let bounds = options.bounds(is_content, weights);
            let solution = smo::solve(
                matrix.view(),
                is_content,
                &bounds,
                options.tolerance,
                max_steps(rows.nrows()),
                None,
            );
            (solution.beta, solution.rho)
        }
        Solver::Linfa if weights.is_some() => {
            return Err(ModelError::Training(
                "linfa cannot weight rows; use our own solver (smo)".to_owned(),
            ));
        }
        Solver::Linfa => fit_linfa(rows.view(), is_content, options)?,
    };
    let kept: Vec<usize> = (0..beta.len())
        .filter(|&row| beta[row].abs() > NO_WEIGHT)
        .collect();
    let vectors = rows.select(Axis(0), &kept).mapv(snap);
    let weights: Array1<f32> = kept.iter().map(|&row| beta[row] as f32).collect();
    let (kernel, rho) = (options.kernel.rounded(), rho as f32);
    let whole = KernelMachine {
        kernel,
        rho,
        vectors,
        weights,
    };
    let is_reduced = (1..whole.weights.len()).contains(&options.support_vectors);
    Ok(if is_reduced {
        reduce(&whole, rows.view(), options.support_vectors)
    } else {
        whole
    })
}

/// The signed weight of each row, and the offset rho.
fn fit_linfa(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    options: &SvmOptions,
) -> Result<(Vec<f64>, f64), ModelError> {
    let fail = |error: &dyn std::fmt::Display| ModelError::Training(format!("linfa-svm: {error}"));
    let params = linfa_svm::Svm::<f64, bool>::params()
        .pos_neg_weights(options.c * options.content_weight, options.c)
        .eps(options.tolerance)
        // Shrinking would give a wrong model (0.8.1).
        .shrinking(false);
    let (params, factor) = match options.kernel {
        // Its kernel is exp(-|x - y|^2 / width).
        Kernel::Rbf { gamma } => (params.gaussian_kernel(1.0 / gamma), 1.0),
        Kernel::Linear => (params.linear_kernel(), 1.0),
        // Its kernel has no gamma: the rows are multiplied by its root.
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => (
            params.polynomial_kernel(coef0, f64::from(degree)),
            gamma.sqrt(),
        ),
        Kernel::Sigmoid { .. } | Kernel::Puk { .. } => {
            return Err(ModelError::Training(
                "linfa has no sigmoid and no PUK kernel; use our own solver (smo)".to_owned(),
            ));
        }
    };
    let params = params.check().map_err(|error| fail(&error))?;
    let records: Array2<f64> = rows.mapv(|value| factor * f64::from(value));
    let dataset = linfa::DatasetBase::new(records, Array1::from(is_content.to_vec()));
    let machine: linfa_svm::Svm<f64, bool> = params.fit(&dataset).map_err(|error| fail(&error))?;
    Ok((machine.alpha, machine.rho))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::kernel::tests::ALL;
    use super::*;

    /// Two noisy rings, scaled.
    pub(in crate::fitting) fn rings(
        count: usize,
        columns: usize,
        seed: u64,
    ) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, columns), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| row[0] * row[0] + row[1] * row[1] + 0.2 * random.f32() > 0.7)
            .collect();
        (rows, labels)
    }

    fn options(solver: Solver) -> SvmOptions {
        SvmOptions {
            c: 5.0,
            kernel: Kernel::Rbf { gamma: 0.7 },
            content_weight: 1.5,
            solver,
            ..SvmOptions::default()
        }
    }

    #[test]
    fn a_machine_in_a_model_gives_the_same_margins() {
        let (rows, labels) = rings(300, 7, 9);
        let machine = fit(rows.view(), &labels, None, &options(Solver::Smo)).unwrap();
        let margins = machine.margins(rows.view());
        assert_eq!(machine.into_svm().unwrap().margins(rows.view()), margins);
        let linear = SvmOptions {
            kernel: Kernel::Linear,
            ..options(Solver::Smo)
        };
        let linear = fit(rows.view(), &labels, None, &linear).unwrap();
        assert!(
            linear
                .into_svm()
                .unwrap_err()
                .to_string()
                .contains("the kernel rbf only")
        );
    }

    #[test]
    fn both_solvers_find_the_same_machine() {
        let (rows, labels) = rings(200, 5, 1);
        let (fresh, truth) = rings(200, 5, 2);
        for kernel in ALL {
            let fitted = |solver| {
                let options = SvmOptions {
                    kernel,
                    tolerance: 1e-4,
                    ..options(solver)
                };
                fit(rows.view(), &labels, None, &options)
            };
            let ours = fitted(Solver::Smo).unwrap().margins(fresh.view());
            if matches!(kernel, Kernel::Sigmoid { .. } | Kernel::Puk { .. }) {
                assert!(
                    fitted(Solver::Linfa)
                        .unwrap_err()
                        .to_string()
                        .contains("our own solver")
                );
                continue;
            }
            let theirs = fitted(Solver::Linfa).unwrap().margins(fresh.view());
            for (one, other) in ours.iter().zip(&theirs) {
                assert!(
                    (one - other).abs() < 5e-3 * (1.0 + other.abs()),
                    "{kernel:?} {one} {other}"
                );
            }
            let right = ours
                .iter()
                .zip(&truth)
                .filter(|(margin, truth)| (**margin > 0.0) == **truth)
                .count();
            assert!(
                right > 160 || kernel == Kernel::Linear,
                "{kernel:?} {right}"
            );
        }
    }

    #[test]
    fn weights_of_rows_move_the_boundary() {
        let (rows, labels) = rings(200, 3, 4);
        let heavy: Vec<f32> = labels
            .iter()
            .map(|&content| if content { 20.0 } else { 0.5 })
            .collect();
        let plain = fit(rows.view(), &labels, None, &options(Solver::Smo)).unwrap();
        let pulled = fit(rows.view(), &labels, Some(&heavy), &options(Solver::Smo)).unwrap();
        let kept = |machine: &KernelMachine| {
            machine
                .margins(rows.view())
                .iter()
                .filter(|margin| **margin > 0.0)
                .count()
        };
        assert!(kept(&pulled) > kept(&plain));
        assert!(fit(rows.view(), &labels, Some(&heavy), &options(Solver::Linfa)).is_err());
    }

    #[test]
    fn wrong_parameters_and_labels_are_named() {
        let (rows, labels) = rings(20, 3, 4);
        let wrong = SvmOptions {
            kernel: Kernel::Rbf { gamma: -1.0 },
            ..SvmOptions::default()
        };
        let error = fit(rows.view(), &labels, None, &wrong)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "gamma is -1, allowed is above 0, up to 10000");
        assert!(fit(rows.view(), &[true; 20], None, &SvmOptions::default()).is_err());
        assert!(fit(rows.view(), &[true; 19], None, &SvmOptions::default()).is_err());
    }

    #[test]
    fn margins_are_those_of_linfa() {
        let (rows, labels) = rings(250, 6, 5);
        let options = options(Solver::Linfa);
        let machine = fit(rows.view(), &labels, None, &options).unwrap();
        let dataset = linfa::DatasetBase::new(rows.mapv(f64::from), Array1::from(labels));
        let params = linfa_svm::Svm::<f64, bool>::params()
            .pos_neg_weights(options.c * options.content_weight, options.c)
            .eps(options.tolerance)
            .gaussian_kernel(1.0 / 0.7)
            .check()
            .unwrap();
        let reference: linfa_svm::Svm<f64, bool> = params.fit(&dataset).unwrap();
        let (fresh, _) = rings(300, 6, 6);
        for (row, margin) in fresh.rows().into_iter().zip(machine.margins(fresh.view())) {
            let expected = reference.weighted_sum(&row.mapv(f64::from)) - reference.rho;
            assert!(
                (f64::from(margin) - expected).abs() < 1e-3,
                "{margin} {expected}"
            );
        }
    }
}
