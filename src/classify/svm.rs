//! The support vector machine: fitted by linfa-svm or by our own solver, evaluated in batches.
//!
//! linfa knows the Gaussian, linear and polynomial kernels, and rows of equal weight. Our own begins with the sigmoid and
//! Pearson VII kernels, weights of rows, and a start from another solution; it solves all kernels. linfa holds the whole
//! kernel matrix in f64 (3 GB at 20,000 rows), our solver in f32 and a tenth of the time; both find the same machine
//! (see the tests; `tests/kernels.rs` holds both against libsvm). Prediction is one matrix product a batch, see [`kernel`](super::kernel).

use super::kernel::{Kernel, norms};
use super::reduce::reduce;
use super::scaler::LIMIT;
use super::{check_rows, smo};
use crate::error::ModelError;
use linfa::prelude::{Fit, ParamGuard};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Who solves the quadratic program.
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
    /// All solvers by the name the command line uses.
    pub const ALL: &[(&str, Self)] = &[("linfa", Self::Linfa), ("smo", Self::Smo)];
}

/// Hyperparameters of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SvmOptions {
    /// Price of a violated margin, above 0.
    pub c: f64,
    /// How alike two rows are.
    pub kernel: Kernel,
    /// How much more a violation by content costs than one by boilerplate, above 0.
    pub content_weight: f64,
    /// Largest violation of the optimality conditions left; 1e-3 is usual.
    pub tolerance: f64,
    /// Who solves.
    pub solver: Solver,
    /// Most support vectors that are kept: a machine with more is said again with so many; 0 for all.
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

    /// The most that each row's weight may be.
    pub(super) fn bounds(&self, is_content: &[bool], weights: Option<&[f32]>) -> Vec<f64> {
        let bound = |(row, &content): (usize, &bool)| {
            let class = if content { self.content_weight } else { 1.0 };
            self.c * class * weights.map_or(1.0, |weights| f64::from(weights[row]))
        };
        is_content.iter().enumerate().map(bound).collect()
    }
}

/// Steps of our solver at most, as in libsvm: more than a machine needs whose parameters make sense.
pub(super) fn most_steps(rows: usize) -> usize {
    (100 * rows).max(1_000_000)
}

/// A fitted machine: `f(x) = sum_s weight_s K(x, s) - rho`.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    pub(crate) kernel: Kernel,
    pub(crate) rho: f32,
    /// Support vectors, scaled, one a row, on the grid of [`snap`].
    pub(crate) vectors: Array2<f32>,
    /// Signed weight of each.
    pub(crate) weights: Array1<f32>,
    /// The vectors again, one a column: what a matrix product reads in one go.
    turned: Array2<f32>,
    norms: Array1<f32>,
}

/// Rows evaluated at once: keeps the batch's kernel values (256 x 4,000 x 4 bytes) near the cache.
pub(super) const BATCH: usize = 256;

/// Weights smaller than this are rounding, not support vectors.
const NO_WEIGHT: f64 = 1e-10;

/// Steps of the grid on which support vectors lie: a model file holds them in 16 bits.
pub(crate) const GRID: f32 = 32767.0;

/// The nearest value that a model file can hold.
pub(crate) fn snap(value: f32) -> f32 {
    f32::from(to_grid(value)) * (LIMIT / GRID)
}

/// The number of a grid value.
pub(crate) fn to_grid(value: f32) -> i16 {
    (value.clamp(-LIMIT, LIMIT) * (GRID / LIMIT)).round() as i16
}

impl Svm {
    pub(crate) fn from_parts(kernel: Kernel, rho: f32, vectors: Array2<f32>, weights: Array1<f32>) -> Self {
        let norms = norms(vectors.view());
        let turned = vectors.t().as_standard_layout().into_owned();
        Self { kernel, rho, vectors, weights, turned, norms }
    }

    /// Fits a machine to scaled rows; `weights`, one a row, multiply what its violation costs (our solver only).
    pub fn fit(
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        weights: Option<&[f32]>,
        options: &SvmOptions,
    ) -> Result<Self, ModelError> {
        options.check()?;
        check_rows(rows, is_content, weights)?;
        // With an unbounded kernel what the grid takes away counts, so the machine is fitted to what it will hold.
        let is_bounded = matches!(options.kernel, Kernel::Rbf { .. } | Kernel::Puk { .. });
        let rows = rows.as_standard_layout();
        let rows = if is_bounded { rows } else { rows.mapv(snap).into() };
        let (beta, rho) = match options.solver {
            Solver::Smo => {
                let matrix = options.kernel.matrix(rows.view());
                let bounds = options.bounds(is_content, weights);
                let solution =
                    smo::solve(matrix.view(), is_content, &bounds, options.tolerance, most_steps(rows.nrows()), None);
                (solution.beta, solution.rho)
            }
            Solver::Linfa if weights.is_some() => {
                return Err(ModelError::Training("linfa cannot weight rows; use --solver smo".to_owned()));
            }
            Solver::Linfa => fit_linfa(rows.view(), is_content, options)?,
        };
        let kept: Vec<usize> = (0..beta.len()).filter(|&row| beta[row].abs() > NO_WEIGHT).collect();
        let vectors = rows.select(Axis(0), &kept).mapv(snap);
        let weights: Array1<f32> = kept.iter().map(|&row| beta[row] as f32).collect();
        let (kernel, rho) = (options.kernel.rounded(), rho as f32);
        if (1..weights.len()).contains(&options.support_vectors) {
            let whole = (vectors.view(), &weights, rho);
            let reduced = reduce(kernel, rows.view(), whole, options.support_vectors);
            return Ok(Self::from_parts(kernel, reduced.rho, reduced.vectors, reduced.weights));
        }
        Ok(Self::from_parts(kernel, rho, vectors, weights))
    }

    /// Number of support vectors.
    pub fn support_vectors(&self) -> usize {
        self.weights.len()
    }

    /// The margin of each scaled row; the same for a row whatever stands beside it.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        let mut margins = Vec::with_capacity(rows.nrows());
        for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
            let kernel = self.kernel(batch);
            margins.extend(kernel.rows().into_iter().map(|row| self.sum(row)));
        }
        margins
    }

    fn sum(&self, kernel: ArrayView1<'_, f32>) -> f32 {
        let sum: f64 = kernel.iter().zip(&self.weights).map(|(&value, &weight)| f64::from(value * weight)).sum();
        sum as f32 - self.rho
    }

    fn kernel(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut values = Array2::zeros((rows.nrows(), self.vectors.nrows()));
        general_mat_mul(1.0, &rows, &self.turned, 0.0, &mut values);
        let others = self.norms.as_slice().expect("norms are in one piece");
        for (mut row, &norm) in values.rows_mut().into_iter().zip(&norms(rows)) {
            self.kernel.turn(row.as_slice_mut().expect("a product is in row order"), norm, others);
        }
        values
    }

    /// For one scaled row: by how much the margin would sink with each column's value replaced by `instead`'s.
    ///
    /// One pass over the support vectors in memory order.
    pub(crate) fn effects(&self, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        if let Kernel::Rbf { gamma } = self.kernel {
            return self.effects_of_gaussian(gamma as f32, row, instead);
        }
        let norm = row.dot(&row);
        let dots = self.vectors.dot(&row);
        let own = self.margins(row.insert_axis(Axis(0)))[0];
        let margin = |column: usize| {
            let (value, other) = (row[column], instead[column]);
            let mut values: Vec<f32> =
                dots.iter().zip(self.vectors.column(column)).map(|(dot, at)| dot + (other - value) * at).collect();
            let others = self.norms.as_slice().expect("norms are in one piece");
            self.kernel.turn(&mut values, norm + other * other - value * value, others);
            self.sum(ArrayView1::from(&values))
        };
        (0..instead.len()).map(|column| own - margin(column)).collect()
    }

    /// [`effects`](Self::effects) in a tenth of the time: exp(x) - 1 by its series where |x| is small (error below 5e-4
    /// of it), which is so for all columns if gamma is below about 0.03.
    fn effects_of_gaussian(&self, gamma: f32, row: ArrayView1<'_, f32>, instead: &[f32]) -> Vec<f32> {
        // |x' - s|^2 - |x - s|^2 = (other - value)(other + value - 2 s)
        let scales: Vec<f32> = row.iter().zip(instead).map(|(&value, &other)| -gamma * (other - value)).collect();
        let sums: Vec<f32> = row.iter().zip(instead).map(|(&value, &other)| other + value).collect();
        let is_small = scales.iter().zip(&sums).all(|(scale, sum)| (scale * (sum.abs() + 2.0 * LIMIT)).abs() < 0.5);
        let kernel = self.kernel(row.insert_axis(Axis(0)));
        let mut changes = vec![0.0f32; instead.len()];
        for ((vector, &value), &weight) in self.vectors.rows().into_iter().zip(kernel.row(0)).zip(&self.weights) {
            let part = value * weight;
            let vector = vector.to_slice().expect("support vectors are in row order");
            let columns = changes.iter_mut().zip(vector).zip(scales.iter().zip(&sums));
            if is_small {
                for ((change, &vector), (&scale, &sum)) in columns {
                    let x = scale * (sum - 2.0 * vector);
                    *change += part * x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0))));
                }
            } else {
                for ((change, &vector), (&scale, &sum)) in columns {
                    *change += part * (scale * (sum - 2.0 * vector)).exp_m1();
                }
            }
        }
        changes.into_iter().map(|change| -change).collect()
    }
}

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
        // Its kernel has no gamma: the rows take its root.
        Kernel::Polynomial { gamma, coef0, degree } => {
            (params.polynomial_kernel(coef0, f64::from(degree)), gamma.sqrt())
        }
        Kernel::Sigmoid { .. } | Kernel::Puk { .. } => {
            return Err(ModelError::Training("linfa has no sigmoid and no PUK kernel; use --solver smo".to_owned()));
        }
    };
    let params = params.check().map_err(|error| fail(&error))?;
    let records: Array2<f64> = rows.mapv(|value| factor * f64::from(value));
    let dataset = linfa::DatasetBase::new(records, Array1::from(is_content.to_vec()));
    let machine: linfa_svm::Svm<f64, bool> = params.fit(&dataset).map_err(|error| fail(&error))?;
    Ok((machine.alpha, machine.rho))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::kernel::tests::ALL;
    use super::*;
    use ndarray::Slice;

    /// Two noisy rings, scaled.
    pub(crate) fn rings(count: usize, columns: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, columns), |_| random.f32() * 2.0 - 1.0);
        let labels =
            rows.rows().into_iter().map(|row| row[0] * row[0] + row[1] * row[1] + 0.2 * random.f32() > 0.7).collect();
        (rows, labels)
    }

    fn options(solver: Solver) -> SvmOptions {
        SvmOptions { c: 5.0, kernel: Kernel::Rbf { gamma: 0.7 }, content_weight: 1.5, solver, ..SvmOptions::default() }
    }

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
                assert!(fit(Solver::Linfa).unwrap_err().to_string().contains("--solver smo"));
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
    fn margins_are_those_of_linfa() {
        let (rows, labels) = rings(250, 6, 5);
        let options = options(Solver::Linfa);
        let machine = Svm::fit(rows.view(), &labels, None, &options).unwrap();
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
            assert!((f64::from(margin) - expected).abs() < 1e-3, "{margin} {expected}");
        }
    }

    #[test]
    fn a_row_has_one_margin_whatever_stands_beside_it() {
        let (rows, labels) = rings(300, 7, 9);
        let machine = Svm::fit(rows.view(), &labels, None, &options(Solver::Smo)).unwrap();
        let all = machine.margins(rows.view());
        for from in [1, 57, 299] {
            assert_eq!(machine.margins(rows.slice_axis(Axis(0), Slice::from(from..))), all[from..]);
        }
    }

    #[test]
    fn effects_are_what_replacing_a_value_does() {
        let (rows, labels) = rings(200, 4, 11);
        // The Gaussian by its series and by the exponential, and every other kernel.
        for kernel in ALL.into_iter().chain([0.05, 2.0].map(|gamma| Kernel::Rbf { gamma })) {
            let options = SvmOptions { kernel, ..options(Solver::Smo) };
            let machine = Svm::fit(rows.view(), &labels, None, &options).unwrap();
            let effects = machine.effects(rows.row(3), &[0.1, -0.2, 0.3, 0.0]);
            for (column, instead) in [0.1, -0.2, 0.3, 0.0].into_iter().enumerate() {
                let mut pair = rows.select(Axis(0), &[3, 3]);
                pair[[1, column]] = instead;
                let margins = machine.margins(pair.view());
                assert!((effects[column] - (margins[0] - margins[1])).abs() < 1e-3, "{kernel:?}");
            }
        }
    }

    #[test]
    fn weights_of_rows_pull_the_border() {
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
