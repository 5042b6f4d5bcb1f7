//! Fits a logistic regression by Newton's method.

use super::Logistic;
use crate::classify::cholesky::solve;
use crate::classify::training_rows::check_rows;
use crate::error::ModelError;
use ndarray::ArrayView2;

/// Newton steps at most; ten are usual.
const STEPS: usize = 50;

impl Logistic {
    /// Fits by Newton's method; `ridge` (0 or more, per row) keeps weights small. At most some hundred columns.
    pub fn fit(rows: ArrayView2<'_, f32>, is_content: &[bool], ridge: f64) -> Result<Self, ModelError> {
        if !(ridge.is_finite() && ridge >= 0.0) {
            return Err(ModelError::Parameter { parameter: "ridge", value: ridge, range: "0 or more" });
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
                let x: Vec<f64> = row.iter().map(|&value| f64::from(value)).chain([1.0]).collect();
                let sum: f64 = x.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
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
            let largest = step.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            // Large steps overshoot where the labels are linearly separable.
            let share = (4.0 / largest.max(1e-12)).min(1.0);
            weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight += share * step);
            if largest < 1e-6 {
                break;
            }
        }
        let offset = weights.pop().unwrap_or(0.0) as f32;
        Ok(Self { weights: weights.into_iter().map(|weight| weight as f32).collect(), offset })
    }
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
        let found = Logistic::fit(rows.view(), &labels, 0.0).unwrap();
        for (weight, truth) in found.weights.iter().chain([&found.offset]).zip([2.0, -1.0, 0.5]) {
            assert!((weight - truth).abs() < 0.1, "{found:?}");
        }
    }

    #[test]
    fn separable_labels_give_finite_weights_and_wrong_input_is_named() {
        let rows = Array2::from_shape_vec((4, 1), vec![-1.0, -0.5, 0.5, 1.0]).unwrap();
        let found = Logistic::fit(rows.view(), &[false, false, true, true], 1e-3).unwrap();
        assert!(found.margins(rows.view())[3] > 1.0 && found.weights[0].is_finite());
        assert!(Logistic::fit(rows.view(), &[true; 4], -1.0).unwrap_err().to_string().contains("ridge"));
    }
}
