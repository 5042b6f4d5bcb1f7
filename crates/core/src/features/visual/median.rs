//! The weighted median, used to determine line heights.

/// The value at which half of the total weight is reached; `None` for an empty list.
pub(crate) fn weighted_median(mut values: Vec<(f32, f32)>) -> Option<f32> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values
        .iter()
        .map(|&(_, weight)| f64::from(weight))
        .sum::<f64>()
        / 2.0;
    let mut sum = 0.0;
    values
        .iter()
        .find(|&&(_, weight)| {
            sum += f64::from(weight);
            sum >= half
        })
        .map(|&(value, _)| value)
}
