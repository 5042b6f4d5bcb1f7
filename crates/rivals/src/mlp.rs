//! Trains texrex's perceptron by RPROP, as FANN does (version 2; Nissen 2003).

use crate::method::texrex::perceptron::{Mlp, STEEPNESS, gaussian, target, with_bias};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use vclean_core::error::ModelError;
use vclean_lab::fitting::rows::check_rows;

/// Rows whose slopes are summed at once; the parts are summed in order, whatever the number of
/// threads.
const PART: usize = 1024;

/// Initial weights are drawn evenly from -this to this (FANN's default).
const INITIAL: f32 = 0.1;
/// Limit of the size of a weight (FANN, `fann_update_weights_irpropm`).
const LARGEST_WEIGHT: f32 = 1500.0;
/// RPROP: the first step, the largest, the least that a step counts as before it is changed, and by
/// how much one grows or shrinks (FANN's `rprop_delta_zero`, `rprop_delta_max`, its 0.0001,
/// `rprop_increase_factor` and `rprop_decrease_factor`).
const FIRST_STEP: f32 = 0.1;
const LARGEST_STEP: f32 = 50.0;
const LEAST_STEP: f32 = 1e-4;
const GROWTH: f32 = 1.2;
const SHRINKAGE: f32 = 0.5;
/// The slope of an error of 1 (FANN: 17 for |d| above 0.9999999).
const LARGEST_SLOPE: f32 = 17.0;

/// The derivative of the loss by the error d, negative where d is.
fn slope_of(difference: f32) -> f32 {
    if difference.abs() > 0.999_999_9 {
        LARGEST_SLOPE.copysign(difference)
    } else {
        ((1.0 + difference) / (1.0 - difference)).ln()
    }
}

/// One weight's step by iRPROP-, as in FANN: the new weight, its step, and the slope to compare the
/// next one with.
///
/// If the slope changed its sign, the step shrinks, and FANN, unlike the publication it follows,
/// moves the weight up by it instead of leaving it unchanged: this escapes from the plateaus around
/// 0 where all units have the same output. FANN does so too if the slope is and was 0, which drives
/// the weights of columns without a value to their limit; here they do not change, so that such a
/// value on a later page does not outweigh all others.
fn change(weight: f32, step: f32, slope: f32, slope_before: f32) -> (f32, f32, f32) {
    let step = step.max(LEAST_STEP);
    if slope * slope_before < 0.0 {
        let step = step * SHRINKAGE;
        return ((weight + step).min(LARGEST_WEIGHT), step, 0.0);
    }
    let step = (step * GROWTH).min(LARGEST_STEP);
    let direction = if slope == 0.0 { 0.0 } else { slope.signum() };
    (
        (weight + direction * step).clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT),
        step,
        slope,
    )
}

/// Options for training a perceptron.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MlpOptions {
    /// Hidden units, 1 to 1,000.
    pub hidden: usize,
    /// Epochs: passes over all rows, each followed by one change of the weights; 1 to 1,000,000.
    pub epochs: u32,
    /// Epochs between two snapshots, at least 1; the last epoch has one too.
    pub snapshot_every: u32,
    /// Seed of the initial weights.
    pub seed: u64,
}

impl Default for MlpOptions {
    /// The paper's values: half as many hidden units as its 37 inputs, 50,000 epochs, a snapshot
    /// each 1,000.
    fn default() -> Self {
        Self {
            hidden: 18,
            epochs: 50_000,
            snapshot_every: 1_000,
            seed: 1,
        }
    }
}

impl MlpOptions {
    /// Checks the ranges before any work is done.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let fail = |parameter, value, range| {
            Err(ModelError::Parameter {
                parameter,
                value,
                range,
            })
        };
        if !(1..=1000).contains(&self.hidden) {
            return fail("hidden units", self.hidden as f64, "1 to 1000");
        }
        if !(1..=1_000_000).contains(&self.epochs) {
            return fail("epochs", f64::from(self.epochs), "1 to 1000000");
        }
        if self.snapshot_every == 0 {
            return fail("epochs between snapshots", 0.0, "1 or more");
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct CurvePoint {
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Mean square error on the rows trained on, as FANN reports it (halved differences).
    pub training: f64,
    /// Mean square error on the validation rows, if there are any.
    pub testing: Option<f64>,
}

/// A perceptron and the errors of its training.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrainedMlp {
    /// The perceptron of the snapshot with the lowest training error.
    pub mlp: Mlp,
    /// Epoch of that snapshot.
    pub epoch: u32,
    /// All snapshots, in order.
    pub curve: Vec<CurvePoint>,
}

struct Pass {
    slopes: Vec<f64>,
    squares: f64,
}

/// Trains on rows (about -1 to 1), full batch, by FANN's iRPROP- (Igel and Hüsken 2000);
/// `validation` are rows that are measured at each snapshot, never learned from. `on_snapshot` is
/// called with each snapshot. The same rows and options give the same weights.
///
/// # Errors
/// If an option is out of range, or the rows cannot be learned from.
pub(crate) fn fit(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    validation: Option<(ArrayView2<'_, f32>, &[bool])>,
    options: &MlpOptions,
    on_snapshot: &(dyn Fn(&CurvePoint) + Sync),
) -> Result<TrainedMlp, ModelError> {
    options.check()?;
    check_rows(rows, is_content, None)?;
    let mut mlp = initial(rows.ncols(), options);
    let with_bias = with_bias(rows);
    let targets: Vec<f32> = is_content.iter().map(|&content| target(content)).collect();
    let count = mlp.weights.len();
    let (mut steps, mut slopes_before) = (vec![FIRST_STEP; count], vec![0.0f32; count]);
    let mut curve: Vec<CurvePoint> = Vec::new();
    let mut best: Option<(f64, u32, Mlp)> = None;
    for epoch in 1..=options.epochs {
        let pass = pass(&mlp, with_bias.view(), &targets);
        if epoch % options.snapshot_every == 0 || epoch == options.epochs {
            // The error is that of the weights before they are changed.
            let training = pass.squares / targets.len() as f64;
            let testing = validation.map(|(rows, is_content)| mlp.error(rows, is_content));
            let point = CurvePoint {
                epoch,
                training,
                testing,
            };
            on_snapshot(&point);
            curve.push(point);
            if best.as_ref().is_none_or(|(least, ..)| training < *least) {
                best = Some((training, epoch, mlp.clone()));
            }
        }
        for at in 0..count {
            let slope = pass.slopes[at] as f32;
            (mlp.weights[at], steps[at], slopes_before[at]) =
                change(mlp.weights[at], steps[at], slope, slopes_before[at]);
        }
    }
    let (_, epoch, mlp) = best.expect("the last epoch has a snapshot");
    Ok(TrainedMlp { mlp, epoch, curve })
}

fn initial(inputs: usize, options: &MlpOptions) -> Mlp {
    let mut random = fastrand::Rng::with_seed(options.seed);
    let count = (inputs + 1) * options.hidden + options.hidden + 1;
    let weights = (0..count)
        .map(|_| (random.f32() * 2.0 - 1.0) * INITIAL)
        .collect();
    Mlp {
        inputs,
        hidden: options.hidden,
        weights,
    }
}

/// Slopes (the negative gradient of the loss) and squares over all rows, which have the bias as
/// their last column.
fn pass(mlp: &Mlp, rows: ArrayView2<'_, f32>, targets: &[f32]) -> Pass {
    let parts: Vec<Pass> = (0..targets.len().div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let range = part * PART..((part + 1) * PART).min(targets.len());
            pass_of_part(
                mlp,
                rows.slice_axis(Axis(0), Slice::from(range.clone())),
                &targets[range],
            )
        })
        .collect();
    let mut all = Pass {
        slopes: vec![0.0; mlp.weights.len()],
        squares: 0.0,
    };
    for part in parts {
        all.slopes
            .iter_mut()
            .zip(part.slopes)
            .for_each(|(sum, slope)| *sum += slope);
        all.squares += part.squares;
    }
    all
}

fn pass_of_part(mlp: &Mlp, rows: ArrayView2<'_, f32>, targets: &[f32]) -> Pass {
    let layer = (mlp.inputs + 1) * mlp.hidden;
    let (first, last) = mlp.weights.split_at(layer);
    let first = ArrayView2::from_shape((mlp.inputs + 1, mlp.hidden), first)
        .expect("the weights fit the numbers of units");
    let mut deltas = Array2::zeros((rows.nrows(), mlp.hidden));
    general_mat_mul(STEEPNESS, &rows, &first, 0.0, &mut deltas);
    let sums = deltas.as_slice_mut().expect("a product is in row order");
    let values: Vec<f32> = sums.iter().map(|&sum| gaussian(sum)).collect();
    // f'(s) = -2 k (k s) (f + 1)
    sums.iter_mut()
        .zip(&values)
        .for_each(|(sum, value)| *sum *= -2.0 * STEEPNESS * (value + 1.0));
    let (weights, bias) = (&last[..mlp.hidden], last[mlp.hidden]);
    let mut of_output = vec![0.0f32; mlp.hidden + 1];
    let mut squares = 0.0;
    let both = sums
        .chunks_exact_mut(mlp.hidden)
        .zip(values.chunks_exact(mlp.hidden));
    for ((derivatives, values), &target) in both.zip(targets) {
        let sum: f32 = values
            .iter()
            .zip(weights)
            .map(|(value, weight)| value * weight)
            .sum();
        let output = (STEEPNESS * (sum + bias)).clamp(-1.0, 1.0);
        let difference = (target - output) / 2.0;
        squares += f64::from(difference * difference);
        let delta = STEEPNESS * slope_of(difference);
        of_output[mlp.hidden] += delta;
        of_output
            .iter_mut()
            .zip(values)
            .for_each(|(slope, value)| *slope += delta * value);
        derivatives
            .iter_mut()
            .zip(weights)
            .for_each(|(derivative, weight)| *derivative *= delta * weight);
    }
    let mut of_hidden = Array2::zeros((mlp.inputs + 1, mlp.hidden));
    general_mat_mul(1.0, &rows.t(), &deltas, 0.0, &mut of_hidden);
    let slopes = of_hidden
        .iter()
        .chain(&of_output)
        .map(|&slope| f64::from(slope))
        .collect();
    Pass { slopes, squares }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with a crooked band of content in the middle.
    fn band(count: usize, seed: u64) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = Array2::from_shape_fn((count, 3), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| (row[0] + 0.3 * row[1] * row[1]).abs() < 0.5)
            .collect();
        (rows, labels)
    }

    fn options(epochs: u32) -> MlpOptions {
        MlpOptions {
            hidden: 5,
            epochs,
            snapshot_every: 50,
            seed: 3,
        }
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let (rows, labels) = band(40, 1);
        let mut mlp = initial(3, &options(1));
        // Far enough from 0 that every slope is felt.
        mlp.weights.iter_mut().for_each(|weight| *weight *= 5.0);
        let rows = with_bias(rows.view());
        let targets: Vec<f32> = labels.iter().map(|&content| target(content)).collect();
        let loss = |mlp: &Mlp| -> f64 {
            let row_loss = |(output, target): (f32, &f32)| {
                let d = f64::from(target - output) / 2.0;
                assert!(
                    output.abs() < 1.0,
                    "the test stays where nothing is clamped"
                );
                2.0 * ((1.0 + d) * d.ln_1p() + (1.0 - d) * (-d).ln_1p())
            };
            mlp.sums(rows.view())
                .1
                .into_iter()
                .zip(&targets)
                .map(row_loss)
                .sum()
        };
        let slopes = pass(&mlp, rows.view(), &targets).slopes;
        for (at, found) in slopes.into_iter().enumerate() {
            let beside = |by: f32| {
                let mut other = mlp.clone();
                other.weights[at] += by;
                loss(&other)
            };
            let expected = -(beside(0.01) - beside(-0.01)) / 0.02;
            assert!(
                (found - expected).abs() < 2e-3 * (1.0 + expected.abs()),
                "{at}: {found} {expected}"
            );
        }
    }

    #[test]
    fn the_error_falls_and_the_best_snapshot_is_kept() {
        let (rows, labels) = band(600, 2);
        let (fresh, truth) = band(300, 9);
        let validation = Some((fresh.view(), truth.as_slice()));
        let trained = fit(rows.view(), &labels, validation, &options(1_020), &|_| ()).unwrap();
        let curve = &trained.curve;
        assert_eq!(
            (curve.len(), curve[0].epoch, curve[20].epoch),
            (21, 50, 1_020)
        );
        let least = curve
            .iter()
            .map(|point| point.training)
            .fold(f64::MAX, f64::min);
        assert!(
            least < 0.3 * curve[0].training && curve[20].training < curve[0].training,
            "{curve:?}"
        );
        let error = trained.mlp.error(rows.view(), &labels);
        assert!((error - least).abs() < 1e-6, "{error} {least}");
        assert!(
            curve
                .iter()
                .any(|point| point.epoch == trained.epoch && point.training == least)
        );
        let outputs = trained.mlp.outputs(fresh.view());
        let right = outputs
            .iter()
            .zip(&truth)
            .filter(|(output, content)| (**output < 0.5) == **content)
            .count();
        assert!(right > 270 && curve[20].testing.unwrap() < 0.05, "{right}");
    }

    #[test]
    fn the_weights_depend_on_the_seed_and_not_on_threads() {
        let (rows, labels) = band(2_500, 4);
        let fitted = |options: &MlpOptions| {
            fit(rows.view(), &labels, None, options, &|_| ())
                .unwrap()
                .mlp
        };
        let with_threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(count)
                .build()
                .unwrap();
            pool.install(|| fitted(&options(60)))
        };
        let one = with_threads(1);
        assert_eq!(one, with_threads(3));
        assert_ne!(
            one,
            fitted(&MlpOptions {
                seed: 4,
                ..options(60)
            })
        );
        assert!(one.is_consistent() && one.inputs() == 3);
    }

    #[test]
    fn wrong_options_and_rows_are_named() {
        let (rows, labels) = band(20, 1);
        let error = |options: &MlpOptions, labels: &[bool]| {
            fit(rows.view(), labels, None, options, &|_| ())
                .unwrap_err()
                .to_string()
        };
        let usual = options(10);
        assert_eq!(
            error(&MlpOptions { hidden: 0, ..usual }, &labels),
            "hidden units is 0, allowed is 1 to 1000"
        );
        assert_eq!(
            error(&MlpOptions { epochs: 0, ..usual }, &labels),
            "epochs is 0, allowed is 1 to 1000000"
        );
        assert!(
            error(
                &MlpOptions {
                    snapshot_every: 0,
                    ..usual
                },
                &labels
            )
            .contains("snapshots is 0")
        );
        assert!(error(&usual, &[true; 20]).contains("both kinds"));
    }

    #[test]
    fn errors_near_1_are_cut() {
        assert_eq!(
            (slope_of(1.0), slope_of(-1.0), slope_of(0.0)),
            (LARGEST_SLOPE, -LARGEST_SLOPE, 0.0)
        );
        assert!((slope_of(0.5) - 3.0f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn steps_grow_and_shrink() {
        assert_eq!(
            change(1.0, 0.5, 2.0, 3.0),
            (1.0 + 0.5 * GROWTH, 0.5 * GROWTH, 2.0)
        );
        assert_eq!(
            change(1.0, 0.5, -2.0, -3.0),
            (1.0 - 0.5 * GROWTH, 0.5 * GROWTH, -2.0)
        );
        assert_eq!(change(1.0, 0.5, -2.0, 3.0), (1.25, 0.25, 0.0));
        assert_eq!(change(1.0, 0.5, 2.0, -3.0), (1.25, 0.25, 0.0));
        assert_eq!(change(1.0, 0.5, 0.0, 0.0).0, 1.0);
        assert_eq!(change(1499.0, 49.0, 1.0, 1.0).0, LARGEST_WEIGHT);
    }
}
