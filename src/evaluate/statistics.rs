//! Statistics over the scores of pages: mean, median and the interval of a mean, for reports.

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

/// Interval that holds 95 % of the means of `resamples` samples with replacement, as (low, high); (0, 0) for no value.
pub fn bootstrap(values: &[f64], resamples: usize, seed: u64) -> (f64, f64) {
    if values.is_empty() || resamples == 0 {
        return (0.0, 0.0);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| (0..values.len()).map(|_| values[random.usize(..values.len())]).sum::<f64>() / values.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((resamples - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_mean_and_repeats() {
        let values: Vec<f64> = (0..50).map(|index| f64::from(index) / 50.0).collect();
        let (low, high) = bootstrap(&values, 1000, 1);
        assert!(low < 0.49 && 0.49 < high && high - low < 0.2);
        assert_eq!(bootstrap(&values, 1000, 1), (low, high));
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), 2.5);
    }
}
