//! Statistics over the scores of pages: mean and median, for reports.

/// Arithmetic mean; 0 for no value.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Median (mean of the middle two for an even number); 0 for no value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_and_even_numbers_have_a_mean_and_a_median() {
        assert_eq!((mean(&[]), median(&[])), (0.0, 0.0));
        assert_eq!((mean(&[1.0, 2.0, 6.0]), median(&[3.0, 1.0, 2.0, 10.0])), (3.0, 2.5));
    }
}
