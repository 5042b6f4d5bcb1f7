//! Kernels of the support vector machine: functions of two scaled rows.
//!
//! All of them follow from the rows' dot products and norms, so a matrix of kernel values is one matrix product and a
//! pass over it, and one matrix of dot products serves all parameters of all kernels (see the tuning in `train`).

#[cfg(feature = "experiments")]
pub(super) mod matrix;

use super::exponential::exp_neg;
use crate::error::ModelError;
use ndarray::{Array1, ArrayView2};
use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};

/// Rows evaluated at once: keeps the batch's kernel values (256 x 4,000 x 4 bytes) near the cache.
pub(super) const BATCH: usize = 256;

/// A kernel with its parameters, as libsvm writes them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The Gaussian exp(-gamma |x - y|^2).
    Rbf {
        /// Inverse squared width, above 0. The squared distance of two scaled rows of d columns is about d/2.
        gamma: f64,
    },
    /// The dot product x y.
    Linear,
    /// (gamma x y + coef0)^degree.
    Polynomial {
        /// Factor of the dot product, above 0.
        gamma: f64,
        /// Added to it, 0 or more: with less the kernel is no inner product.
        coef0: f64,
        /// Power, 1 to 10.
        degree: u32,
    },
    /// tanh(gamma x y + coef0), an inner product for some parameters only.
    Sigmoid {
        /// Factor of the dot product, above 0.
        gamma: f64,
        /// Added to it.
        coef0: f64,
    },
    /// The Pearson VII function 1 / (1 + (2 |x - y| sqrt(2^(1/omega) - 1) / sigma)^2)^omega (Üstün, Melssen and Buydens
    /// 2006, "Facilitating the application of support vector regression by using a universal Pearson VII function based
    /// kernel", equation 4). The Lorentzian at omega 1, near the Gaussian for a large one.
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
                Err(ModelError::Parameter { parameter, value, range: "above 0, up to 10000" })
            }
        };
        let offset = |value: f64, low: f64, range: &'static str| {
            if value >= low && value <= 1e4 {
                Ok(())
            } else {
                Err(ModelError::Parameter { parameter: "coef0", value, range })
            }
        };
        match *self {
            Self::Rbf { gamma } => positive("gamma", gamma),
            Self::Linear => Ok(()),
            Self::Polynomial { gamma, coef0, degree } => {
                positive("gamma", gamma)?;
                offset(coef0, 0.0, "0 to 10000")?;
                if (1..=10).contains(&degree) {
                    Ok(())
                } else {
                    Err(ModelError::Parameter { parameter: "degree", value: f64::from(degree), range: "1 to 10" })
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
                    Err(ModelError::Parameter { parameter: "omega", value: omega, range: "0.01 to 100" })
                }
            }
        }
    }

    /// Replaces the dot products of one row with many others by kernel values; `norm` is the row's dot product with
    /// itself, `norms` are those of the others.
    pub(super) fn dots_to_kernel(self, dots: &mut [f32], norm: f32, norms: &[f32]) {
        match self {
            Self::Rbf { gamma } => {
                Arch::new().dispatch(Gaussians { dots, norm, norms, gamma: gamma as f32 });
            }
            Self::Linear => {}
            Self::Polynomial { gamma, coef0, degree } => {
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
                    *value = if omega == 1.0 { base.recip() } else { base.powf(-omega) };
                }
            }
        }
    }
}

/// Dot products of a row that become values of the Gaussian: compiled several times, for several sets of instructions.
struct Gaussians<'a> {
    dots: &'a mut [f32],
    norm: f32,
    norms: &'a [f32],
    gamma: f32,
}

impl NullaryFnOnce for Gaussians<'_> {
    type Output = ();

    // What is not inlined into the dispatched function is compiled without the wider instructions.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn call(self) {
        for (value, &other) in self.dots.iter_mut().zip(self.norms) {
            *value = exp_neg(self.gamma * (self.norm + other - 2.0 * *value).max(0.0));
        }
    }
}

/// Dot product of each row with itself.
pub(super) fn norms(rows: ArrayView2<'_, f32>) -> Array1<f32> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One kernel of each kind.
    pub(in crate::classify) const ALL: [Kernel; 5] = [
        Kernel::Rbf { gamma: 0.7 },
        Kernel::Linear,
        Kernel::Polynomial { gamma: 0.5, coef0: 1.0, degree: 3 },
        Kernel::Sigmoid { gamma: 0.2, coef0: -0.5 },
        Kernel::Puk { sigma: 2.0, omega: 0.8 },
    ];

    #[test]
    fn wrong_parameters_are_named() {
        let error = |kernel: Kernel| kernel.check().unwrap_err().to_string();
        assert_eq!(error(Kernel::Rbf { gamma: f64::NAN }), "gamma is NaN, allowed is above 0, up to 10000");
        let polynomial = |coef0, degree| Kernel::Polynomial { gamma: 1.0, coef0, degree };
        assert_eq!(error(polynomial(1.0, 0)), "degree is 0, allowed is 1 to 10");
        assert_eq!(error(polynomial(-1.0, 2)), "coef0 is -1, allowed is 0 to 10000");
        assert_eq!(error(Kernel::Sigmoid { gamma: 0.0, coef0: 0.0 }), "gamma is 0, allowed is above 0, up to 10000");
        assert_eq!(error(Kernel::Puk { sigma: -2.0, omega: 1.0 }), "sigma is -2, allowed is above 0, up to 10000");
        assert_eq!(error(Kernel::Puk { sigma: 2.0, omega: 0.0 }), "omega is 0, allowed is 0.01 to 100");
        assert!(ALL.iter().all(|kernel| kernel.check().is_ok()));
    }
}
