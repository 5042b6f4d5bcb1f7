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
    let of = |sample: &[usize]| sample.iter().map(|&index| values[index]).sum::<f64>() / values.len() as f64;
    bootstrap_of(values.len(), resamples, seed, of)
}

/// The same for any figure of a sample of `count` pages, given as their indexes: for figures that are not means.
pub fn bootstrap_of(count: usize, resamples: usize, seed: u64, figure: impl Fn(&[usize]) -> f64) -> (f64, f64) {
    if count == 0 || resamples == 0 {
        return (0.0, 0.0);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut sample = vec![0; count];
    let mut figures: Vec<f64> = (0..resamples)
        .map(|_| {
            sample.fill_with(|| random.usize(..count));
            figure(&sample)
        })
        .collect();
    figures.sort_by(f64::total_cmp);
    let at = |share: f64| figures[((resamples - 1) as f64 * share).round() as usize];
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
        let largest = |sample: &[usize]| sample.iter().map(|&index| values[index]).fold(0.0, f64::max);
        let (low, high) = bootstrap_of(values.len(), 1000, 1, largest);
        assert!(low > 0.8 && high == 0.98, "{low} {high}");
        assert_eq!(bootstrap_of(0, 10, 1, |_| 1.0), (0.0, 0.0));
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), 2.5);
    }
}
