//! Hyperparameters of a support vector machine.

use crate::classify::kernel::Kernel;
use crate::error::ModelError;
use serde::{Deserialize, Serialize};

/// Which solver of the quadratic program is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// linfa-svm: the reference.
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
    /// The kernel.
    pub kernel: Kernel,
    /// How much more a violation by content costs than one by boilerplate, above 0.
    pub content_weight: f64,
    /// Largest violation of the optimality conditions left; 1e-3 is usual.
    pub tolerance: f64,
    /// Which solver is used.
    pub solver: Solver,
    /// Most support vectors: a machine with more is replaced by a reduced-set machine (Burges 1996) with so many; 0 for
    /// no limit.
    #[serde(default)]
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
        let in_range = |parameter: &'static str, value: f64, low: f64, high: f64, range: &'static str| {
            if value.is_finite() && value > low && value <= high {
                Ok(())
            } else {
                Err(ModelError::Parameter { parameter, value, range })
            }
        };
        in_range("c", self.c, 0.0, 1e6, "above 0, up to 1000000")?;
        self.kernel.check()?;
        in_range("content weight", self.content_weight, 0.0, 1e4, "above 0, up to 10000")?;
        in_range("tolerance", self.tolerance, 0.0, 0.5, "above 0, up to 0.5")?;
        in_range("support vectors", self.support_vectors as f64, -1.0, 1e6, "0 (all) to 1000000")
    }

    /// The upper bound of each row's weight (alpha).
    pub(in crate::classify) fn bounds(&self, is_content: &[bool], weights: Option<&[f32]>) -> Vec<f64> {
        let bound = |(row, &content): (usize, &bool)| {
            let class = if content { self.content_weight } else { 1.0 };
            self.c * class * weights.map_or(1.0, |weights| f64::from(weights[row]))
        };
        is_content.iter().enumerate().map(bound).collect()
    }
}

/// Steps of our solver at most, as in libsvm: more than a machine with sensible parameters needs.
pub(in crate::classify) fn max_steps(rows: usize) -> usize {
    (100 * rows).max(1_000_000)
}
