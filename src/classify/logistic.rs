//! Logistic regression with a ridge: a small second stage, and a baseline for the support vector machine.

#[cfg(feature = "experiments")]
mod fit;

use ndarray::ArrayView2;

/// A fitted regression: `f(x) = weights x + offset`, in units of log odds.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    pub(crate) weights: Vec<f32>,
    pub(crate) offset: f32,
}

impl Logistic {
    /// The margin (log odds) of each row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        rows.rows()
            .into_iter()
            .map(|row| row.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum::<f32>() + self.offset)
            .collect()
    }
}
