//! Kernels: how alike two scaled rows are, for the support vector machine.
//!
//! All of them follow from the rows' dot products and norms, so a matrix of kernel values is one matrix product and a
//! pass over it, and one matrix of dot products serves all parameters of all kernels (see the tuning in `train`).

use super::svm::BATCH;
use crate::error::ModelError;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, Slice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A kernel with its parameters, as libsvm writes them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The Gaussian exp(-gamma |x - y|^2).
    Rbf {
        /// Sharpness, above 0. Scaled rows of d columns lie some d/2 apart.
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
        /// How fast its tails fall, above 0.
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

    /// The kernel with its parameters rounded to what it is computed with, so that memory and file agree.
    pub(super) fn rounded(self) -> Self {
        let round = |value: f64| f64::from(value as f32);
        match self {
            Self::Rbf { gamma } => Self::Rbf { gamma: round(gamma) },
            Self::Linear => Self::Linear,
            Self::Polynomial { gamma, coef0, degree } => {
                Self::Polynomial { gamma: round(gamma), coef0: round(coef0), degree }
            }
            Self::Sigmoid { gamma, coef0 } => Self::Sigmoid { gamma: round(gamma), coef0: round(coef0) },
            Self::Puk { sigma, omega } => Self::Puk { sigma: round(sigma), omega: round(omega) },
        }
    }

    /// Whether every row is as alike to itself as can be: 1, whatever rounding says.
    fn is_one_at_itself(self) -> bool {
        matches!(self, Self::Rbf { .. } | Self::Puk { .. })
    }

    /// Turns the dot products of one row with many into kernel values; `norm` is the row's dot product with itself,
    /// `norms` are the others'.
    pub(super) fn turn(self, dots: &mut [f32], norm: f32, norms: &[f32]) {
        match self {
            Self::Rbf { gamma } => {
                let gamma = gamma as f32;
                for (value, &other) in dots.iter_mut().zip(norms) {
                    *value = fall(gamma * (norm + other - 2.0 * *value).max(0.0));
                }
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

    /// Kernel values of all pairs of rows.
    pub(super) fn matrix(self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        square(rows, |index, values, norms| self.turn_of(index, values, norms))
    }

    /// Kernel values of all pairs of rows from their dot products (see [`dots`]).
    pub(super) fn of_dots(self, dots: &Array2<f32>) -> Array2<f32> {
        let norms: Vec<f32> = dots.diag().to_vec();
        let mut values = dots.clone();
        let count = norms.len();
        if let Some(values) = values.as_slice_mut() {
            let turn = |(index, row): (usize, &mut [f32])| self.turn_of(index, row, &norms);
            values.par_chunks_mut(count.max(1)).enumerate().for_each(turn);
        }
        values
    }

    fn turn_of(self, index: usize, values: &mut [f32], norms: &[f32]) {
        self.turn(values, norms[index], norms);
        if self.is_one_at_itself() {
            values[index] = 1.0;
        }
    }
}

/// exp(-x) for x of 0 or more, to 3e-7 of it, by arithmetic alone: the same on every machine, and many at a time.
///
/// exp(-x) = 2^n exp(r) with n the whole number next to -x / ln 2, r below ln 2 / 2, and exp(r) by its series. ln 2 is
/// taken off in two parts, so that no digit of r is lost (Cody and Waite 1980).
fn fall(x: f32) -> f32 {
    /// 1.5 * 2^23: a float this large has no fraction, and its last bits count from here.
    const WHOLE: f32 = 12_582_912.0;
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    // Below 2^-126 there is nothing to tell from 0.
    let x = x.min(87.0);
    let shifted = WHOLE - x * std::f32::consts::LOG2_E;
    let n = shifted - WHOLE;
    let r = -x - n * LN_2[0] - n * LN_2[1];
    let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0)))));
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// Dot product of each row with itself.
pub(super) fn norms(rows: ArrayView2<'_, f32>) -> Array1<f32> {
    rows.rows().into_iter().map(|row| row.dot(&row)).collect()
}

/// Dot products of each of `rows` with each of `others`, one of `rows` a row. (A plain `dot` gives columns in one piece
/// where there is one column only.)
pub(super) fn products(rows: ArrayView2<'_, f32>, others: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut products = Array2::zeros((rows.nrows(), others.nrows()));
    general_mat_mul(1.0, &rows, &others.t(), 0.0, &mut products);
    products
}

/// Dot products of all pairs of rows.
pub(super) fn dots(rows: ArrayView2<'_, f32>) -> Array2<f32> {
    square(rows, |_, _, _| {})
}

/// Dot products of all pairs of rows, each row of them given to `turn` with its number and all norms.
fn square(rows: ArrayView2<'_, f32>, turn: impl Fn(usize, &mut [f32], &[f32]) + Sync) -> Array2<f32> {
    let (norms, count) = (norms(rows).to_vec(), rows.nrows());
    let mut values = vec![0.0f32; count * count];
    values.par_chunks_mut(BATCH * count.max(1)).enumerate().for_each(|(batch, part)| {
        let from = batch * BATCH;
        let own = rows.slice_axis(Axis(0), Slice::from(from..from + part.len() / count));
        let mut products =
            ArrayViewMut2::from_shape((own.nrows(), count), &mut *part).expect("a batch is some rows of the matrix");
        general_mat_mul(1.0, &own, &rows.t(), 0.0, &mut products);
        part.chunks_exact_mut(count).enumerate().for_each(|(index, row)| turn(from + index, row, &norms));
    });
    Array2::from_shape_vec((count, count), values).expect("as many values as pairs of rows")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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

    /// By the book, in f64.
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
            let of_dots = kernel.of_dots(&dots(rows.view()));
            assert!(matrix.iter().zip(&of_dots).all(|(one, other)| (one - other).abs() < 1e-4), "{kernel:?}");
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
    fn the_exponential_is_near_enough_everywhere() {
        for step in 0..90_000 {
            let x = step as f32 / 1000.0;
            let (found, wanted) = (f64::from(fall(x)), (-f64::from(x.min(87.0))).exp());
            assert!((found - wanted).abs() <= 3e-7 * wanted, "{x}: {found} {wanted}");
        }
        assert_eq!(fall(0.0), 1.0);
        assert!(fall(f32::INFINITY) < 1e-37);
    }

    #[test]
    fn the_pearson_function_has_half_its_height_at_half_its_width() {
        let kernel = Kernel::Puk { sigma: 3.0, omega: 2.5 };
        assert!((slow(kernel, &[0.0], &[1.5]) - 0.5).abs() < 1e-12);
    }

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
