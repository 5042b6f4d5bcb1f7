//! Kernels of the support vector machine: functions of two scaled rows.
//!
//! All of them follow from the rows' dot products and norms, so a matrix of kernel values is one
//! matrix product and a pass over it, and one matrix of dot products serves all parameters of all
//! kernels (see [`Sweep`](super::Sweep)). Models have the Gaussian; FIASCO compared it with others
//! (Bauer et al. 2007, section 4.1), and texrex with the Pearson VII function.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, Slice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Svm;
use vclean_core::classify::svm::dots_to_gaussian;
use vclean_core::error::ModelError;

/// Rows whose kernel values are computed at once: they stay near the cache.
pub(super) const BATCH: usize = 256;

/// A kernel with its parameters, as libsvm writes them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The Gaussian exp(-gamma |x - y|^2).
    Rbf {
        /// Inverse squared width, above 0. The squared distance of two scaled rows of d columns is
        /// about d/2.
        gamma: f64,
    },
    /// The dot product x y.
    Linear,
    /// (gamma x y + coef0)^degree.
    Polynomial {
        /// Factor of the dot product, above 0.
        gamma: f64,
        /// Added to the product, 0 or more: with less, the kernel is not an inner product.
        coef0: f64,
        /// Power, 1 to 10.
        degree: u32,
    },
    /// tanh(gamma x y + coef0), an inner product for some parameters only.
    Sigmoid {
        /// Factor of the dot product, above 0.
        gamma: f64,
        /// Added to the product, -10,000 to 10,000.
        coef0: f64,
    },
    /// The Pearson VII function 1 / (1 + (2 |x - y| sqrt(2^(1/omega) - 1) / sigma)^2)^omega (Üstün,
    /// Melssen and Buydens 2006, "Facilitating the application of support vector regression by
    /// using a universal Pearson VII function based kernel", equation 4). The Lorentzian at omega
    /// 1, near the Gaussian for a large one.
    Puk {
        /// Width of the peak at half its height, above 0.
        sigma: f64,
        /// Decay of its tails, above 0.
        omega: f64,
    },
}

impl Default for Kernel {
    fn default() -> Self {
        Self::Rbf { gamma: 0.05 }
    }
}

impl Kernel {
    /// Checks the ranges of the parameters.
    pub fn check(&self) -> Result<(), ModelError> {
        let positive = |parameter: &'static str, value: f64| {
            if value > 0.0 && value <= 1e4 {
                Ok(())
            } else {
                Err(ModelError::Parameter {
                    parameter,
                    value,
                    range: "above 0, up to 10000",
                })
            }
        };
        let offset = |value: f64, low: f64, range: &'static str| {
            if value >= low && value <= 1e4 {
                Ok(())
            } else {
                Err(ModelError::Parameter {
                    parameter: "coef0",
                    value,
                    range,
                })
            }
        };
        match *self {
            Self::Rbf { gamma } => positive("gamma", gamma),
            Self::Linear => Ok(()),
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                positive("gamma", gamma)?;
                offset(coef0, 0.0, "0 to 10000")?;
                if (1..=10).contains(&degree) {
                    Ok(())
                } else {
                    Err(ModelError::Parameter {
                        parameter: "degree",
                        value: f64::from(degree),
                        range: "1 to 10",
                    })
                }
            }
            Self::Sigmoid { gamma, coef0 } => {
                positive("gamma", gamma)?;
                offset(coef0, -1e4, "-10000 to 10000")
            }
            Self::Puk { sigma, omega } => {
                positive("sigma", sigma)?;
                if (0.01..=100.0).contains(&omega) {
                    Ok(())
                } else {
                    Err(ModelError::Parameter {
                        parameter: "omega",
                        value: omega,
                        range: "0.01 to 100",
                    })
                }
            }
        }
    }

    /// Replaces the dot products of one row with many others by kernel values; `norm` is the row's
    /// dot product with itself, `norms` are those of the others.
    pub(super) fn dots_to_kernel(self, dots: &mut [f32], norm: f32, norms: &[f32]) {
        match self {
            Self::Rbf { gamma } => {
                dots_to_gaussian(dots, norm, norms, gamma as f32);
            }
            Self::Linear => {}
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => {
                let (gamma, coef0, degree) = (gamma as f32, coef0 as f32, degree as i32);
                for value in dots {
                    *value = (gamma * *value + coef0).powi(degree);
                }
            }
            Self::Sigmoid { gamma, coef0 } => {
                let (gamma, coef0) = (gamma as f32, coef0 as f32);
                for value in dots {
                    *value = (gamma * *value + coef0).tanh();
                }
            }
            Self::Puk { sigma, omega } => {
                let factor = (4.0 * ((1.0 / omega).exp2() - 1.0) / (sigma * sigma)) as f32;
                let omega = omega as f32;
                for (value, &other) in dots.iter_mut().zip(norms) {
                    let base = 1.0 + factor * (norm + other - 2.0 * *value).max(0.0);
                    *value = if omega == 1.0 {
                        base.recip()
                    } else {
                        base.powf(-omega)
                    };
                }
            }
        }
    }

    /// True if the kernel value of a row with itself is exactly 1, which rounding must not change.
    fn is_one_at_itself(self) -> bool {
        matches!(self, Self::Rbf { .. } | Self::Puk { .. })
    }

    /// Kernel values of all pairs of rows.
    pub(super) fn matrix(self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        square(rows, |index, values, norms| {
            self.row_to_kernel(index, values, norms);
        })
    }

    /// Kernel values of all pairs of rows from their dot products (see [`dots`]).
    pub(super) fn matrix_from_dots(self, dots: &Array2<f32>) -> Array2<f32> {
        let norms: Vec<f32> = dots.diag().to_vec();
        let mut values = dots.clone();
        let count = norms.len();
        if let Some(values) = values.as_slice_mut() {
            let convert =
                |(index, row): (usize, &mut [f32])| self.row_to_kernel(index, row, &norms);
            values
                .par_chunks_mut(count.max(1))
                .enumerate()
                .for_each(convert);
        }
        values
    }

    fn row_to_kernel(self, index: usize, values: &mut [f32], norms: &[f32]) {
        self.dots_to_kernel(values, norms[index], norms);
        if self.is_one_at_itself() {
            values[index] = 1.0;
        }
    }

    /// The kernel with its parameters rounded to f32, with which it is computed.
    pub(super) fn rounded(self) -> Self {
        let round = |value: f64| f64::from(value as f32);
        match self {
            Self::Rbf { gamma } => Self::Rbf {
                gamma: round(gamma),
            },
            Self::Linear => Self::Linear,
            Self::Polynomial {
                gamma,
                coef0,
                degree,
            } => Self::Polynomial {
                gamma: round(gamma),
                coef0: round(coef0),
                degree,
            },
            Self::Sigmoid { gamma, coef0 } => Self::Sigmoid {
                gamma: round(gamma),
                coef0: round(coef0),
            },
            Self::Puk { sigma, omega } => Self::Puk {
                sigma: round(sigma),
                omega: round(omega),
            },
        }
    }

    /// Kernel values of some rows with each of `vectors`, whose norms are `vector_norms`; one row
    /// of the result per row.
    pub(super) fn values(
        self,
        rows: ArrayView2<'_, f32>,
        vectors: ArrayView2<'_, f32>,
        vector_norms: &[f32],
    ) -> Array2<f32> {
        let mut values = products(rows, vectors);
        for (mut row, norm) in values.rows_mut().into_iter().zip(norms(rows)) {
            self.dots_to_kernel(
                row.as_slice_mut().expect("a product is in row order"),
                norm,
                vector_norms,
            );
        }
        values
    }
}

/// Dot product of each row with itself.
pub(super) fn norms(rows: ArrayView2<'_, f32>) -> Vec<f32> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// Dot products of each of `rows` with each of `others`, one row of the result for each of `rows`.
/// (A plain `dot` may give another memory order if there is only one column.)
pub(super) fn products(rows: ArrayView2<'_, f32>, others: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut products = Array2::zeros((rows.nrows(), others.nrows()));
    general_mat_mul(1.0, &rows, &others.t(), 0.0, &mut products);
    products
}

/// Dot products of all pairs of rows.
pub(super) fn dots(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    square(rows, |_, _, _| {})
}

/// Dot products of all pairs of rows, each row of them given to `convert` with its number and all
/// norms.
fn square(
    rows: ArrayView2<'_, f32>,
    convert: impl Fn(usize, &mut [f32], &[f32]) + Sync,
) -> Array2<f32> {
    let (norms, count) = (norms(rows), rows.nrows());
    let mut values = vec![0.0f32; count * count];
    values
        .par_chunks_mut(BATCH * count.max(1))
        .enumerate()
        .for_each(|(batch, part)| {
            let from = batch * BATCH;
            let own = rows.slice_axis(Axis(0), Slice::from(from..from + part.len() / count));
            let mut products = ArrayViewMut2::from_shape((own.nrows(), count), &mut *part)
                .expect("a batch is some rows of the matrix");
            general_mat_mul(1.0, &own, &rows.t(), 0.0, &mut products);
            part.chunks_exact_mut(count)
                .enumerate()
                .for_each(|(index, row)| convert(from + index, row, &norms));
        });
    Array2::from_shape_vec((count, count), values).expect("as many values as pairs of rows")
}

/// A fitted machine of any kernel: `f(x) = sum_s weight_s K(x, s) - rho`. One with the Gaussian
/// becomes a part of a model ([`into_svm`](Self::into_svm)); the others are compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelMachine {
    /// Kernel with rounded parameters.
    pub kernel: Kernel,
    /// Offset, subtracted from the sum.
    pub rho: f32,
    /// Support vectors, scaled, one per row, on the 16-bit grid of model files.
    pub vectors: Array2<f32>,
    /// Signed weight of each.
    pub weights: Array1<f32>,
}

impl KernelMachine {
    /// The margin of each scaled row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let vector_norms = norms(self.vectors.view());
        let mut margins = Vec::with_capacity(rows.nrows());
        for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
            let values = self
                .kernel
                .values(batch, self.vectors.view(), &vector_norms);
            let sum = |row: ArrayView1<'_, f32>| -> f64 {
                row.iter()
                    .zip(&self.weights)
                    .map(|(value, weight)| f64::from(value * weight))
                    .sum()
            };
            margins.extend(
                values
                    .rows()
                    .into_iter()
                    .map(|row| sum(row) as f32 - self.rho),
            );
        }
        margins
    }

    /// The machine as a part of a model.
    ///
    /// # Errors
    /// If its kernel is not the Gaussian.
    pub fn into_svm(self) -> Result<Svm, ModelError> {
        match self.kernel {
            Kernel::Rbf { gamma } => {
                Ok(Svm::new(gamma as f32, self.rho, self.vectors, self.weights))
            }
            _ => Err(ModelError::Training(
                "a model has support vector machines with the kernel rbf only".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One kernel of each kind.
    pub(in crate::fitting) const ALL: [Kernel; 5] = [
        Kernel::Rbf { gamma: 0.7 },
        Kernel::Linear,
        Kernel::Polynomial {
            gamma: 0.5,
            coef0: 1.0,
            degree: 3,
        },
        Kernel::Sigmoid {
            gamma: 0.2,
            coef0: -0.5,
        },
        Kernel::Puk {
            sigma: 2.0,
            omega: 0.8,
        },
    ];

    #[test]
    fn wrong_parameters_are_named() {
        let error = |kernel: Kernel| kernel.check().unwrap_err().to_string();
        assert_eq!(
            error(Kernel::Rbf { gamma: f64::NAN }),
            "gamma is NaN, allowed is above 0, up to 10000"
        );
        let polynomial = |coef0, degree| Kernel::Polynomial {
            gamma: 1.0,
            coef0,
            degree,
        };
        assert_eq!(error(polynomial(1.0, 0)), "degree is 0, allowed is 1 to 10");
        assert_eq!(
            error(polynomial(-1.0, 2)),
            "coef0 is -1, allowed is 0 to 10000"
        );
        assert_eq!(
            error(Kernel::Sigmoid {
                gamma: 0.0,
                coef0: 0.0
            }),
            "gamma is 0, allowed is above 0, up to 10000"
        );
        assert_eq!(
            error(Kernel::Puk {
                sigma: -2.0,
                omega: 1.0
            }),
            "sigma is -2, allowed is above 0, up to 10000"
        );
        assert_eq!(
            error(Kernel::Puk {
                sigma: 2.0,
                omega: 0.0
            }),
            "omega is 0, allowed is 0.01 to 100"
        );
        assert!(ALL.iter().all(|kernel| kernel.check().is_ok()));
    }

    /// The formulas as published, in f64.
    fn slow(kernel: Kernel, one: &[f64], other: &[f64]) -> f64 {
        let dot: f64 = one.iter().zip(other).map(|(x, y)| x * y).sum();
        let distance: f64 = one
            .iter()
            .zip(other)
            .map(|(x, y)| (x - y).powi(2))
            .sum::<f64>()
            .sqrt();
        match kernel {
            Kernel::Rbf { gamma } => (-gamma * distance.powi(2)).exp(),
            Kernel::Linear => dot,
            Kernel::Polynomial {
                gamma,
                coef0,
                degree,
            } => (gamma * dot + coef0).powi(degree as i32),
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
            assert!(
                matrix
                    .iter()
                    .zip(&from_dots)
                    .all(|(one, other)| (one - other).abs() < 1e-4),
                "{kernel:?}"
            );
            for (one, other) in [(0, 0), (0, 1), (255, 256), (299, 3)] {
                let wide = |row: usize| rows.row(row).mapv(f64::from).to_vec();
                let expected = slow(kernel, &wide(one), &wide(other));
                let found = f64::from(matrix[[one, other]]);
                assert!(
                    (found - expected).abs() < 1e-5 * expected.abs().max(1.0),
                    "{kernel:?} {found} {expected}"
                );
                assert_eq!(matrix[[one, other]], matrix[[other, one]]);
            }
        }
    }

    #[test]
    fn the_pearson_function_has_half_its_height_at_half_its_width() {
        let kernel = Kernel::Puk {
            sigma: 3.0,
            omega: 2.5,
        };
        assert!((slow(kernel, &[0.0], &[1.5]) - 0.5).abs() < 1e-12);
    }
}
