//! Fits a logistic regression by Newton's method.

use super::rows::check_rows;
use ndarray::ArrayView2;
use vclean_core::classify::Logistic;
use vclean_core::error::ModelError;

/// Newton steps at most; ten are usual.
const STEPS: usize = 50;

/// Fits by Newton's method; `ridge` (0 or more, per row) keeps weights small. At most some hundred
/// columns.
pub fn fit(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    ridge: f64,
) -> Result<Logistic, ModelError> {
    if !(ridge.is_finite() && ridge >= 0.0) {
        return Err(ModelError::Parameter {
            parameter: "ridge",
            value: ridge,
            range: "0 or more",
        });
    }
    check_rows(rows, is_content, None)?;
    let columns = rows.ncols() + 1;
    let ridge = (ridge * rows.nrows() as f64).max(1e-6);
    let mut weights = vec![0.0f64; columns];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -ridge * weight).collect();
        let mut curve = vec![0.0f64; columns * columns];
        for at in 0..columns {
            curve[at * columns + at] = ridge;
        }
        for (row, &content) in rows.rows().into_iter().zip(is_content) {
            let x: Vec<f64> = row
                .iter()
                .map(|&value| f64::from(value))
                .chain([1.0])
                .collect();
            let sum: f64 = x
                .iter()
                .zip(&weights)
                .map(|(value, weight)| value * weight)
                .sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let error = f64::from(u8::from(content)) - p;
            let variance = p * (1.0 - p);
            for (at, &value) in x.iter().enumerate() {
                slope[at] += error * value;
                let scaled = variance * value;
                for (cell, &other) in curve[at * columns..=at * columns + at].iter_mut().zip(&x) {
                    *cell += scaled * other;
                }
            }
        }
        let step = solve(&mut curve, &slope);
        let largest = step
            .iter()
            .fold(0.0f64, |most, value| most.max(value.abs()));
        // Large steps overshoot where the labels are linearly separable.
        let share = (4.0 / largest.max(1e-12)).min(1.0);
        weights
            .iter_mut()
            .zip(&step)
            .for_each(|(weight, step)| *weight += share * step);
        if largest < 1e-6 {
            break;
        }
    }
    let offset = weights.pop().unwrap_or(0.0) as f32;
    Ok(Logistic {
        weights: weights.into_iter().map(|weight| weight as f32).collect(),
        offset,
    })
}

/// Solves `matrix x = right` by Cholesky decomposition; `matrix` is positive definite, its lower
/// half is used and overwritten.
pub(super) fn solve(matrix: &mut [f64], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let dot: f64 = (0..column)
                .map(|at| matrix[row * size + at] * matrix[column * size + at])
                .sum();
            let value = matrix[row * size + column] - dot;
            matrix[row * size + column] = if row == column {
                value.max(1e-12).sqrt()
            } else {
                value / matrix[column * size + column]
            };
        }
    }
    let mut x = right.to_vec();
    for row in 0..size {
        let dot: f64 = (0..row).map(|at| matrix[row * size + at] * x[at]).sum();
        x[row] = (x[row] - dot) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let dot: f64 = (row + 1..size)
            .map(|at| matrix[at * size + row] * x[at])
            .sum();
        x[row] = (x[row] - dot) / matrix[row * size + row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn finds_the_weights_that_generated_the_labels() {
        let mut random = fastrand::Rng::with_seed(8);
        let rows = Array2::from_shape_fn((20_000, 2), |_| random.f32() * 2.0 - 1.0);
        let labels: Vec<bool> = rows
            .rows()
            .into_iter()
            .map(|row| random.f32() < 1.0 / (1.0 + (-(2.0 * row[0] - row[1] + 0.5)).exp()))
            .collect();
        let found = fit(rows.view(), &labels, 0.0).unwrap();
        for (weight, truth) in found
            .weights
            .iter()
            .chain([&found.offset])
            .zip([2.0, -1.0, 0.5])
        {
            assert!((weight - truth).abs() < 0.1, "{found:?}");
        }
    }

    #[test]
    fn separable_labels_give_finite_weights_and_wrong_input_is_named() {
        let rows = Array2::from_shape_vec((4, 1), vec![-1.0, -0.5, 0.5, 1.0]).unwrap();
        let found = fit(rows.view(), &[false, false, true, true], 1e-3).unwrap();
        assert!(found.margins(rows.view())[3] > 1.0 && found.weights[0].is_finite());
        assert!(
            fit(rows.view(), &[true; 4], -1.0)
                .unwrap_err()
                .to_string()
                .contains("ridge")
        );
    }

    #[test]
    fn the_solution_fulfills_the_equations() {
        let matrix = [4.0, 2.0, -1.0, 2.0, 5.0, 0.5, -1.0, 0.5, 3.0];
        let right = [1.0, -2.0, 0.5];
        let x = solve(&mut matrix.clone(), &right);
        for (row, wanted) in matrix.chunks(3).zip(right) {
            let found: f64 = row.iter().zip(&x).map(|(value, x)| value * x).sum();
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
    }
}
