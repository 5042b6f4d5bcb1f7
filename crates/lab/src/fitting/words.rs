//! Fits a weight to each of many words, of which a row has a few: a logistic regression of sparse
//! rows.
//!
//! Accelerated gradient descent (Nesterov 1983) in which each weight has its own step, the largest
//! that cannot overshoot: the curvature of the loss is at most a quarter of the weighted sum, over
//! the rows, of the word's count times the count of all words of the row (the bound of Böhning
//! 1992, made diagonal). So there is nothing to tune, and the same rows give the same weights.

/// Rows as lists of the numbers of their words; a word may be in a row more than once.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordRows {
    /// The words of all rows, one row after the other.
    words: Vec<u32>,
    /// End of each row in `words`.
    ends: Vec<usize>,
    labels: Vec<bool>,
    /// Weight of each row in the loss, 0 or more.
    weights: Vec<f64>,
}

impl WordRows {
    pub(crate) fn push(
        &mut self,
        words: impl IntoIterator<Item = u32>,
        is_content: bool,
        weight: f64,
    ) {
        self.words.extend(words);
        self.ends.push(self.words.len());
        self.labels.push(is_content);
        self.weights.push(weight);
    }

    fn rows(&self) -> impl Iterator<Item = (&[u32], f64, f64)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .zip(self.labels.iter().zip(&self.weights))
            .map(|((start, &end), (&label, &weight))| {
                (
                    &self.words[start..end],
                    if label { 1.0 } else { 0.0 },
                    weight,
                )
            })
    }
}

/// Number of steps. Heuristic.
const STEPS: usize = 150;

/// The weight of each of `words` words, in log odds. `penalty`, above 0, holds them near 0: half
/// the penalty times the sum of their squares is added to the loss.
pub(crate) fn fit_words(rows: &WordRows, words: usize, penalty: f64) -> Vec<f32> {
    // The last weight is the offset, which is in every row and not penalized.
    let mut bounds = vec![penalty; words + 1];
    bounds[words] = f64::MIN_POSITIVE;
    for (of_row, _, weight) in rows.rows() {
        let share = 0.25 * weight * (of_row.len() + 1) as f64;
        for &word in of_row {
            bounds[word as usize] += share;
        }
        bounds[words] += share;
    }
    let mut weights = vec![0.0f64; words + 1];
    let (mut ahead, mut momentum) = (weights.clone(), 1.0f64);
    for _ in 0..STEPS {
        let slopes = slopes(rows, &ahead, penalty);
        let next_momentum = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        let push = (momentum - 1.0) / next_momentum;
        for (at, weight) in weights.iter_mut().enumerate() {
            let moved = ahead[at] - slopes[at] / bounds[at];
            ahead[at] = moved + push * (moved - *weight);
            *weight = moved;
        }
        momentum = next_momentum;
    }
    weights[..words]
        .iter()
        .map(|&weight| weight as f32)
        .collect()
}

/// The slopes of the loss by the weights, the offset last.
fn slopes(rows: &WordRows, weights: &[f64], penalty: f64) -> Vec<f64> {
    let words = weights.len() - 1;
    let mut slopes: Vec<f64> = weights.iter().map(|weight| penalty * weight).collect();
    slopes[words] = 0.0;
    for (of_row, label, share) in rows.rows() {
        let margin: f64 = weights[words]
            + of_row
                .iter()
                .map(|&word| weights[word as usize])
                .sum::<f64>();
        let slope = share * (1.0 / (1.0 + (-margin).exp()) - label);
        for &word in of_row {
            slopes[word as usize] += slope;
        }
        slopes[words] += slope;
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with the word 0 are content in four of five cases, those with the word 1 in one of
    /// five; the word 2 is everywhere.
    fn rows() -> WordRows {
        let mut rows = WordRows::default();
        for number in 0..100 {
            let (word, is_usual) = (number % 2, number % 5 != 0);
            rows.push([word, 2], (word == 0) == is_usual, 0.5);
        }
        rows
    }

    #[test]
    fn weights_are_the_log_odds_of_their_words() {
        let weights = fit_words(&rows(), 4, 1e-6);
        let expected = 4.0f32.ln();
        assert!(
            (weights[0] - weights[1] - 2.0 * expected).abs() < 0.01,
            "{weights:?}"
        );
        assert_eq!(weights[3], 0.0, "no row has it");
        let held = fit_words(&rows(), 4, 10.0);
        assert!(held[0] > 0.05 && held[0] < 0.8 * weights[0], "{held:?}");
    }

    #[test]
    fn there_is_no_slope_where_it_ends() {
        let (rows, penalty) = (rows(), 0.5);
        let fitted = fit_words(&rows, 3, penalty);
        let mut weights: Vec<f64> = fitted.iter().map(|&weight| f64::from(weight)).collect();
        // By symmetry the offset is 0.
        weights.push(0.0);
        let slopes = slopes(&rows, &weights, penalty);
        assert!(slopes.iter().all(|slope| slope.abs() < 1e-3), "{slopes:?}");
    }
}
