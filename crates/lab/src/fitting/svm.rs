//! Fits support vector machines with a Gaussian kernel to rows, by linfa-svm.
//!
//! It holds the whole kernel matrix in f64: 5,000 rows take 8 s of CPU time and 0.2 GB, 20,000 rows
//! 132 s and 3.1 GB.

use super::reduce::reduce;
use super::rows::check_rows;
use linfa::prelude::{Fit, ParamGuard};
use ndarray::{Array1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use vclean_core::classify::Svm;
use vclean_core::classify::svm::snap;
use vclean_core::error::ModelError;

/// Weights smaller than this are rounding, not support vectors.
const NO_WEIGHT: f64 = 1e-10;
/// Largest violation of the optimality conditions left; as in libsvm.
const TOLERANCE: f64 = 1e-3;

/// Hyperparameters of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SvmOptions {
    /// Price of a violated margin, above 0.
    pub c: f64,
    /// Inverse squared width of the kernel exp(-gamma |x - y|^2), above 0. The squared distance of
    /// two scaled rows of d columns is about d/2.
    pub gamma: f64,
    /// Cost of a violation by content, relative to one by boilerplate, above 0.
    pub content_weight: f64,
    /// Maximum number of support vectors: a machine with more is replaced by a reduced-set machine
    /// (Burges 1996) with this many; 0 for no limit.
    pub support_vectors: usize,
}

impl Default for SvmOptions {
    /// Found by a coarse search on some hundred columns.
    fn default() -> Self {
        Self {
            c: 4.0,
            gamma: 0.02,
            content_weight: 1.0,
            support_vectors: 0,
        }
    }
}

impl SvmOptions {
    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        for (parameter, value, most, range) in [
            ("c", self.c, 1e6, "above 0, up to 1000000"),
            ("gamma", self.gamma, 1e4, "above 0, up to 10000"),
            (
                "content weight",
                self.content_weight,
                1e4,
                "above 0, up to 10000",
            ),
        ] {
            if !(value > 0.0 && value <= most) {
                return Err(ModelError::Parameter {
                    parameter,
                    value,
                    range,
                });
            }
        }
        Ok(())
    }
}

/// Fits a machine to scaled rows.
pub fn fit(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    options: &SvmOptions,
) -> Result<Svm, ModelError> {
    options.check()?;
    check_rows(rows, is_content, None)?;
    let fail = |error: linfa_svm::SvmError| ModelError::Training(format!("linfa-svm: {error}"));
    let params = linfa_svm::Svm::<f64, bool>::params()
        .pos_neg_weights(options.c * options.content_weight, options.c)
        .eps(TOLERANCE)
        // Shrinking would give a wrong model (0.8.1).
        .shrinking(false)
        // Its kernel is exp(-|x - y|^2 / width).
        .gaussian_kernel(1.0 / options.gamma)
        .check()
        .map_err(fail)?;
    let rows = rows.as_standard_layout();
    let labels = Array1::from(is_content.to_vec());
    let dataset = linfa::DatasetBase::new(rows.mapv(f64::from), labels);
    let fitted: linfa_svm::Svm<f64, bool> = params.fit(&dataset).map_err(fail)?;
    let (alpha, rho) = (fitted.alpha, fitted.rho as f32);
    let kept: Vec<usize> = (0..alpha.len())
        .filter(|&row| alpha[row].abs() > NO_WEIGHT)
        .collect();
    let vectors = rows.select(Axis(0), &kept).mapv(snap);
    let weights: Array1<f32> = kept.iter().map(|&row| alpha[row] as f32).collect();
    let count = options.support_vectors;
    let whole = Svm::new(options.gamma as f32, rho, vectors.clone(), weights.clone());
    Ok(if (1..kept.len()).contains(&count) {
        reduce(&whole, &vectors, &weights, rows.view(), count)
    } else {
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// A noisy ring, scaled.
    fn ring(count: usize, columns: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, columns), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| row[0] * row[0] + row[1] * row[1] + 0.2 * random.f32() > 0.7)
            .collect();
        (rows, labels)
    }

    const OPTIONS: SvmOptions = SvmOptions {
        c: 5.0,
        gamma: 0.7,
        content_weight: 1.5,
        support_vectors: 0,
    };

    #[test]
    fn a_heavier_content_moves_the_boundary() {
        let (rows, labels) = ring(200, 3, 4);
        let kept = |content_weight: f64| {
            let options = SvmOptions {
                content_weight,
                ..OPTIONS
            };
            let machine = fit(rows.view(), &labels, &options).unwrap();
            let margins = machine.margins(rows.view());
            margins.iter().filter(|margin| **margin > 0.0).count()
        };
        assert!(kept(20.0) > kept(0.1));
    }

    #[test]
    fn wrong_parameters_and_labels_are_named() {
        let (rows, labels) = ring(20, 3, 4);
        let wrong = SvmOptions {
            gamma: -1.0,
            ..OPTIONS
        };
        let error = fit(rows.view(), &labels, &wrong).unwrap_err().to_string();
        assert_eq!(error, "gamma is -1, allowed is above 0, up to 10000");
        assert!(fit(rows.view(), &[true; 20], &OPTIONS).is_err());
        assert!(fit(rows.view(), &[true; 19], &OPTIONS).is_err());
    }

    #[test]
    fn margins_are_those_of_linfa() {
        let (rows, labels) = ring(250, 6, 5);
        let machine = fit(rows.view(), &labels, &OPTIONS).unwrap();
        let dataset = linfa::DatasetBase::new(rows.mapv(f64::from), Array1::from(labels));
        let params = linfa_svm::Svm::<f64, bool>::params()
            .pos_neg_weights(OPTIONS.c * OPTIONS.content_weight, OPTIONS.c)
            .eps(TOLERANCE)
            .gaussian_kernel(1.0 / OPTIONS.gamma)
            .check()
            .unwrap();
        let reference: linfa_svm::Svm<f64, bool> = params.fit(&dataset).unwrap();
        let (fresh, truth) = ring(300, 6, 6);
        let margins = machine.margins(fresh.view());
        for (row, margin) in fresh.rows().into_iter().zip(&margins) {
            let expected = reference.weighted_sum(&row.mapv(f64::from)) - reference.rho;
            assert!(
                (f64::from(*margin) - expected).abs() < 1e-3,
                "{margin} {expected}"
            );
        }
        let found = margins.iter().map(|margin| *margin > 0.0);
        let right = found.zip(truth).filter(|(one, other)| one == other).count();
        assert!(right > 240, "{right}");
    }
}
