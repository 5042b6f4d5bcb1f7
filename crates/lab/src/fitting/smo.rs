//! Solves the dual of the soft-margin support vector machine for a given kernel matrix.
//!
//! Sequential minimal optimization with the second-order working set of Fan, Chen and Lin (2005),
//! as in libsvm, without shrinking. In signed form: `beta_i = y_i alpha_i`, so one step moves
//! `beta_i` up and `beta_j` down by the same.

use ndarray::ArrayView2;

/// Replaces a curvature that is not positive, as in libsvm.
const TAU: f64 = 1e-12;

/// The solution: `f(x) = sum beta_i K(x_i, x) - rho`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    /// Signed weight of each row; 0 for rows that are not support vectors.
    pub(super) beta: Vec<f64>,
    pub(super) rho: f64,
    pub(super) steps: usize,
}

/// Solves for `kernel` (square, symmetric), with an upper bound of `alpha` for each row.
///
/// Begins at `start`, which must keep the bounds and sum to 0 (the solution for smaller bounds
/// does), else at 0. Stops when the largest violation of the optimality conditions is below
/// `tolerance`, or after `max_steps`. A kernel that is not an inner product, such as some sigmoids,
/// gives a point where no pair of rows can improve.
pub(super) fn solve(
    kernel: ArrayView2<'_, f32>,
    is_positive: &[bool],
    bounds: &[f64],
    tolerance: f64,
    max_steps: usize,
    start: Option<&[f64]>,
) -> Solution {
    let limits = Limits::new(is_positive, bounds);
    let own: Vec<f64> = kernel
        .diag()
        .iter()
        .map(|&value| f64::from(value))
        .collect();
    let mut beta = start.map_or_else(|| vec![0.0f64; is_positive.len()], <[f64]>::to_vec);
    let mut slope = slopes(kernel, is_positive, &beta);
    let mut steps = 0;
    let (mut most, mut least);
    loop {
        let up;
        (up, most, least) = most_violating(&beta, &slope, &limits);
        if up == usize::MAX || most - least < tolerance || steps >= max_steps {
            break;
        }
        let up_row = kernel.row(up);
        let up_row = up_row
            .as_slice()
            .expect("the kernel matrix is in row order");
        let Some(down) = best_partner(up, most, up_row, &own, &beta, &slope, &limits) else {
            break;
        };
        let curvature = (own[up] + own[down] - 2.0 * f64::from(up_row[down])).max(TAU);
        let room_up = limits.high[up] - beta[up];
        let room_down = beta[down] - limits.low[down];
        let step = ((most - slope[down]) / curvature)
            .min(room_up)
            .min(room_down);
        // A bound that is reached is set exactly, so that rounding leaves no row just inside it.
        beta[up] = if step == room_up {
            limits.high[up]
        } else {
            beta[up] + step
        };
        beta[down] = if step == room_down {
            limits.low[down]
        } else {
            beta[down] - step
        };
        let down_row = kernel.row(down);
        let down_row = down_row
            .as_slice()
            .expect("the kernel matrix is in row order");
        for ((slope, &one), &other) in slope.iter_mut().zip(up_row).zip(down_row) {
            *slope -= step * f64::from(one - other);
        }
        steps += 1;
    }
    let rho = -offset(&beta, &slope, &limits, (most, least));
    Solution { beta, rho, steps }
}

/// Bounds of the signed weight of each row.
struct Limits {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Limits {
    fn new(is_positive: &[bool], bounds: &[f64]) -> Self {
        let rows = || is_positive.iter().zip(bounds);
        Self {
            low: rows()
                .map(|(&positive, &c)| if positive { 0.0 } else { -c })
                .collect(),
            high: rows()
                .map(|(&positive, &c)| if positive { c } else { 0.0 })
                .collect(),
        }
    }
}

/// The negative gradient, signed: `y_t - sum_s beta_s K_st`.
fn slopes(kernel: ArrayView2<'_, f32>, is_positive: &[bool], beta: &[f64]) -> Vec<f64> {
    let mut slope: Vec<f64> = is_positive
        .iter()
        .map(|&positive| if positive { 1.0 } else { -1.0 })
        .collect();
    for (row, &beta) in beta.iter().enumerate().filter(|(_, beta)| **beta != 0.0) {
        slope
            .iter_mut()
            .zip(kernel.row(row))
            .for_each(|(slope, &value)| *slope -= beta * f64::from(value));
    }
    slope
}

/// The row with the largest slope among those that may grow (`usize::MAX` for none), its slope, and
/// the least slope among those that may shrink.
fn most_violating(beta: &[f64], slope: &[f64], limits: &Limits) -> (usize, f64, f64) {
    let mut up = usize::MAX;
    let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
    for t in 0..beta.len() {
        if beta[t] < limits.high[t] && slope[t] > most {
            (most, up) = (slope[t], t);
        }
        if beta[t] > limits.low[t] && slope[t] < least {
            least = slope[t];
        }
    }
    (up, most, least)
}

/// The row that lowers the objective most when it shrinks while `up`, with the slope `most`, grows.
fn best_partner(
    up: usize,
    most: f64,
    up_row: &[f32],
    own: &[f64],
    beta: &[f64],
    slope: &[f64],
    limits: &Limits,
) -> Option<usize> {
    let (mut down, mut best) = (None, 0.0);
    for t in 0..beta.len() {
        let difference = most - slope[t];
        if beta[t] > limits.low[t] && difference > 0.0 {
            let curvature = (own[up] + own[t] - 2.0 * f64::from(up_row[t])).max(TAU);
            let gain = difference * difference / curvature;
            if gain > best {
                (best, down) = (gain, Some(t));
            }
        }
    }
    down
}

/// The offset of the margin: the mean slope of the rows strictly inside their bounds, else the
/// middle of what the optimality conditions allow.
fn offset(beta: &[f64], slope: &[f64], limits: &Limits, (most, least): (f64, f64)) -> f64 {
    let is_free = |t: &usize| beta[*t] > limits.low[*t] && beta[*t] < limits.high[*t];
    let free: Vec<f64> = (0..beta.len()).filter(is_free).map(|t| slope[t]).collect();
    if !free.is_empty() {
        free.iter().sum::<f64>() / free.len() as f64
    } else if most.is_finite() && least.is_finite() {
        f64::midpoint(most, least)
    } else {
        0.0
    }
}

/// Maximum number of steps of our solver, as in libsvm: more than a machine with sensible
/// parameters needs.
pub(super) fn max_steps(rows: usize) -> usize {
    (100 * rows).max(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn two_points_are_separated_in_the_middle() {
        let off = (-2.0f32).exp();
        let kernel = Array2::from_shape_vec((2, 2), vec![1.0, off, off, 1.0]).unwrap();
        let solution = solve(
            kernel.view(),
            &[true, false],
            &[100.0, 100.0],
            1e-6,
            1000,
            None,
        );
        // alpha = 1 / (1 - K): both lie exactly on their margin.
        let alpha = 1.0 / (1.0 - f64::from(off));
        assert!((solution.beta[0] - alpha).abs() < 1e-5 && (solution.beta[1] + alpha).abs() < 1e-5);
        assert!(solution.rho.abs() < 1e-6);
    }

    #[test]
    fn bounds_hold_and_signed_weights_sum_to_zero() {
        let mut random = fastrand::Rng::with_seed(3);
        let points: Vec<f32> = (0..60).map(|_| random.f32()).collect();
        let kernel =
            Array2::from_shape_fn((60, 60), |(i, j)| (-(points[i] - points[j]).powi(2)).exp());
        let labels: Vec<bool> = points
            .iter()
            .map(|&point| point + 0.5 * random.f32() > 0.7)
            .collect();
        let solution = solve(kernel.view(), &labels, &[2.0; 60], 1e-3, 100_000, None);
        assert!(solution.steps > 0 && solution.beta.iter().sum::<f64>().abs() < 1e-9);
        for (beta, positive) in solution.beta.iter().zip(labels) {
            assert!(if positive {
                (0.0..=2.0).contains(beta)
            } else {
                (-2.0..=0.0).contains(beta)
            });
        }
    }

    #[test]
    fn a_solution_for_smaller_bounds_saves_steps() {
        let mut random = fastrand::Rng::with_seed(9);
        let points: Vec<f32> = (0..120).map(|_| random.f32()).collect();
        // A kernel whose diagonal is not 1.
        let kernel = Array2::from_shape_fn((120, 120), |(i, j)| {
            3.0 * (-200.0 * (points[i] - points[j]).powi(2)).exp()
        });
        let labels: Vec<bool> = points
            .iter()
            .map(|&point| (9.0 * point).sin() + random.f32() > 0.5)
            .collect();
        let small = solve(kernel.view(), &labels, &[1.0; 120], 1e-4, 100_000, None);
        let cold = solve(kernel.view(), &labels, &[1.2; 120], 1e-4, 100_000, None);
        let warm = solve(
            kernel.view(),
            &labels,
            &[1.2; 120],
            1e-4,
            100_000,
            Some(&small.beta),
        );
        assert!(
            warm.steps < cold.steps && (warm.rho - cold.rho).abs() < 1e-2,
            "{} {}",
            warm.steps,
            cold.steps
        );
        let objective = |solution: &Solution| {
            let beta = &solution.beta;
            let labels: f64 = beta.iter().map(|beta| beta.abs()).sum();
            let pairs = kernel
                .indexed_iter()
                .map(|((i, j), &value)| beta[i] * beta[j] * f64::from(value))
                .sum::<f64>();
            labels - pairs / 2.0
        };
        assert!((objective(&warm) - objective(&cold)).abs() < 1e-3);
    }
}
